"""What tests from UD treebanks look for in a language: `dependency_rules.yaml`, read."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from polyprobe.frequency import by_frequency
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.rule_files import rules_of
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import TreeWord
from polyprobe.generation.sentence_tests.labelled_sentences import Candidates

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


class Shift(NamedTuple):
    """Two neighbours that may change places, in either order."""

    dependent: WordPattern
    head: WordPattern

    def fits(self, dependent: TreeWord, head: TreeWord) -> bool:
        """Says whether a word and its head are such."""
        return self.dependent.fits(dependent) and self.head.fits(head)


class ClauseLink(NamedTuple):
    """A conjunction that begins clauses."""

    conjunction: WordPattern
    relations: Collection[str]
    """Of these clauses."""


@dataclass(frozen=True, slots=True)
class DependencyRules:
    """What tests look for."""

    labels: Mapping[str, Mapping[str, str]]
    """Of each annotated value, for tense, number, gender, voice and aspect."""
    same_part_of_speech: Mapping[str, str]
    """Tags that count as another one where parts of speech are told apart."""
    shifts: Sequence[Shift]
    """Of NShift."""
    clause_links: Mapping[str, ClauseLink]
    """Of ConjType, by label."""
    impersonal: Sequence[WordPattern]
    """What the root of an impersonal sentence is like; empty for a language without rules."""


def dependency_rules(language: str) -> DependencyRules:
    """Returns the rules of a language, by its ISO 639-1 code; most hold for all."""
    rules = rules_of(_RULES)
    return DependencyRules(
        {feature: rules[feature] for feature in ("tense", "number", "gender", "voice", "aspect")},
        rules["same_part_of_speech"],
        [
            Shift(
                WordPattern(rule["dependent"], (), rule["relations"], rule.get("features")), WordPattern(rule["head"])
            )
            for rule in rules["shifts"]
        ],
        {
            label: ClauseLink(WordPattern(upos=(label,), relations=rule["relations"]), rule["clause"])
            for label, rule in rules["clauses"].items()
        },
        [WordPattern(**rule) for rule in rules["impersonal"].get(language, ())],
    )
