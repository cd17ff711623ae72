"""Leaves out sentences of rare words, as RuSentEval does: the mean frequency of a sentence's lemmas is 0.9 ipm or more.

Frequencies are occurrences in a million of the list's words (ipm); punctuation is not counted, a lemma that the list
lacks has 0. The paper does not say which list, nor which mean: here it is the arithmetic one.
"""

from collections.abc import Mapping, Sequence

from src.generation.made_tests.filters import Step
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.sentence_options import SentenceOptions

_MILLION = 1_000_000


def of_frequent_lemmas(
    sentences: Sequence[TreebankSentence], counts: Mapping[str, int] | None, options: SentenceOptions
) -> tuple[Sequence[TreebankSentence], tuple[Step, ...]]:
    """Leaves sentences by the mean frequency of their lemmas.

    Args:
        sentences: of a treebank.
        counts: of a frequency list, lower-cased; None leaves all sentences.
        options: for the least mean.
    """
    if counts is None:
        return sentences, ()
    least = options.least_lemma_frequency
    per_million = _MILLION / max(1, sum(counts.values()))
    kept = [one for one in sentences if _mean_count(one, counts) * per_million >= least]
    step = Step(f"lemmas of less than {least:g} ipm on average", "sentences", len(sentences) - len(kept), len(kept))
    return kept, (step,)


def _mean_count(sentence: TreebankSentence, counts: Mapping[str, int]) -> float:
    found = [counts.get(word.lemma, 0) for word in sentence.tree if word.upos != "PUNCT"]
    return sum(found) / max(1, len(found))
