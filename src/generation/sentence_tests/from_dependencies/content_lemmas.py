"""WC of UD treebanks: which one of some lemmas of middling frequency a sentence has.

RuSentEval's labels are lemmas (1,000 of the ranks 1,500 to 3,000), so that a label is seen in several forms. Which of
the lemmas of these ranks are taken it does not say. Here they are those of nouns, proper nouns, verbs and adjectives,
by the option `content_words`: the 1,000 lemmas behind rank 1,500 unless set, scaled to the size of the treebank. Ranks
are by the counts of lemmas in the treebank.

Sentences of rare words are left out, as RuSentEval does: the mean frequency of a sentence's lemmas is 0.9 ipm or more.
Frequencies are occurrences in a million of the list's words (ipm); punctuation is not counted, a lemma that the list
lacks has 0. The paper does not say which list, nor which mean: here it is the arithmetic one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from src.frequency import by_frequency
from src.generation.made_tests.frequent_words import Step
from src.generation.sentence_tests.from_dependencies.dependency_rules import Sieved
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_MILLION = 1_000_000
_CONTENT_WORDS = ("NOUN", "PROPN", "VERB", "ADJ")


def of_frequent_lemmas(
    sentences: Sequence[TreebankSentence], counts: Mapping[str, int] | None, options: SentenceOptions
) -> tuple[Sequence[TreebankSentence], tuple[Step, ...]]:
    """Leaves sentences by the mean frequency of their lemmas.

    Args:
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


def lemma_contents(corpus: Corpus[TreebankSentence], options: SentenceOptions, _: np.random.Generator) -> Found:
    """Labels sentences that have exactly one of the lemmas, however often, with it."""
    rule = options.content_words
    wanted = _wanted(corpus, rule["passed_over"], rule["words"], rule["letters"])

    def lemmas_of(sentence: TreebankSentence) -> tuple[TreebankSentence, list[str]] | None:
        lemmas = sorted({word.lemma for word in sentence.tree if word.upos in _CONTENT_WORDS} & wanted)
        return (sentence, lemmas) if lemmas else None

    sieved = Sieved(corpus.sentences).turned_by("none of the lemmas", lemmas_of)
    sieved = sieved.kept_by("several of the lemmas", lambda one: len(one[1]) == 1)
    counts = Counter(lemmas[0] for _, lemmas in sieved.items)
    sieved = sieved.kept_by("lemma of too few sentences", lambda one: counts[one[1][0]] >= rule["least"])
    labelled = [LabelledSentence(one.words, lemmas[0], (), one.document, one.place) for one, lemmas in sieved.items]
    return Found(labelled, sieved.steps)


def _wanted(corpus: Corpus[TreebankSentence], passed_over: int, n_lemmas: int, letters: int) -> set[str]:
    """Returns the lemmas of the ranks asked for, both scaled to the corpus; at least two."""
    words = (word for sentence in corpus.sentences for word in sentence.tree)
    counts = Counter(word.lemma for word in words if word.upos in _CONTENT_WORDS)
    ranked = [lemma for lemma in by_frequency(counts) if len(lemma) >= letters and lemma.isalpha()]
    first = round(passed_over * corpus.scale)
    return set(ranked[first : first + max(2, round(n_lemmas * corpus.scale))])


WC_OF_LEMMAS = SentenceTest("WC", lemma_contents, "even")
