"""Commands of README.md and docs/ below `<!-- run by a test -->` succeed as they stand, on lang=mini or docs/nouns.tsv.

`<run>` is the run that was made last. Pages that are tutorials have tests of their own (tests/pages.py).
"""

import re
import shlex
from pathlib import Path

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, with_mini
from tests.documents.tables import PAGES

MARKED = re.compile(r"^<!-- run by a test -->\n\n?```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[list[str]]:
    """Returns the marked commands of a page, in words; comments and line ends that are escaped are none."""
    fences = "".join(MARKED.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in fences.splitlines()]
    return [words for words in lines if words]


TYPED = {page: commands(page) for page in PAGES if commands(page)}


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_the_marked_commands_of_a_page_succeed(page, mini_folder, tmp_path):
    work = with_mini(mini_folder, tmp_path / "work")
    for python, script, *arguments in TYPED[page]:
        assert python == "python"
        runs = sorted(work.glob("runs/*/*/run.json"), key=lambda file: file.stat().st_mtime_ns)
        words = [word.replace("<run>", str(runs[-1].parent)) if "<run>" in word else word for word in arguments]
        keys = [] if "--help" in words else [f"paths.work={work}"]
        keys += ["trainer.threads=1"] if keys and script in ("train.py", "probe.py") else []
        done = run_script(script.removesuffix(".py"), *words, *keys, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_has_marked_commands():
    assert "probe.py" in [words[1] for words in TYPED[ROOT / "README.md"]]
