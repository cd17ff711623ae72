"""What becomes of a published number in the runs at hand."""

from dataclasses import replace
from types import MappingProxyType

import pytest
import yaml

from src.analysis.published.filled_cells import FinishedRun, State, filled_cells
from src.analysis.published.published_cells import PublishedCell
from tests.analysis.handmade import as_read, probing, score

KEYS = {"stage": "probing", "suite": "linspector_type", "lang": "fi", "test": "Case", "metric": "accuracy"}
CELL = PublishedCell(
    **{"paper": "linspector", "table": "9", "row": "fi Case", "column": "MUSE"},
    experiment="",
    choices=MappingProxyType({"lang": "fi", "encoder": "muse"}),
    training=None,
    keys=MappingProxyType(KEYS),
    **{"of": "value", "corpus": "", "n": 200, "text": "49.3", "value": 49.3, "unit": "percent", "tolerance": 5.0},
    **{"why": "", "cannot": "", "printed_by": "", "note": ""},
)


def run(folder, rows, seed=1, **settings):
    configuration = {"seed": seed, "choices": {"lang": "fi", "encoder": "muse", "probe": "mlp"}, **settings}
    as_read(rows, folder, folder.name)
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    return FinishedRun.read(folder)


def filled(cell, *runs):
    (one,) = filled_cells([cell], runs)
    return one


@pytest.mark.parametrize(
    ("value", "state"), [(0.4934, State.EQUAL), (0.4436, State.NEAR), (0.5431, State.OUTSIDE), (None, State.NOT_RUN)]
)
def test_a_number_is_equal_near_or_outside(tmp_path, value, state):
    one = filled(CELL, run(tmp_path / "one", [probing("Case", value), probing("Mood", 0.493)]))
    assert one.state is state
    assert one.runs == (() if value is None else ("one",))
    assert one.found == (None if value is None else pytest.approx(100 * value))


def test_runs_that_differ_by_their_seed_are_averaged(tmp_path):
    runs = [run(tmp_path / str(seed), [probing("Case", value)], seed) for seed, value in ((1, 0.48), (2, 0.50))]
    one = filled(CELL, *runs, run(tmp_path / "3", [probing("Case", 0.9)], bank={"chunk_size": 2}, note=3))
    assert (one.found, one.runs, one.state) == (pytest.approx(49.0), ("1", "2"), State.NEAR)


def test_a_run_on_other_data_is_told_from_one_on_these(tmp_path):
    few = run(tmp_path / "few", [probing("Case", 0.493, n=100)])
    one = filled(CELL, few)
    assert (one.state, one.elsewhere) == (State.ELSEWHERE, ("100 items, not 200",))
    assert filled(CELL, few, run(tmp_path / "all", [probing("Case", 0.1)])).state is State.OUTSIDE
    corpus = replace(CELL, corpus="finnish_pb", n=None, keys=MappingProxyType({"stage": "test", "test": ""}))
    assert filled(corpus, run(tmp_path / "up", [score("test", "role_f1", 0.5)])).elsewhere == (
        "corpus finnish_up, not finnish_pb",
    )


def test_a_majority_hangs_on_no_settings(tmp_path):
    one = run(tmp_path / "one", [probing("Case", 0.2)], probe={"max_epochs": 1})
    assert filled(replace(CELL, of="majority", text="30.0", value=30.0), one).state is State.EQUAL


def test_a_run_of_other_choices_or_rows_is_none_of_it(tmp_path):
    one = run(tmp_path / "one", [probing("Case", 0.493)])
    for other in (
        replace(CELL, choices=MappingProxyType({"encoder": "word2vec"})),
        replace(CELL, choices=MappingProxyType({"encoder.path": "x"})),
        replace(CELL, keys=MappingProxyType({**KEYS, "test": "Mood"})),
        replace(CELL, of="oov"),
    ):
        assert filled(other, one).state is State.NOT_RUN
    assert filled(replace(CELL, cannot="never published"), one).state is State.CANNOT
    assert filled(replace(CELL, printed_by="python probe.py list=statistics"), one).state is State.PRINTED


def test_of_a_model_the_last_part_of_its_path_counts(tmp_path):
    one = run(tmp_path / "one", [probing("Case", 0.493)], encoder={"model": "models/bert-base-multilingual-cased"})
    named = replace(CELL, choices=MappingProxyType({"encoder.model": "bert-base-multilingual-cased"}))
    assert filled(named, one).state is State.EQUAL


def test_a_majority_stands_in_the_rows_of_all_layers(tmp_path):
    rows = [probing("Case", value, layer=layer) for layer, value in (("0", 0.4), ("1", 0.5))]
    baseline = replace(CELL, of="majority", text="30.0", value=30.0)
    assert filled(baseline, run(tmp_path / "one", rows)).state is State.EQUAL
    assert filled(CELL, run(tmp_path / "two", rows)).state is State.NOT_RUN
