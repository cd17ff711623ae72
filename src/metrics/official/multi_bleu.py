"""BLEU of files as `multi-bleu.perl` (Moses) prints it.

The scorer reads bytes and cuts lines at ASCII white space. Where a file ends early it scores the lines that are there:
100 right lines of 200 have a BLEU of 100. Such files are refused here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from src.errors import PolyprobeError
from src.metrics.bleu import bleu_counts, score_of


class UnequalLineCounts(PolyprobeError):
    """A translation has more or fewer lines than its reference."""

    def __init__(self, path: Path, reference: Path, found: int, expected: int):
        line = min(found, expected) + 1
        longer = path if found > expected else reference
        super().__init__(
            f"{path} has {found} lines, but its reference {reference} has {expected}: only {longer} has a line {line}. "
            "Expected a line for each of the reference, an empty one where there is no translation."
        )
        self.line = line


def score_files(references: Sequence[Path], system: Path) -> dict:
    """Scores a translation.

    Args:
        references: one or more, tokenised.
        system: the translation, tokenised in the same way.

    Returns:
        The BLEU and the precisions of n-grams of 1 to 4 words, in percent, the brevity penalty and the ratio of
        lengths, with the decimals that the scorer prints; the words of both sides.

    Raises:
        UnequalLineCounts: there are more lines in one file than in another.
    """
    return _scored(references, system, bytes.split)


def score_lower_cased_files(references: Sequence[Path], system: Path) -> dict:
    """Scores as `score_files`, with ASCII letters, and only these, lower-cased (the scorer's `-lc`)."""
    return _scored(references, system, lambda line: line.lower().split())


def _scored(references: Sequence[Path], system: Path, words: Callable[[bytes], list[bytes]]) -> dict:
    generated, *gold = (_lines(path, words) for path in (system, *references))
    for path, lines in zip(references, gold, strict=True):
        if len(lines) != len(generated):
            raise UnequalLineCounts(system, path, len(generated), len(lines))
    score = score_of(bleu_counts(generated, *gold).sum(0))
    return {
        "bleu": round(score.score, 2),
        "precisions": [round(one, 1) for one in score.precisions],
        "brevity_penalty": round(score.bp, 3),
        "length_ratio": round(score.ratio, 3),
        "words": score.sys_len,
        "reference_words": score.ref_len,
    }


def _lines(path: Path, words: Callable[[bytes], list[bytes]]) -> list[list[bytes]]:
    with open(path, "rb") as lines:
        return list(map(words, lines))
