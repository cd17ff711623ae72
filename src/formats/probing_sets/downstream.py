"""The raw files of SentEval's downstream tasks: one or two sentences and a label or a score, an item a line.

    effective but too-tepid biopic                              MR, CR, SUBJ, MPQA: a file for each label
    NUM:dist How far is it from Denver to Aspen ?               TREC: only the coarse label counts
    unflinchingly bleak and desperate <tab> 0                   SST2
    4 a stirring , funny and finally transporting re-imagining  SST5
    1 <tab> 702876 <tab> 702977 <tab> … <tab> …                 MRPC: a header, a byte order mark, CRLF
    1 <tab> A group of kids … <tab> A group of boys … <tab> …   SICK: a header, twelve columns, CRLF
    3.8 <tab> thin metal strips … <tab> thin strip …            STS: no score where none was given
    main-captions <tab> MSRvid <tab> … <tab> 5.000 <tab> …      STS Benchmark: seven columns, or nine

A quotation mark is a character like any other. Words are cut by the function that a reader is given.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_in
from polyprobe.formats.reading.malformed import Omission, OnMalformed

QUESTION_LABELS = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
ENTAILMENT_LABELS = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
PARAPHRASE_HEADER = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
_N_SICK_COLUMNS = 12
_SICK_COLUMNS = ("pair_ID", "sentence_A", "sentence_B", "entailment_label", "relatedness_score")
_SICK_SETS = ("TRAIN", "TRIAL", "TEST")
_N_BENCHMARK_COLUMNS = (7, 9)

Words = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DownstreamItem:
    """One item of a task."""

    sentences: tuple[tuple[str, ...], ...]
    """One, or two of a pair, as words; one without words where the line of the file is blank."""
    label: str | float | None
    """Its class, or its score; None where there is none."""
    line: int
    """Of the file, from 1."""


Item = Callable[[int, str], DownstreamItem | None]  # of the number and the text of a line


def read_sentences(
    path: Path, on_malformed: OnMalformed, words: Words, encoding: str, label: str
) -> list[DownstreamItem]:
    """Reads a file of one label, a sentence a line; a blank line is an item without words (MR, CR, SUBJ, MPQA).

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not clean text in
            the encoding.
    """
    return _items(path, on_malformed, lambda line, text: DownstreamItem((words(text),), label, line), encoding)


def read_questions(path: Path, on_malformed: OnMalformed, words: Words, encoding: str) -> list[DownstreamItem]:
    """Reads questions, each after its label `COARSE:fine` and a blank (TREC).

    Raises:
        MalformedLine: as `read_sentences`, and at a label that is none of `QUESTION_LABELS`, or a line without words.
    """

    def item(line: int, text: str) -> DownstreamItem:
        label, _, question = text.partition(" ")
        return _labelled(path, line, label.partition(":")[0], question, QUESTION_LABELS, words)

    return _items(path, on_malformed, item, encoding)


def read_label_first(
    path: Path, on_malformed: OnMalformed, words: Words, labels: tuple[str, ...]
) -> list[DownstreamItem]:
    """Reads sentences, each after its label and a blank (SST5).

    Raises:
        MalformedLine: as `read_sentences`, and at a label that is none of `labels`, or a line without words.
    """

    def item(line: int, text: str) -> DownstreamItem:
        label, _, sentence = text.partition(" ")
        return _labelled(path, line, label, sentence, labels, words)

    return _items(path, on_malformed, item)


def read_label_last(
    path: Path, on_malformed: OnMalformed, words: Words, labels: tuple[str, ...]
) -> list[DownstreamItem]:
    """Reads sentences, each before a tab and its label (SST2); raises as `read_label_first`."""

    def item(line: int, text: str) -> DownstreamItem:
        sentence, _, label = text.rpartition("\t")
        return _labelled(path, line, label, sentence, labels, words)

    return _items(path, on_malformed, item)


def read_paraphrases(path: Path, on_malformed: OnMalformed, words: Words) -> list[DownstreamItem]:
    """Reads pairs labelled 1 (paraphrases) or 0, below the header (MRPC).

    Raises:
        MalformedLine: at an empty file and another header and, where `on_malformed` raises, at the first row with
            another number of columns, another label, a sentence without words, or text that is not clean UTF-8.
    """

    def item(line: int, text: str) -> DownstreamItem:
        cells = _cells(path, line, text, (len(PARAPHRASE_HEADER),))
        _check_label(path, line, cells[0], ("0", "1"))
        return DownstreamItem(_pair(path, line, cells[3], cells[4], words), cells[0], line)

    return _items(path, on_malformed, item, header=PARAPHRASE_HEADER)


def read_sick_labels(path: Path, on_malformed: OnMalformed, words: Words, chosen_set: str) -> list[DownstreamItem]:
    """Reads the pairs of one set of SICK, below the header, each with one of `ENTAILMENT_LABELS` (SICK-E).

    Args:
        chosen_set: "TRAIN", "TRIAL" or "TEST".

    Raises:
        MalformedLine: as `read_paraphrases`, and at an unknown set.
    """
    return _sick(path, on_malformed, words, chosen_set, lambda line, cells: cells[3])


def read_sick_scores(path: Path, on_malformed: OnMalformed, words: Words, chosen_set: str) -> list[DownstreamItem]:
    """Reads the same with the relatedness of each pair, 1 to 5 (SICK-R); another score is malformed, too."""
    return _sick(path, on_malformed, words, chosen_set, lambda line, cells: _score(path, line, cells[4], 1, 5))


def _sick(
    path: Path,
    on_malformed: OnMalformed,
    words: Words,
    chosen_set: str,
    label_of: Callable[[int, list[str]], str | float],
) -> list[DownstreamItem]:
    """Reads the pairs of one set; `label_of` takes the number of a line and its cells."""

    def item(line: int, text: str) -> DownstreamItem | None:
        cells = _cells(path, line, text, (_N_SICK_COLUMNS,))
        if cells[-1] not in _SICK_SETS:
            raise MalformedLine(path, line, f'the set is "{cells[-1]}"', f"one of {', '.join(_SICK_SETS)}")
        if cells[-1] != chosen_set:
            return None
        _check_label(path, line, cells[3], ENTAILMENT_LABELS)
        label = label_of(line, cells)
        return DownstreamItem(_pair(path, line, cells[1], cells[2], words), label, line)

    return _items(path, on_malformed, item, header=_SICK_COLUMNS, n_columns=_N_SICK_COLUMNS)


def read_similarities(path: Path, on_malformed: OnMalformed, words: Words) -> list[DownstreamItem]:
    """Reads pairs after their score from 0 to 5; a pair whose score is empty has none (STS12 to STS16).

    Raises:
        MalformedLine: as `read_paraphrases`, without a header, and at a score out of its range.
    """

    def item(line: int, text: str) -> DownstreamItem:
        score, first, second = _cells(path, line, text, (3,))
        known = _score(path, line, score, 0, 5) if score else None
        return DownstreamItem(_pair(path, line, first, second, words), known, line)

    return _items(path, on_malformed, item)


def read_benchmark(path: Path, on_malformed: OnMalformed, words: Words) -> list[DownstreamItem]:
    """Reads pairs in columns 6 and 7, with their score from 0 to 5 in column 5 (STS Benchmark); others are ignored.

    Raises:
        MalformedLine: as `read_similarities`; every row has a score.
    """

    def item(line: int, text: str) -> DownstreamItem:
        cells = _cells(path, line, text, _N_BENCHMARK_COLUMNS)
        return DownstreamItem(_pair(path, line, cells[5], cells[6], words), _score(path, line, cells[4], 0, 5), line)

    return _items(path, on_malformed, item)


def as_shown_by_cat(text: str) -> str:
    r"""Returns what `cat -v` makes of a text in Latin-1: each character beyond ASCII as `M-` and one or two others.

    SentEval's preparation of MR, CR, SUBJ and MPQA does so by accident, so that accented words become unknown ones.

    >>> as_shown_by_cat("caf\xe9\x85")
    'cafM-iM-^E'
    """
    return "".join(f"M-{_shown(ord(character) - 128)}" if ord(character) > 127 else character for character in text)


def _shown(code: int) -> str:
    if code < 32:
        return f"^{chr(code + 64)}"
    return "^?" if code == 127 else chr(code)


def _items(
    path: Path,
    on_malformed: OnMalformed,
    item: Item,
    encoding: str = "utf-8",
    header: tuple[str, ...] = (),
    n_columns: int | None = None,
) -> list[DownstreamItem]:
    """Returns what a function makes of each line, where it makes something.

    Args:
        header: the cells of the first line begin with these, of `n_columns` or as many; (): there is none.
    """
    items = []
    for line, content in numbered_bytes(path):
        if line == 1 and header:
            found = _cells(path, line, text_in(path, line, content, encoding), (n_columns or len(header),))
            if tuple(found[: len(header)]) != header:
                raise MalformedLine(path, line, f"the header is {', '.join(found)}", f"{', '.join(header)} first in it")
            continue
        with Omission(on_malformed):
            items.append(item(line, text_in(path, line, content, encoding)))
    return [one for one in items if one is not None]


def _labelled(
    path: Path, line: int, label: str, sentence: str, labels: tuple[str, ...], words: Words
) -> DownstreamItem:
    _check_label(path, line, label, labels)
    return DownstreamItem((_some_words(path, line, sentence, words),), label, line)


def _cells(path: Path, line: int, text: str, numbers: tuple[int, ...]) -> list[str]:
    cells = text.split("\t")
    if len(cells) not in numbers:
        expected = f"{' or '.join(map(str, numbers))}, separated by tabs"
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
    return cells


def _check_label(path: Path, line: int, label: str, labels: tuple[str, ...]) -> None:
    if label not in labels:
        raise MalformedLine(path, line, f'the label is "{label}"', f"one of {', '.join(labels)}")


def _score(path: Path, line: int, text: str, lowest: int, highest: int) -> float:
    expected = f"a number from {lowest} to {highest}"
    try:
        score = float(text)
    except ValueError:
        raise MalformedLine(path, line, f'the score is "{text}"', expected) from None
    if not lowest <= score <= highest:
        raise MalformedLine(path, line, f"the score is {text}", expected)
    return score


def _pair(path: Path, line: int, first: str, second: str, words: Words) -> tuple[tuple[str, ...], ...]:
    return _some_words(path, line, first, words), _some_words(path, line, second, words)


def _some_words(path: Path, line: int, sentence: str, words: Words) -> tuple[str, ...]:
    found = words(sentence)
    if not found:
        raise MalformedLine(path, line, "the sentence is empty", "words")
    return found
