"""What training counts, beside what the official scorers printed on the shared cases."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.roles.conll2009 import conll2009_row_sentences
from polyprobe.formats.treebanks.dependencies import dependency_sentences
from polyprobe.metrics.attachment import ArcCounts, attachment_scores, count_arcs
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import summed

pytestmark = pytest.mark.real_data

# Words or rows that differ between gold and system, which training never scores.
OTHER_WORDS = {
    *("multiword_not_split", "multiword_other_word_forms", "one_token_split_in_two", "space_inside_a_form"),
    "two_sentences_joined",
}
MALFORMED = {"fewer_columns_than_predicates"}
OTHER_LEMMAS = {"finnish_gold_against_silver", "how_senses_compare", "wrong_senses_and_lemmas"}
"""The scorer compares the number of a sense alone; training compares it whole, where all are those of gold."""
OTHER_TAGS = {"boundary_field", "iobes_trap", "other_outside_tag", "raw_tags", "tag_without_type"}


def cases(folder: Path, left_out: set[str]) -> Iterator[tuple[Path, dict]]:
    for path in sorted(folder.glob("*/expected.json")):
        expected = json.loads(path.read_text(encoding="utf-8"))
        if not expected.get("refused") and path.parent.name not in left_out:
            yield path.parent, expected


def test_attachment_scores_are_those_of_the_conll_2018_evaluation(data_folder):
    n_cases = 0
    for case, expected in cases(data_folder / "scorer_cases/ud", OTHER_WORDS):
        gold, system = (list(dependency_sentences(case / f"{side}.conllu", refuse)) for side in ("gold", "system"))
        pairs = zip(gold, system, strict=True)
        counts = sum((count_arcs(one, other.heads, other.relations) for one, other in pairs), start=ArcCounts())
        found = {one.metric.upper(): f"{100 * one.value:.2f}" for one in attachment_scores(counts)}
        of_case = {name: f"{expected['metrics'][name]['f1']:.2f}" for name in ("UAS", "LAS", "CLAS")}
        assert {name: found[name] for name in of_case} == of_case, case.name
        n_cases += 1
    assert n_cases == 9


def test_role_scores_are_those_of_the_conll_2009_scorer(data_folder):
    n_cases = 0
    for case, expected in cases(data_folder / "scorer_cases/conll09", MALFORMED):
        gold, system = (conll2009_row_sentences(case / f"{side}.conll", refuse) for side in ("gold", "system"))
        pairs = zip(gold, system, strict=True)
        roles, semantic, *_ = role_scores(
            summed(count_roles(one.propositions, other.propositions) for one, other in pairs)
        )
        assert f"{100 * roles.value:.2f}" == f"{expected['arguments_only']['f1']:.2f}", case.name
        if case.name not in OTHER_LEMMAS:
            assert f"{100 * semantic.value:.2f}" == f"{expected['semantic']['labeled_f1']:.2f}", case.name
        n_cases += 1
    assert n_cases == 21


def test_span_scores_are_those_of_conlleval(data_folder):
    n_cases = 0
    for case, expected in cases(data_folder / "scorer_cases/conlleval", OTHER_TAGS):
        sentences = [one.splitlines() for one in (case / "input.txt").read_text(encoding="utf-8").split("\n\n")]
        counts = []
        for lines in sentences:
            rows = [line.split() for line in lines if line.strip()]
            gold, system = [row[-2] for row in rows], [row[-1] for row in rows]
            counts.append(count_spans(spans_of(gold), spans_of(system)))
        whole, *types = span_scores(summed(counts))
        scores = (whole.precision, whole.recall, whole.value)
        assert [f"{100 * one:.2f}" for one in scores] == [
            f"{expected[name]:.2f}" for name in ("precision", "recall", "f1")
        ], case.name
        assert {one.part: f"{100 * one.value:.2f}" for one in types} == {
            name: f"{one['f1']:.2f}" for name, one in expected["types"].items()
        }, case.name
        n_cases += 1
    assert n_cases == 21
