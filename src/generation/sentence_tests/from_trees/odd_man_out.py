"""SOMO: one noun or verb was replaced by another. C is changed, O original."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from src.generation.made_tests.frequent_words import Step
from src.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

CHANGED, ORIGINAL = "C", "O"
_TAGS = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
Bigrams = Mapping[tuple[str, str], int]
Neighbours = Mapping[tuple[str, str], set[str]]  # of a word and a part of speech: the words beside it


def odd_ones_out(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """SOMO: whether a noun or verb is not the one that was written.

    Both words have the same part of speech and a frequency within `odd_frequency`, and stand between two others. The
    bigrams that the new word makes with them occur in the corpus; they are comparable: their counts differ from those
    of the old ones at most by the factor `odd_bigram_ratio` (the article says "comparable", on a logarithmic scale; the
    factor is ours). The sentence itself does not count for its own bigrams, and each counts as 1 at least. The target
    is the new word. Original sentences have a word that could be replaced, too; every sentence is either changed or
    original.
    """
    bigrams = Counter(pair for one in corpus.sentences for pair in _bigrams(_small(one)))
    after, before = _neighbours(corpus, options)
    possible = [(_replacements(one, after, before, bigrams, options.odd_bigram_ratio), one) for one in corpus.sentences]
    replaceable = [(of_one, one) for of_one, one in possible if of_one]
    found = []
    is_changed = (generator.permutation(len(replaceable)) % 2 == 1).tolist()
    for changes, (of_one, one) in zip(is_changed, replaceable, strict=True):
        places = list(of_one)
        place = places[int(generator.integers(len(places)))]
        word = of_one[place][int(generator.integers(len(of_one[place])))]
        if changes:
            words = (*one.words[:place], word, *one.words[place + 1 :])
            origin = {**one.place, "place": place, "replaced": one.words[place], "by": word}
            found.append(LabelledSentence(words, CHANGED, (word,), one.document, origin))
        else:
            found.append(LabelledSentence(one.words, ORIGINAL, (), one.document, one.place))
    step = Step("no word with a replacement", "sentences", len(possible) - len(found), len(found))
    return Found(found, (step,))


def _small(sentence: TreeSentence) -> tuple[str, ...]:
    return tuple(word.lower() for word in sentence.words)


def _bigrams(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    return pairwise(words)


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
        words = _small(one)
        for place, tag in _candidates(one):
            if corpus.is_within(words[place], options.odd_frequency):
                after[words[place - 1], tag].add(words[place])
                before[words[place + 1], tag].add(words[place])
    return after, before


def _replacements(
    sentence: TreeSentence, after: Neighbours, before: Neighbours, bigrams: Bigrams, ratio: float
) -> dict[int, list[str]]:
    """Finds what can stand in the place of words of the sentence: by place, sorted."""
    words, found = _small(sentence), {}
    own = Counter(_bigrams(words))
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


SOMO = SentenceTest("SOMO", odd_ones_out, "equal")
