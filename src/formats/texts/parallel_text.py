"""Parallel text: two files of running text, line i of one the translation of line i of the other.

    train.en  A girl climbs.            train.fr  Une fille grimpe.

Only a line feed ends a line: a next line (U+0085) or a no-break space stands inside of lines of the WMT test sets.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import numbered_bytes
from src.formats.reading.malformed import OnMalformed
from src.formats.texts.targeted_sentences import TargetedSentence
from src.formats.texts.tokenised import tokeniser, words_of_line


def parallel_sentences(
    path: Path, on_malformed: OnMalformed, target: Path, tokenised_by: str, languages: Sequence[str]
) -> Iterator[TargetedSentence]:
    """Reads sentences with their translations.

    Args:
        path: the file of the sentences that are encoded.
        on_malformed: called with every bad line of either file; the pair is then left out.
        target: the file of their translations.
        tokenised_by: see `src.formats.texts.tokenised.tokeniser`.
        languages: codes of the two.

    Raises:
        MalformedLine: at an empty file, and at the first line of one file that has no counterpart in the other; and,
            where `on_malformed` raises, at the first line without a word or without clean UTF-8 text.
    """
    cuts = [tokeniser(tokenised_by, language) for language in languages]
    for lines in zip_longest(numbered_bytes(path), numbered_bytes(target)):
        if None in lines:
            raise _without_counterpart(path, target)
        try:
            words, translation = (
                words_of_line(file, *line, cut) for file, line, cut in zip((path, target), lines, cuts, strict=True)
            )
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield TargetedSentence(words, translation, lines[0][0])


def _without_counterpart(path: Path, target: Path) -> MalformedLine:
    """Returns the error at the first line of the longer file that the shorter one has not."""
    counts = {file: sum(1 for _ in numbered_bytes(file)) for file in (path, target)}
    shorter, longer = sorted(counts, key=counts.__getitem__)
    found = f"the line has no counterpart: the file has {counts[longer]:,} lines, {shorter} has {counts[shorter]:,}"
    return MalformedLine(longer, counts[shorter] + 1, found, "equal numbers of lines: line i of both belong together")
