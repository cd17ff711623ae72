"""Span scores beside those of seqeval, on tags that chance draws."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score

from polyprobe.formats.entities.span_tags import spans_of
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import summed

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]

tags = st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), min_size=1, max_size=8)


@given(st.lists(tags, min_size=1, max_size=4))
@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_spans_score_as_seqeval_says(sentences):
    gold, system = ([[pair[side] for pair in one] for one in sentences] for side in (0, 1))
    counts = summed(count_spans(spans_of(one), spans_of(other)) for one, other in zip(gold, system, strict=True))
    whole = span_scores(counts)[0]
    scorers = (precision_score, recall_score, f1_score)
    theirs = [scorer(gold, system, zero_division=0) for scorer in scorers]
    assert [whole.precision, whole.recall, whole.value] == pytest.approx(theirs)
