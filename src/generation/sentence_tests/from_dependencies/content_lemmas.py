"""WC of UD treebanks: which one of some lemmas of middling frequency a sentence has.

RuSentEval's labels are lemmas (1,000 of the ranks 1,500 to 3,000), so that a label is seen in several forms. Which of
the lemmas of these ranks are taken it does not say. Here they are those of nouns, proper nouns, verbs and adjectives,
by the option `content_words`: the 1,000 lemmas behind rank 1,500 unless set, scaled to the size of the treebank. Ranks
are by the counts of lemmas in the treebank.
"""

from collections import Counter

import numpy as np

from src.frequency import by_frequency
from src.generation.sentence_tests.from_dependencies.sieves import Sieved
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_CONTENT_WORDS = ("NOUN", "PROPN", "VERB", "ADJ")


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
