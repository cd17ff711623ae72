"""The classifier of hypotheses: it learns from words alone, and says when it is unfinished."""

from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.models.baselines import hypothesis_only
from polyprobe.models.baselines.hypothesis_only import HypothesisOnly

LABELS = {"yes": "entailment", "no": "contradiction", "maybe": "neutral"}
PAIRS = [LabelledPair(("a",), (word, "so"), label, line) for line, (word, label) in enumerate([*LABELS.items()] * 4)]


def test_labels_that_words_of_the_hypothesis_give_away_are_found(caplog):
    assert HypothesisOnly(PAIRS).predicted(PAIRS) == [pair.label for pair in PAIRS]
    assert not caplog.records


def test_a_fit_that_ends_before_its_optimum_is_told_once(monkeypatch, caplog):
    monkeypatch.setattr(hypothesis_only, "MOST_STEPS", 1)
    HypothesisOnly(PAIRS)
    (record,) = caplog.records
    assert record.getMessage() == "The baseline hypothesis_only is unfinished: no optimum after 1 steps."
