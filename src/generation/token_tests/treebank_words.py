"""What the words of a treebank are in a test: tokens that a reader of the text sees, with bundles of UniMorph.

    9-10  metinlerdir                       one token: metinlerdir, metin+i, N;PL;NOM;V;3;SG;PRS
    9     metinler     metin  N;PL;NOM
    10    dir          i      V;3;SG;PRS

The released program compares the numbers of words as strings and so never finds the range 9-10 whole. What comes of it
is read off the published Turkish sets (all their rows agree whose sentence is in the treebank at hand): the spelling
stands twice, words between the ends behind it; the first has no labels, those of the words have moved one place on, and
the last two are joined. A range at the start of a sentence it does not restore at all.

A bundle stands in FEATS, or is converted from UD (McCarthy et al. 2018): by a table of pairs, then by rules of some
languages. The labels are a set: part of speech and verb form both stay (`V;V.PTCP`).

    NOUN, Case=Loc|Number=Sing|Number[psor]=Sing|Person[psor]=3     N;ESS;PSS3S;SG
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from polyprobe.errors import MalformedLine
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row
from polyprobe.generation.rule_files import rules_of, table
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions

_FOLDER = Path(__file__).parent
_ROLES = {"psor": "PSS", "erg": "ARGER", "dat": "ARGDA", "abs": "ARGAB"}
_NUMBER_LETTERS = {"Sing": "S", "Plur": "P", "Dual": "D"}
BundleReader = Callable[[Path, int, Row], str]
_NONE = "_"


class Span(NamedTuple):
    """A multiword token."""

    first: int
    last: int
    """`first` and `last`: of its words, from 1."""
    form: str
    """As written."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or the words of a multiword token; of several words, columns are joined by `+`."""

    form: str
    """As written."""
    lemma: str
    upos: str
    feats: str
    """`lemma`, `upos` and `feats`: columns of the treebank."""
    bundle: str
    """Of UniMorph; empty where there is none."""
    line: int
    """Of the file, on which its first word stands."""


def spans_of(sentence: ConlluSentence) -> list[Span]:
    """Returns the multiword tokens of a sentence."""
    ranges = [(row.id.partition("-"), row.form) for row in sentence.rows if "-" in row.id]
    return [Span(int(first), int(last), form) for (first, _, last), form in ranges]


def joined(words: Sequence[Token], spans: Sequence[Span], separator: str) -> list[Token]:
    """Returns the tokens of a sentence: each range is one, spelt as it is written.

    Args:
        spans: in the order of the sentence.
        separator: between the bundles of two words that have one.
    """
    tokens, done = [], 0
    for first, last, form in spans:
        tokens += words[done : first - 1]
        tokens.append(_one(words[first - 1 : last], form, separator))
        done = last
    return [*tokens, *words[done:]]


def joined_as_released(words: Sequence[Token], spans: Sequence[Span], separator: str) -> list[Token]:
    """Returns the tokens of a sentence as the released program does."""
    tokens, done = [], 0
    for first, last, form in spans:
        if first == 1:
            continue
        tokens += words[done : first - 1]
        inside = words[first - 1 : last]
        if len(str(first)) == len(str(last)):
            tokens.append(_one(inside, form, separator))
        else:
            tokens += _one_too_many(inside, form, separator)
        done = last
    return [*tokens, *words[done:]]


def _one_too_many(words: Sequence[Token], form: str, separator: str) -> list[Token]:
    tokens = [replace(words[0], form=form), replace(words[-1], form=form), *words[1:-1]]
    bundles = ["", *(word.bundle for word in words[:-2]), _joined_bundles(words[-2:], separator)]
    return [replace(token, bundle=bundle) for token, bundle in zip(tokens, bundles, strict=True)]


def _joined_bundles(words: Sequence[Token], separator: str) -> str:
    return separator.join(word.bundle for word in words if word.bundle)


def _one(words: Sequence[Token], form: str, separator: str) -> Token:
    columns = ("+".join(getattr(word, name) for word in words) for name in ("lemma", "upos", "feats"))
    return Token(form, *columns, _joined_bundles(words, separator), words[0].line)


