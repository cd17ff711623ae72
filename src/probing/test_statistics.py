"""What is in the files of tests: sizes, words, labels, majorities: `python probe.py suite=rusenteval list=statistics`.

The quantities of Table 11 of Mikhailov et al. (2021), and the majority baseline of LINSPECTOR (Table 9).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from src.errors import Impossible
from src.formats.reading.malformed import handler_named
from src.items import Form, Item, TokenInContext
from src.probing.baselines.memory import majority_accuracy, majority_label
from src.probing.settings import ProbeSettings
from src.probing.suites.availability import available_tests, chosen_tests
from src.probing.suites.chosen import chosen_suite
from src.probing.suites.tests import ProbingTest, load_test
from src.resources.data_root import data_root
from src.splits import SPLITS

OVERALL = "overall"
MOST_LABELS = 12  # whose shares are listed one by one


@dataclass(frozen=True, slots=True)
class PartStatistics:
    """What is counted in a split, or in all."""

    n: int
    """Examples."""
    sentences: int
    """Of examples that are words, the different sentences around them; else one for each example."""
    words: int
    """Running words: of these sentences, or all forms."""
    distinct: int
    """Of those, as they are written."""


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """What is counted of labels."""

    shares: Mapping[str, float]
    """Of each label in all splits, 0 to 1, in the order of labels."""
    n_labels: Sequence[int]
    """Different ones in train, dev and test."""
    majority: str
    """The most frequent label of train."""
    share_of_train: float
    """Its share there, 0 to 1."""
    accuracy: float
    """On test, 0 to 1, of always saying it."""


def statistics(asked: ProbeSettings) -> list[Table | str]:
    """Returns statistics of those tests of a suite and language whose files are here; says which are not.

    Raises:
        PolyprobeError: the language has no test of the suite, not the requested one, or no file is here.
    """
    lang, suite = asked.lang, chosen_suite(asked.suite.options)
    root = data_root(lang, asked.workspace)
    statuses = available_tests(suite, lang, root)
    states = {status.name: status.state for status in statuses}
    names = chosen_tests(statuses, asked.tests)
    here = [name for name in names if states[name] == "present"]
    if not here:
        raise Impossible(f"No file of suite={suite.name} for lang={lang['code']} is in {root}. list=true names them.")
    handler = handler_named(asked.on_malformed)
    tests = [load_test(suite, lang, name, root, None, handler) for name in here]
    title = f"{suite.name}, {lang['name']}"
    absent = [name for name in names if name not in here]
    return [
        _parts_table(title, tests),
        _labels_table(title, tests),
        "majority: the most frequent label of train; its share there, and its accuracy on test (%).",
        *([f"Not here, so not counted: {', '.join(absent)}."] if absent else []),
    ]


def part_statistics(test: ProbingTest) -> dict[str, PartStatistics]:
    """Counts the examples and words of each split and of all together."""
    of_splits = {split: getattr(test, split).items for split in SPLITS}
    of_splits[OVERALL] = [items for of_split in of_splits.values() for items in of_split]
    return {split: _counted(items) for split, items in of_splits.items()}


def label_statistics(test: ProbingTest) -> LabelStatistics:
    """Counts the labels of a test."""
    train, dev, evaluated = ([test.labels[one] for one in getattr(test, split).label_ids] for split in SPLITS)
    counts, n = Counter([*train, *dev, *evaluated]), len(train) + len(dev) + len(evaluated)
    majority = majority_label(train)
    return LabelStatistics(
        shares={label: counts[label] / n for label in test.labels},
        n_labels=[len(set(labels)) for labels in (train, dev, evaluated)],
        majority=majority,
        share_of_train=train.count(majority) / len(train),
        accuracy=majority_accuracy(train, evaluated),
    )


def _counted(examples: Sequence[Sequence[Item]]) -> PartStatistics:
    found = [_words(items) for items in examples]
    if examples and isinstance(examples[0][0], TokenInContext):  # a sentence has a row for each of its words
        found = list(dict.fromkeys(found))
    distinct = {word for words in found for word in words}
    return PartStatistics(len(examples), len(found), sum(map(len, found)), len(distinct))


def _words(items: Sequence[Item]) -> tuple[str, ...]:
    """Returns the words of an example: its sentence, its form or both forms."""
    return tuple(word for item in items for word in ((item.form,) if isinstance(item, Form) else item.words))


def _parts_table(title: str, tests: Sequence[ProbingTest]) -> Table:
    are_forms = isinstance(tests[0].train.items[0][0], Form)
    table = Table(title=f"{title}: sizes")
    are_tokens = isinstance(tests[0].train.items[0][0], TokenInContext)
    of_sentences = ["words", "distinct words", "words/sentence"]
    words = ["distinct forms"] if are_forms else ["sentences", *of_sentences] if are_tokens else of_sentences
    for column in ("test", "split", "items", *words):
        table.add_column(column, justify="left" if column in ("test", "split") else "right")
    for test in tests:
        for split, found in part_statistics(test).items():
            n_sentences, n_words, n_distinct = f"{found.sentences:,}", f"{found.words:,}", f"{found.distinct:,}"
            cells = [n_sentences, n_words, n_distinct, f"{found.words / found.sentences:.2f}"]
            shown = [n_distinct] if are_forms else cells if are_tokens else cells[1:]
            table.add_row(test.name if split == SPLITS[0] else "", split, f"{found.n:,}", *shown)
    return table


def _labels_table(title: str, tests: Sequence[ProbingTest]) -> Table:
    table = Table(title=f"{title}: labels")
    for column in ("test", "labels", "shares of all (%)", "majority", "of train", "on test"):
        table.add_column(column, justify="right" if column in ("labels", "of train", "on test") else "left")
    for test in tests:
        found = label_statistics(test)
        counts = [str(n) for n in dict.fromkeys(found.n_labels)]
        share, accuracy = f"{100 * found.share_of_train:.1f}", f"{100 * found.accuracy:.1f}"
        table.add_row(test.name, "/".join(counts), _shares(found.shares), found.majority, share, accuracy)
    return table


def _shares(shares: Mapping[str, float]) -> str:
    if len(shares) > MOST_LABELS:
        return f"{100 * min(shares.values()):.1f} to {100 * max(shares.values()):.1f}"
    return ", ".join(f"{label} {100 * share:.1f}" for label, share in shares.items())
