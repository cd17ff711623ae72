"""What a finished run is asked in Python: scores of sets, its page, what is to be cited."""

import json

import pytest

import polyprobe as pp
from tests.analysis.handmade import predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


def test_the_scores_of_the_sentences_of_a_construction(tmp_path):
    run = pp.open_run(minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -1.0, 2.0]})))
    assert run.score() == run.score("agreement")  # it has one test
    assert run.sets("agreement").test == "agreement"
    with pytest.raises(pp.PolyprobeError, match="Did you mean agreement"):
        run.sets("agrement")


def test_a_layer_that_is_not_named_is_the_best_on_dev(tmp_path):
    right = {"layer_1": [[1, 1, 1, 0]], "layer_2": [[1, 0, 1, 1]], "layer_3": [[0, 0, 0, 0]]}
    folder = predicted_run(tmp_path, "one", predictions("Case", right))
    rows = [{**row, "dev": {"layer_2": 0.9}.get(row["layer"], 0.5)} for row in pp.open_run(folder).rows]
    (folder / "results.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run = pp.open_run(folder)
    assert run.best_layer("Case") == "layer_2"
    assert [row["line"] for row in run.errors("Case")] == [2]
    assert run.score("Case") == run.score("Case", layer=2) == run.score("Case", "layer_2") == 0.75
    assert [row["line"] for row in run.errors("Case", layer=1)] == [4]
    assert run.predictions("Case").correct(3).tolist() == [0] * 4
    for ask in (run.score, run.errors):
        with pytest.raises(pp.PolyprobeError, match='layer of one "-1" is unknown'):
            ask("Case", layer=-1)


def test_the_tables_of_a_run_and_of_a_comparison_are_latex(tmp_path):
    runs = [predicted_run(tmp_path, name, predictions("Case", {"0": [[1, 0] * 60]})) for name in ("one", "two")]
    one, two = map(pp.open_run, runs)
    one.report()
    assert one.latex() == (one.path / "pictures" / "probing.tex").read_text(encoding="utf-8")
    assert "\\toprule" in one.compare(two).latex()
    assert len(one.frame()) == len(one.rows)


def test_a_page_lies_in_its_run_or_where_it_is_wanted(tmp_path):
    folders = [predicted_run(tmp_path, name, predictions("Case", {"0": [[1, 0] * 60]})) for name in ("one", "two")]
    one, two = map(pp.open_run, folders)
    assert pp.report(one) == folders[0] / "report.html"
    assert pp.report(one, path=tmp_path / "mine.html").read_bytes() == (folders[0] / "report.html").read_bytes()
    beside = pp.report(one, two, work=tmp_path)
    assert beside.parent == tmp_path / "comparisons"
    assert "below in 0 (Holm" in beside.read_text(encoding="utf-8")


def test_several_runs_are_cited_together(tmp_path):
    folder = predicted_run(tmp_path, "one", predictions("Case", {"0": [[1, 0]]}))
    (folder / "config.yaml").write_text("choices: {suite: own, encoder: elmo, probe: mdl}\n")
    run = pp.open_run(folder)
    assert run.cite() == pp.cite(run, run)
    assert "@inproceedings{voita-titov-2020-information," in run.cite()