def basic_labels(upos: str, feats: str) -> frozenset[str]:
    """Converts by the table alone.

    A value of several (`Gender=Fem,Masc`) is `{FEM/MASC}`, without those that the table lacks.

    Args:
        upos: a part of speech; one that the table lacks (PUNCT, SYM, X) says nothing.
        feats: features as CoNLL-U writes them; `_` where there are none.
    """
    features = dict(pair.split("=", maxsplit=1) for pair in feats.split("|")) if feats != "_" else {}
    labels = {*_looked_up("UPOS", upos)}
    for feature, value in features.items():
        labels.update(_looked_up(feature, value))
    return frozenset(labels | _of_roles(features))


def language_labels(language: str, form: str, basic: frozenset[str]) -> frozenset[str]:
    """Applies the rules of a language to what the table gives.

    Args:
        language: as in `ud_rules.yaml`; one without rules changes nothing.
        basic: of `basic_labels`.
    """
    labels = basic
    for rule in rules_of(_FOLDER / "ud_rules.yaml").get(language, ()):
        if _applies(rule, form, labels):
            kept = labels if "becomes" not in rule else frozenset(rule["becomes"])
            labels = kept.difference(rule.get("drop", ())).union(rule.get("add", ()))
    return labels


def bundle_of(labels: frozenset[str]) -> str:
    """Writes labels in alphabetical order; `_` where there are none."""
    return ";".join(sorted(labels)) or "_"


def _looked_up(feature: str, value: str) -> list[str]:
    pairs = _pairs()
    if "," not in value:
        return pairs.get((feature, value), "").split(";") if (feature, value) in pairs else []
    parts = [pairs[feature, part] for part in value.split(",") if (feature, part) in pairs]
    return [f"{{{'/'.join(parts)}}}"] if parts else []


def _of_roles(features: Mapping[str, str]) -> set[str]:
    """Person and number of the possessor (`PSS3S`, or `PSSD` where they are said to be none) and of arguments.

    The released converter writes what is there: `PSS3` for a possessor without number, which no schema knows.
    """
    labels = set()
    for role, prefix in _ROLES.items():
        person, number = features.get(f"Person[{role}]"), features.get(f"Number[{role}]")
        if role == "psor" and "None" in (person, number):
            labels.add("PSSD")
        elif person or number in _NUMBER_LETTERS:
            labels.add(f"{prefix}{person or ''}{_NUMBER_LETTERS.get(number, '')}")
    return labels


def _applies(rule: Mapping[str, Any], form: str, labels: frozenset[str]) -> bool:
    return (
        labels.issuperset(rule.get("has", ()))
        and labels.isdisjoint(rule.get("lacks", ()))
        and ("exactly" not in rule or labels == set(rule["exactly"]))
        and ("ends" not in rule or form.endswith(tuple(rule["ends"])))
    )


@functools.cache
def _pairs() -> Mapping[tuple[str, str], str]:
    return {(row["feature"], row["value"]): row["labels"] for row in table(_FOLDER / "ud_table.tsv")}


def bundle_reader(options: TokenLevelOptions) -> BundleReader:
    """Returns a function from (file, line, row) to the bundle of a word, empty where it has none.

    It raises `MalformedLine` at FEATS of another kind than `options.labels` says.
    """
    if options.labels == "unimorph":
        return _unimorph
    basic_of, written = functools.cache(basic_labels), functools.cache(bundle_of)

    def converted(path: Path, line: int, row: Row) -> str:
        if not _are_features(row.feats):
            expected = 'pairs such as Case=Nom|Number=Sing, or "_"; for labels of UniMorph token_level.labels=unimorph'
            raise MalformedLine(path, line, f'FEATS is "{row.feats}"', expected)
        labels = basic_of(row.upos, row.feats)
        labels = labels if options.conversion == "basic" else language_labels(options.language, row.form, labels)
        return written(labels).strip(_NONE)

    return converted


def _unimorph(path: Path, line: int, row: Row) -> str:
    if "=" in row.feats:
        expected = "labels of UniMorph, such as N;NOM;SG; for features of Universal Dependencies token_level.labels=ud"
        raise MalformedLine(path, line, f'FEATS is "{row.feats}"', expected)
    return "" if row.feats == _NONE else row.feats


@functools.cache
def _are_features(feats: str) -> bool:
    pairs = [] if feats == _NONE else [pair.partition("=") for pair in feats.split("|")]
    return all(name and value for name, _, value in pairs)
