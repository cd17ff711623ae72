"""What a bundle of UniMorph labels says: a value for each dimension, by the names of `schema.tsv`.

    N;IN+ESS;SG     Part of Speech Noun, Case Essive+In, Number Singular

A bundle is upper-cased and its braces are taken off. Its labels stand between `;` (in the segmented files of UniMorph
4.0 also `|`). Parts of a label stand between `+` or `/` (`{ACC/NOM}`): all of them are looked up, the dimension is that
of the first that is known, and the value is their names in alphabetical order, joined by `+`. A label may have
arguments (UniMorph 4.0, see `without_arguments`). What the released program of LINSPECTOR leaves to chance or drops is
a decision with a name here.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from polyprobe.generation.rule_files import table
from polyprobe.section import Section

PART_OF_SPEECH, NUMBER, PERSON = "Part of Speech", "Number", "Person"
LANGUAGE_SPECIFIC = "Language-Specific Features"  # LGSPEC1 and others: what they mean is said nowhere
_SCHEMA = Path(__file__).parent / "schema.tsv"


class Decisions(Section, key="decoding"):
    """How the odd places of decoding are read."""

    schema: Literal["whole", "released"] = "whole"
    """"whole"; "released": the codes that the released program knows."""
    two_labels: Literal["specific", "last"] = "specific"
    """Which of two labels of one dimension counts. "specific": the one that `schema.tsv` calls narrower than the
    other, wherever it stands (`V;V.PTCP` and `V.PTCP;V` are participles), the last where none is; "last": the last, as
    released.
    """
    prox: Literal["deixis", "case"] = "deixis"
    """What `PROX` is: "deixis", as in the schema, or "case", as released."""
    intr: Literal["valency", "interrogative"] = "valency"
    """What `INTR` is: "valency" (intransitive), as in the schema, or "interrogative", as UniMorph's Turkish uses it
    beside `DECL`.
    """
    unknown_part: Literal["itself", "label"] = "itself"
    """What a part that the schema lacks (`AT+ABLX`) takes with it. "itself": the other parts count; "label": the whole
    label is unknown, as released (one row of the published Turkish sets shows it).
    """
    person: Literal["with_number", "alone"] = "with_number"
    """What the label of a person is: "with_number" ("Third person Singular"; a person without number has no label), as
    in the published sets, or "alone" ("Third person").
    """


RELEASED = Decisions(schema="released", two_labels="last", prox="case", unknown_part="label")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A bundle in dimensions."""

    values: Mapping[str, str]
    """From each dimension to its value."""
    unknown: tuple[str, ...]
    """Codes that the schema lacks, as written but in upper case."""
    undecided: tuple[str, ...]
    """Dimensions with two labels neither of which is narrower: the last was taken."""

    def label(self, feature: str, person: str) -> str | None:
        """Returns the label of a feature in a probing set; None where the bundle has none.

        Args:
            person: as in `Decisions`.
        """
        value = self.values.get(feature)
        if feature != PERSON or person == "alone" or value is None:
            return value
        return f"{value} {self.values[NUMBER]}" if NUMBER in self.values else None


def decode(bundle: str, decisions: Decisions) -> Decoded:
    """Takes a bundle apart.

    An empty label (`N;;SG`) says nothing. A part that the schema lacks is unknown.
    """
    codes = _codes(decisions)
    labels: dict[str, tuple[tuple[str, ...], str]] = {}
    unknown, undecided = [], []
    plain = without_arguments(bundle.upper().translate(_PLAIN), codes)
    for label in filter(None, map(str.strip, plain.split(";"))):
        parts = label.split("+")
        unknown += [part for part in parts if part not in codes]
        known = tuple(part for part in parts if part in codes)
        if not known or (len(known) < len(parts) and decisions.unknown_part == "label"):
            continue
        dimension = codes[known[0]]["dimension"]
        value = "+".join(sorted(codes[part]["value"] for part in known))
        if dimension in labels and labels[dimension][1] != value and decisions.two_labels == "specific":
            earlier = labels[dimension][0]
            if _is_narrower(earlier, known, codes):
                continue
            if not _is_narrower(known, earlier, codes):
                undecided.append(dimension)
        labels[dimension] = (known, value)
    return Decoded({dimension: value for dimension, (_, value) in labels.items()}, tuple(unknown), tuple(undecided))


