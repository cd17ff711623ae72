"""What tests from UD treebanks look for in a sentence, by the rules of its language (`dependency_rules.yaml`).

ConjType and ImpersonalSent: how a sentence is built of clauses, and whether it has a subject.

ConjType (SCONJ, CCONJ): which kind of conjunction joins the clauses of a complex sentence. The paper does not say how a
clause is told from a phrase; here
- a subordinating conjunction begins a clause that it marks (advcl, ccomp, acl, csubj), if it is finite: its predicate,
  an auxiliary or a copula of it is, or the treebank does not say; "by going" is no clause of its own;
- a coordinating one begins a coordinated predicate with a subject of its own: "he came and went" is one clause, "he
  came and she went" are two;
- sentences with clauses of both kinds have no label.

ImpersonalSent (1, 0): 1 where the root has no subject and is like one of the language's patterns in
`dependency_rules.yaml`, 0 where it has one (nsubj or csubj). A sentence without subject that fits no pattern has no
label: its subject may be understood.

Tense, Voice, Aspect, SubjNumber, SubjGender, ObjNumber, ObjGender: a label of one word of the main clause.

The papers say "the main clause's verb", "the subject of the main clause"; in a dependency tree we take these for
- the root, if it is a verb: Voice and Aspect whatever its form; Tense if it is finite (VerbForm=Fin, or none in
  treebanks that leave it out) and no auxiliary or copula has a tense of its own: "has gone" is neither;
- the only nsubj, or obj, of the root (of any subtype), if it is a common noun (SentEval: NN and NNS) that is not
  coordinated: "cats and a dog" has no number of its own.

A value of several (Gender=Fem,Masc) is no label. A target that shares its token with other words (Spanish dámelo) is
none: the sentence would show another form. Any frequency will do unless a window is asked for: RuSentEval has none.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from polyprobe.frequency import by_frequency
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.rule_files import rules_of
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence, TreeWord
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    Sieve,
)

_RULES = Path(__file__).with_name("dependency_rules.yaml")


def with_common_labels(sieve: Candidates, test: str, least_share: float) -> Candidates:
    """Leaves the sentences with the two commonest labels, and with others that are not much rarer.

    Args:
        least_share: a third or later label has at least this share (0 to 1) of the sentences of the commonest: where
            labels are balanced, a rare one costs all others sentences.
    """
    counts = Counter(one.label for one in sieve.sentences)
    ranked = by_frequency(counts)
    if len(counts) < 2:
        named = ", ".join(f"{label} {counts[label]:,}" for label in ranked)
        found = f"the labels are {named}" if counts else "no sentence of the treebank matches"
        raise TooFew(f"{test}: {found}; a test needs two labels.")
    common = {*ranked[:2], *(label for label in ranked if counts[label] >= least_share * counts[ranked[0]])}
    return sieve.kept_by("label much rarer than others", lambda one: one.label in common)


@dataclass(frozen=True, slots=True)
class WordPattern:
    """What a word is like; an empty field says nothing."""

    upos: Collection[str] = ()
    lemmas: Collection[str] = ()
    """`upos` and `lemmas`: one of them."""
    relations: Collection[str] = ()
    """One of them, without subtype."""
    features: Mapping[str, str] | None = None
    """All of them, each with this value."""

    def fits(self, word: TreeWord) -> bool:
        """Says whether a word is like this."""
        return (
            (not self.upos or word.upos in self.upos)
            and (not self.relations or word.basic_relation in self.relations)
            and (not self.lemmas or word.lemma in self.lemmas)
            and (not self.features or all(word.features.get(name) == value for name, value in self.features.items()))
        )


Shift = tuple[WordPattern, WordPattern]
"""A word and its head that may change places where they are neighbours, in either order."""


@dataclass(frozen=True, slots=True)
class DependencyRules:
    """What tests look for."""

    labels: Mapping[str, Mapping[str, str]]
    """Of each annotated value, for tense, number, gender, voice and aspect."""
    same_part_of_speech: Mapping[str, str]
    """Tags that count as another one where parts of speech are told apart."""
    shifts: Sequence[Shift]
    """Of NShift."""
    clause_links: Mapping[str, tuple[WordPattern, Collection[str]]]
    """Of ConjType, by label: a conjunction, and the relations of the clauses that it begins."""
    impersonal: Sequence[WordPattern]
    """What the root of an impersonal sentence is like; empty for a language without rules."""


def dependency_rules(language: str) -> DependencyRules:
    """Returns the rules of a language, by its ISO 639-1 code; most hold for all."""
    rules = rules_of(_RULES)
    return DependencyRules(
        {feature: rules[feature] for feature in ("tense", "number", "gender", "voice", "aspect")},
        rules["same_part_of_speech"],
        [
            (WordPattern(rule["dependent"], (), rule["relations"], rule.get("features")), WordPattern(rule["head"]))
            for rule in rules["shifts"]
        ],
        {
            label: (WordPattern(upos=(label,), relations=rule["relations"]), rule["clause"])
            for label, rule in rules["clauses"].items()
        },
        [WordPattern(**rule) for rule in rules["impersonal"].get(language, ())],
    )


class _Target(NamedTuple):
    """What the label of a sentence rests on."""

    word: TreeWord
    label: str


_Labels = Mapping[str, str]
_SUBJECTS = ("nsubj", "csubj")


def tense_target(sentence: TreebankSentence, labels: _Labels) -> _Target | None:
    """Returns the finite verb of the main clause and its tense."""
    place = sentence.root
    word = sentence.tree[place]
    is_finite = word.upos in ("VERB", "AUX") and word.features.get("VerbForm", "Fin") == "Fin"
    auxiliaries = [one for one in _dependents(sentence, place) if one.basic_relation in ("aux", "cop")]
    has_tensed = any("Tense" in one.features for one in auxiliaries)
    return _with_value(word, "Tense", labels) if is_finite and not has_tensed else None


def aspect_target(sentence: TreebankSentence, labels: _Labels) -> _Target | None:
    """Returns the verb of the main clause and its aspect."""
    word = sentence.tree[sentence.root]
    return _with_any_value(word, "Aspect", labels) if word.upos == "VERB" else None


def marked_voice_target(sentence: TreebankSentence, labels: _Labels) -> _Target | None:
    """Returns the verb of the main clause and its voice, as annotated."""
    word = sentence.tree[sentence.root]
    return _with_any_value(word, "Voice", labels) if word.upos == "VERB" else None


def voice_target(sentence: TreebankSentence, labels: _Labels) -> _Target | None:
    """Returns the verb of the main clause and its voice, in treebanks that do not annotate the active.

    A verb without Voice is passive with an auxiliary or a subject of the passive (aux:pass, nsubj:pass), else active.
    """
    place = sentence.root
    word = sentence.tree[place]
    if word.upos != "VERB" or "Voice" in word.features:
        return marked_voice_target(sentence, labels)
    is_passive = any(one.relation.endswith(":pass") for one in _dependents(sentence, place))
    return _Target(word, labels["Pass" if is_passive else "Act"])


def argument_target(sentence: TreebankSentence, labels: _Labels, relation: str, feature: str) -> _Target | None:
    """Returns the noun that is the only dependent of the root of a relation, and the value of a feature of it."""
    places = [one for one in sentence.dependents(sentence.root) if sentence.tree[one].basic_relation == relation]
    if len(places) != 1 or any(one.basic_relation == "conj" for one in _dependents(sentence, places[0])):
        return None
    noun = sentence.tree[places[0]]
    return _with_value(noun, feature, labels) if noun.upos == "NOUN" else None


def marks_active(corpus: Corpus[TreebankSentence]) -> bool:
    """Says whether some word of a treebank is annotated as active."""
    return any(word.features.get("Voice") == "Act" for sentence in corpus.sentences for word in sentence.tree)


def marks_passive(corpus: Corpus[TreebankSentence]) -> bool:
    """Says whether a treebank annotates the passive, at verbs or at their auxiliaries."""
    words = (word for sentence in corpus.sentences for word in sentence.tree)
    return any(word.features.get("Voice") == "Pass" or word.relation == "aux:pass" for word in words)


def found_targets(
    corpus: Corpus[TreebankSentence],
    test: str,
    target: Callable[[TreebankSentence], _Target | None],
    options: SentenceOptions,
    rules: DependencyRules,
) -> Candidates:
    """Labels sentences by a word each, and leaves those whose word may be a target.

    Args:
        target: returns the word of a sentence and its label, None if it has none.
        options: for parts of speech and frequency of targets, and for rare labels.
        rules: for parts of speech that count as one.
    """

    def with_target(sentence: TreebankSentence) -> tuple[TreebankSentence, _Target] | None:
        found = target(sentence)
        return found and (sentence, found)

    several = _forms_of_several_parts_of_speech(corpus, rules) if options.parts_of_speech == "one" else ()
    sieve = Sieve(corpus.sentences).turned_by("no such word in the main clause, or no value of it", with_target)
    sieve = sieve.kept_by("target shares its token with other words", lambda one: one[1].word.is_token)
    sieve = sieve.kept_by("target of several parts of speech", lambda one: one[1].word.form not in several)
    if (window := options.target_frequency) is not None:
        sieve = sieve.kept_by("target too rare or too frequent", lambda one: corpus.is_within(one[1].word.form, window))
    labelled = [
        LabelledSentence.of(sentence, label, (word.form,), target=word.form, lemma=word.lemma)
        for sentence, (word, label) in sieve.sentences
    ]
    return with_common_labels(Sieve(labelled, sieve.steps), test, options.least_label_share)


def _with_value(word: TreeWord, feature: str, labels: _Labels) -> _Target | None:
    label = labels.get(word.features.get(feature, ""))
    return _Target(word, label) if label else None


def _with_any_value(word: TreeWord, feature: str, labels: _Labels) -> _Target | None:
    """As `_with_value`; a value that has no label of its own is one, in capitals, unless it is several."""
    value = word.features.get(feature, "")
    return _Target(word, labels.get(value, value.upper())) if value and "," not in value else None


def _dependents(sentence: TreebankSentence, place: int) -> list[TreeWord]:
    return [sentence.tree[one] for one in sentence.dependents(place)]


def _forms_of_several_parts_of_speech(corpus: Corpus[TreebankSentence], rules: DependencyRules) -> Collection[str]:
    tagged = {(word.form, word.upos) for sentence in corpus.sentences for word in sentence.tree}
    counts = Counter(form for form, _ in {(form, rules.same_part_of_speech.get(upos, upos)) for form, upos in tagged})
    return {form for form, n_tags in counts.items() if n_tags > 1}


def conjunction_type(sentence: TreebankSentence, rules: DependencyRules) -> LabelledSentence | None:
    """Labels a sentence by the kind of the conjunctions that join its clauses; None where there are none, or both."""
    found = {
        label
        for label, (conjunction, relations) in rules.clause_links.items()
        for word in sentence.tree
        if conjunction.fits(word) and _is_clause(sentence, word.head - 1, relations)
    }
    return LabelledSentence.of(sentence, found.pop()) if len(found) == 1 else None


def impersonality(sentence: TreebankSentence, rules: DependencyRules) -> LabelledSentence | None:
    """Labels a sentence as impersonal or not; None where a subject is missing for another reason."""
    if _has_subject(sentence, sentence.root):
        return LabelledSentence.of(sentence, "0")
    root = sentence.tree[sentence.root]
    return LabelledSentence.of(sentence, "1") if any(pattern.fits(root) for pattern in rules.impersonal) else None


def _is_clause(sentence: TreebankSentence, place: int, relations: Collection[str]) -> bool:
    relation = sentence.tree[place].basic_relation
    if relation not in relations:
        return False
    if relation == "conj":  # joins predicates
        first = sentence.tree[place].head - 1
        is_predicate = sentence.tree[first].upos in ("VERB", "AUX") or _has_subject(sentence, first)
        return is_predicate and _has_subject(sentence, place)
    auxiliaries = [word for word in _dependents(sentence, place) if word.basic_relation in ("aux", "cop")]
    return any(word.features.get("VerbForm", "Fin") == "Fin" for word in [sentence.tree[place], *auxiliaries])


def _has_subject(sentence: TreebankSentence, place: int) -> bool:
    return any(one.basic_relation in _SUBJECTS for one in _dependents(sentence, place))
