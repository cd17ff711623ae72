"""What a score is worth: the majority label, a memoriser, and how much of test is in train.

An input is a tuple of its parts: the form (of a token, without its context), or the two forms of a pair.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

from polyprobe.frequency import most_frequent

Input = tuple[Hashable, ...]


def majority_label(labels: Iterable[str]) -> str:
    """Returns the most frequent label; of several, the one that sorts first."""
    return most_frequent(Counter(labels))


def majority_accuracy(train_labels: Sequence[str], test_labels: Sequence[str]) -> float:
    """Returns the accuracy on test, 0 to 1, of always saying train's most frequent label.

    This is the majority baseline of LINSPECTOR (Şahin et al. 2020, Table 9).
    """
    majority = majority_label(train_labels)
    return _share(label == majority for label in test_labels)


def memoriser_predictions(
    train_inputs: Sequence[Input], train_labels: Sequence[str], test_inputs: Sequence[Input]
) -> list[str]:
    """Returns each test input the most frequent label that train has for it; the majority label if train lacks it."""
    labels_of = defaultdict(list)
    for known, label in zip(train_inputs, train_labels, strict=True):
        labels_of[known].append(label)
    memory = {known: majority_label(labels) for known, labels in labels_of.items()}
    majority = majority_label(train_labels)
    return [memory.get(asked, majority) for asked in test_inputs]


def memoriser_accuracy(
    train_inputs: Sequence[Input],
    train_labels: Sequence[str],
    test_inputs: Sequence[Input],
    test_labels: Sequence[str],
) -> float:
    """Returns the accuracy on test, 0 to 1, of `memoriser_predictions`."""
    predictions = memoriser_predictions(train_inputs, train_labels, test_inputs)
    return _share(label == predicted for label, predicted in zip(test_labels, predictions, strict=True))


def leakage(train_inputs: Iterable[Input], test_inputs: Iterable[Input]) -> float:
    """Returns the share of test inputs, 0 to 1, that train has, too: of pairs the same two parts in this order."""
    seen = set(train_inputs)
    return _share(asked in seen for asked in test_inputs)


def leakage_of_parts(train_inputs: Iterable[Input], test_inputs: Iterable[Input]) -> float:
    """Returns the share of test pairs, 0 to 1, both of whose parts occur in train, which may be in different pairs."""
    seen = {part for known in train_inputs for part in known}
    return _share(seen.issuperset(asked) for asked in test_inputs)


def _share(outcomes: Iterable[bool]) -> float:
    outcomes = list(outcomes)
    assert outcomes, "test has no example"
    return sum(outcomes) / len(outcomes)
