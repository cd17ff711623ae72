"""Log-probabilities of sentences that another program computed, or a function of the user's (docs/elsewhere.md)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.display.shown import cut, last_parts
from polyprobe.encoders.base.encoder import fingerprint, path_of
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.computed_elsewhere import ComputedElsewhere, NothingComputed
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import NOTHING, absence
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.items import words_at
from polyprobe.predictors.base.predictor import Answers, Keeper, Predictor, Question, check_questions, text_of

_VERSION = 1
_LEAST = float(np.finfo(np.float32).min)  # what is less is no finite number as the scores have them
_LINE = (
    '{"sentence": text, "log_probability": number}, {"sentence": text, "words": [number, …]} or {"sentence": text, '
    '"pieces": [text, …], "offsets": [[start, end], …], "log_probabilities": [number, …]}, numbers not above 0'
)
_LONGEST = 80  # characters of a line in an error
_MARKS = ("##", "Ġ", "▁", " ")  # that tokenizers write at the beginning of a piece, for a blank or for none


@dataclass(frozen=True, slots=True)
class _Line:
    """The log-probabilities of a sentence."""

    number: int
    """In the file."""
    values: list[float]
    """Of its words, of its pieces, or one for all."""
    spans: list[tuple[int, int]] | None = None
    """`[start, end)` of each piece in characters; None for words, and for one number."""
    has_words: bool = False


class LogProbabilities(Predictor):
    """Looks sentences up in a file of JSON lines: of each its log-probability in nats, or those of its words or pieces.

    Words are separated by blanks; in a suite whose words are characters each character is one. A sentence with one
    number has no score of the focus words. A piece belongs to the word in which it begins, a blank to the word after
    it; an empty piece at the end is of no word. One that the file lacks is refused: an invented number would be scored.

    Raises:
        NothingComputed: there is no file.
        MalformedLine: a line cannot be read, a sentence stands in two, or pieces are not those of their sentence.
    """

    conventions = "log-probabilities from a file"

    def __init__(self, path: str | Path):
        self.path = path_of("predictor.path", path)
        missing = self.path.with_name(f"{self.path.stem}.missing.jsonl")
        self._place = ComputedElsewhere(
            self.path, "sentences", missing, lambda sentence: json.dumps({"sentence": sentence}, ensure_ascii=False)
        )
        if not self.path.is_file():
            found = f"{self.path}: {absence(self.path)}. Expected a file with {_LINE} in each line."
            is_to_come = absence(self.path) == NOTHING and self.path.parent.is_dir()
            raise NothingComputed(self._place, found) if is_to_come else PolyprobeError(found)
        self.model_name = self.label = last_parts(path)
        self.fingerprint = fingerprint("log_probabilities", _VERSION, file=file_digest(self.path))
        self.provenance = {"files": {self.path.name: file_digest(self.path)}}
        self._lines: dict[str, _Line] = {}
        for number, text in numbered_lines(self.path):
            sentence, line = _parsed(self.path, number, text)
            if sentence in self._lines:
                raise MalformedLine(
                    self.path, number, f"'{cut(sentence, _LONGEST)}' is also above", "each sentence once"
                )
            self._lines[sentence] = line

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        """See `Predictor`; nothing is kept.

        Raises:
            PolyprobeError: the file lacks sentences, or a sentence has other words; says how many, names three, and
                lists all in a file beside it.
        """
        check_questions("log_probabilities", questions)
        texts = list(map(text_of, questions))
        distinct = dict.fromkeys(texts)
        if absent := [text for text in distinct if text not in self._lines]:
            raise self._place.listed_as_lacking(absent, len(distinct))
        lines = [self._lines[text] for text in texts]
        owners = [self._words(question, line) for question, line in zip(questions, lines, strict=True)]
        numbers = np.array([value for line in lines for value in line.values], np.float32)
        nobody = np.empty(0, np.int32)  # where there is no question
        firsts, lasts = (np.concatenate([nobody, *(one[side] for one in owners)], dtype=np.int32) for side in (0, 1))
        return Answers(
            log_probabilities=numbers,
            word_of_token=firsts,
            is_unknown=np.zeros(len(numbers), bool),
            ends=np.cumsum([len(line.values) for line in lines], dtype=np.int64),
            refusals=("",) * len(questions),
            last_words=None if np.array_equal(firsts, lasts) else lasts,
        )

    def _words(self, question: Question, line: _Line) -> tuple[np.ndarray, np.ndarray]:
        """Returns the first and the last word of each number, `[numbers]` both."""
        n_words = len(question.words)
        if line.spans is not None:
            return _words_of_pieces(question, line.spans)
        if line.has_words and len(line.values) != n_words:
            found = f"'{cut(text_of(question), _LONGEST)}' has {len(line.values)} numbers for {n_words} words"
            raise MalformedLine(self.path, line.number, found, "one for each")
        words = np.arange(n_words) if line.has_words else np.array([n_words])  # the end: a number for all is of no word
        return words, words


def _words_of_pieces(question: Question, spans: Sequence[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the first and the last word of each piece: a word in which none begins is the last of the piece before.

    Words may be characters, without blanks between them.
    """
    n_words, length = len(question.words), len(text_of(question))
    starts, ends = (np.array(side, np.int64) for side in zip(*spans, strict=True))
    is_end = (starts == length) & (ends == length)
    if question.between:
        firsts = np.array(words_at(starts.tolist(), question.words))
    else:
        firsts = np.searchsorted(np.cumsum([len(word) for word in question.words]), starts, side="right")
    firsts = np.where(is_end, n_words, firsts)
    lasts = firsts.copy()
    without = np.setdiff1d(np.arange(n_words), firsts)
    before = np.searchsorted(firsts, without) - 1
    np.maximum.at(lasts, before[before >= 0], without[before >= 0])  # others begin in a first piece without a number
    return firsts, lasts


