"""Draws the items of a test from the sentences of each split: as large as they allow, with balanced labels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from src.display.plural import plural
from src.generation.made_tests.outcomes import TooFew
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
    if len(labels) < 2:
        found = f" ({labels[0]})" if labels else ""
        raise TooFew(f"{test.name}: what is left has {plural(len(labels), 'label')}{found}. A test needs 2.")
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
    shared_out, left = {}, n_items
    rarest_first = sorted(counts, key=lambda label: (counts[label], label))
    for n_before, label in enumerate(rarest_first):
        shared_out[label] = min(counts[label], most, left // (len(counts) - n_before))
        left -= shared_out[label]
    return {} if left else shared_out


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
