"""The job behind probe.py with minimal sets: runs, their names, several models, what is refused."""

import json
import re
import shutil

import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.probing.door import probe_settings
from polyprobe.probing.minimal_sets.settings import MinimalSetSettings
from polyprobe.runs.array_records import SetScores
from polyprobe.runs.command.script import CONF
from tests.predictors.saved_run import write_run
from tests.probed import score_minimal_sets
from tests.probing.minimal_sets.shipped import shipped

SETS = "True\tthe dogs bark\nFalse\tthe dogs barks\nTrue\tthe dog barks\nFalse\tthe dog ζζζζ\n"


@pytest.fixture(scope="module")
def as_shipped():
    return shipped()


@pytest.fixture
def scored_run(as_shipped, work, tmp_path):
    """Scores a tiny model on a file of the user's own sets, with some options."""
    write_run(tmp_path)

    def run(text=SETS, options=(), predictor=(), suite=()):
        path = tmp_path / "dogs.txt"
        path.write_text(text, encoding="utf-8", newline="")
        given = {
            "paths": {**as_shipped["paths"], "work": str(work)},
            "suite": {**as_shipped["suite"], "path": str(path), "format": "clams", **dict(suite)},
            "predictor": {**as_shipped["predictor"], "run": str(tmp_path / "run"), "device": "cpu", **dict(predictor)},
        }
        config = {**as_shipped, **given, **dict(options)}
        return score_minimal_sets(MinimalSetSettings.of(probe_settings(config)))

    return run


def accuracies(run):
    rows = [json.loads(line) for line in (run.path / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["metric"] == "accuracy" and row.get("test")]


def test_a_run_leaves_rows_scores_and_what_must_be_known(scored_run, tmp_path):
    run = scored_run()
    assert re.fullmatch(r"own-en-lstm-[0-9a-f]{8}", run.name)
    row = accuracies(run)[0]
    assert (row["test"], row["n"], row["predictor"], row["seed"], row["epoch"]) == ("dogs", 2, "lstm", 5, 2)
    assert row["model"] == "run"
    assert row["options"] == f"suite.path={tmp_path.name}/dogs.txt"
    assert SetScores.read(run.set_scores / "dogs.npz").lemmas.tolist() == ["bark/barks", "barks/ζζζζ"]
    record = run.record()
    assert record["sets"]["dogs"] == {
        "sets": 2,
        "left_out": {},
        "unknown_focus": 1,
        "unknown_elsewhere": 0,
        "bad_lines": 0,
        "identical": [],
    }
    assert "<eos> is read before the first word" in record["conventions"]
    assert record["models"][0]["name"] == "s5/2"
    assert record["models"][0]["model"] is None


def test_a_start_says_how_much_there_is_to_score(scored_run, capsys):
    run = scored_run()
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [f"starting {run.path}", "  constructions: 1, sets: 2, sentences: 4, models: 1"]


def test_the_same_models_and_sets_from_another_place_are_the_same_run(scored_run, tmp_path, capsys):
    first = scored_run()
    shutil.move(tmp_path / "run", tmp_path / "moved")
    again = scored_run(predictor={"run": str(tmp_path / "moved")})
    assert again.path == first.path
    assert "is finished; its results:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changed",
    [
        {"options": {"ties": "half"}},
        {"options": {"unknown_focus": "skipped"}},
        {"suite": {"end_of_sentence": "."}},
        {"suite": {"capitalise": True}},
        {"predictor": {"end": True}},
        {"text": SETS.replace("barks", "sleep")},
        {"text": SETS + SETS},
    ],
)
def test_what_can_change_a_number_makes_another_run(scored_run, changed):
    assert scored_run().path != scored_run(**changed).path


def test_scores_that_were_lost_are_made_again(scored_run):
    first = scored_run()
    (first.set_scores / "dogs.npz").unlink()
    assert (scored_run().set_scores / "dogs.npz").is_file()


def test_a_sentence_of_one_word_is_left_out_where_the_first_word_does_not_count(scored_run):
    text = "True\tdogs\nFalse\tbarks\n" + SETS
    assert accuracies(scored_run(text))[0]["n"] == 3
    run = scored_run(text, predictor={"first": False})
    assert run.record()["sets"]["dogs"]["left_out"] == {"no word of it counts": 1}
    assert (accuracies(run)[0]["n"], accuracies(run)[0]["skipped"]) == (2, 1)


