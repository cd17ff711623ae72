"""Tests of the shape of a tree: TreeDepth and TopConst."""

from collections import Counter

import numpy as np

from src.formats.treebanks.constituency_trees import category, constituents
from src.frequency import by_frequency
from src.generation.made_tests.filters import Step
from src.generation.sentence_tests.decorrelation import decorrelated
from src.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

OTHER = "OTHER"
_LEFT_OUT = (",", "``", "''")


def tree_depths(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """TreeDepth: constituents from the root to the deepest part of speech, both counted.

    Counted so, sentences that the published files show have the labels that they show. Depths are those of `depths`
    (published: 5 to 11 in the files, 5 to 12 in the article), sampled so that length does not give them away.
    """
    least, most = options.depths
    of_sentences = [(one.depth, one) for one in corpus.sentences]
    within = [(depth, one) for depth, one in of_sentences if least <= depth <= most]
    depths, lengths = [depth for depth, _ in within], [len(one.words) for _, one in within]
    sample = decorrelated(depths, lengths, options.depth_correlation, generator)
    found = [
        LabelledSentence(one.words, str(depth), (), one.document, one.place)
        for depth, one in (within[place] for place in sample)
    ]
    steps = (
        Step(f"depth from {least} to {most}", "sentences", len(of_sentences) - len(within), len(within)),
        Step("depth goes with length", "sentences", len(within) - len(found), len(found)),
    )
    return Found(found, steps)


def top_constituents(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """TopConst: the constituents right below the top one, such as NP_VP_., or OTHER.

    Of the sequences the most frequent ones are labels, one less than `top_constituents`. Commas are left out of them,
    as published labels show, and quotation marks. What the published set counts as the top constituent of a question or
    a heading is not said; here it is the one below the root, whatever it is.
    """
    sequences = [(sequence, one) for one in corpus.sentences if (sequence := _sequence(one))]
    counts = Counter(sequence for sequence, _ in sequences)
    labels = set(by_frequency(counts)[: options.top_constituents - 1])
    found = [
        LabelledSentence(one.words, sequence if sequence in labels else OTHER, (), one.document, one.place)
        for sequence, one in sequences
    ]
    taken = len(corpus.sentences) - len(sequences)
    return Found(found, (Step("no constituents", "sentences", taken, len(found)),))


def _sequence(sentence: TreeSentence) -> str:
    names = [category(child) for child in constituents(sentence.top)]
    return "_".join(name for name in names if name not in _LEFT_OUT)


TREE_DEPTH = SentenceTest("TreeDepth", tree_depths, "found")
TOP_CONST = SentenceTest("TopConst", top_constituents, "even")
