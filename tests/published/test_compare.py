"""What becomes of a published number in the runs of a work folder."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from published import compare
from tests.analysis.handmade import as_read, probing, score
from tests.runs.composed import composed

SETS = {"Case": "UKPLab/linspector 46a7cca", "Mood": "UKPLab/linspector 46a7cca"}
MUSE = {"vocabulary": 200000, "width": 300}
PUBLISHED = {"vectors": MUSE, "data": SETS}
MUSE_CASE = ("9", "Finnish Case", "MUSE")  # 49.3, within 5 points; the majority is 30.0
MAJORITY = ("9", "Finnish Case", "baseline")


def run(work: Path, name: str, *rows, sources=PUBLISHED, typed=(), **settings) -> None:
    """Writes a run of Table 9's study, with `typed` and `settings` otherwise."""
    study = ["experiment=linspector_table9", "lang=fi", "encoder=muse", "encoder.path=x"]
    config = {**composed("probe", *study, *typed), **settings}
    folder = work / "runs" / "probe" / name
    as_read(list(rows), folder, name, **({"sources": sources} if sources else {}))
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def case(value: float | None, **columns):
    return probing(
        "Case", value, **{"encoder": "muse", "layer": "static_vectors", "n": 1000, "majority": 0.3, **columns}
    )


def found(work: Path, place=MUSE_CASE, paper="linspector") -> pd.Series:
    cells = compare.compared(compare.read_cells(paper), compare.read_runs(work))
    return cells[(cells.table == place[0]) & (cells.row == place[1]) & (cells.column == place[2])].iloc[0]


@pytest.mark.parametrize(("value", "mark"), [(0.4934, "="), (0.4436, "≈"), (0.5431, "≠"), (None, "")])
def test_a_number_is_equal_near_or_outside(tmp_path, value, mark):
    run(tmp_path, "one", case(value), probing("Mood", 0.493, encoder="muse"))
    one = found(tmp_path)
    assert (one["mark"], one.differs) == (mark, "")
    assert one.runs == ("" if value is None else "one")
    assert one.ours == ("" if value is None else f"{100 * value:.1f}")


def test_runs_that_differ_by_their_seed_are_averaged_and_others_listed(tmp_path):
    for seed, value in ((1, 0.48), (2, 0.50)):
        run(tmp_path, f"s{seed}", case(value), typed=[f"seed={seed}"])
    run(tmp_path, "other", case(0.9), typed=["probe.max_epochs=1"])
    one = found(tmp_path)
    assert (one.ours, one["mark"], one.runs) == ("49.0", "≈", "s1 s2")
    assert one.other_runs == "90.0 † other"


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        ({"typed": ["probe.max_epochs=1"]}, "probe.max_epochs 1, not 20"),
        ({"sources": {**PUBLISHED, "vectors": {**MUSE, "vocabulary": 10}}}, "muse vocabulary: 10, the paper's 200000"),
        ({"sources": {**PUBLISHED, "data": {"Case": ""}}}, "Case: another file, the paper's UKPLab/linspector"),
        ({"sources": {"vectors": MUSE}}, "Case: not recorded, the paper's UKPLab/linspector"),
        ({"n": 100}, "100 items, not 1,000"),
    ],
)
def test_other_data_and_settings_are_named(tmp_path, changed, differs):
    n = changed.pop("n", 1000)
    run(tmp_path, "one", case(0.493, n=n), **changed)
    one = found(tmp_path)
    assert (one["mark"], one.differs) == ("†", differs)


def test_a_majority_hangs_on_no_settings_and_stands_in_the_rows_of_all_layers(tmp_path):
    rows = [case(value, layer=layer) for layer, value in (("0", 0.4), ("1", 0.5))]
    run(tmp_path, "one", *rows, typed=["probe.max_epochs=1"])
    assert found(tmp_path, MAJORITY)["mark"] == "="
    assert found(tmp_path)["mark"] == ""  # several layers: none of them is the number


def test_a_run_of_other_choices_is_none_of_it(tmp_path):
    run(tmp_path, "one", case(0.493), choices={"lang": "fi", "encoder": "word2vec", "suite": "linspector_type"})
    assert found(tmp_path)["mark"] == ""


def cell(**columns) -> pd.DataFrame:
    usual = {"number": 49.3, "slack": 5.0, "decimals": 1, "ours": 49.3, "constant": 30.0, "differs": ""}
    return pd.DataFrame([{**usual, **columns}])