def dimensions(decisions: Decisions) -> tuple[str, ...]:
    """Returns every dimension that a bundle can have, in alphabetical order."""
    return tuple(sorted({code["dimension"] for code in _codes(decisions).values()}))


def parts_of_speech(decisions: Decisions) -> tuple[str, ...]:
    """Returns every part of speech that a bundle can name, in alphabetical order."""
    codes = _codes(decisions).values()
    return tuple(sorted({code["value"] for code in codes if code["dimension"] == PART_OF_SPEECH}))


_WITH_ARGUMENTS = re.compile(r"([^;()]+)\(([^()]*)\)")
_NUMBERS = {"SG": "S", "PL": "P", "DU": "D"}
_PLAIN = str.maketrans({"{": None, "}": None, "/": "+", "|": ";"})


def without_arguments(bundle: str, codes: Mapping[str, Mapping[str, str]]) -> str:
    """Writes the arguments of labels as labels, and agreement as UniMorph wrote it before 4.0.

    N;GEN(DEF;PL)               N;GEN;DEF;PL
    N;PSS(1,SG)                 N;PSS1S
    V;PRS;NOM(1,SG)             V;PRS;1;SG                the only agreement: the person of the verb
    V;PRS;NOM(1,SG);ACC(3,PL)   V;PRS;ARGNO1S+ARGAC3P     of several arguments none is that of the verb
    """
    if "(" not in bundle:
        return bundle
    is_verb = not {"V", "AUX"}.isdisjoint(map(str.strip, bundle.split(";")))
    agreement = functools.partial(_agreement, codes, is_verb)
    arguments = [code for one in _WITH_ARGUMENTS.finditer(bundle) if (code := agreement(one)).startswith("ARG")]

    def plain(one: re.Match[str]) -> str:
        code, labels = agreement(one), re.sub("[,;]", ";", one[2])
        if code in arguments and len(arguments) > 1:
            return "+".join(arguments) if code == arguments[0] else ""
        return labels if code in arguments else code or f"{one[1]};{labels}"

    return _WITH_ARGUMENTS.sub(plain, bundle)


def _agreement(codes: Mapping[str, Mapping[str, str]], is_verb: bool, one: re.Match[str]) -> str:
    """Returns the code of a case or of possession with a person as its argument, of a verb with any: ARGNO1S, PSS1S.

    "" where a label marks no agreement.
    """
    label, (person, *others) = one[1].strip(), [argument.strip() for argument in re.split("[,;]", one[2])]
    is_case = label in codes and codes[label]["dimension"] == "Case"
    if not ((is_case and (is_verb or person.isdigit())) or (label == "PSS" and person.isdigit())):
        return ""
    number, *further = [_NUMBERS.get(one, one) for one in others] or [""]
    further = [one[:1] for one in further] if label == "PSS" else further
    return f"{'PSS' if label == 'PSS' else f'ARG{label[:2]}'}{person}{number}{''.join(further)}"


def _is_narrower(narrow: tuple[str, ...], broad: tuple[str, ...], codes: Mapping[str, Mapping[str, str]]) -> bool:
    return len(narrow) == len(broad) == 1 and broad[0] in codes[narrow[0]]["broader"].split(" ")


@functools.cache
def _codes(decisions: Decisions) -> Mapping[str, Mapping[str, str]]:
    """Returns the rows of the schema by their codes; those that are broader have blanks between them, "-" is none."""
    codes = {}
    for row in table(_SCHEMA):
        is_known = decisions.schema == "whole" or row["released"] == "yes"
        if row["dimension"].lower() == decisions.prox if row["code"] == "PROX" else is_known:
            codes[row["code"]] = row
    if decisions.intr == "interrogative":
        codes["INTR"] = codes["INT"]
    return codes
