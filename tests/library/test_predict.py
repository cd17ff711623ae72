"""A finished training run predicts for new sentences what it was scored by."""

import json

import pytest

import polyprobe as pp
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles.universal_propbank import universal_propbank_sentences
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.formats.treebanks.labelled_words import universal_pos_sentences
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.tallies import summed
from tests.training.five_tasks import trained

SHORT = "trainer.max_epochs=3"


def score_of_test(run, metric):
    rows = map(json.loads, (run / "results.jsonl").read_text(encoding="utf-8").splitlines())
    (value,) = [
        row["value"]
        for row in rows
        if row["stage"] == "test" and row["split"] == "test" and row["metric"] == metric and not row.get("test")
    ]
    return value


def test_a_tagger_predicts_tags_of_lists_of_words(small_data, tmp_path):
    run = trained("pos", small_data, tmp_path, SHORT)
    gold = list(universal_pos_sentences(small_data / "ud/mini/test.conllu", refuse))
    found = pp.open_run(run).predict([list(one.words) for one in gold])
    pairs = [(a, b) for one, tags in zip(gold, found, strict=True) for a, b in zip(one.labels, tags, strict=True)]
    assert sum(a == b for a, b in pairs) / len(pairs) == pytest.approx(score_of_test(run, "accuracy"))


def test_a_parser_predicts_heads_and_relations(small_data, tmp_path):
    run = trained("dep", small_data, tmp_path, SHORT)
    gold = list(dependency_sentences(small_data / "ud/mini/test.conllu", refuse))
    counts = [count_arcs(one, *found) for one, found in zip(gold, pp.open_run(run).predict(gold), strict=True)]
    (las, *_) = attachment_scores(sum(counts, start=ArcCounts()))
    assert las.value == pytest.approx(score_of_test(run, "las"))


def test_a_labeller_predicts_the_arguments_of_given_predicates(small_data, tmp_path):
    run = trained("srl", small_data, tmp_path, SHORT)
    gold = list(universal_propbank_sentences(small_data / "srl/mini/mini-up-test.conllup", refuse))
    found = pp.open_run(run).predict(gold)
    (whole, *_) = role_scores(
        summed(count_roles(one.propositions, other) for one, other in zip(gold, found, strict=True))
    )
    assert whole.value == pytest.approx(score_of_test(run, "role_f1"))


def test_pairs_get_a_label_each(small_data, tmp_path):
    run = trained("nli", small_data, tmp_path, SHORT)
    found = pp.open_run(run).predict([(["a", "dog"], ["a", "cat"]), (["the", "mat"], ["the", "mat"])])
    assert {*found} <= {"entailment", "neutral", "contradiction"}


def test_a_run_of_another_kind_predicts_no_labels(small_data, tmp_path):
    run = pp.probe(
        "char_ngrams",
        tests=["Case"],
        work=tmp_path,
        overrides=[f"paths.data={small_data}", "lang.generator=null", "probe.max_epochs=1"],
    )
    with pytest.raises(pp.PolyprobeError, match="is no run of task=pos, dep, ner, srl or nli"):
        run.predict([["a"]])
