"""Commands of README.md and docs/ below `<!-- run by a test -->` succeed as they stand, on lang=mini or docs/nouns.tsv.

`<run>` is the run that was made last. Pages that are tutorials have tests of their own (tests/pages.py).
"""

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, with_mini
from tests.documents.tables import PAGES
from tests.pages import marked_commands

TYPED = {page: marked_commands(page) for page in PAGES if marked_commands(page)}


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