def test_a_construction_of_which_all_sets_are_left_out_is_warned_of(scored_run, caplog):
    unknown = {"options": {"unknown_focus": "skipped"}}
    scored_run(**unknown)
    assert "without a score" not in caplog.text
    scored_run(text="True\tthe dog barks\nFalse\tthe dog ζζζζ\n", **unknown)
    said = "1 of 1 construction without a score: dogs. Most (1 set) for an OOV or unscored critical word."
    assert said in caplog.text


def test_a_list_of_epochs_is_a_model_each_and_equal_ones_are_one(scored_run):
    run = scored_run(predictor={"epoch": [0, "best", 2]})
    assert [row["epoch"] for row in accuracies(run) if "seed" in row] == [0, 2]
    assert SetScores.read(run.set_scores / "dogs.npz").models.tolist() == ["s5/0", "s5/2"]


def test_runs_that_differ_in_more_than_their_seeds_are_no_seeds(scored_run, work, tmp_path):
    one = str(write_run(tmp_path / "one", epochs=(1,), seed=1))
    same = str(write_run(tmp_path / "same", epochs=(2,), seed=2))
    foreign = str(write_run(tmp_path / "foreign", epochs=(0,), lang="de"))
    with pytest.raises(PolyprobeError, match=r"one/run and .*foreign/run differ in lang\.code \(en, de\)"):
        scored_run(predictor={"run": [one, same, foreign]})
    assert not (work / "runs").exists()
    assert accuracies(scored_run(predictor={"run": [one, same]}))[-1]["n_seeds"] == 2


@pytest.mark.parametrize(("languages", "is_said"), [("de", True), ("de+en", False)])
def test_a_model_that_was_not_trained_on_the_language_is_said(scored_run, tmp_path, caplog, languages, is_said):
    run = scored_run(predictor={"run": str(write_run(tmp_path / "foreign", lang=languages))})
    said = "the model was trained on lang=de, not on en"
    assert (said in caplog.text) == is_said
    assert [said in row.get("note", "") for row in accuracies(run) if "n_seeds" in row] == [is_said]


def test_seeds_of_untrained_models_are_averaged(scored_run, as_shipped, tmp_path):
    settings = {"_target_": "polyprobe.predictors.lstm.RandomPredictor", "epoch": None, "seed": [1, 2, 3]}
    untrained = {key: value for key, value in {**as_shipped["predictor"], **settings}.items() if key != "epoch"}
    run = scored_run(
        options={
            "predictor": {**untrained, "run": str(tmp_path / "run")},
            "choices": {**as_shipped["choices"], "predictor": "random"},
        }
    )
    *of_seeds, averaged = accuracies(run)
    assert averaged["value"] == pytest.approx(sum(row["value"] for row in of_seeds) / 3)
    assert ("sd" in averaged, averaged["n_seeds"]) == (True, 3)


def test_bad_lines_are_refused_or_noted(scored_run):
    with pytest.raises(PolyprobeError, match=r"dogs\.txt, line 5: the line is empty.*data\.on_malformed=skip"):
        scored_run(SETS + "\n" + SETS)
    run = scored_run(SETS + "\n" + SETS, options={"data": {"on_malformed": "skip"}})
    record, row = run.record(), accuracies(run)[0]
    assert (len(record["left_out"]), record["sets"]["dogs"]["bad_lines"]) == (1, 1)
    assert row["n"] == 4
    assert "malformed lines, skipped with their sets: 1" in row["note"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"predictor": {"epoch": []}}, "predictor.epoch must be a value, or a list with at least one"),
        ({"predictor": {"epok": 1}}, "LSTMPredictor does not take these options"),
        ({"suite": {"format": "senteval", "path": str(CONF)}}, "has no test of suite.format=senteval"),
    ],
)
def test_what_cannot_be_scored_is_refused_before_anything_is_written(scored_run, work, changed, words):
    with pytest.raises(Exception, match=re.escape(words)) as caught:
        scored_run(**changed)
    assert isinstance(caught.value, PolyprobeError) or isinstance(caught.value.__cause__, PolyprobeError)
    assert not (work / "runs").exists()
