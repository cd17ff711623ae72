"""Tests of what a tree is like: Tense, SubjNum, ObjNum of its main clause, TreeDepth, TopConst of its shape.

The main verb, the subject and the object are found by rules of ours: the article says that they are those of the main
clause, and not how they are found.

TreeDepth takes a sample in which depth does not go with length (Conneau et al. 2018). Deep trees are long sentences.
The published test was sampled towards a bivariate Gaussian with diagonal covariance; with which means and deviations,
and how near it came, is not published. Here every pair of depth and length is a cell; of each cell as many sentences
are taken as a Gaussian asks for, or all where there are fewer. The larger the sample, the more cells fall short and the
more of the correlation comes back. Of some Gaussians around the sentences at hand, the one is taken that keeps most
sentences while the correlation stays within a limit. Its deviation of depth is wider than that of the sentences, so
that the outer depths keep their share.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np

from polyprobe.formats.treebanks.constituency_trees import (
    Constituent,
    category,
    constituents,
    functions,
    is_tag,
    leaves,
    written,
)
from polyprobe.frequency import by_frequency
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
    Sieve,
)

_MAIN_VERBS = ("VBD", "VBP", "VBZ", "VB", "MD")
_VERBS = (*_MAIN_VERBS, "VBG", "VBN", "TO")
_NOUNS = ("NN", "NNS")
_NO_OBJECT = {"ADV", "BNF", "CLR", "DIR", "EXT", "LGS", "LOC", "MNR", "PRD", "PRP", "TMP", "TTL", "VOC"}
_NO_SUBJECT = {"ADV", "TMP", "VOC"}
_COPULA = {"am", "are", "be", "been", "being", "is", "was", "were", "'m", "'re", "'s", "’m", "’re", "’s"}
Leaf = tuple[str, str]  # part of speech, lower-cased form
_TENSES = {"VBD": "PAST", "VBP": "PRES", "VBZ": "PRES"}
_NUMBERS = {"NN": "NN", "NNS": "NNS"}
_MEANS = (-0.5, -0.25, 0.0, 0.25, 0.5)  # of depth and of length, in deviations from the mean of the sentences
_LENGTH_DEVIATIONS = (1.0, 0.8, 0.6, 0.5, 0.4)  # times that of the sentences
_DEPTH_DEVIATION = 1.5
_STEPS = 25  # of the bisection for each Gaussian
OTHER = "OTHER"
_LEFT_OUT = (",", "``", "''")


def main_verb(top: Constituent) -> Leaf | None:
    """Finds the first verb of a declarative clause: of `(S (NP) (VP (VBZ has) (VP (VBN left))))` has.

    Of coordinated verb phrases, the first one is looked into. None where the top constituent is no S with a VP.
    """
    verb_phrase = _predicate(top)
    while verb_phrase is not None:
        first = _first(verb_phrase, (*_MAIN_VERBS, "VP"))
        if first is None or category(first) != "VP":
            return None if first is None else _leaf(first)
        verb_phrase = first
    return None


def subject(top: Constituent) -> Leaf | None:
    """Finds the noun that is head of the subject of the main clause.

    The subject is the noun phrase tagged as one, where phrases are tagged, otherwise the last one before the verb
    phrase. None where it is coordinated, or its head is no common noun.
    """
    verb_phrase, phrases = _predicate(top), []
    for child in constituents(top):
        if child is verb_phrase:
            break
        if category(child) == "NP" and not functions(child) & _NO_SUBJECT:
            phrases.append(child)
    tagged = [phrase for phrase in phrases if "SBJ" in functions(phrase)]
    return _head((tagged or phrases)[-1]) if verb_phrase is not None and phrases else None


def direct_object(top: Constituent) -> Leaf | None:
    """Finds the noun that is head of the object of the main clause.

    The object is the one noun phrase beside the last verb: of `(VP (VBZ has) (VP (VBN seen) (NP …)))` that beside seen.
    None where there are two (he gave them books), after a form of be, and otherwise as for `subject`.
    """
    verb_phrase = _predicate(top)
    while verb_phrase is not None and (inner := _first(verb_phrase, ("VP",))) is not None:
        verb_phrase = inner
    verb = None if verb_phrase is None else _first(verb_phrase, _VERBS)
    if verb is None or _leaf(verb)[1] in _COPULA:
        return None
    phrases = [one for one in constituents(verb_phrase) if category(one) == "NP" and not functions(one) & _NO_OBJECT]
    return _head(phrases[0]) if len(phrases) == 1 else None


def _predicate(top: Constituent) -> Constituent | None:
    return _first(top, ("VP",)) if category(top) == "S" else None


def _first(constituent: Constituent, categories: Sequence[str]) -> Constituent | None:
    return next((child for child in constituents(constituent) if category(child) in categories), None)


def _head(noun_phrase: Constituent) -> Leaf | None:
    """Goes into the first noun phrase inside; the head is the last noun of the innermost one."""
    while True:
        children = constituents(noun_phrase)
        if any(category(child) in ("CC", "CONJP") for child in children):
            return None
        inner = next((child for child in children if category(child) == "NP"), None)
        if inner is None:
            break
        noun_phrase = inner
    nouns = [child for child in children if is_tag(child) and category(child).startswith("NN")]
    return _leaf(nouns[-1]) if nouns and category(nouns[-1]) in _NOUNS else None


def _leaf(tag: Constituent) -> Leaf:
    category_of_word, word = next(leaves(tag))
    return category_of_word, written(word).lower()


def _by_target(
    target_of: Callable[[Constituent], Leaf | None],
    labels: Mapping[str, str],
    wanted: str,
    corpus: Corpus[TreeSentence],
    options: SentenceOptions,
    generator: np.random.Generator,
) -> Candidates:
    """Labels sentences by the part of speech of one of their words; the target is its form."""

    def with_target(one: TreeSentence) -> tuple[TreeSentence, str, str] | None:
        tag, form = target_of(one.top) or ("", "")
        return (one, labels[tag], form) if tag in labels else None

    sieve = Sieve(corpus.sentences).turned_by(f"no {wanted}", with_target)
    window = options.target_frequency
    sieve = sieve.kept_by("target too rare or too frequent", lambda found: corpus.is_within(found[2], window))
    return sieve.labelled(lambda found: LabelledSentence.of(found[0], found[1], (found[2],), target=found[2]))


tenses = partial(_by_target, main_verb, _TENSES, "verb in past or present")
"""Tense: PAST or PRES, of the first verb of the main clause."""
subject_numbers = partial(_by_target, subject, _NUMBERS, "common noun as subject")
"""SubjNum: NN or NNS, of the head of the subject of the main clause."""
object_numbers = partial(_by_target, direct_object, _NUMBERS, "common noun as object")
"""ObjNum: NN or NNS, of the head of the object of the main clause."""


def decorrelated(
    depths: Sequence[int], lengths: Sequence[int], limit: float, generator: np.random.Generator
) -> list[int]:
    """Draws a sample of sentences.

    Args:
        depths, lengths: of each sentence.
        limit: the greatest correlation (Pearson's r, without its sign) of the sample.

    Returns:
        The places of the sentences of the sample, rising; empty where depth or length is the same everywhere.
    """
    pairs = np.array([depths, lengths]).reshape(2, -1).T
    cells, cell_of, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    if len(cells) == 0 or not cells.std(axis=0).all():
        return []
    left = _taken(cells, counts, limit).tolist()
    sample = []
    cell_of = cell_of.reshape(-1).tolist()
    for place in generator.permutation(len(pairs)).tolist():
        if left[cell_of[place]]:
            left[cell_of[place]] -= 1
            sample.append(place)
    return sorted(sample)


def correlation(cells: np.ndarray, counts: np.ndarray) -> float:
    """Returns Pearson's r of two numbers, `[cells, 2]`, each pair counted `counts` times; 0 where one is constant."""
    if not counts.any():
        return 0.0
    centred = cells - np.average(cells, axis=0, weights=counts)
    variances = (centred**2 * counts[:, None]).sum(axis=0)
    return float((centred.prod(axis=1) * counts).sum() / np.sqrt(variances.prod())) if variances.all() else 0.0


def _taken(cells: np.ndarray, counts: np.ndarray, limit: float) -> np.ndarray:
    """Finds how many sentences of each cell are taken, `[cells]`."""
    mean = np.average(cells, axis=0, weights=counts)
    deviation = np.sqrt(np.average((cells - mean) ** 2, axis=0, weights=counts))
    best = np.zeros(len(cells), int)
    for of_depth, of_length, narrowed in product(_MEANS, _MEANS, _LENGTH_DEVIATIONS):
        centre = mean + np.array([of_depth, of_length]) * deviation
        width = deviation * np.array([_DEPTH_DEVIATION, narrowed])
        density = np.exp(-(((cells - centre) / width) ** 2).sum(axis=1) / 2)
        taken = _largest(cells, counts, density, limit)
        best = taken if taken.sum() > best.sum() else best
    return best


def _largest(cells: np.ndarray, counts: np.ndarray, density: np.ndarray, limit: float) -> np.ndarray:
    """Finds the largest sample of one Gaussian within the limit, by bisection over its height."""
    least, most = 0.0, 2.0 * counts.sum()
    for _ in range(_STEPS):
        height = (least + most) / 2
        if abs(correlation(cells, _sample(counts, density, height))) <= limit:
            least = height
        else:
            most = height
    return _sample(counts, density, least)


def _sample(counts: np.ndarray, density: np.ndarray, height: float) -> np.ndarray:
    return np.minimum(counts, np.floor(height * density + 0.5)).astype(int)


def tree_depths(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Candidates:
    """TreeDepth: constituents from the root to the deepest part of speech, both counted.

    Counted so, sentences that the published files show have the labels that they show. Depths are those of `depths`
    (published: 5 to 11 in the files, 5 to 12 in the article), sampled so that length does not give them away.
    """
    least, most = options.depths
    sieve = Sieve([(one.depth, one) for one in corpus.sentences])
    sieve = sieve.kept_by(f"depth from {least} to {most}", lambda found: least <= found[0] <= most)
    depths, lengths = [depth for depth, _ in sieve.sentences], [len(one.words) for _, one in sieve.sentences]
    sample = decorrelated(depths, lengths, options.depth_correlation, generator)
    sieve = sieve.leaving("depth goes with length", [sieve.sentences[place] for place in sample])
    return sieve.labelled(lambda found: LabelledSentence.of(found[1], str(found[0])))


def top_constituents(
    corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator
) -> Candidates:
    """TopConst: the constituents right below the top one, such as NP_VP_., or OTHER.

    Of the sequences the most frequent ones are labels, one less than `top_constituents`. Commas are left out of them,
    as published labels show, and quotation marks. What the published set counts as the top constituent of a question or
    a heading is not said; here it is the one below the root, whatever it is.
    """
    names = ([category(child) for child in constituents(one.top)] for one in corpus.sentences)
    sequences = ("_".join(name for name in of_one if name not in _LEFT_OUT) for of_one in names)
    sieve = Sieve(list(zip(sequences, corpus.sentences, strict=True)))
    sieve = sieve.kept_by("no constituents", lambda found: found[0])
    counts = Counter(sequence for sequence, _ in sieve.sentences)
    labels = set(by_frequency(counts)[: options.top_constituents - 1])
    return sieve.labelled(lambda found: LabelledSentence.of(found[1], found[0] if found[0] in labels else OTHER))


TREE_DEPTH = SentenceTest("TreeDepth", tree_depths, "found")
TOP_CONST = SentenceTest("TopConst", top_constituents, "even")
TENSE = SentenceTest("Tense", tenses, "equal")
SUBJ_NUM = SentenceTest("SubjNum", subject_numbers, "equal")
OBJ_NUM = SentenceTest("ObjNum", object_numbers, "equal")
