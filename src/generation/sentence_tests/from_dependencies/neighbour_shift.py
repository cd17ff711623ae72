"""NShift: have two neighbours changed places (I), or is the sentence as it was written (O)?

The paper swaps inside chosen morphosyntactic patterns, because where order is free most bigrams can be swapped and
leave a correct sentence; it does not list the patterns. Ours are in `dependency_rules.yaml`: a word and its head side
by side, in either order, whose order a language mostly fixes. As in SentEval's BShift the first word and punctuation
stay. Both labels come from sentences that have such a pair, so that the pair itself says nothing. A swap that gives
another sentence of the treebank, or that only changes capitals, is none.
"""

from collections.abc import Collection

import numpy as np

from src.generation.sentence_tests.from_dependencies.dependency_rules import Shift
from src.generation.sentence_tests.from_dependencies.sieves import Sieved
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence


def found_shifts(corpus: Corpus[TreebankSentence], shifts: Collection[Shift], generator: np.random.Generator) -> Found:
    """Swaps a pair, drawn evenly, in every second sentence that has one; which ones is drawn, too.

    Args:
        corpus: the treebank.
        shifts: pairs that may be swapped.
        generator: of the draws.
    """
    written = {sentence.words for sentence in corpus.sentences}

    def with_places(sentence: TreebankSentence) -> tuple[TreebankSentence, list[int]] | None:
        places = [one for one in swappable(sentence, shifts) if swapped(sentence.words, one) not in written]
        return (sentence, places) if places else None

    sieved = Sieved(corpus.sentences).turned_by("no two neighbours to swap", with_places)
    is_swapped = np.zeros(len(sieved.items), dtype=bool)
    is_swapped[generator.permutation(len(sieved.items))[::2]] = True
    draws = generator.random(len(sieved.items))
    labelled = [
        _inverted(sentence, places[int(draw * len(places))]) if inverts else _original(sentence)
        for (sentence, places), inverts, draw in zip(sieved.items, is_swapped, draws, strict=True)
    ]
    return Found(labelled, sieved.steps)


def swappable(sentence: TreebankSentence, shifts: Collection[Shift]) -> list[int]:
    """Returns the places, from 0, of tokens that may change places with the next one."""
    pairs = enumerate(zip(sentence.tree, sentence.tree[1:], strict=False), start=1)
    return [
        left.token
        for number, (left, right) in pairs
        if left.token > 0 and left.is_token and right.is_token and left.form != right.form
        if (left.head == number + 1 and any(one.dependent.fits(left) and one.head.fits(right) for one in shifts))
        or (right.head == number and any(one.dependent.fits(right) and one.head.fits(left) for one in shifts))
    ]


def swapped(words: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Swaps the words at a place, from 0, and after it."""
    return (*words[:place], words[place + 1], words[place], *words[place + 2 :])


def _original(sentence: TreebankSentence) -> LabelledSentence:
    return LabelledSentence(sentence.words, "O", (), sentence.document, sentence.place)


def _inverted(sentence: TreebankSentence, place: int) -> LabelledSentence:
    words = swapped(sentence.words, place)
    origin = {**sentence.place, "swapped": [sentence.words[place], sentence.words[place + 1]], "at": place + 1}
    return LabelledSentence(words, "I", (), sentence.document, origin)
