"""A finished training run predicts for new sentences what it was scored by."""

import json

import pytest

import polyprobe as pp
from polyprobe.formats.entities.entity_columns import entity_column_sentences
from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles.universal_propbank import universal_propbank_sentences
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.formats.treebanks.labelled_words import universal_pos_sentences
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.span_f1 import count_spans, span_scores
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


def test_pairs_of_lists_of_words_get_the_labels_of_the_test(small_data, tmp_path):
    run = trained("nli", small_data, tmp_path, SHORT)
    rows = [row.split("\t") for row in (tmp_path / "data/nli/en_sick/SICK.txt").read_text().splitlines()]
    gold = [row for row in rows if row[3] == "TEST"]
    found = pp.open_run(run).predict([(row[0].split(), row[1].split()) for row in gold])
    right = sum(row[2].lower() == label for row, label in zip(gold, found, strict=True))
    assert right / len(gold) == pytest.approx(score_of_test(run, "accuracy"))


def test_a_tagger_of_entities_predicts_spans_of_lists_of_words(small_data, tmp_path):
    run = trained("ner", small_data, tmp_path, "trainer.max_epochs=8")
    gold = list(entity_column_sentences(small_data / "ner/mini/test.txt", refuse))
    found = pp.open_run(run).predict([list(one.words) for one in gold])
    counts = [count_spans(spans_of(one.labels), ours) for one, ours in zip(gold, found, strict=True)]
    (whole, *_) = span_scores(summed(counts))
    assert whole.value == pytest.approx(score_of_test(run, "span_f1"))
    assert whole.value > 0


@pytest.mark.parametrize(
    ("task", "sentences", "found"),
    [
        ("pos", "Anna met", "The sentences are the text 'Anna met'"),
        ("pos", [["Anna"], "Anna met"], "Sentence 2 is 'Anna met'"),
        ("pos", [[]], "Sentence 1 is []"),
        ("pos", [["Anna", ""]], "Sentence 1 is ['Anna', '']"),
        ("ner", [3], "Sentence 1 is 3"),
        ("nli", [("Anna met", ["Anna"])], "Sentence 1 is ('Anna met', ['Anna'])"),
        ("nli", ["ab"], "Sentence 1 is 'ab'"),
        ("dep", [["Anna", "met"]], "Sentence 1 is ['Anna', 'met']"),
    ],
)
def test_what_is_no_list_of_words_is_refused(task, sentences, found, tmp_path):
    (tmp_path / "config.yaml").write_text(f"task:\n  name: {task}\n", encoding="utf-8")
    with pytest.raises(pp.PolyprobeError) as refused:
        pp.Run(tmp_path).predict(sentences)
    assert str(refused.value).startswith(f"{found}. Expected ")


def test_a_run_of_another_kind_predicts_no_labels(small_data, tmp_path):
    run = pp.probe(
        "char_ngrams",
        tests=["Case"],
        work=tmp_path,
        overrides=[f"paths.data={small_data}", "lang.generator=null", "probe.max_epochs=1"],
    )
    with pytest.raises(pp.PolyprobeError, match="is no run of task=pos, dep, ner, srl or nli"):
        run.predict([["a"]])
