"""What is in the files of tests: sizes, words, labels, majorities: `python probe.py suite=rusenteval list=statistics`.

The quantities of Table 11 of Mikhailov et al. (2021), and the majority baseline of LINSPECTOR (Table 9).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.table import Table

from polyprobe.errors import Impossible
from polyprobe.formats.reading.malformed import handler_named
from polyprobe.items import Form, Item, TokenInContext
from polyprobe.probing.baselines.memory import majority_accuracy, majority_label
from polyprobe.probing.settings import ProbeSettings
from polyprobe.probing.suites.availability import available_tests, chosen_tests
from polyprobe.probing.suites.chosen import chosen_suite
from polyprobe.probing.suites.tests import ProbingTest, load_test
from polyprobe.resources.data_root import data_root
from polyprobe.splits import SPLITS

OVERALL = "overall"
MOST_LABELS = 12  # whose shares are listed one by one


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
        *([f"Not present, so not counted: {', '.join(absent)}."] if absent else []),
    ]


def _sentences(examples: Sequence[Sequence[Item]]) -> list[tuple[str, ...]]:
    """Returns the words of each example; of examples that are words, of the different sentences around them."""
    found = [_words(items) for items in examples]
    has_row_for_each_word = examples and isinstance(examples[0][0], TokenInContext)
    return list(dict.fromkeys(found)) if has_row_for_each_word else found


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
        parts = {split: getattr(test, split).items for split in SPLITS}
        parts[OVERALL] = [items for part in parts.values() for items in part]
        for split, examples in parts.items():
            sentences = _sentences(examples)
            n_words = sum(map(len, sentences))
            n_distinct = f"{len({word for words in sentences for word in words}):,}"
            cells = [f"{len(sentences):,}", f"{n_words:,}", n_distinct, f"{n_words / len(sentences):.2f}"]
            shown = [n_distinct] if are_forms else cells if are_tokens else cells[1:]
            table.add_row(test.name if split == SPLITS[0] else "", split, f"{len(examples):,}", *shown)
    return table


def _labels_table(title: str, tests: Sequence[ProbingTest]) -> Table:
    table = Table(title=f"{title}: labels")
    for column in ("test", "labels", "shares of all (%)", "majority", "of train", "on test"):
        table.add_column(column, justify="right" if column in ("labels", "of train", "on test") else "left")
    for test in tests:
        train, dev, evaluated = ([test.labels[one] for one in getattr(test, split).label_ids] for split in SPLITS)
        n_labels = dict.fromkeys(len(set(labels)) for labels in (train, dev, evaluated))
        counts, n = Counter([*train, *dev, *evaluated]), len(train) + len(dev) + len(evaluated)
        shares = _shares({label: counts[label] / n for label in test.labels})
        majority = majority_label(train)
        of_train, on_test = train.count(majority) / len(train), majority_accuracy(train, evaluated)
        percents = [f"{100 * share:.1f}" for share in (of_train, on_test)]
        table.add_row(test.name, "/".join(map(str, n_labels)), shares, majority, *percents)
    return table


def _shares(shares: Mapping[str, float]) -> str:
    if len(shares) > MOST_LABELS:
        return f"{100 * min(shares.values()):.1f} to {100 * max(shares.values()):.1f}"
    return ", ".join(f"{label} {100 * share:.1f}" for label, share in shares.items())
