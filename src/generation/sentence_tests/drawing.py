"""Draws the items of a test from the sentences of each split: as large as they allow, with balanced labels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from src.generation.made_tests.labels import check_labels, label_quotas
from src.generation.made_tests.sizes import sizes_of
from src.generation.sentence_tests.labelled_sentences import LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions
from src.splits import SPLITS

Drawn = dict[str, list[LabelledSentence]]  # the items of each split


def draw_test(
    test: SentenceTest,
    pools: Mapping[str, Sequence[LabelledSentence]],
    options: SentenceOptions,
    generator: np.random.Generator,
) -> Drawn:
    """Draws the items of each split in random order.

    Args:
        test: whose `labels` say how even the labels are.
        pools: the sentences of each split.
        options: sizes, and how uneven labels may be.
        generator: of the draw.

    Raises:
        TooFew: there are fewer than two labels, or not sentences enough for the sizes asked for.
    """
    labels = sorted({one.label for split in SPLITS for one in pools[split]})
    check_labels(test.name, labels)
    uneven = {"equal": 1.0, "even": options.uneven, "found": math.inf}[test.labels]
    counts = {split: Counter(dict.fromkeys(labels, 0) | _labels(pools[split])) for split in SPLITS}
    sizes = sizes_of(
        f"{test.name}: {sum(map(len, pools.values())):,} sentences are left",
        options.items,
        options.sizes,
        "sentence_level.sizes",
        lambda sizes: all(quotas(counts[split], n, uneven) for split, n in zip(SPLITS, sizes, strict=True)),
        "" if test.labels == "found" else " with balanced labels",
    )
    return {
        split: _drawn(pools[split], quotas(counts[split], n, uneven), n, generator)
        for split, n in zip(SPLITS, sizes, strict=True)
    }


def quotas(counts: Mapping[str, int], n_items: int, uneven: float) -> dict[str, int]:
    """Shares items out among labels: each gets the same number, or all that it has; the others share what is over.

    Args:
        counts: sentences of each label.
        n_items: to be drawn.
        uneven: how many times the same number a label may get; 1: what cannot be divided goes to the labels with most
            sentences. Infinite: labels stay as they fall.

    Returns:
        How many of each label are drawn at most; empty where there are too few. In sum `n_items`, unless labels fall.
    """
    if math.isinf(uneven):
        return dict(counts) if sum(counts.values()) >= n_items else {}
    most = math.ceil(n_items / len(counts) * uneven)
    commonest_first = sorted(counts, key=lambda label: (counts[label], label), reverse=True)
    allowed = np.array([min(counts[label], most) for label in commonest_first])
    if allowed.sum() < n_items:
        return {}
    return dict(zip(commonest_first, label_quotas(allowed, np.ones(len(allowed)), n_items).tolist(), strict=True))


def _drawn(
    pool: Sequence[LabelledSentence], of_labels: Mapping[str, int], n_items: int, generator: np.random.Generator
) -> list[LabelledSentence]:
    left, drawn = dict(of_labels), []
    for place in generator.permutation(len(pool)).tolist():
        if left[pool[place].label]:
            left[pool[place].label] -= 1
            drawn.append(pool[place])
    return drawn[:n_items]


def _labels(sentences: Sequence[LabelledSentence]) -> Counter[str]:
    return Counter(one.label for one in sentences)
