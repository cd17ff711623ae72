"""What a bundle of UniMorph labels says: a value for each dimension, by the names of `schema.tsv`.

    N;IN+ESS;SG     Part of Speech Noun, Case Essive+In, Number Singular

A bundle is upper-cased and its braces are taken off. Its labels stand between `;` (in the segmented files of UniMorph
4.0 also `|`). Parts of a label stand between `+` or `/` (`{ACC/NOM}`): all of them are looked up, the dimension is that
of the first that is known, and the value is their names in alphabetical order, joined by `+`. A label may have
arguments (UniMorph 4.0, see `without_arguments`). What the released program of LINSPECTOR leaves to chance or drops is
a decision with a name here.

A schema of one's own is a table; its last column may be absent. Lines of `#` before the header are remarks. A dimension
names a test, so it is a name that a folder can have, and none that other tests have; blanks and capitals tell no two
dimensions apart.

    code <tab> dimension <tab> value <tab> broader
    NOM        Case            Nominative  -
    V.PTCP     Part of Speech  Participle  V            wins over V where a bundle has both
"""

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine, check_choice
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.reading.lines import numbered_lines
from polyprobe.generation.rule_files import table
from polyprobe.section import Section

PART_OF_SPEECH, NUMBER, PERSON = "Part of Speech", "Number", "Person"
LANGUAGE_SPECIFIC = "Language-Specific Features"  # LGSPEC1 and others: what they mean is said nowhere
_SCHEMA = Path(__file__).parent / "schema.tsv"
_NEEDED, _BROADER = ("code", "dimension", "value"), "broader"
RESERVED = ("POS", "TagCount", "CharacterBin", "CharacterBin2", "CharacterCount", "OddFeat", "SameFeat", "lemma")
"""What is no dimension: the tests that every lexicon or treebank has, and the label of pairs that is no feature."""


class Decisions(Section, key="decoding"):
    """How the odd places of decoding are read."""

    schema: Any = "whole"
    """"whole"; "released": the codes that the released program knows; or the path of a schema of one's own
    (`polyprobe.generation.unimorph.decoding`), which says itself what `PROX` is.
    """
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

    def __post_init__(self):
        super().__post_init__()
        if self.own_schema is None:
            check_choice("decoding.schema", self.schema, (*_SCHEMATA, "the path of a file"))
        else:
            _codes(self)  # a fault in the file is found before anything is read by it

    @property
    def own_schema(self) -> Path | None:
        """The file of a schema of one's own."""
        is_path = isinstance(self.schema, str) and self.schema not in _SCHEMATA
        return Path(self.schema) if is_path and Path(self.schema).is_file() else None


_SCHEMATA = ("whole", "released")


def decisions_of(group: str, **chosen: Any) -> Decisions:
    """Returns decisions that a group of the configuration makes; what it does not name is as `Decisions` has it.

    Args:
        group: "type_level" or "token_level".
        chosen: by the names of `Decisions`.
    """
    key = f"{group}.decoding"
    for name in chosen:
        check_choice(key, name, [field.name for field in dataclasses.fields(Decisions)])
    return Decisions(**chosen)


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
    rows = table(_SCHEMA) if decisions.own_schema is None else read_schema(decisions.own_schema)
    is_own = decisions.own_schema is not None
    codes = {row["code"]: row for row in rows if is_own or not _is_passed_over(row, decisions)}
    if decisions.intr == "interrogative" and "INT" in codes:
        codes["INTR"] = codes["INT"]
    return codes


def _is_passed_over(row: Mapping[str, str], decisions: Decisions) -> bool:
    if row["code"] == "PROX":
        return row["dimension"].lower() != decisions.prox
    return decisions.schema == "released" and row["released"] != "yes"


def read_schema(path: Path) -> list[Mapping[str, str]]:
    """Reads the rows of a schema, each with its code, dimension, value and the codes that are broader ("-": none).

    Raises:
        MalformedLine: the file is empty, lacks a column or has no code; a row has another number of cells or an empty
            one; a code stands twice; a dimension cannot name a test of its own.
    """
    rows: dict[str, Mapping[str, str]] = {}
    lines: dict[str, int] = {}
    for line, row in _rows(path):
        if row["code"] in rows:
            raise MalformedLine(path, line, f"the code {row['code']} is repeated", "each code once")
        rows[row["code"]], lines[row["code"]] = row, line
    if not rows:
        raise MalformedLine(path, 1, "the schema has no code", "a row for each code below the header")
    _check_dimensions(path, [(lines[code], row["dimension"]) for code, row in rows.items()])
    return list(rows.values())


def _check_dimensions(path: Path, dimensions: Iterable[tuple[int, str]]) -> None:
    """Checks that every dimension names a test of its own, in a folder of its own."""
    taken = {_compared(name): name for name in RESERVED}
    for line, dimension in dimensions:
        folder = dimension.replace(" ", "")
        if folder != file_name(folder):
            expected = "a name that a folder can have, such as Case or Part of Speech"
            raise MalformedLine(path, line, f"the dimension {dimension} is not a plain name", expected)
        other = taken.setdefault(_compared(dimension), dimension)
        if other in RESERVED or other != dimension:
            expected = f"one spelling of a dimension, and other names than {', '.join(RESERVED)}"
            raise MalformedLine(path, line, f"the dimension {dimension} has the name of another test", expected)


def _compared(dimension: str) -> str:
    return unicodedata.normalize("NFC", dimension.replace(" ", "")).casefold()


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    header: list[str] = []
    for line, text in numbered_lines(path):
        cells = text.split("\t")
        if not header and text.startswith("#"):
            continue
        if not header:
            header = _header(path, line, cells)
        elif len(cells) != len(header):
            expected = f"{len(header)} columns ({', '.join(header)}), separated by tabs"
            raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
        else:
            row = {_BROADER: "-", **dict(zip(header, cells, strict=True))}
            for column, cell in row.items():
                if not cell.strip():
                    raise MalformedLine(path, line, f"the {column} is empty", "a cell in every column")
            yield line, {**row, "code": row["code"].upper()}


def _header(path: Path, line: int, cells: list[str]) -> list[str]:
    missing = [column for column in _NEEDED if column not in cells]
    if missing:
        expected = f"a header with {', '.join(_NEEDED)}, separated by tabs"
        raise MalformedLine(path, line, f"the header lacks {', '.join(missing)}", expected)
    return cells
