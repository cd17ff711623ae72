"""Language models scored on minimal sets, as a user does it."""

import json

from polyprobe.display.terminal import Terminal
from polyprobe.probing.door import probe_settings
from polyprobe.probing.listed import listed
from tests.commands.forked import run_script
from tests.commands.scripts import only_run
from tests.predictors.saved_run import write_run
from tests.runs.composed import composed

PAIR = {"sentence_good": "the dogs bark", "sentence_bad": "the dogs barks"}


def test_a_model_is_scored_on_ones_own_pairs(tmp_path, work):
    model = write_run(tmp_path)
    (tmp_path / "dogs.jsonl").write_text(json.dumps(PAIR) + "\n")
    own = ["suite=own", f"suite.path={tmp_path / 'dogs.jsonl'}", "suite.format=blimp", "suite.end_of_sentence=."]
    done = run_script("probe", *own, "lang=en", "predictor=lstm", f"predictor.run={model}", f"paths.work={work}")
    assert done.returncode == 0, done.stderr
    assert "dogs" in done.stdout
    run = only_run(work, "probe")
    assert str(run) in done.stdout
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["metric"] for row in rows} == {
        "accuracy",
        "accuracy_per_token",
        "accuracy_per_character",
        "accuracy_focus",
    }
    assert (run / "set_scores/dogs.npz").is_file()


def test_constructions_are_listed_with_their_numbers_of_sets(tmp_path, work, capsys):
    sets = tmp_path / "clams/eval/mini/simple_agrmt.txt"
    sets.parent.mkdir(parents=True)
    sets.write_text("True\ta b\nFalse\ta c\n" * 3)
    data = ["lang.generator=null", f"paths.data={tmp_path}", f"paths.work={work}"]
    for one in listed(probe_settings(composed("probe", "suite=clams", "list=true", *data))):
        Terminal().print(one)
    lines = [line.replace("│", " ").split() for line in capsys.readouterr().out.splitlines()]
    assert ["simple_agrmt", "3", "present", "yes"] in lines
    assert not work.exists()


def test_a_run_that_is_not_there_is_told_before_anything_is_fetched(tmp_path, work):
    absent = tmp_path / "no-run"
    nothing_serves = [f"paths.data={tmp_path / 'data'}", "paths.mirror=http://127.0.0.1:9", f"paths.work={work}"]
    asked = ["suite=blimp", "lang=en", "tests=[adjunct_island]", "predictor=lstm", f"predictor.run={absent}"]
    done = run_script("probe", *asked, *nothing_serves)
    assert done.returncode == 1
    assert str(absent) in done.stderr
    assert not (tmp_path / "data").exists()
