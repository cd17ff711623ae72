"""Runs of a user's own tests: what they are called is part of which run it is."""

import pytest

from src.probing.run import probe
from src.probing.settings import ProbingSettings
from tests.runs.composed import composed


@pytest.fixture
def probed(work, tmp_path, capsys):
    """Returns the run of a test file of this name and content."""

    def run(name, text="tr\tA\tx b\ntr\tB\ty b\nva\tA\tx c\nva\tB\ty c\nte\tA\tx d\nte\tB\ty d\n"):
        folder = tmp_path / "own"
        folder.mkdir(exist_ok=True)
        for other in folder.iterdir():
            other.unlink()
        (folder / f"{name}.txt").write_text(text)
        own = ["suite=own", f"suite.path={folder}", "suite.format=senteval", "suite.level=sentence"]
        config = composed("probe", *own, "encoder=tfidf", f"paths.work={work}", "trainer.threads=1")
        run = probe(config, ProbingSettings.of(config))
        return run, "is finished" in capsys.readouterr().out

    return run


def test_a_renamed_test_is_another_run(probed):
    first, _ = probed("Tense")
    renamed, is_shown_again = probed("Mood")
    assert first.name != renamed.name
    assert not is_shown_again
    assert {row["test"] for row in renamed.rows()} == {"Mood"}
    assert {row["test"] for row in first.rows()} == {"Tense"}


def test_the_same_test_is_the_same_run(probed):
    first, _ = probed("Tense")
    again, is_shown_again = probed("Tense")
    assert (first.name, is_shown_again) == (again.name, True)
