"""What becomes of a published number in the runs at hand."""

from dataclasses import replace
from types import MappingProxyType

import pytest
import yaml

from polyprobe.analysis.published.filled_cells import FinishedRun, State, filled_cells
from polyprobe.analysis.published.published_cells import PublishedCell, StudyCommand
from tests.analysis.handmade import as_read, probing, score

KEYS = {"stage": "probing", "suite": "linspector_type", "lang": "fi", "test": "Case", "metric": "accuracy"}
CELL = PublishedCell(
    **{"paper": "linspector", "table": "9", "row": "fi Case", "column": "MUSE"},
    study=StudyCommand("", MappingProxyType({"lang": "fi", "encoder": "muse"})),
    training=None,
    keys=MappingProxyType(KEYS),
    **{"of": "value", "corpus": "", "n": 200, "text": "49.3", "value": 49.3, "unit": "percent", "tolerance": 5.0},
    **{"why": "", "cannot": "", "printed_by": "", "note": ""},
)


MUSE = {"vocabulary": 200000, "width": 300}
SETS = {"Case": "UKPLab/linspector 46a7cca", "Mood": "UKPLab/linspector 46a7cca"}
PUBLISHED = {"vectors": MUSE, "data": SETS}


def run(folder, rows, seed=1, sources=PUBLISHED, **settings):
    configuration = {"seed": seed, "choices": {"lang": "fi", "encoder": "muse", "probe": "mlp"}, **settings}
    as_read(rows, folder, folder.name, **({"sources": sources} if sources else {}))
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
        replace(CELL, study=StudyCommand("", MappingProxyType({"encoder": "word2vec"}))),
        replace(CELL, study=StudyCommand("", MappingProxyType({"encoder.path": "x"}))),
        replace(CELL, keys=MappingProxyType({**KEYS, "test": "Mood"})),
        replace(CELL, of="oov"),
    ):
        assert filled(other, one).state is State.NOT_RUN
    assert filled(replace(CELL, cannot="never published"), one).state is State.CANNOT
    assert filled(replace(CELL, printed_by="python probe.py list=statistics"), one).state is State.PRINTED


def test_of_a_model_the_last_part_of_its_path_counts(tmp_path):
    one = run(tmp_path / "one", [probing("Case", 0.493)], encoder={"model": "models/bert-base-multilingual-cased"})
    named = replace(CELL, study=StudyCommand("", MappingProxyType({"encoder.model": "bert-base-multilingual-cased"})))
    assert filled(named, one).runs == ("one",)


def test_a_majority_stands_in_the_rows_of_all_layers(tmp_path):
    rows = [probing("Case", value, layer=layer) for layer, value in (("0", 0.4), ("1", 0.5))]
    baseline = replace(CELL, of="majority", text="30.0", value=30.0)
    assert filled(baseline, run(tmp_path / "one", rows)).state is State.EQUAL
    assert filled(CELL, run(tmp_path / "two", rows)).state is State.NOT_RUN


TEN_WORDS = {"vectors": {"vocabulary": 10, "width": 4}, "data": SETS}


def test_vectors_that_are_not_the_papers_fill_no_number_of_it(tmp_path):
    one = filled(CELL, run(tmp_path / "one", [probing("Case", 0.493)], sources=TEN_WORDS))
    assert (one.state, one.elsewhere) == (
        State.ELSEWHERE,
        ("muse: 10 words or pieces, the paper's 200,000", "muse: 4 numbers a vector, the paper's 300"),
    )


def test_what_was_not_recorded_is_not_the_papers(tmp_path):
    (_, *others) = filled(CELL, run(tmp_path / "one", [probing("Case", 0.493)], sources=None)).elsewhere
    assert others == ["muse: vocabulary not recorded, the paper's 200,000", "muse: width not recorded, the paper's 300"]
    baseline = replace(CELL, of="majority", text="30.0", value=30.0)
    old = filled(baseline, run(tmp_path / "two", [probing("Case", 0.2)], sources=None))
    assert (old.state, old.elsewhere) == (State.ELSEWHERE, ("Case: which file was read is not recorded",))


def test_a_changed_file_of_a_test_is_told(tmp_path):
    changed = {"vectors": MUSE, "data": {**SETS, "Case": ""}}
    one = filled(CELL, run(tmp_path / "one", [probing("Case", 0.493)], sources=changed))
    assert one.elsewhere == ("Case: not the published file, the paper's of UKPLab/linspector",)


def test_vectors_that_were_never_released_are_nobodys(tmp_path):
    word2vec = replace(CELL, study=StudyCommand("", MappingProxyType({"lang": "fi", "encoder": "word2vec"})))
    choices = {"lang": "fi", "encoder": "word2vec", "probe": "mlp"}
    one = filled(word2vec, run(tmp_path / "one", [probing("Case", 0.493)], choices=choices))
    assert one.state is State.ELSEWHERE
    assert "never released" in one.elsewhere[0]


@pytest.mark.parametrize(
    ("majority", "value", "state"),
    [
        (0.46, 0.47, State.UNDECIDED),  # a constant answer is as near as ±5
        (0.46, 0.493, State.EQUAL),
        (0.493, 0.493, State.UNDECIDED),
        (0.46, 0.40, State.OUTSIDE),
        (0.441, 0.46, State.OUTSIDE),  # within ±5, but nearer to the constant answer
        (0.30, 0.46, State.NEAR),
    ],
)
def test_a_number_that_a_constant_answer_reaches_decides_nothing(tmp_path, majority, value, state):
    unprinted = replace(CELL, row="nowhere")  # the majority of the row counts where the paper prints none
    assert filled(unprinted, run(tmp_path / "one", [probing("Case", value, majority=majority)])).state is state


def test_all_runs_of_a_number_are_listed(tmp_path):
    few = run(tmp_path / "few", [probing("Case", 0.1)], sources=TEN_WORDS)
    others = [run(tmp_path / name, [probing("Case", one)], note=name) for name, one in (("all", 0.5), ("old", 0.2))]
    one = filled(CELL, few, *others)
    assert (one.runs, one.state) == (("old",), State.OUTSIDE)
    assert {(other.runs, other.state) for other in one.others} == {
        (("few",), State.ELSEWHERE),
        (("all",), State.NEAR),
    }


def test_a_further_test_set_beside_a_corpus_has_no_part_in_its_numbers(tmp_path):
    keys = {"stage": "baseline", "suite": "pos", "test": "", "split": "dev", "metric": "oov"}
    cell = replace(
        CELL,
        study=StudyCommand("", {}),
        keys=MappingProxyType(keys),
        of="value",
        corpus="tdt",
        n=None,
        text="23.0",
        value=23.0,
    )
    row = score("baseline", "oov", 0.23, suite="pos", corpus="tdt", encoder="frequent_tag")
    data = {
        "pos/fi/dev.pos": "UKPLab/linspector 46a7cca",
        "ud/fi_pud/test.conllu": "UniversalDependencies/UD_Finnish-PUD 576",
    }
    corpora = {"tdt": {"beside": {"pud": {"file": "ud/fi_pud/test.conllu"}}}}
    one = run(tmp_path / "one", [row], sources={"data": data}, data={"corpora": corpora})
    assert filled(cell, one).state is State.EQUAL
    own = run(tmp_path / "own", [row], sources={"data": {**data, "pos/fi/dev.pos": ""}}, data={"corpora": corpora})
    assert filled(cell, own).state is State.ELSEWHERE
