"""Log-probabilities of sentences that another program computed, or a function of the user's."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polyprobe.display.shown import cut, last_parts
from polyprobe.encoders.base.encoder import fingerprint, path_of
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import absence
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.predictors.base.predictor import Answers, Keeper, Predictor, Question, check_questions

_VERSION = 1
_LEAST = float(np.finfo(np.float32).min)  # what is less is no finite number as the scores have them
_LINE = '{"sentence": text, "log_probability": number} or {"sentence": text, "words": [number, …]}, numbers not above 0'
_LONGEST = 80  # characters of a line in an error


class LogProbabilities(Predictor):
    """Looks sentences up in a file of JSON lines: of each its log-probability in nats, or that of each of its words.

    Words are separated by blanks; in a suite whose words are characters each character is one. A sentence with one
    number has no score of the focus words. One that the file lacks is refused: an invented number would be scored.

    Raises:
        PolyprobeError: the file is missing.
        MalformedLine: a line cannot be read, or a sentence stands in two.
    """

    conventions = "log-probabilities from a file"

    def __init__(self, path: str | Path):
        self.path = path_of("predictor.path", path)
        if not self.path.is_file():
            raise PolyprobeError(f"{self.path}: {absence(self.path)}. Expected a file with {_LINE} in each line.")
        self.model_name = self.label = last_parts(path)
        self.fingerprint = fingerprint("log_probabilities", _VERSION, file=file_digest(self.path))
        self.provenance = {"files": {self.path.name: file_digest(self.path)}}
        self._values: dict[str, tuple[bool, list[float]]] = {}
        for line, text in numbered_lines(self.path):
            sentence, has_words, values = _parsed(self.path, line, text)
            if sentence in self._values:
                raise MalformedLine(self.path, line, f"'{cut(sentence, _LONGEST)}' is also above", "each sentence once")
            self._values[sentence] = has_words, values

    def answer(self, questions: Sequence[Question], keeper: Keeper) -> Answers:
        """See `Predictor`; nothing is kept.

        Raises:
            PolyprobeError: the file lacks sentences, or a sentence has other words; says how many and names three.
        """
        check_questions("log_probabilities", questions)
        texts = [question.between.join(question.words) for question in questions]
        if absent := [text for text in texts if text not in self._values]:
            named = ", ".join(f"'{text}'" for text in absent[:3]) + (" …" if len(absent) > 3 else "")
            found = f"{self.path} lacks {len(absent):,} of {len(texts):,} sentences: {named}"
            raise PolyprobeError(f"{found}. Expected a line for each: {_LINE}.")
        values, words = [], []
        for text, question in zip(texts, questions, strict=True):
            has_words, of_sentence = self._values[text]
            n_words = len(question.words)
            if has_words and len(of_sentence) != n_words:
                found = f"{self.path}: '{text}' has {len(of_sentence)} numbers for {n_words} words"
                raise PolyprobeError(f"{found}. Expected one for each.")
            values.append(of_sentence)
            words.append(range(n_words) if has_words else [n_words])  # the end: a number for all is of no single word
        numbers = np.array([one for of_sentence in values for one in of_sentence], np.float32)
        return Answers(
            log_probabilities=numbers,
            word_of_token=np.array([one for of_sentence in words for one in of_sentence], np.int32),
            is_unknown=np.zeros(len(numbers), bool),
            ends=np.cumsum([len(one) for one in values], dtype=np.int64),
            refusals=("",) * len(questions),
        )


def _parsed(path: Path, line: int, text: str) -> tuple[str, bool, list[float]]:
    """Returns the sentence, whether each of its words has a number, and the numbers."""
    try:
        match json.loads(text):
            case {"sentence": str(sentence), "words": [_, *_] as words} if all(map(_is_one, words)):
                return sentence, True, words
            case {"sentence": str(sentence), "log_probability": number} if _is_one(number):
                return sentence, False, [number]
    except (ValueError, RecursionError):
        pass
    raise MalformedLine(path, line, f"got '{cut(text, _LONGEST)}'", _LINE)


def _is_one(value: object) -> bool:
    """Says whether a value is a log-probability."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and _LEAST <= value <= 0
