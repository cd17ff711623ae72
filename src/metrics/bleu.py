"""BLEU of a corpus from counts that add up over sentences, batches and processes (Papineni et al. 2002).

As in multi-bleu (Moses), whose published scores are computed on words as given, with subword units joined:
clipped n-grams of 1 to 4 words, the reference closest in length (of two the shorter) for the brevity penalty, no
smoothing, so that it is 0 where no 4-gram is right. The n-grams are counted by sacrebleu.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyprobe.errors import import_extra
from polyprobe.metrics.bootstrap import interval, resampled_sums
from polyprobe.metrics.task_score import INTERVAL_SEED, TaskScore

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

SCORER = "multi-bleu"
LONGEST = 4
"""Words of an n-gram."""
N_COUNTS = 2 + 2 * LONGEST

Words = Sequence[str] | Sequence[bytes]  # bytes: the judge's, which cuts lines at ASCII white space


def bleu_scores(gold: Sequence[Words], generated: Sequence[Words]) -> list[TaskScore]:
    """Returns the BLEU of sentences, with its interval; `n` is their number.

    Args:
        gold: the reference of each sentence.
    """
    counts = bleu_counts(generated, gold)
    if not len(counts):
        return []
    score = TaskScore("bleu", bleu(counts.sum(0)), len(counts), SCORER)
    low, high = interval(np.array([bleu(sums) for sums in resampled_sums(counts, INTERVAL_SEED)]))
    # Of 0 and 100 all resamples are alike, which says nothing of further sentences.
    return [replace(score, interval_low=low, interval_high=high) if low < high else score]


def bleu_counts(generated: Sequence[Words], *references: Sequence[Words]) -> np.ndarray:
    """Counts n-grams.

    Args:
        references: translations of all of them, each of as many sentences.

    Returns:
        int64 `[sentences, 10]`: words, words of the closest reference, the right n-grams of 1 to 4 words, all of them.
    """
    counter = _sacrebleu()(tokenize="none", smooth_method="none", effective_order=True)  # the last saves a warning
    counts = np.zeros((len(generated), N_COUNTS), dtype=np.int64)
    for row, (sentence, *others) in enumerate(zip(generated, *references, strict=True)):
        text, *reference_texts = _numbered([sentence, *others])
        found = counter.sentence_score(text, reference_texts)
        counts[row] = found.sys_len, found.ref_len, *found.counts, *found.totals
    return counts


def _numbered(sentences: Sequence[Words]) -> list[str]:
    """Writes each word as a number: what is white space for sacrebleu, such as U+00A0, stands within words."""
    numbers: dict[str | bytes, str] = {}
    return [" ".join([numbers.setdefault(word, str(len(numbers))) for word in words]) for words in sentences]


def bleu(sums: np.ndarray) -> float:
    """Returns the BLEU, 0 to 1, of the summed counts of sentences, `[10]`."""
    length, reference_length, *counts = (int(count) for count in sums)
    found = _sacrebleu().compute_bleu(
        counts[:LONGEST], counts[LONGEST:], length, reference_length, smooth_method="none"
    )
    return min(found.score / 100, 1.0)  # the product of roots may be a rounding error above


def _sacrebleu() -> "type[BLEU]":
    return import_extra("sacrebleu.metrics.bleu", "bleu").BLEU