@pytest.mark.parametrize(
    ("constant", "ours", "mark"),
    [
        (46.0, 47.0, "?"),  # a constant answer is as near as ±5
        (46.0, 49.3, "="),
        (49.3, 49.3, "?"),
        (46.0, 40.0, "≠"),
        (44.1, 46.0, "≠"),  # within ±5, but nearer to the constant answer
        (30.0, 46.0, "≈"),
        (float("nan"), 46.0, "≈"),
    ],
)
def test_a_number_that_a_constant_answer_reaches_decides_nothing(constant, ours, mark):
    assert [*compare.marks(cell(constant=constant, ours=ours))] == [mark]
    assert [*compare.marks(cell(constant=constant, ours=ours, differs="100 items"))] == ["†"]


def test_without_a_tolerance_equal_digits_alone_are_near():
    assert [*compare.marks(cell(slack=float("nan"), ours=49.26))] == ["="]
    assert [*compare.marks(cell(slack=float("nan"), ours=49.2))] == ["≠"]


def write_run(folder: Path, config: dict, row, **notes) -> None:
    as_read([row], folder, folder.name, **notes)
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def test_what_a_model_was_trained_on_counts(tmp_path):
    text = {"data": {"train.txt": "zenodo.org/record/3774712/files"}}
    sets = {"data": {"simple_agrmt.txt": "aaronmueller/clams 36b5c9a"}}
    scored = {"suite": "clams", "lang": "de", "encoder": None, "corpus": None, "predictor": "lstm", "n": 140}
    right = score("minimal_sets", "accuracy", 0.98, test="simple_agrmt", **{**scored, "split": "test", "seed": None})
    for name, more in (("few", "small"), ("mono", "published")):
        training, probe = tmp_path / "runs/train" / name, tmp_path / "runs/probe" / f"of-{name}"
        config = composed("train", "experiment=clams_lstm", "lang=de", f"data.corpus={more}")
        perplexity = score("test", "perplexity", 46.0, suite="lm", lang="de", corpus=more)
        write_run(training, config, perplexity, sources=text, corpus=more)
        write_run(
            probe,
            composed("probe", "experiment=clams_lstm_scored", "lang=de", f"predictor.run={training}"),
            right,
            sources=sets,
        )
    one = found(tmp_path, ("1", "simple_agrmt", "German mono"), "clams")
    assert (one["mark"], one.runs, one.other_runs) == ("≈", "of-mono", "0.98 † of-few")
    (tmp_path / "runs/train/mono/results.jsonl").unlink()
    assert found(tmp_path, ("1", "simple_agrmt", "German mono"), "clams").runs == "of-few"


def test_every_study_composes_as_it_is_typed():
    cells = pd.concat(map(compare.read_cells, compare.PAPERS))
    own = cells[cells.plain_mark == ""]
    studies = {*(own.experiment + " " + own.choices).groupby(own.experiment).last(), *own.training[own.training != ""]}
    for words in studies:
        command, choices, settings = compare.study_of(words)
        assert choices["experiment"] == words.split()[0]
        assert command in ("train", "probe")
        assert settings


def test_a_work_folder_gets_tables_lines_and_counts(tmp_path, capsys):
    run(tmp_path, "one", case(0.4934))
    compare.main(tmp_path)
    assert "1 runs" in capsys.readouterr().out
    assert "49.3 49.3 =" in (tmp_path / "comparisons/published/linspector.txt").read_text(encoding="utf-8")
    counts = pd.read_csv(tmp_path / "comparisons/published/counts.tsv", sep="\t", dtype=str, keep_default_na=False)
    of_table = counts[(counts.paper == "Şahin et al. 2020") & (counts.table == "9")].iloc[0]
    assert (of_table.equal, of_table["not run"], of_table["all"]) == ("2", "328", "330")  # with the majority
    assert counts[counts.table == "all"]["all"].tolist() == ["1282", "936", "700", "392"]


def test_in_a_checkout_the_published_numbers_are_left_as_they_are(tmp_path, monkeypatch):
    inputs = tmp_path / "published"
    shutil.copytree(compare.HERE, inputs, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compare, "HERE", inputs)
    before = {file.name: file.read_bytes() for file in inputs.iterdir()}
    compare.main(tmp_path)
    compare.main(tmp_path)
    assert {file.name: file.read_bytes() for file in inputs.iterdir()} == before


def test_without_runs_the_published_numbers_stand_alone(tmp_path):
    compare.main(tmp_path)
    counts = pd.read_csv(tmp_path / "comparisons/published/counts.tsv", sep="\t", dtype=str, keep_default_na=False)
    assert {*counts.equal} == {""}
