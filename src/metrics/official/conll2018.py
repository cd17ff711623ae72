"""The counts and percentages of the CoNLL-2018 evaluation (version 1.2), to the last printed digit.

Punctuation counts, subtypes of relations do not, and tokens, sentences and words may differ as long as the characters
between the spaces agree.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from polyprobe.metrics.official.conll2018_words import CONTENT_RELATIONS, SCORER, ScoredText, ScoredWord, read_text
from polyprobe.metrics.official.scorers import RefusedByScorer, printed
from polyprobe.metrics.tallies import Tally
from polyprobe.metrics.task_score import share

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
    gold, system = read_text(Path(gold)), read_text(Path(system))
    _check_characters(gold, system)
    spans = {"Tokens": (gold.tokens, system.tokens), "Sentences": (gold.sentences, system.sentences)}
    equal = {name: Tally(len({*one} & {*other}), len(other), len(one)) for name, (one, other) in spans.items()}
    comparison = Comparison(gold.words, system.words)
    return {
        **{name: _row(tally, None) for name, tally in equal.items()},
        "Words": {**_row(comparison.words, None), "aligned_total": len(comparison.pairs)},
        **{name: _row(comparison.over_all(trait), len(comparison.pairs)) for name, trait in WORD_TRAITS.items()},
        **{name: _row(*comparison.over_content_words(trait)) for name, trait in CONTENT_TRAITS.items()},
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


def _check_characters(gold: ScoredText, system: ScoredText) -> None:
    ours, theirs = gold.characters, system.characters
    if ours == theirs:
        return
    place = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    found, expected = (text[place : place + 20] for text in (theirs, ours))
    raise RefusedByScorer(
        SCORER, system.path, 1, f'the text continues with "{found}"', f'"{expected}", as in {gold.path}'
    )


def _row(tally: Tally, aligned: int | None) -> dict:
    return {
        "precision": printed(100 * tally.precision),
        "recall": printed(100 * tally.recall),
        "f1": printed(100 * tally.f1),
        "aligned_accuracy": None if aligned is None else printed(100 * share(tally.correct, aligned)),
        "correct": tally.correct,
        "gold_total": tally.gold,
        "system_total": tally.system,
        "aligned_total": aligned,
    }


Pair = tuple[int, int]
"""The places of a gold word and of the system word that stands for it."""


def aligned_words(gold: Sequence[ScoredWord], system: Sequence[ScoredWord]) -> list[Pair]:
    """Aligns the words of two texts with the same characters.

    Words are paired by equal spans; in a stretch that has a multiword token on either side by the longest common
    subsequence of their lower-cased forms:

        gold     | Ali | im | dir |       gold     | de  el |      spans 0-3 and 3-8 differ, but both have
        system   | Ali |  imdir   |       system   |  del   |      a multiword token: the forms decide
    """
    pairs, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        if gold[g].is_multiword or system[s].is_multiword:
            (g_start, g), (s_start, s) = _multiword_stretch(gold, system, g, s)
            pairs += _by_form(gold, system, range(g_start, g), range(s_start, s))
        elif gold[g].span == system[s].span:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold[g].span[0] <= system[s].span[0]:
            g += 1
        else:
            s += 1
    return pairs


def _multiword_stretch(gold: Sequence[ScoredWord], system: Sequence[ScoredWord], g: int, s: int) -> tuple[Pair, Pair]:
    """Returns the smallest stretches `[start, end)` of both sides around multiword tokens that overlap each other."""
    if gold[g].is_multiword:
        end = gold[g].span[1]
        s += not system[s].is_multiword and system[s].span[0] < gold[g].span[0]
    else:
        end = system[s].span[1]
        g += gold[g].span[0] < system[s].span[0]
    g_start, s_start = g, s
    while not (_is_beyond(gold, g, end) and _is_beyond(system, s, end)):
        if g < len(gold) and (s >= len(system) or gold[g].span[0] <= system[s].span[0]):
            end, g = _extended(end, gold[g]), g + 1
        else:
            end, s = _extended(end, system[s]), s + 1
    return (g_start, g), (s_start, s)


def _is_beyond(words: Sequence[ScoredWord], place: int, end: int) -> bool:
    if place >= len(words):
        return True
    word = words[place]
    return word.span[0] >= end if word.is_multiword else word.span[1] > end


def _extended(end: int, word: ScoredWord) -> int:
    return max(end, word.span[1]) if word.is_multiword else end


def _by_form(
    gold: Sequence[ScoredWord], system: Sequence[ScoredWord], gold_places: range, system_places: range
) -> Iterator[Pair]:
    longest = _longest_common(
        [gold[place].form for place in gold_places], [system[place].form for place in system_places]
    )
    g, s = 0, 0
    while g < len(gold_places) and s < len(system_places):
        if gold[gold_places[g]].form == system[system_places[s]].form:
            yield gold_places[g], system_places[s]
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1


def _longest_common(first: Sequence[str], second: Sequence[str]) -> list[list[int]]:
    """Returns the length of the longest common subsequence of `first[i:]` and `second[j:]` at `[i][j]`."""
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            through = 1 + longest[i + 1][j + 1] if first[i] == second[j] else 0
            longest[i][j] = max(through, longest[i + 1][j], longest[i][j + 1])
    return longest
