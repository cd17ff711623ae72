"""The counts and percentages of the CoNLL-2018 evaluation (version 1.2), to the last printed digit.

Punctuation counts, subtypes of relations do not, and tokens, sentences and words may differ as long as the characters
between the spaces agree.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import takewhile
from pathlib import Path

from src.metrics.official.conll2018_alignment import Pair, aligned_words
from src.metrics.official.conll2018_names import CONTENT_RELATIONS
from src.metrics.official.conll2018_words import SCORER, ScoredText, ScoredWord, Span, read_text
from src.metrics.official.refused import RefusedByScorer
from src.metrics.roles import Tally

NOT_ALIGNED = -1


def score_files(gold: Path, system: Path) -> dict:
    """Scores a system file against a gold file.

    Returns:
        For each of Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS and BLEX:
        precision, recall, F1 and the accuracy over aligned words (in percent with the two decimals that the scorer
        prints; None where it prints none), with their counts.

    Raises:
        RefusedByScorer: one of the files is not what the scorer reads, or their texts differ.
    """
    return score_texts(read_text(Path(gold)), read_text(Path(system)))


def score_texts(gold: ScoredText, system: ScoredText) -> dict:
    """Scores texts that were already read; as `score_files`."""
    _check_characters(gold, system)
    spans = {"Tokens": (gold.tokens, system.tokens), "Sentences": (gold.sentences, system.sentences)}
    comparison = Comparison(gold.words, system.words)
    return {
        **{name: _printed(_equal_spans(*pair), None) for name, pair in spans.items()},
        "Words": {**_printed(comparison.words, None), "aligned_total": len(comparison.pairs)},
        **{name: _printed(comparison.over_all(trait), len(comparison.pairs)) for name, trait in WORD_TRAITS.items()},
        **{name: _printed(*comparison.over_content_words(trait)) for name, trait in CONTENT_TRAITS.items()},
    }


class Comparison:
    """Two texts of the same characters with their words aligned.

    Attributes:
        pairs: indices of gold and system words that are aligned.
    """

    def __init__(self, gold: Sequence[ScoredWord], system: Sequence[ScoredWord]):
        self.gold, self.system = gold, system
        self.pairs: list[Pair] = aligned_words(gold, system)
        self._gold_of_system = {s: g for g, s in self.pairs}

    @property
    def words(self) -> Tally:
        """How many words are aligned."""
        return Tally(len(self.pairs), len(self.system), len(self.gold))

    def over_all(self, trait: "Trait") -> Tally:
        """Counts the aligned words that agree in a property."""
        right = sum(self._agree(trait, *pair) for pair in self.pairs)
        return Tally(right, len(self.system), len(self.gold))

    def over_content_words(self, trait: "Trait") -> tuple[Tally, int]:
        """Counts agreeing words with a content relation in gold, and how many of those are aligned."""
        content = [pair for pair in self.pairs if _has_content(self.gold[pair[0]])]
        right = sum(self._agree(trait, *pair) for pair in content)
        sides = (sum(map(_has_content, side)) for side in (self.system, self.gold))
        return Tally(right, *sides), len(content)

    def _agree(self, trait: "Trait", g: int, s: int) -> bool:
        gold, system = self.gold[g], self.system[s]
        ours = trait(gold, gold, self.gold, lambda place: place)
        return ours == trait(system, gold, self.system, lambda place: self._gold_of_system.get(place, NOT_ALIGNED))


Trait = Callable[[ScoredWord, ScoredWord, Sequence[ScoredWord], Callable[[int], int]], Hashable]
"""What is compared of a word, from it, its gold counterpart, all words of its file, and the gold place of a place."""


def _head(word: ScoredWord, gold: ScoredWord, words: Sequence[ScoredWord], in_gold: Callable[[int], int]) -> Hashable:
    return None if word.head is None else in_gold(word.head)


def _arc(word: ScoredWord, gold: ScoredWord, words: Sequence[ScoredWord], in_gold: Callable[[int], int]) -> Hashable:
    return _head(word, gold, words, in_gold), word.relation


def _lemma(word: ScoredWord, gold: ScoredWord, words: Sequence[ScoredWord], in_gold: Callable[[int], int]) -> Hashable:
    """Returns the lemma; where gold has none, any is right."""
    return word.lemma if gold.lemma != "_" else "_"


def _tagged_arc(
    word: ScoredWord, gold: ScoredWord, words: Sequence[ScoredWord], in_gold: Callable[[int], int]
) -> Hashable:
    """Returns the arc and the tags of a word and of its function words."""
    function_words = tuple(
        (in_gold(place), words[place].relation, words[place].upos, words[place].feats) for place in word.function_words
    )
    return _arc(word, gold, words, in_gold), word.upos, word.feats, function_words


WORD_TRAITS: dict[str, Trait] = {
    "UPOS": lambda word, *_: word.upos,
    "XPOS": lambda word, *_: word.xpos,
    "UFeats": lambda word, *_: word.feats,
    "AllTags": lambda word, *_: (word.upos, word.xpos, word.feats),
    "Lemmas": _lemma,
    "UAS": _head,
    "LAS": _arc,
}
CONTENT_TRAITS: dict[str, Trait] = {
    "CLAS": _arc,
    "MLAS": _tagged_arc,
    "BLEX": lambda *all_four: (_arc(*all_four), _lemma(*all_four)),
}


def _has_content(word: ScoredWord) -> bool:
    return word.relation in CONTENT_RELATIONS


def _equal_spans(gold: Sequence[Span], system: Sequence[Span]) -> Tally:
    return Tally(len(set(gold) & set(system)), len(system), len(gold))


def _check_characters(gold: ScoredText, system: ScoredText) -> None:
    if gold.characters == system.characters:
        return
    both = zip(gold.characters, system.characters, strict=False)
    place = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    found, expected = (text.characters[place : place + 20] for text in (system, gold))
    raise RefusedByScorer(
        SCORER, system.path, 1, f'the text goes on with "{found}"', f'"{expected}", as in {gold.path}'
    )


def _printed(tally: Tally, aligned: int | None) -> dict:
    return {
        "precision": _percent(tally.precision),
        "recall": _percent(tally.recall),
        "f1": _percent(tally.f1),
        "aligned_accuracy": None if aligned is None else _percent(tally.correct / aligned if aligned else 0.0),
        "correct": tally.correct,
        "gold_total": tally.gold,
        "system_total": tally.system,
        "aligned_total": aligned,
    }


def _percent(share: float) -> float:
    """Rounds as the scorer prints (exact halves of the binary value to even)."""
    return float(f"{100 * share:.2f}")
