"""Attachment scores, counted by hand and by udtools, which has the official evaluation."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from udtools.udeval import evaluate, load_conllu

from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.metrics.attachment import (
    ArcCounts,
    Attachment,
    RelationCounts,
    attachment_scores,
    count_arcs,
    relation_scores,
)
from tests.models.treebank import EIGHT, tree

GOLD = tree(1, "Liisan/PROPN/2/nmod:poss koira/NOUN/3/nsubj nukkui/VERB/0/root ./PUNCT/3/punct")


def values(*counts: ArcCounts) -> dict[str, float]:
    return {score.metric: score.value for score in attachment_scores(sum(counts, start=ArcCounts()))}


def test_the_official_way_counts_punctuation_and_cuts_relations_and_the_other_does_neither():
    found = values(count_arcs(GOLD, [2, 3, 0, 2], ["nmod", "nsubj", "root", "punct"]))
    assert found["uas"] == found["las"] == 3 / 4
    assert found["clas"] == 1.0
    assert found["uas_without_punctuation"] == 1.0
    assert found["las_without_punctuation"] == 2 / 3


def test_clas_is_an_f1_over_content_relations_of_either_side():
    (clas,) = [
        one
        for one in attachment_scores(count_arcs(GOLD, [2, 3, 0, 3], ["det", "nsubj", "root", "obj"]))
        if one.metric == "clas"
    ]
    assert (clas.precision, clas.recall, clas.value, clas.n) == (2 / 3, 2 / 3, pytest.approx(2 / 3), 3)


def test_each_relation_has_its_own_score():
    counts = RelationCounts()
    counts.add(GOLD, [2, 3, 0, 3], ["nsubj", "nsubj", "root", "punct"])
    scores = {one.part: (one.precision, one.recall, one.n) for one in relation_scores(counts)}
    assert scores == {"nmod": (0, 0, 1), "nsubj": (0.5, 1, 1), "root": (1, 1, 1), "punct": (1, 1, 1)}


def test_nothing_counted_scores_nothing():
    assert set(values().values()) == {0.0}


def test_the_metric_sums_over_batches():
    metric = Attachment()
    for one in EIGHT:
        metric.update(one, list(range(len(one.words))), ["nsubj:x"] * len(one.words))
    counts = [count_arcs(one, list(range(len(one.words))), ["nsubj:x"] * len(one.words)) for one in EIGHT]
    assert metric.compute() == values(*counts)


RELATIONS = ["nsubj", "nsubj:pass", "punct", "aux", "root", "own"]


@st.composite
def trees_of_two_sides(draw) -> list[tuple[DependencySentence, list[int], list[str]]]:
    pairs = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 5))
        heads = [[draw(st.integers(0, place)) or (0 if place == 0 else 1) for place in range(n)] for _ in "gs"]
        names = [draw(st.lists(st.sampled_from(RELATIONS), min_size=n, max_size=n)) for _ in "gs"]
        words, upos = tuple(f"w{place}" for place in range(n)), tuple(["NOUN"] * n)
        pairs.append((DependencySentence("1", 1, words, upos, tuple(heads[0]), tuple(names[0])), heads[1], names[1]))
    return pairs


def conllu(words, heads, relations) -> str:
    rows = zip(range(1, len(words) + 1), words, heads, relations, strict=True)
    return "".join(f"{n}\t{form}\t_\tNOUN\t_\t_\t{head}\t{name}\t_\t_\n" for n, form, head, name in rows) + "\n"


@given(trees_of_two_sides())
def test_the_counts_are_those_of_udtools(pairs):
    gold = "".join(conllu(one.words, one.heads, one.relations) for one, _, _ in pairs)
    system = "".join(conllu(one.words, heads, names) for one, heads, names in pairs)
    official = evaluate(*(load_conllu(io.StringIO(text), "drawn", {}) for text in (gold, system)))
    ours = values(*(count_arcs(*pair) for pair in pairs))
    for name in ("UAS", "LAS", "CLAS"):
        assert ours[name.lower()] == pytest.approx(official[name].f1)
