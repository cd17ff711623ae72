import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.formats.entities.span_tags import Span, spans_of
from polyprobe.metrics.labelled_f1 import OTHER, LabelledF1
from polyprobe.metrics.official.conlleval import count, score_files, score_side_by_side
from polyprobe.metrics.official.scorers import RefusedByScorer
from polyprobe.metrics.span_f1 import count_spans, span_scores
from polyprobe.metrics.tallies import Tally, summed

TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
SENTENCES = st.lists(st.lists(st.tuples(TAGS, TAGS), min_size=1, max_size=8), min_size=1, max_size=4)


def rows(sentences):
    for sentence in sentences:
        yield from ((b"w", gold.encode(), system.encode()) for gold, system in sentence)
        yield ()


@given(SENTENCES)
def test_spans_of_sentences_are_counted_as_the_scorer_counts_lines(sentences):
    pairs = [zip(*sentence, strict=True) for sentence in sentences]
    ours = summed(count_spans(*map(spans_of, pair)) for pair in pairs)
    scorer = count(rows(sentences), None)
    assert ours == {kind.decode(): scorer.of(kind) for kind in scorer.types}


@given(SENTENCES)
def test_counts_of_two_processes_add_up_to_those_of_one(sentences):
    pairs = [[spans_of(side) for side in zip(*sentence, strict=True)] for sentence in sentences]
    whole, first, second = (LabelledF1(["LOC", "PER"], count_spans, span_scores) for _ in range(3))
    for number, pair in enumerate(pairs):
        whole.update(*pair)
        (first, second)[number % 2].update(*pair)
    assert torch.equal(first.tallies + second.tallies, whole.tallies)


def test_a_span_of_a_type_that_train_lacks_is_missed():
    metric = LabelledF1(["PER"], count_spans, span_scores)
    metric.update([Span(0, 1, "PER"), Span(1, 2, "EVENT")], [Span(0, 1, "PER")])
    assert metric.compute() == {"span_f1": 2 / 3}
    assert metric.tallies[metric.slots.index(OTHER)].tolist() == [0, 0, 1]


def test_a_type_may_be_called_other():
    metric = LabelledF1(["other", "person"], count_spans, span_scores)
    gold = [Span(0, 1, "other"), Span(1, 2, "person"), Span(2, 3, "event")]
    metric.update(gold, [Span(0, 1, "person"), Span(1, 2, "person")])
    assert metric.compute() == {"span_f1": 2 / 5}


def test_the_scores_of_all_types_come_before_those_of_each():
    whole, location, person = span_scores({"LOC": Tally(1, 2, 4), "PER": Tally(1, 1, 1)})
    assert (whole.part, whole.n, whole.precision, whole.recall, whole.value) == ("", 5, 2 / 3, 2 / 5, 0.5)
    assert (location.part, location.n, location.value) == ("LOC", 4, 1 / 3)
    assert (person.part, person.metric, person.scorer) == ("PER", "span_f1", "conlleval")


def test_two_files_are_scored_by_their_last_columns(tmp_path):
    (tmp_path / "gold").write_text("Ali\tN\tB-PER\ngeldi\tV\tO\n\n")
    (tmp_path / "system").write_text("Ali\tB-PER\ngeldi\tB-PER\n\n")
    found = score_side_by_side(tmp_path / "gold", tmp_path / "system")
    assert (found["precision"], found["recall"], found["accuracy"]) == (50.0, 100.0, 50.0)


@pytest.mark.parametrize("system", ["Ali B-PER\n\n", "Ali B-PER\n\ngeldi O\n\n", "Ali B-PER\ngeldi O\nO O\n\n"])
def test_files_whose_sentences_differ_are_refused(system, tmp_path):
    (tmp_path / "gold").write_text("Ali B-PER\ngeldi O\n\n")
    (tmp_path / "system").write_text(system)
    with pytest.raises(RefusedByScorer):
        score_side_by_side(tmp_path / "gold", tmp_path / "system")


def test_a_row_of_one_field_is_refused(tmp_path):
    (tmp_path / "input").write_text("Ali\n")
    with pytest.raises(RefusedByScorer, match="line 1: the row has 1 field"):
        score_files(tmp_path / "input")
