"""What a finished run is asked in Python: scores of sets, its page, what is to be cited."""

import pytest

import polyprobe as pp
from tests.analysis.handmade import predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


def test_the_scores_of_the_sentences_of_a_construction(tmp_path):
    run = pp.open_run(minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -1.0, 2.0]})))
    with pytest.raises(pp.PolyprobeError, match='"None" is unknown'):
        run.score(None)
    assert run.sets("agreement").test == "agreement"
    with pytest.raises(pp.PolyprobeError, match="Did you mean agreement"):
        run.sets("agrement")


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
