"""The tables of numbers in README.md and docs/ are those of docs/results/, whose files say where they come from."""

import re

from tests.documents.gallery import PAGE as GALLERY
from tests.documents.gallery import PICTURE
from tests.documents.tables import MADE, PAGES, RESULTS, cells_of, command_of, with_tables

FILES = sorted(RESULTS.iterdir())
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
BLOCK = re.compile(r"^(<!-- made from .*-->\n)?(```\w*\n(?:.*\n)*?```|(?:\|.*\n)+)", re.MULTILINE)
OF_WORDS = {"Finding", "Line", "Open", "what"}
"""First heads of tables that explain in sentences, which have numbers."""


def page(path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_tables_of_a_page_are_made_of_its_files():
    """`python -m tests.documents.tables` writes them."""
    assert [path.name for path in PAGES if with_tables(page(path)) != page(path)] == []


def typed_tables(text: str) -> list[str]:
    """Returns the first lines of tables and printed outputs with several lines of numbers that no file has."""
    found = []
    for made, block in BLOCK.findall(text):
        lines = [line for line in block.splitlines() if not line.startswith("```")]
        is_table = lines[0].startswith("|") or "───" in block
        n_lines = sum(len(NUMBER.findall(line)) > 1 for line in lines)
        if is_table and n_lines > 1 and not made and not lines[0].startswith(tuple(f"| {one} |" for one in OF_WORDS)):
            found.append(lines[0])
    return found


def test_no_table_of_numbers_is_typed_by_hand():
    assert [(path.name, table) for path in PAGES for table in typed_tables(page(path))] == []


def test_a_typed_table_is_seen():
    made = page(RESULTS.parent / "library.md") + page(RESULTS.parent / "similarity.md")
    typed = re.sub(r"^<!-- made from .*\n", "", made, flags=re.MULTILINE)
    assert [line.split()[:2] for line in typed_tables(typed)] == [["test", "n"], ["|", "cka"]]


def test_each_file_is_used_and_says_what_made_it():
    used = {made["file"] for path in PAGES for made in MADE.finditer(page(path))}
    used |= {f"{one['rows']}.jsonl" for one in PICTURE.finditer(page(GALLERY))}
    assert used == {file.name for file in FILES}
    assert [file.name for file in FILES if not re.match(r"python |make |polyprobe ", command_of(file))] == []
    assert [file.name for file in FILES if file.suffix == ".tsv" and not cells_of(file)[0].get("origin")] == []


def test_the_files_are_small():
    assert sum(file.stat().st_size for file in FILES) < 200_000


def test_a_changed_number_is_written_anew():
    text = page(RESULTS.parent / "similarity.md")
    assert with_tables(text.replace("| 0.19 |", "| 0.91 |")) == text
