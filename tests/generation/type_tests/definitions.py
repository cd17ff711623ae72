"""Holds every row of made type-level tests against the definition of its test (Şahin et al. 2020, section 3.3).

The files are read again: the rows as they were written, the triples of their forms from the tables. Codes are looked up
in the schema here, without the code that makes tests, so that a fault of that code is not repeated. A code that the
schema lacks is one of an unknown dimension: forms that have it differ from those that do not.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.formats.lexica import unimorph
from polyprobe.generation.rule_files import table
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph import decoding
from polyprobe.generation.unimorph.decoding import without_arguments
from polyprobe.splits import SPLITS

Row = tuple[tuple[str, ...], str]  # one form or two, and the label
Analysis = Mapping[str, tuple[str, ...]]  # from dimensions to their values; of an unknown one the codes
Meaning = tuple[str, Analysis]  # a lemma with an analysis
_SCHEMA = Path(decoding.__file__).with_name("schema.tsv")
_BINS = (4, 8, 12, 16, 20)
_KIND, _UNKNOWN = "Part of Speech", "?"


def broken_rows(folder: Path, tests: Iterable[str], tables: Sequence[Path], options: TypeLevelOptions) -> list[str]:
    """Lists the rows of tests that break their definitions: test, file, line and row.

    Args:
        folder: in which each test has a folder.
        tests: their names.
        tables: of UniMorph, that the tests are made from.
        options: by which they are made: what is passed over, not compared, or left untagged, and how labels are read.
    """
    rows = {test: list(_rows(folder / test)) for test in tests}
    forms = {form for of_test in rows.values() for _, (of_row, _) in of_test for form in of_row}
    definitions = _Definitions(options, _meanings(tables, forms, options))
    return [
        f"{test}/{place}: {' '.join(row[0])} ({row[1]})"
        for test, of_test in rows.items()
        for place, row in of_test
        if not definitions.holds(test, row)
    ]


def _rows(folder: Path) -> Iterator[tuple[str, Row]]:
    for split in SPLITS:
        for line, text in enumerate((folder / f"{split}.txt").read_text(encoding="utf-8").split("\n")[:-1], start=1):
            *forms, label = text.split("\t")
            yield f"{split}.txt, line {line}", (tuple(forms), label)


def _meanings(
    tables: Sequence[Path], forms: Collection[str], options: TypeLevelOptions
) -> Mapping[str, Sequence[Meaning]]:
    read = _reader(options)
    found: dict[str, list[Meaning]] = {form: [] for form in forms}
    for path in tables:
        for _, (lemma, form, bundle, *_) in unimorph.read_rows(path, lambda place: None):
            if options.normalization == "nfc":
                lemma, form = unicodedata.normalize("NFC", lemma), unicodedata.normalize("NFC", form)
            if form in found:
                found[form].append((lemma, read(bundle)))
    return found


def _reader(options: TypeLevelOptions) -> Callable[[str], Analysis]:
    codes = {row["code"]: row for row in table(_SCHEMA)}
    if options.decoding.intr == "interrogative":
        codes["INTR"] = codes["INT"]
    return functools.cache(lambda bundle: _analysis(bundle, codes))


def _analysis(bundle: str, codes: Mapping[str, Mapping[str, str]]) -> Analysis:
    """Sorts the labels of a bundle into dimensions; those that another one narrows down say nothing."""
    found: dict[str, dict[str, str]] = {}
    for label in without_arguments(re.sub("[{} ]", "", bundle.upper()).replace("|", ";"), codes).split(";"):
        parts = [part for part in re.split("[+/]", label) if part]
        known = [codes[part] for part in parts if part in codes]
        for part in parts:
            if part not in codes:
                found.setdefault(_UNKNOWN, {})[part] = part
        if known:
            value = "+".join(sorted(code["value"] for code in known))
            found.setdefault(known[0]["dimension"], {})[value] = "+".join(code["code"] for code in known)
    analysis = {}
    for dimension, values in found.items():
        broader = {
            code for written in values.values() if written in codes for code in codes[written]["broader"].split()
        }
        analysis[dimension] = tuple(value for value, written in values.items() if written not in broader)
    return analysis


@dataclass(frozen=True)
class _Definitions:
    """What must hold of a row, whatever made it."""

    options: TypeLevelOptions
    meanings: Mapping[str, Sequence[Meaning]]

    def holds(self, test: str, row: Row) -> bool:
        """Says whether a row is one of its test."""
        forms, label = row
        if test in ("OddFeat", "SameFeat"):
            is_pair = self._is_odd if test == "OddFeat" else self._is_same
            first, second = (self.meanings[form] for form in forms)
            return forms[0] != forms[1] and any(is_pair(a, b, label) for a in first for b in second)
        lengths = {"CharacterCount": len(forms[0]), "CharacterBin": 1 + sum(len(forms[0]) > most for most in _BINS)}
        if test in lengths:
            return label == str(lengths[test])
        analyses = [analysis for _, analysis in self.meanings[forms[0]]]
        if test == "TagCount":
            return {str(len(analysis)) for analysis in analyses} == {label}
        return self._is_labelled(test, analyses, label)

    def _is_labelled(self, test: str, analyses: Sequence[Analysis], label: str) -> bool:
        """All analyses agree on the label, or none has one and none has a code that may be one."""
        feature = next((name for one in analyses for name in one if name.replace(" ", "") == test), test)
        feature = _KIND if test == "POS" else feature
        ignored, not_none = (
            set(of_features.get(feature, ()))
            for of_features in (self.options.language.ignored, self.options.language.not_none)
        )
        counted = [one for one in analyses if ignored.isdisjoint(one.get(_KIND, ()))]
        if label == "None":
            return bool(counted) and not any(
                feature in one or _UNKNOWN in one or not not_none.isdisjoint(one.get(_KIND, ())) for one in counted
            )
        return {self._label(one, feature) for one in counted} - {None} == {label}

    def _label(self, analysis: Analysis, feature: str) -> str | None:
        """Of values neither of which is narrower the last one is the label."""
        if feature not in analysis:
            return None
        joined = (feature, *self._joined(feature))
        return " ".join(analysis[name][-1] for name in joined) if all(name in analysis for name in joined) else None

    def _joined(self, feature: str) -> tuple[str, ...]:
        return ("Number",) if feature == "Person" and self.options.decoding.person == "with_number" else ()

    def _is_odd(self, first: Meaning, second: Meaning, label: str) -> bool:
        """One lemma, and nothing differs but the feature; or two lemmas, and nothing differs."""
        (lemma, one), (other_lemma, other) = first, second
        if label == "lemma":
            return lemma != other_lemma and _without(one, ()) == _without(other, ())
        passed = (label, *self._joined(label))
        labels = {self._label(one, label), self._label(other, label)}
        may_lack = label in self.options.untagged
        is_alike = lemma == other_lemma and _without(one, passed) == _without(other, passed)
        return is_alike and len(labels) == 2 and (may_lack or None not in labels)

    def _is_same(self, first: Meaning, second: Meaning, label: str) -> bool:
        """Two lemmas and nothing shared but the feature, or one lemma and nothing shared; all of it must be known."""
        (lemma, one), (other_lemma, other) = first, second
        passed = (_KIND, *self.options.language.not_compared, label, *self._joined(label))
        rest, other_rest = _without(one, passed), _without(other, passed)
        shares = any(values & other_rest.get(name, frozenset()) for name, values in rest.items())
        if shares or _UNKNOWN in one or _UNKNOWN in other:
            return False
        if label == "lemma":
            return lemma == other_lemma
        return lemma != other_lemma and None is not self._label(one, label) == self._label(other, label)


def _without(analysis: Analysis, passed: Collection[str]) -> dict[str, frozenset[str]]:
    return {name: frozenset(values) for name, values in analysis.items() if name not in passed}
