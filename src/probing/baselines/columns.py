"""What a test's rows have beside a probe's score: baselines, control task, coverage; and counts under a classifier."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.base.word_encoder import numbered
from polyprobe.encoders.length import Length
from polyprobe.items import Sentence, words_of
from polyprobe.probing.bank.jobs import ProbeOutcome
from polyprobe.probing.baselines.memory import (
    leakage,
    leakage_of_parts,
    majority_accuracy,
    memoriser_accuracy,
)
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.count_classifiers.logistic_regression import classifier_of_length
from polyprobe.probing.suites.tests import Examples, ProbingTest, inputs
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS


def length_accuracy(test: ProbingTest) -> float:
    """Returns the accuracy on test, 0 to 1, of a logistic regression on the number of words (SentEval's "Length").

    For forms it is the number of characters, see `Length`. Not a number where train has one label only.
    """
    outcome = count_outcome(Length(), classifier_of_length(), test)
    if outcome.failed is not None:
        return float("nan")
    return float(np.mean(outcome.test_predictions == np.array(test.test.label_ids)))


def baseline_columns(test: ProbingTest) -> dict[str, float]:
    """Returns the baselines of a test under the names of their columns in a result row.

    Only tests of sentences have the one of length, only tests of pairs the leakage of their parts.
    """
    train, asked = inputs(test.train), inputs(test.test)
    labels, gold = _labels(test, test.train), _labels(test, test.test)
    columns = {
        "majority": majority_accuracy(labels, gold),
        "memoriser": memoriser_accuracy(train, labels, asked, gold),
        "leakage": leakage(train, asked),
    }
    if len(asked[0]) > 1:
        columns["leakage_of_parts"] = leakage_of_parts(train, asked)
    is_about_sentences = isinstance(test.test.items[0][0], Sentence)
    return {**columns, "length": length_accuracy(test)} if is_about_sentences else columns


def _labels(test: ProbingTest, examples: Examples) -> list[str]:
    return [test.labels[label_id] for label_id in examples.label_ids]


def control_test(test: ProbingTest, seed: int) -> ProbingTest:
    """Returns the test with other labels: each distinct input gets one at random, in whichever split it stands.

    The labels are drawn from those of train, each as often as train has it. An input is a word type: a form, or a
    token's form wherever it stands; for pairs and sentences it is the whole item. So a probe can do well only by
    remembering inputs that train has too; where the splits share no input (the type-level sets of LINSPECTOR), a
    control score is that of chance.

    Args:
        seed: the same test and seed give the same labels.
    """
    splits = {name: getattr(test, name) for name in SPLITS}
    distinct = sorted({known for split in splits.values() for known in inputs(split)})
    generator = np.random.default_rng(derived_seed(seed, "control", test.name))
    drawn = generator.choice(np.array(test.train.label_ids), size=len(distinct))
    labels = dict(zip(distinct, drawn.tolist(), strict=True))
    relabelled = {
        name: replace(split, label_ids=tuple(labels[known] for known in inputs(split)))
        for name, split in splits.items()
    }
    return replace(test, **relabelled)


@dataclass(frozen=True, slots=True)
class SplitCoverage:
    """What a vocabulary lacks of one split."""

    test: str
    split: str
    unknown: float
    """Share of the word occurrences that the vocabulary lacks, 0 to 1."""
    n: int
    """Word occurrences: one for a form and for a token (its own form), two for a pair, all words of a sentence."""


def coverages(encoder: Encoder, tests: Sequence[ProbingTest]) -> list[SplitCoverage]:
    """Counts for every test and split; returns none for an encoder that composes a vector for every word."""
    splits = [(test.name, name, getattr(test, name)) for test in tests for name in SPLITS]
    distinct = numbered(word for _, _, examples in splits for word in _words(examples))
    are_in_vocabulary = encoder.known(list(distinct))
    if are_in_vocabulary is None:
        return []
    known = are_in_vocabulary.tolist()  # plain values, which a checkpoint may keep
    found = []
    for test, name, examples in splits:
        are_known = [known[distinct[word]] for word in _words(examples)]
        found.append(SplitCoverage(test, name, 1 - sum(are_known) / len(are_known), len(are_known)))
    return found


def _words(examples: Examples) -> Iterator[str]:
    return (word for items in examples.items for item in items for word in words_of(item))


def count_outcome(encoder: CountEncoder, classifier: CountClassifier, test: ProbingTest) -> ProbeOutcome:
    """Fits the classifier to the counts of train and applies it to dev and test; nothing in it is random.

    Returns:
        Epochs are iterations of the solver, losses are left out. A test with one label in train, or with more weights
        than memory holds, has failed.
    """
    train, *others = encoder.features(test.train.items, test.dev.items, test.test.items)
    labels = np.array(test.train.label_ids)
    n_labels = len(set(labels.tolist()))
    one_label = "train has one label only" if n_labels == 1 else None
    reason = one_label or classifier.complaint(n_labels, train.shape[1])
    if reason is not None:
        return ProbeOutcome(epochs=0, best_epoch=0, dev_accuracy=float("nan"), train_losses=(), failed=reason)
    fitted = classifier.fitted(train, labels, test.name)
    dev, predicted = (fitted.predict(features) for features in others)
    return ProbeOutcome(
        epochs=fitted.n_iterations,
        best_epoch=fitted.n_iterations,
        dev_accuracy=float(np.mean(dev == np.array(test.dev.label_ids))),
        train_losses=(),
        dev_predictions=dev,
        test_predictions=predicted,
    )
