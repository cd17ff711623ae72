"""Probing tests of a few examples, made by hand."""

from collections.abc import Sequence

from polyprobe.items import Form, Item
from polyprobe.probing.suites.tests import Examples, ProbingTest


def examples(items: Sequence[tuple[Item, ...]], label_ids: Sequence[int]) -> Examples:
    return Examples(tuple(items), tuple(label_ids), tuple(range(1, len(items) + 1)))


def forms_test(train: dict[str, int], dev: dict[str, int], test: dict[str, int], n_labels: int = 2) -> ProbingTest:
    """Makes a test of single forms from the label id of each form."""
    splits = {
        name: examples([(Form(form),) for form in forms], list(forms.values()))
        for name, forms in (("train", train), ("dev", dev), ("test", test))
    }
    return ProbingTest(name="Toy", version="0" * 16, labels=tuple("abcdefgh"[:n_labels]), **splits)
