"""The site of docs/: each page has its place, and each link leads somewhere, on a forge and on the site."""

import re
import unicodedata
from collections.abc import Iterator

import yaml

from tests.commands.scripts import ROOT
from tests.documents.reference import PAGES

DOCS = ROOT / "docs"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def site() -> dict:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def pages(entries) -> Iterator[str]:
    """Yields the pages of the navigation, in their order."""
    for entry in entries:
        for one in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [one] if isinstance(one, str) else pages(one)


def prose(document) -> str:
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def headings(document) -> list[str]:
    return [re.sub(r"[`*]", "", one) for one in re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)]


def anchor_of_forge(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor_of_site(heading: str) -> str:
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def test_each_page_stands_once_in_the_navigation():
    written = [page.name for page in DOCS.glob("*.md")]
    assert sorted(pages(site()["nav"])) == sorted([*written, *(f"reference/{name}" for name in PAGES)])


def test_the_site_takes_no_font_or_script_from_elsewhere():
    assert site()["theme"]["font"] is False
    assert not {"extra_javascript", "extra_css"} & {*site()}


def test_each_link_leads_to_a_file_and_to_a_heading():
    broken = []
    for document in DOCUMENTS:
        for file, anchor in LINK.findall(prose(document)):
            target = document.parent / file if file else document
            anchors = [
                {function(one) for one in headings(target)}
                for function in (anchor_of_forge, anchor_of_site)
                if anchor and target.suffix == ".md" and target.is_file()
            ]
            if not target.exists() or not all(anchor in known for known in anchors):
                broken.append(f"{document.name}: {file}#{anchor}")
    assert broken == []


def test_the_site_links_to_nothing_outside_of_it():
    """The site has docs/ alone: what lies elsewhere is named by its path, not linked."""
    links = [(page, file) for page in DOCS.glob("*.md") for file, _ in LINK.findall(prose(page)) if file]
    assert [link for link in links if DOCS not in (link[0].parent / link[1]).resolve().parents] == []
