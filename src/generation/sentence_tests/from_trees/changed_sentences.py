"""Tests of changed sentences.

BShift: two words were swapped; CoordInv: two clauses were. I is inverted, O original. SOMO: one noun or verb was
replaced by another. C is changed, O original.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from polyprobe.formats.treebanks.constituency_trees import category, constituents, leaves
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
    Sieve,
    swapped,
)

INVERTED, ORIGINAL, CHANGED = "I", "O", "C"
_DOUBLE_QUOTES = frozenset('"“”„«»')
_NAMES = ("NNP", "NNPS")
Clauses = tuple[int, int, int, int]  # the first one from, to; the second one from, to
_TAGS = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
Bigrams = Mapping[tuple[str, str], int]
Neighbours = Mapping[tuple[str, str], set[str]]  # of a word and a part of speech: the words beside it


def bigram_shifts(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Candidates:
    """BShift: whether two neighbours were swapped.

    Neither is the first word nor punctuation, and they differ. Sentences with double quotes are left out. Original ones
    have two such words, too; every sentence is either inverted or original.
    """
    sieve = Sieve(corpus.sentences).kept_by("double quotes", lambda one: _DOUBLE_QUOTES.isdisjoint("".join(one.words)))
    sieve = sieve.kept_by("no two words to swap", lambda one: _swappable(one.words))
    found = []
    for is_inverted, one in zip(_halves(len(sieve.sentences), generator), sieve.sentences, strict=True):
        place = int(generator.choice(_swappable(one.words)))
        if is_inverted:
            changes = {"swapped": place, "original": " ".join(one.words)}
            found.append(LabelledSentence.of(one, INVERTED, words=swapped(one.words, place), **changes))
        else:
            found.append(LabelledSentence.of(one, ORIGINAL))
    return Sieve(found, sieve.steps)


def coordination_inversions(
    corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator
) -> Candidates:
    """CoordInv: whether two coordinated clauses were swapped.

    The sentence is two clauses with a conjunction between them, and has no other conjunction. A comma before it and the
    mark at the end stay where they are. The first letter of the sentence is a capital again; the word that was first is
    written small, unless it is a name, is I or has other capitals. The first clause is the longer one in as many
    original sentences as it is the shorter one, before any of them is inverted, so that the order of lengths says
    nothing; where both are of one length, it says nothing anyway.
    """
    sieve = Sieve(corpus.sentences).turned_by("not two clauses and one conjunction", _with_clauses)
    longer: dict[int, list[int]] = {-1: [], 0: [], 1: []}
    for number, ((start, end, second, last), _) in enumerate(sieve.sentences):
        longer[int(np.sign((end - start) - (last - second)))].append(number)
    n_each = min(len(longer[-1]), len(longer[1]))
    found = []
    for numbers in longer.values():
        kept = generator.permutation(numbers)[: n_each if numbers is not longer[0] else None].tolist()
        for is_inverted, number in zip(_halves(len(kept), generator), kept, strict=True):
            clauses, one = sieve.sentences[number]
            if is_inverted:
                words = _inverted(one, clauses)
                labelled = LabelledSentence.of(one, INVERTED, words=words, original=" ".join(one.words))
            else:
                labelled = LabelledSentence.of(one, ORIGINAL)
            found.append((number, labelled))
    in_order = [one for _, one in sorted(found, key=lambda pair: pair[0])]
    return sieve.leaving("one order of lengths prevails", in_order)


def _halves(number: int, generator: np.random.Generator) -> list[bool]:
    """True for half of so many, at random; of an odd number one more is False."""
    return (generator.permutation(number) % 2 == 1).tolist()


def _swappable(words: Sequence[str]) -> list[int]:
    """Places of words that can be swapped with the next one."""
    is_word = [any(map(str.isalnum, word)) for word in words]
    return [
        place
        for place in range(1, len(words) - 1)
        if is_word[place] and is_word[place + 1] and words[place].lower() != words[place + 1].lower()
    ]


def _with_clauses(sentence: TreeSentence) -> tuple[Clauses, TreeSentence] | None:
    """Finds two clauses that are the whole sentence but for a comma, a conjunction and the mark at the end."""
    if sentence.tags.count("CC") != 1:
        return None
    children = constituents(sentence.top)
    names = [category(child) for child in children]
    if tuple(name for name in names if name not in (",", ".")) != ("S", "CC", "S") or names[0] != "S":
        return None
    if names[-1] == ".":
        names = names[:-1]
    if names not in (["S", "CC", "S"], ["S", ",", "CC", "S"]):
        return None
    lengths = [sum(1 for _ in leaves(child)) for child in children]
    ends = np.cumsum(lengths).tolist()
    last = len(names) - 1
    return (0, ends[0], ends[last - 1], ends[last]), sentence


def _inverted(sentence: TreeSentence, clauses: Clauses) -> tuple[str, ...]:
    start, end, second, last = clauses
    words = sentence.words
    first_clause = (_small(words[start], sentence.tags[start]), *words[start + 1 : end])
    second_clause = (words[second][0].upper() + words[second][1:], *words[second + 1 : last])
    return (*second_clause, *words[end:second], *first_clause, *words[last:])


def _small(word: str, tag: str) -> str:
    is_kept = tag in _NAMES or word == "I" or word[:2] in ("I'", "I’") or any(map(str.isupper, word[1:]))
    return word if is_kept else word[0].lower() + word[1:]


def odd_ones_out(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Candidates:
    """SOMO: whether a noun or verb is not the one that was written.

    Both words have the same part of speech and a frequency within `odd_frequency`, and stand between two others. The
    bigrams that the new word makes with them occur in the corpus; they are comparable: their counts differ from those
    of the old ones at most by the factor `odd_bigram_ratio` (the article says "comparable", on a logarithmic scale; the
    factor is ours). The sentence itself does not count for its own bigrams, and each counts as 1 at least. The target
    is the new word. Original sentences have a word that could be replaced, too; every sentence is either changed or
    original.
    """
    bigrams = Counter(pair for one in corpus.sentences for pair in pairwise(_lower_cased(one)))
    after, before = _neighbours(corpus, options)

    def with_replacements(one: TreeSentence) -> tuple[dict[int, list[str]], TreeSentence] | None:
        of_one = _replacements(one, after, before, bigrams, options.odd_bigram_ratio)
        return (of_one, one) if of_one else None

    sieve = Sieve(corpus.sentences).turned_by("no word with a replacement", with_replacements)
    found = []
    for is_changed, (of_one, one) in zip(_halves(len(sieve.sentences), generator), sieve.sentences, strict=True):
        places = list(of_one)
        place = places[int(generator.integers(len(places)))]
        word = of_one[place][int(generator.integers(len(of_one[place])))]
        if is_changed:
            words = (*one.words[:place], word, *one.words[place + 1 :])
            changes = {"place": place, "replaced": one.words[place], "by": word}
            found.append(LabelledSentence.of(one, CHANGED, (word,), words, **changes))
        else:
            found.append(LabelledSentence.of(one, ORIGINAL))
    return Sieve(found, sieve.steps)


def _lower_cased(sentence: TreeSentence) -> tuple[str, ...]:
    return tuple(word.lower() for word in sentence.words)


def _candidates(sentence: TreeSentence) -> Iterator[tuple[int, str]]:
    """Yields places, and parts of speech, of the words between two others that are nouns or verbs in small letters."""
    for place in range(1, len(sentence.words) - 1):
        if sentence.tags[place] in _TAGS and sentence.words[place].islower():
            yield place, sentence.tags[place]


def _neighbours(corpus: Corpus[TreeSentence], options: SentenceOptions) -> tuple[Neighbours, Neighbours]:
    """Finds the words of the frequency window that follow a word, and those that precede it."""
    after: dict[tuple[str, str], set[str]] = defaultdict(set)
    before: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in corpus.sentences:
        words = _lower_cased(one)
        for place, tag in _candidates(one):
            if corpus.is_within(words[place], options.odd_frequency):
                after[words[place - 1], tag].add(words[place])
                before[words[place + 1], tag].add(words[place])
    return after, before


def _replacements(
    sentence: TreeSentence, after: Neighbours, before: Neighbours, bigrams: Bigrams, ratio: float
) -> dict[int, list[str]]:
    """Finds what can stand in the place of words of the sentence: by place, sorted."""
    words, found = _lower_cased(sentence), {}
    own = Counter(pairwise(words))
    for place, tag in _candidates(sentence):
        left, old, right = words[place - 1 : place + 2]
        if old not in after.get((left, tag), ()):
            continue
        counts = [max(1, bigrams[pair] - own[pair]) for pair in ((left, old), (old, right))]
        fitting = [
            new
            for new in after[left, tag] & before[right, tag] - {old}
            if all(
                max(count, bigrams[pair]) <= ratio * min(count, bigrams[pair])
                for count, pair in zip(counts, ((left, new), (new, right)), strict=True)
            )
        ]
        if fitting:
            found[place] = sorted(fitting)
    return found


BSHIFT = SentenceTest("BShift", bigram_shifts, "equal")
COORD_INV = SentenceTest("CoordInv", coordination_inversions, "equal")
SOMO = SentenceTest("SOMO", odd_ones_out, "equal")
