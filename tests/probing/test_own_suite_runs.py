"""Runs of a user's own tests: what they are called is part of which run it is."""

import pytest

from polyprobe.encoders.base.build import make_encoder
from polyprobe.probing.design import versions_of_tests
from polyprobe.probing.door import probe_settings
from polyprobe.probing.run import run_name
from polyprobe.probing.settings import ProbingSettings
from tests.probed import probe
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
        own = ["suite=own", "lang=fi", f"suite.path={folder}", "suite.format=senteval", "suite.level=sentence"]
        config = composed("probe", *own, "encoder=tfidf", f"paths.work={work}", "trainer.threads=1")
        run = probe(ProbingSettings.of(probe_settings(config)))
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


@pytest.fixture
def named(work, tmp_path):
    """Returns the configuration of a treebank's column with other options, and the name of its run."""
    folder = tmp_path / "ud"
    folder.mkdir()
    row = "{}\t{}\t{}\t{}\t_\tCase={}\t0\troot\t_\t_\n"
    words = (("en", "NOUN", "Gen"), ("kala", "PROPN", "Nom"), ("kalan", "NOUN", "Gen"), ("talo", "NOUN", "Nom"))
    text = "".join(row.format(place, form, form, upos, case) for place, (form, upos, case) in enumerate(words, start=1))
    for split in ("train", "dev", "test"):
        (folder / f"{split}.conllu").write_text(text + "\n", encoding="utf-8")

    def run(*options):
        own = ["suite=own", "lang=fi", f"suite.path={folder}", "suite.format=conllu", "suite.level=token"]
        column = ["suite.column=feats.Case", "encoder=char_ngrams", f"paths.work={work}", "trainer.threads=1"]
        config = composed("probe", *own, *column, *options)
        settings = ProbingSettings.of(probe_settings(config))
        return config, run_name(settings, versions_of_tests(settings), make_encoder(config["encoder"]))

    return run


def test_a_column_of_a_treebank_is_probed_and_told_by_its_options(named):
    config, name = named("suite.where={upos: [NOUN], feats.Case: [Gen, Nom]}")
    run = probe(ProbingSettings.of(probe_settings(config)))
    assert run.name == name
    row = next(row for row in run.rows() if row["metric"] == "accuracy" and row["stage"] == "probing")
    assert (row["test"], row["n"]) == ("feats.Case", 3)
    assert 'suite.where={"upos":["NOUN"],"feats.Case":["Gen","Nom"]}' in row["options"]


@pytest.mark.parametrize(
    "option", ["suite.where={upos: NOUN}", "suite.absent=none", "suite.split_seed=2", "suite.level=type"]
)
def test_what_can_change_the_rows_makes_another_run(named, option):
    assert named()[1] != named(option)[1]


def test_what_only_columns_have_is_no_part_of_other_tests(probed, work, tmp_path):
    run, _ = probed("Tense")
    own = ["suite=own", "lang=fi", f"suite.path={tmp_path / 'own'}", "suite.format=senteval", "suite.level=sentence"]
    config = composed("probe", *own, "encoder=tfidf", f"paths.work={work}", "trainer.threads=1", "suite.split_seed=5")
    settings = ProbingSettings.of(probe_settings(config))
    assert run_name(settings, versions_of_tests(settings), make_encoder(config["encoder"])) == run.name