def _parsed(path: Path, number: int, text: str) -> tuple[str, _Line]:
    """Returns a sentence with its log-probabilities."""
    try:
        match json.loads(text):
            case {"sentence": str(sentence), "words": [_, *_] as words}:
                _check_numbers(path, number, words)
                return sentence, _Line(number, words, has_words=True)
            case {"sentence": str(sentence), "log_probability": value}:
                _check_numbers(path, number, [value])
                return sentence, _Line(number, [value])
            case {"sentence": str(sentence), "pieces": [*pieces], "log_probabilities": [*values], **others} if all(
                isinstance(piece, str) for piece in pieces
            ) and others.keys() <= {"offsets"}:
                begin = int(values[:1] == [None])  # most models predict nothing for the first piece of a text
                _check_numbers(path, number, values[begin:], begin)
                spans = _Pieces(path, number, sentence, pieces).spans(others.get("offsets"), len(values))
                if len(values) > begin:
                    return sentence, _Line(number, values[begin:], spans[begin:])
    except (ValueError, RecursionError):
        pass
    raise MalformedLine(path, number, f"got '{cut(text, _LONGEST)}'", _LINE)


def _check_numbers(path: Path, number: int, values: Sequence[object], n_before: int = 0) -> None:
    """Refuses what is no log-probability.

    Args:
        n_before: numbers that stand before these.
    """
    for place, value in enumerate(values, start=n_before + 1):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and _LEAST <= value <= 0):
            found = f"number {place} is {cut(json.dumps(value), _LONGEST)}"
            raise MalformedLine(path, number, found, "log-probabilities: finite numbers not above 0")


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of a sentence, checked against it."""

    path: Path
    number: int
    """Of the line."""
    sentence: str
    pieces: list[str]

    def spans(self, offsets: Any, n_values: int) -> list[tuple[int, int]]:
        """Returns `[start, end)` of each piece in characters.

        Args:
            offsets: as the line has them; None: the pieces spell the sentence, one after the other.

        Raises:
            MalformedLine: the pieces are not those of the sentence.
        """
        if len(self.pieces) != n_values:
            found = f"{len(self.pieces)} pieces, {n_values} log-probabilities"
            raise self._refused(found, "a number for every piece")
        offsets = self._in_a_row() if offsets is None else offsets
        if not isinstance(offsets, list) or len(self.pieces) != len(offsets):
            n_offsets = len(offsets) if isinstance(offsets, list) else "no list of"
            raise self._refused(f"{len(self.pieces)} pieces, {n_offsets} offsets", "offsets of every piece")
        spans, covered = [(0, 0)], 0
        for piece, offset in zip(self.pieces, offsets, strict=True):
            start, end = self._checked(piece, offset, spans[-1])
            self._check_covered(covered, start)
            spans.append((start, end))
            covered = max(covered, end)
        self._check_covered(covered, len(self.sentence))
        return spans[1:]

    def _in_a_row(self) -> list[list[int]]:
        text = "".join(self.pieces)
        if text.removeprefix(" ") != self.sentence.removeprefix(" "):  # one may stand before the first word of a text
            found = f"its pieces spell '{cut(text, _LONGEST)}'"
            raise self._refused(found, "pieces that spell the sentence, or the offsets of each")
        n_before = len(text) - len(self.sentence)
        ends = np.cumsum([len(piece) for piece in self.pieces]) - n_before
        return [[max(0, end - len(one)), end] for end, one in zip(ends.tolist(), self.pieces, strict=True)]

    def _checked(self, piece: str, offset: Any, before: tuple[int, int]) -> tuple[int, int]:
        length, said = len(self.sentence), f"piece '{piece}' has the offset {cut(json.dumps(offset), _LONGEST)}"
        match offset:
            case [int(start), int(end)] if 0 <= start <= end <= length:
                pass
            case _:
                expected = f"[start, end] in characters, from 0 to {length}, the length of the sentence"
                raise self._refused(said, expected)
        if start < before[0] or end < before[1]:
            expected = f"offsets that do not fall (a piece for the end of the sentence has [{length}, {length}])"
            raise self._refused(f"{said} after [{before[0]}, {before[1]}]", expected)
        if start < end and not _is_spelled(piece, self.sentence[start:end]):
            raise self._refused(f"{said}, which is '{self.sentence[start:end]}'", "pieces of the sentence itself")
        return start, end

    def _check_covered(self, covered: int, start: int) -> None:
        if left := self.sentence[covered:start].strip():
            found = f"no piece covers '{cut(left, _LONGEST)}' in the characters {covered} to {start}"
            raise self._refused(found, "pieces that cover all characters but blanks")

    def _refused(self, found: str, expected: str) -> MalformedLine:
        return MalformedLine(self.path, self.number, f"'{cut(self.sentence, _LONGEST)}': {found}", expected)


def _is_spelled(piece: str, text: str) -> bool:
    """Says whether a piece is a part of the sentence, but for case, marks of tokenizers, and bytes as they write them.

    What has no letter or sign in ASCII is taken on trust: byte-level tokenizers write it, or parts of it, otherwise.
    """
    text = text.strip()
    if not text.isascii():
        return True
    for mark in _MARKS:
        piece = piece.removeprefix(mark)
    return piece.strip().casefold() == text.casefold()
