"""The tests that are made from UD treebanks.

NShift: have two neighbours changed places (I), or is the sentence as it was written (O)? The paper swaps inside chosen
morphosyntactic patterns, because where order is free most bigrams can be swapped and leave a correct sentence; it does
not list the patterns. Ours are in `dependency_rules.yaml`: a word and its head side by side, in either order, whose
order a language mostly fixes. As in SentEval's BShift the first word and punctuation stay. Both labels come from
sentences that have such a pair, so that the pair itself says nothing. A swap that gives another sentence of the
treebank, or that only changes capitals, is none.

WC: which one of some lemmas of middling frequency a sentence has. RuSentEval's labels are lemmas (1,000 of the ranks
1,500 to 3,000), so that a label is seen in several forms. Which of the lemmas of these ranks are taken it does not say.
Here they are those of nouns, proper nouns, verbs and adjectives, by the option `content_words`: the 1,000 lemmas behind
rank 1,500 unless set, scaled to the size of the treebank. Ranks are by the counts of lemmas in the treebank.

Sentences of rare words are left out, as RuSentEval does: the mean frequency of a sentence's lemmas is 0.9 ipm or more.
Frequencies are occurrences in a million of the list's words (ipm); punctuation is not counted, a lemma that the list
lacks has 0. The paper does not say which list, nor which mean: here it is the arithmetic one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.sentence_tests.from_dependencies.clause_types import (
    DependencyRules,
    Shift,
    argument_target,
    aspect_target,
    conjunction_type,
    found_targets,
    impersonality,
    marked_voice_target,
    marks_active,
    marks_passive,
    tense_target,
    voice_target,
    with_common_labels,
)
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
    Sieve,
    content_words,
    swapped,
)

_Corpus = Corpus[TreebankSentence]
_MILLION = 1_000_000
_CONTENT_WORDS = ("NOUN", "PROPN", "VERB", "ADJ")


def found_shifts(
    corpus: Corpus[TreebankSentence], shifts: Collection[Shift], generator: np.random.Generator
) -> Candidates:
    """Swaps a pair, drawn evenly, in every second sentence that has one; which ones is drawn, too."""
    written = {sentence.words for sentence in corpus.sentences}

    def with_places(sentence: TreebankSentence) -> tuple[TreebankSentence, list[int]] | None:
        places = [one for one in swappable(sentence, shifts) if swapped(sentence.words, one) not in written]
        return (sentence, places) if places else None

    sieve = Sieve(corpus.sentences).turned_by("no two neighbours to swap", with_places)
    is_swapped = np.zeros(len(sieve.sentences), dtype=bool)
    is_swapped[generator.permutation(len(sieve.sentences))[::2]] = True
    draws = generator.random(len(sieve.sentences))
    labelled = []
    for (sentence, places), inverts, draw in zip(sieve.sentences, is_swapped, draws, strict=True):
        place, words = places[int(draw * len(places))], sentence.words
        changes = {"swapped": [words[place], words[place + 1]], "at": place + 1} if inverts else {}
        written = swapped(words, place) if inverts else words
        labelled.append(LabelledSentence.of(sentence, "I" if inverts else "O", words=written, **changes))
    return Sieve(labelled, sieve.steps)


def swappable(sentence: TreebankSentence, shifts: Collection[Shift]) -> list[int]:
    """Returns the places, from 0, of tokens that may change places with the next one."""
    pairs = enumerate(zip(sentence.tree, sentence.tree[1:], strict=False), start=1)
    return [
        left.token
        for number, (left, right) in pairs
        if left.token > 0 and left.is_token and right.is_token and left.form != right.form
        if (left.head == number + 1 and any(word.fits(left) and head.fits(right) for word, head in shifts))
        or (right.head == number and any(word.fits(right) and head.fits(left) for word, head in shifts))
    ]


def dependency_tests(rules: DependencyRules) -> tuple[SentenceTest, ...]:
    """Returns the tests of UD treebanks that no other treebanks have."""

    def by_word(test: str, feature: str, target: Callable[..., Any]) -> SentenceTest:
        """Labels sentences by a word with a value of a feature; `target` takes a sentence and the labels of values."""
        labels = rules.labels[feature]
        target = partial(target, labels=labels)
        return SentenceTest(
            test, lambda corpus, options, _: found_targets(corpus, test, target, options, rules), "equal"
        )

    def voices(corpus: _Corpus, options: SentenceOptions, _: np.random.Generator) -> Candidates:
        if not marks_passive(corpus):
            raise TooFew("Voice: no word of the treebank has Voice=Pass or the relation aux:pass.")
        target = marked_voice_target if marks_active(corpus) else voice_target
        return found_targets(corpus, "Voice", partial(target, labels=rules.labels["voice"]), options, rules)

    def labelled(test: str, why: str, label: Callable[..., LabelledSentence | None]) -> SentenceTest:
        """Labels sentences as wholes; `why` those go that have no label."""

        def find(corpus: _Corpus, options: SentenceOptions, _: np.random.Generator) -> Candidates:
            if test == "ImpersonalSent" and not rules.impersonal:
                raise TooFew(f"{test}: there are no rules for the language (dependency_rules.yaml: impersonal).")
            sieve = Sieve(corpus.sentences).turned_by(why, partial(label, rules=rules))
            return with_common_labels(sieve, test, options.least_label_share)

        return SentenceTest(test, find, "equal")

    return (
        SentenceTest("NShift", lambda corpus, _, generator: found_shifts(corpus, rules.shifts, generator), "equal"),
        by_word("Tense", "tense", tense_target),
        SentenceTest("Voice", voices, "equal"),
        by_word("Aspect", "aspect", aspect_target),
        *(
            by_word(role + feature, feature.lower(), partial(argument_target, relation=relation, feature=feature))
            for role, relation in (("Subj", "nsubj"), ("Obj", "obj"))
            for feature in ("Number", "Gender")
        ),
        labelled("ConjType", "no conjunction that joins clauses, or both kinds", conjunction_type),
        labelled("ImpersonalSent", "no subject, but not certainly impersonal", impersonality),
    )


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
    name = f"lemmas of less than {least:g} ipm on average"

    def is_frequent(sentence: TreebankSentence) -> bool:
        found = [counts.get(word.lemma, 0) for word in sentence.tree if word.upos != "PUNCT"]
        return sum(found) / max(1, len(found)) * per_million >= least

    sieve = Sieve(sentences).kept_by(name, is_frequent)
    return sieve.sentences, sieve.steps


def lemma_contents(corpus: Corpus[TreebankSentence], options: SentenceOptions, _: np.random.Generator) -> Candidates:
    """Labels sentences that have exactly one of the lemmas, however often, with it."""
    lemmas = [[word.lemma for word in one.tree if word.upos in _CONTENT_WORDS] for one in corpus.sentences]
    return content_words(corpus, options.content_words, "lemma", lemmas, Counter(chain.from_iterable(lemmas)))


WC_OF_LEMMAS = SentenceTest("WC", lemma_contents, "even")
