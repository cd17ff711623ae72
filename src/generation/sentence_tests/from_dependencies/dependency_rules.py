"""What tests from UD treebanks look for in a language: `dependency_rules.yaml`, read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.generation.rule_files import rules_of
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreeWord

_RULES = Path(__file__).with_name("dependency_rules.yaml")


@dataclass(frozen=True, slots=True)
class WordPattern:
    """What a word is like; an empty field says nothing.

    Attributes:
        upos, lemmas: one of them.
        relations: one of them, without subtype.
        features: all of them, each with this value.
    """

    upos: Collection[str] = ()
    lemmas: Collection[str] = ()
    relations: Collection[str] = ()
    features: Mapping[str, str] | None = None

    def fits(self, word: TreeWord) -> bool:
        """Says whether a word is like this."""
        return (
            (not self.upos or word.upos in self.upos)
            and (not self.relations or word.basic_relation in self.relations)
            and (not self.lemmas or word.lemma in self.lemmas)
            and (not self.features or all(word.features.get(name) == value for name, value in self.features.items()))
        )


@dataclass(frozen=True, slots=True)
class Shift:
    """Two neighbours that may change places: a word and its head, in either order."""

    dependent: WordPattern
    head: WordPattern


@dataclass(frozen=True, slots=True)
class ClauseLink:
    """A conjunction, and the relations of the clauses that it begins."""

    conjunction: WordPattern
    clause: Collection[str]


@dataclass(frozen=True, slots=True)
class DependencyRules:
    """What tests look for.

    Attributes:
        labels: of each annotated value, for tense, number, gender, voice and aspect.
        same_part_of_speech: tags that count as another one where parts of speech are told apart.
        shifts: of NShift.
        clause_links: of ConjType, by label.
        impersonal: what the root of an impersonal sentence is like; empty for a language without rules.
    """

    labels: Mapping[str, Mapping[str, str]]
    same_part_of_speech: Mapping[str, str]
    shifts: Sequence[Shift]
    clause_links: Mapping[str, ClauseLink]
    impersonal: Sequence[WordPattern]


def dependency_rules(language: str) -> DependencyRules:
    """Returns the rules of a language, by its ISO 639-1 code; most hold for all."""
    rules = rules_of(_RULES)
    return DependencyRules(
        {feature: rules[feature] for feature in ("tense", "number", "gender", "voice", "aspect")},
        rules["same_part_of_speech"],
        [_shift(**rule) for rule in rules["shifts"]],
        {
            label: ClauseLink(WordPattern(upos=(label,), relations=rule["relations"]), rule["clause"])
            for label, rule in rules["clauses"].items()
        },
        [WordPattern(**rule) for rule in rules["impersonal"].get(language, ())],
    )


def _shift(
    dependent: Collection[str],
    head: Collection[str],
    relations: Collection[str],
    features: Mapping[str, str] | None = None,
) -> Shift:
    return Shift(WordPattern(upos=dependent, relations=relations, features=features), WordPattern(upos=head))
