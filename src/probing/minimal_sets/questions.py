"""The distinct questions of a suite of minimal sets, and the way back from answers to sentences.

    sets of all constructions -> sentences -> distinct questions -> predictor -> answers -> scores of every sentence

The same sentence stands in many sets (the grammatical one of a set of six, those that two constructions share): it is
asked once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.formats.minimal_sets.clams import MinimalSet, differing_spans
from polyprobe.predictors.base.predictor import Answers, Question
from polyprobe.probing.suites.minimal_sets import Construction

NOT_ASKED = -1


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a construction, set by set, the grammatical one of each first."""

    texts: Sequence[str]
    """Words separated by single blanks."""
    words: Sequence[tuple[str, ...]]
    set_of_sentence: np.ndarray
    """0, 0, 1, 1, …: int64 `[sentences]`."""
    spans: np.ndarray
    """`[start, end)` of the words that differ in the set, or that its file names: int64 `[sentences, 2]`."""
    lemmas: Sequence[str]
    """The lexemes of the varied slots where the sets know them, else the distinct forms that stand where they differ,
    sorted and joined; the sentence where nothing differs: `[sets]`."""
    between: str = " "
    """What stands between two words."""

    @property
    def n_sets(self) -> int:
        return len(self.lemmas)

    @property
    def has_focus(self) -> np.ndarray:
        """Says of each sentence whether a word of it differs: bool `[sentences]`."""
        return self.spans[:, 0] < self.spans[:, 1]

    def any_of_set(self, of_sentence: np.ndarray) -> np.ndarray:
        """Says of each set whether something is true of one of its sentences: bool `[sets]`."""
        return np.bincount(self.set_of_sentence[of_sentence], minlength=self.n_sets) > 0


def sentences_of(construction: Construction) -> Sentences:
    """Lays the sets of a construction out."""
    texts, words, numbers, spans, lemmas = [], [], [], [], []
    for number, one in enumerate(construction.sets):
        of_set = [variant.sentence for variant in one.variants]
        split, of_words = one.words, one.focus
        texts += of_set
        words += split
        spans += of_words
        numbers += [number] * len(of_set)
        lemmas.append(_lexemes(one) or _differing_forms(split, differing_spans(split), one.between) or of_set[0])
    places = np.array(spans, dtype=np.int64).reshape(-1, 2)
    between = construction.sets[0].between if construction.sets else " "
    return Sentences(texts, words, np.array(numbers, dtype=np.int64), places, lemmas, between)


def distinct_questions(
    constructions: Iterable[tuple[Sentences, np.ndarray]], asks_focus: bool
) -> tuple[list[Question], list[np.ndarray]]:
    """Numbers the distinct questions of a suite.

    Args:
        constructions: the sentences of each, and which of them need an answer: bool `[sentences]`.
        asks_focus: whether the span is part of the question.

    Returns:
        The questions, and for each construction the number of each sentence's question, `NOT_ASKED` where it has none:
        int64 `[sentences]`.
    """
    number_of: dict[tuple, int] = {}
    questions: list[Question] = []
    numbers = []
    for sentences, asked in constructions:
        of_construction = np.full(len(sentences.texts), NOT_ASKED, dtype=np.int64)
        spans = sentences.spans.tolist()
        for place in np.flatnonzero(asked).tolist():
            span = tuple(spans[place]) if asks_focus else None
            number = number_of.setdefault((sentences.texts[place], span, sentences.between), len(questions))
            if number == len(questions):
                questions.append(Question(sentences.words[place], span, sentences.between))
            of_construction[place] = number
        numbers.append(of_construction)
    return questions, numbers


def _lexemes(one: MinimalSet) -> str:
    """Returns the lexeme of each varied slot, which is named by one of the forms there; "" where the set knows none."""
    of_slots = zip(*(variant.forms for variant in one.variants), strict=False)
    named = [[name for name in one.lexemes or () if name in forms] for forms in of_slots]
    return "+".join(str(names[0]) for names in named) if all(named) else ""


def _differing_forms(words: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]], between: str) -> str:
    forms = {between.join(one[start:end]) for one, (start, end) in zip(words, spans, strict=True)}
    return "/".join(sorted(forms))


def tokens_of(answers: Answers, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns for every token of every sentence the sentence and the token's place in the answers: int64 `[tokens]`."""
    ends = np.concatenate([answers.ends, [0]])  # the last one for NOT_ASKED: no token
    starts = np.concatenate([[0], answers.ends[:-1], [0]]) if len(answers.ends) else np.zeros(1, dtype=np.int64)
    n_tokens = (ends - starts)[numbers]
    sentence = np.repeat(np.arange(len(numbers)), n_tokens)
    first = np.repeat(starts[numbers] - np.concatenate([[0], np.cumsum(n_tokens)[:-1]]), n_tokens)
    return sentence, (first + np.arange(len(sentence))).astype(np.int64)


def last_words(answers: Answers) -> np.ndarray:
    """Returns the last word that each token covers: int32 `[tokens]`."""
    return answers.word_of_token if answers.last_words is None else answers.last_words
