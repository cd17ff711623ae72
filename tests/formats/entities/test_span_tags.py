import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.entities.span_tags import (
    Span,
    bioul,
    may_end,
    may_follow,
    may_start,
    n_without_b,
    spans_of,
    spans_of_bioul,
)

TYPES = st.sampled_from(["PER", "LOC", "WORK-OF-ART"])


@st.composite
def span_lists(draw) -> tuple[list[Span], int]:
    spans, start = [], 0
    for kind in draw(st.lists(st.none() | TYPES, max_size=5)):
        end = start + draw(st.integers(1, 4))
        spans += [Span(start, end, kind)] if kind else []
        start = end
    return spans, start


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-PER I-PER B-PER O", [Span(0, 2, "PER"), Span(2, 3, "PER")]),
        ("I-PER I-PER B-PER O", [Span(0, 2, "PER"), Span(2, 3, "PER")]),
        ("O I-LOC I-LOC I-PER", [Span(1, 3, "LOC"), Span(3, 4, "PER")]),
        ("B-LOC I-PER", [Span(0, 1, "LOC"), Span(1, 2, "PER")]),
        ("B-WORK-OF-ART I-WORK-OF-ART I-WORK", [Span(0, 2, "WORK-OF-ART"), Span(2, 3, "WORK")]),
        ("O O", []),
        ("", []),
    ],
)
def test_spans_start_where_conlleval_starts_them(tags, spans):
    assert spans_of(tags.split()) == spans


@given(span_lists())
def test_spans_come_back_from_iob2(case):
    spans, n_words = case
    tags = ["O"] * n_words
    for span in spans:
        tags[span.start : span.end] = [f"B-{span.type}", *[f"I-{span.type}"] * (span.end - span.start - 1)]
    assert spans_of(tags) == spans


@given(span_lists())
def test_spans_come_back_from_bioul(case):
    spans, n_words = case
    assert spans_of_bioul(bioul(spans, n_words)) == spans


@given(span_lists())
def test_bioul_never_breaks_its_own_rules(case):
    tags = bioul(*case)
    assert all(may_follow(before, after) for before, after in itertools.pairwise(tags))
    assert not tags or (may_start(tags[0]) and may_end(tags[-1]))


@pytest.mark.parametrize("pair", ["O I-A", "B-A O", "B-A I-B", "I-A B-A", "L-A I-A", "U-A L-A", "B-A U-A", "I-A L-B"])
def test_what_bioul_never_writes_may_not_follow(pair):
    assert not may_follow(*pair.split())


def test_spans_without_b_are_counted():
    assert n_without_b(["I-PER", "O", "B-LOC", "I-LOC", "I-PER", "B-PER"]) == 2
