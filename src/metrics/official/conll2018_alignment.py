"""The alignment of the words of a system file with those of gold, as in the CoNLL-2018 evaluation."""

from collections.abc import Iterator, Sequence

from src.metrics.official.conll2018_words import ScoredWord

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
