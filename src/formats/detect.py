"""The format of a file of a user's own: a treebank, a table, minimal pairs, text, vectors, …

`.conllu` and `.conllup` are treebanks, `.tsv` has tabs; all else is detected by the content. The first 64 KB are read,
whole lines of them; what is wrong further below is an error of the reader of the format.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.display.shown import cut, plural
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.entities.span_tags import BIO, CHUNKS, OUTSIDE, TagScheme, scheme_of, type_of
from polyprobe.formats.files.file_names import open_file
from polyprobe.formats.probing_sets.senteval import SPLIT_OF_PARTITION
from polyprobe.formats.reading.cells import BLANKS, cut_cells, is_number
from polyprobe.formats.reading.lines import BYTE_ORDER_MARK, check_kind, text_of
from polyprobe.formats.reading.table_rows import LONGEST_ROW, SEPARATORS, cut_row, declared_separator, wrong_number
from polyprobe.formats.roles import conll2009
from polyprobe.formats.roles.universal_propbank import PREDICATE
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.vectors.word2vec_text import parsed_header
from polyprobe.splits import SPLITS, split_in_name

VECTORS, TREEBANK, PROPBANK, CONLL2009, ENTITIES = "vectors", "treebank", "propbank", "conll2009", "entities"
PIPES = "pipes"
SENTEVAL, TOKENS, CLAMS, BLIMP, EWOK = "senteval", "tokens", "clams", "blimp", "ewok"
JSON_SETS, OBJECTS, TABLE, TEXT = "json_lines", "objects", "table", "text"
_LENGTH_READ = 1 << 16  # bytes
_MOST_ROWS = 200
_ENOUGH = 0.8  # of the rows with as many cells as the first: a bad row is no other format
_MOST_LISTED = 7  # labels of a column
_LEAST_WIDTH = 4  # numbers of a vector in a file without header
_FASTTEXT = b"\xba\x16\x4f\x2f"
_MOST_FILES = 100  # of a folder that are looked at
_LEFT_OUT = re.compile(r"[.~]|readme|licen[sc]e|changelog|.*\.(md|rst|yaml|yml|pdf)$", re.IGNORECASE)
_TREEBANK_SUFFIXES = (".conllu", ".conllup")
_ID = re.compile(r"1(-\d+)?")
_HEAD = re.compile(r"\d+|_")
_NO_TEXT = re.compile(r'<\?xml|<!doctype|<html|\{\s*("|$)|\{\\rtf|\\documentclass', re.IGNORECASE)
ROLES = {
    "word": ("word", "form", "token"),
    "sentence": ("sentence", "text", "comment", "utterance", "question", "review", "tweet"),
    "index": ("index", "position"),
    "label": ("label", "class", "tag", "category", "gold_label", "target"),
    "split": ("split", "partition", "subset"),
    "group": ("group",),
    "item": ("item",),
    "premise": ("premise", "sentence1", "text1"),
    "hypothesis": ("hypothesis", "sentence2", "text2"),
    "good": ("good", "sentence_good", "good_sentence", "grammatical"),
    "bad": ("bad", "sentence_bad", "bad_sentence", "ungrammatical"),
}
"""What a column may be for, and the names that say so; an item is a word or a sentence."""
_USUAL = frozenset(["id", "lemma", *(name for names in ROLES.values() for name in names)])


@dataclass(frozen=True, slots=True)
class DetectedFormat:
    """The format of a file, by its name and its start."""

    kind: str
    """One of the words above."""
    description: str
    """For messages: "a table of 2 columns, separated by tabs"."""
    columns: tuple[str, ...] = ()
    """Names, or keys of objects; () where there are none."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table or objects, the first ones, below the names."""
    separators: tuple[str, ...] = ()
    """Of a table those by which all rows have as many cells: several where they leave it open."""
    quotes: str = "csv"
    """Of a table, as in `polyprobe.formats.reading.table_rows`."""


def usual_columns(found: DetectedFormat) -> dict[str, str]:
    """Returns the columns of a table or the keys of objects whose names say what they are for, by their roles.

    Of several for one role only that of its own name counts.
    """
    named = {name.strip().lower(): name for name in reversed(found.columns)}
    roles = {role: [named[one] for one in names if one in named] for role, names in ROLES.items()}
    return {role: names[0] for role, names in roles.items() if len(names) == 1 or names[:1] == [named.get(role)]}


def files_of_folder(folder: Path) -> tuple[list[Path], bool]:
    """Returns the files of a folder that may be data, and whether their names say which is train, dev and test.

    Those of splits come in that order. Of a folder of folders, each of which is a test, the first file of the first.

    Raises:
        PolyprobeError: there are none, or a split lacks.
    """
    files = sorted(one for one in folder.iterdir() if one.is_file() and not _LEFT_OUT.match(one.name))
    of_split = {split: [file for file in files if split_in_name(file) == split] for split in SPLITS}
    if all(of_split.values()):
        return [file for split in SPLITS for file in of_split[split]], True
    if some := [split for split in SPLITS if of_split[split]]:
        lacking = " and none of ".join(split for split in SPLITS if split not in some)
        raise PolyprobeError(
            f"data={folder} has {of_split[some[0]][0].name}, but no file of {lacking}. Expected one each for train, "
            "dev and test, or a single file, which is split."
        )
    parts = [one / part for one in sorted(folder.iterdir()) for part in ("train.txt", "tr.txt")]
    files = files or [part for part in parts if part.is_file()][:1]
    if not files:
        raise PolyprobeError(f"data={folder} has no file that is read. Expected one file, or train, dev and test.")
    return files[:_MOST_FILES], False


def common_format(place: str, found: Mapping[Path, DetectedFormat]) -> DetectedFormat:
    """Returns the format of the first of several files, which all have.

    Raises:
        PolyprobeError: they have several; or of tables some have a first line with usual names of columns, others none.
    """
    different = {one.kind: file for file, one in reversed(found.items())}
    if len(different) > 1:
        listed = "; ".join(f"{file.name} is {found[file].description}" for file in reversed(different.values()))
        raise PolyprobeError(f"data={place} has files of several formats: {listed}. Expected one: data=<one file>.")
    tables = [file for file, one in found.items() if one.kind == TABLE]
    named = [file for file in tables if usual_columns(found[file])]
    unnamed = [file for file in tables if not found[file].columns]
    if named and unnamed:
        raise PolyprobeError(
            f"data={place}: line 1 of {named[0].name} has names of columns ({', '.join(found[named[0]].columns)}), "
            f"line 1 of {unnamed[0].name} has none ({cut(' | '.join(found[unnamed[0]].rows[0]), 80)}). Expected names "
            "in all of them, or in none."
        )
    return next(iter(found.values()))


def has_rows(found: DetectedFormat) -> bool:
    """Says whether lines are rows of cells by their tabs or usual names: commas alone may stand in sentences."""
    is_named = bool(_USUAL & {name.lower() for name in found.columns})
    return found.kind == CLAMS or (found.kind == TABLE and (found.separators[0] == "tab" or is_named))


def detect_format(
    path: Path, separator: str | None = None, quotes: str | None = None, is_table: bool = False
) -> DetectedFormat:
    """Detects the format of a file.

    Args:
        path: of a file.
        separator: of its columns, where that is known.
        quotes: of its cells, where that is known.
        is_table: whether it is known to be a table.

    Raises:
        MalformedLine: the file is empty, blank, packed, in UTF-16, or its start is not clean UTF-8; it is one JSON
            list; or it is known to be a table, and its rows do not have as many columns each.
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        start = file.read(_LENGTH_READ)
    first, _, following = start.partition(b"\n")
    if not is_table and (start.startswith(_FASTTEXT) or (parsed_header(first) and b"\0" in following)):
        return DetectedFormat(VECTORS, "word vectors in binary")
    lines = _lines(path, start)
    if path.suffix.lower() in _TREEBANK_SUFFIXES and not is_table:
        return _conll(path, lines) or DetectedFormat(TREEBANK, f"CoNLL-U by its name ({path.suffix})")
    if len(lines) > 1 and (declared := declared_separator(lines[0])):
        separator, lines = separator or declared, lines[1:]
    for detect in () if is_table else _BY_LINES:
        if found := detect(path, lines):
            return found
    if table := _table(path, lines, separator, quotes, len(start) < _LENGTH_READ):
        return table
    if is_table:
        raise MalformedLine(path, 1, "the rows have no two columns", f"a separator: {', '.join(SEPARATORS)}")
    return _running_text(path, lines)


def _lines(path: Path, start: bytes) -> list[str]:
    """Returns the whole lines of the start of a file."""
    if not start:
        raise MalformedLine(path, 1, "the file is empty", "at least one line")
    check_kind(path, start)
    if b"\0" in start and "\ufffd" in start.decode("utf-8", "replace")[:-1]:
        raise MalformedLine(path, 1, "the file is no text", "text in UTF-8")
    is_whole = len(start) < _LENGTH_READ
    lines = start.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    if not lines[-1] or (not is_whole and len(lines) > 1):
        lines.pop()
    if not is_whole and len(lines) == 1:
        lines = [lines[0].decode("utf-8", "ignore").encode()]  # which is cut inside of a character
    return [text_of(path, number, line.removesuffix(b"\r")) for number, line in enumerate(lines, start=1)]


def _vectors(_: Path, lines: Sequence[str]) -> DetectedFormat | None:
    header = parsed_header(lines[0].encode())
    rows = [line.rstrip(" ").split(" ") for line in lines[1 if header else 0 :][:_MOST_ROWS]]
    width = header[1] if header else len(rows[0]) - 1
    is_enough = (rows and width) if header else (len(rows) > 1 and width >= _LEAST_WIDTH)
    if not is_enough or not all(len(row) == width + 1 and all(map(is_number, row[1:])) for row in rows):
        return None
    return DetectedFormat(VECTORS, f"word vectors, {width} numbers in each line")


def _json(path: Path, lines: Sequence[str]) -> DetectedFormat | None:
    text = "\n".join(lines).lstrip()
    if text.startswith("["):
        if re.match(r"\[\s*\{", text):
            raise MalformedLine(
                path, 1, "the file is one JSON list", "JSON objects, one per line (jq -c '.[]' makes them)"
            )
        return None
    if not text.startswith("{"):
        return None
    objects = [value for line in lines[:_MOST_ROWS] if isinstance(value := _value(line), dict)]
    if not objects:
        _check_plain(path, 1, lines[0])
        return None
    keys = [key for key in objects[0] if all(key in one for one in objects)]
    kinds = {
        BLIMP: ("sentence_good", "sentence_bad"),
        EWOK: ("Context1", "Context2", "Target1", "Target2"),
        JSON_SETS: ("set", "label", "sentence"),
    }
    kind = next((kind for kind, needed in kinds.items() if set(needed) <= set(keys)), OBJECTS)
    rows = tuple(
        tuple(one[key] if isinstance(one[key], str) else json.dumps(one[key]) for key in keys) for one in objects
    )
    return DetectedFormat(kind, f"JSON objects, one per line, with {', '.join(keys)}", tuple(keys), rows)


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _conll(_: Path, lines: Sequence[str]) -> DetectedFormat | None:
    names = conllu.named_columns(lines)
    if names and PREDICATE in names:
        return DetectedFormat(PROPBANK, "CoNLL-U Plus with the columns of Universal PropBank")
    if names and {"ID", "FORM"} <= set(names):
        return DetectedFormat(TREEBANK, f"CoNLL-U Plus with the columns {' '.join(names)}")
    rows = [cut_cells(line, "\t") for line in lines if line and not line.startswith("#")]
    if not rows or not _ID.fullmatch(rows[0][0]):
        return None
    n_columns = len(rows[0])
    if n_columns == len(conllu.COLUMNS):
        return DetectedFormat(TREEBANK, "CoNLL-U: ten columns, separated by tabs")
    if n_columns >= len(conll2009.COLUMNS) and rows[0][12] in ("Y", "_"):
        return DetectedFormat(CONLL2009, f"CoNLL-2009: {n_columns} columns in the first sentence")
    if n_columns > len(conllu.COLUMNS) and all(_HEAD.fullmatch(row[6]) for row in rows if len(row) == n_columns):
        return DetectedFormat(TREEBANK, f"CoNLL-U with {n_columns} columns, the first ten of which are read")
    return None


def _entities(_: Path, lines: Sequence[str]) -> DetectedFormat | None:
    kept = [line for line in lines if not line.startswith(("-DOCSTART-", "#"))]
    for name, sign in (("tab", "\t"), ("space", " ")):
        rows = [cut_cells(line, sign) for line in kept if line.strip()]
        n_columns = len(rows[0]) if rows else 0
        whole = [row for row in rows if len(row) == n_columns]
        if n_columns > 1 and len(whole) >= _ENOUGH * len(rows):
            columns = [Counter(column) for column in zip(*whole, strict=True)]
            has_sentences = len(rows) < len(kept)
            schemes = {place: one for place, cells in enumerate(columns) if (one := _scheme(cells, has_sentences))}
            if schemes:
                return _entity_columns(columns, schemes, name)
    return None


def _scheme(cells: Counter[str], has_sentences: bool) -> TagScheme | None:
    """Returns the scheme of a column of tags, a few bad ones left aside; None where it has others.

    Labels of words may look like tags that are written in a rare way: such tags stand in sentences, with words outside.
    """
    scheme = scheme_of(cells)
    inside = {cell: n for cell, n in cells.items() if cell.upper() != OUTSIDE}
    n_tags = sum(n for cell, n in inside.items() if scheme.is_tag(cell))
    is_likely = scheme is BIO or (has_sentences and len(inside) < len(cells))
    return scheme if n_tags and n_tags >= _ENOUGH * sum(inside.values()) and is_likely else None


def _entity_columns(
    columns: Sequence[Counter[str]], schemes: Mapping[int, TagScheme], separator: str
) -> DetectedFormat:
    """Says which column has the entities: the only one with tags, or the only one whose tags vary and are no chunks."""
    likely = []
    for place, scheme in schemes.items():
        types = {type_of(tag) for tag in scheme.iob(filter(scheme.is_tag, columns[place])) if tag != OUTSIDE}
        if len(columns[place]) > 1 and not types <= CHUNKS:  # one tag in all rows stands for chunks that nobody marked
            likely.append(place)
    tags = likely or [place for place, cells in enumerate(columns) if place in schemes or set(cells) == {OUTSIDE}]
    token = int(len(columns) > 2 and all(cell.isdecimal() for cell in columns[0]))
    names = {1 - token if len(columns) == 2 and tags == [token] else token: "token"}
    if len(tags) == 1:
        names[tags[0]] = "tag"
        found = f"tokens with tags of entities ({schemes[tags[0]].name}) in column {tags[0] + 1} of {len(columns)}"
        if others := [str(place + 1) for place in schemes if place not in tags]:
            found += f" (chunks or one tag alone in column {' and '.join(others)})"
    else:
        counts = [", ".join(f"{cell} {n:,}" for cell, n in columns[place].most_common(_MOST_LISTED)) for place in tags]
        counted = " and ".join(f"column{place + 1} ({some})" for place, some in zip(tags, counts, strict=True))
        found = f"tokens with tags in {len(tags)} of {len(columns)} columns, of the first rows {counted}"
    named = tuple(names.get(place, f"column{place + 1}") for place in range(len(columns)))
    return DetectedFormat(ENTITIES, found, named, separators=(separator,))


def _pipes(_: Path, lines: Sequence[str]) -> DetectedFormat | None:
    rows = [[word.split("|") for word in line.split()] for line in lines if line.strip()][:_MOST_ROWS]
    words = [word for row in rows for word in row]
    n_tagged = sum(len(word) == 3 and BIO.is_tag(word[2]) for word in words)
    is_one = words and n_tagged >= _ENOUGH * len(words)
    return DetectedFormat(PIPES, "word|POS|tag, one sentence per line (WikiNER)") if is_one else None


def _published_rows(_: Path, lines: Sequence[str]) -> DetectedFormat | None:
    rows = [line.split("\t") for line in lines[:_MOST_ROWS]]
    if _are(rows, 3, lambda row: row[0] in SPLIT_OF_PARTITION):
        return DetectedFormat(SENTEVAL, "rows of SentEval: tr, va or te, a label, a sentence")
    if _are(rows, 3, lambda row: row[1].isdecimal() and int(row[1]) < len(row[0].split(" "))):
        of_cells = ("sentence", "index", "label")
        return DetectedFormat(TOKENS, "rows of a sentence, the place of a word from 0, and a label", of_cells)
    if _are(rows, 2, lambda row: row[0] in ("True", "False")) and rows[0][0] == "True":
        return DetectedFormat(CLAMS, "rows of True or False and a sentence", rows=tuple(map(tuple, rows)))
    return None


def _are(rows: Sequence[Sequence[str]], n_cells: int, is_one: Callable[[Sequence[str]], bool]) -> bool:
    fitting = [len(row) == n_cells and is_one(row) for row in rows]
    return fitting[0] and sum(fitting) >= _ENOUGH * len(rows)


_BY_LINES = (_vectors, _json, _conll, _entities, _pipes, _published_rows)


def _table(
    path: Path, lines: Sequence[str], separator: str | None, quotes: str | None, is_whole: bool
) -> DetectedFormat | None:
    is_whole, lines = is_whole and len(lines) <= _MOST_ROWS, lines[:_MOST_ROWS]
    separators = list(SEPARATORS) if separator is None else [separator]
    if quotes is None and "tab" in separators and _has_quoted_cells(lines):
        separators, quotes = ["tab"], "always"
    quotes = quotes or "csv"
    cut = {name: _cut(lines, SEPARATORS[name], quotes, is_whole) for name in separators}
    fitting = {
        name: rows
        for name, rows in cut.items()
        if rows and len(rows[0]) > 1 and sum(len(row) == len(rows[0]) for row in rows) >= _ENOUGH * len(rows)
    }
    if not fitting:
        return None
    if path.suffix.lower() == ".tsv" and "tab" in fitting:
        fitting = {"tab": fitting["tab"]}
    name, rows = next(iter(fitting.items()))
    n_columns = len(rows[0])
    rows = [row for row in rows if len(row) == n_columns]
    columns = tuple(rows[0]) if _has_names(rows) else ()
    of_names = f" ({', '.join(columns)})" if columns else " without names"
    found = f"a table of {plural(n_columns, 'column')}{of_names}, separated by {name}s"
    return DetectedFormat(TABLE, found, columns, tuple(map(tuple, rows[1 if columns else 0 :])), tuple(fitting), quotes)


def _has_quoted_cells(lines: Sequence[str]) -> bool:
    """Says whether tabs separate cells in quotation marks: those of the first line, and nearly all that are no numbers.

    A cell with a line feed in it has only one of them on a line.
    """
    first, *others = [line.strip(BLANKS).split("\t") for line in lines if line] or [[]]
    cells = [cell for row in others for cell in row if cell and not is_number(cell)]
    n_quoted = sum('"' in (cell[0], cell[-1]) for cell in cells)
    has_first = len(first) > 1 and all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in first)
    return has_first and n_quoted >= _ENOUGH * len(cells)


def _cut(lines: Sequence[str], separator: str, quotes: str, is_whole: bool) -> list[list[str]]:
    """Cuts rows into cells, without last ones that are empty in all rows.

    Where quotation marks do not fit together, a row is a line, as always where they are text. Of a file that goes on,
    the last row may do so, too: it is left out.
    """
    lines = [line for line in lines if line]  # the reader of the format says where one is empty
    if quotes == "none" or (quotes == "csv" and separator == SEPARATORS["tab"]):
        rows = [line.split(separator) for line in lines]
    else:
        reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, strict=True, skipinitialspace=True)
        rows, n_lines = [], 0
        try:
            for row in reader:
                rows.append(row)
                n_lines = reader.line_num
        except csv.Error:
            if is_whole or len(rows) < 2 or len(lines) - n_lines > LONGEST_ROW:
                rows = [cut_row(line, separator, quotes) or line.split(separator) for line in lines]
    rows = [cells for row in rows if any(cells := [cell.strip(BLANKS) for cell in row])]
    filled = [max((place for place, cell in enumerate(row, start=1) if cell), default=0) for row in rows]
    width = max((n for n, row in zip(filled, rows, strict=True) if len(row) <= len(rows[0])), default=0)
    return [row[: max(width, n)] for row, n in zip(rows, filled, strict=True)]


def _check_plain(path: Path, number: int, line: str) -> None:
    """Checks that a first line is not that of XML, of JSON over several lines, or the like."""
    first = line.strip(BLANKS)
    if _NO_TEXT.match(first):
        found = f'the file starts with "{cut(first, 40)}": XML, JSON over several lines, or the like'
        raise MalformedLine(
            path, number, found, "plain text, or a table; of JSON an object a line (jq -c . makes them)"
        )


def _running_text(path: Path, lines: Sequence[str]) -> DetectedFormat:
    """Says that lines are text, unless they are rows of unequal numbers of cells, or what programs read."""
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip(BLANKS)]
    if not numbered:
        raise MalformedLine(path, 1, "the file has no text: all its lines are blank", "at least one line of text")
    _check_plain(path, *numbered[0])
    has_tabs = sum("\t" in line.strip(BLANKS) for _, line in numbered) >= _ENOUGH * len(numbered)
    for name, sign in SEPARATORS.items():
        (_, header), *rows = [(number, cut_row(line, sign, "csv") or line.split(sign)) for number, line in numbered]
        names = [cell.strip(BLANKS).lower() for cell in header]
        are_names = len(names) > 1 and len(set(names)) == len(names) and all(len(name.split()) == 1 for name in names)
        is_header = are_names and bool(_USUAL & set(names))
        odd = next(((number, row) for number, row in rows if len(row) != len(names)), None)
        if odd and (is_header or (has_tabs and name == "tab")):
            raise wrong_number(path, *odd, len(names), name)
    return DetectedFormat(TEXT, "running text")


def _has_names(rows: Sequence[Sequence[str]]) -> bool:
    """Says whether the first row names the columns: by usual names, else by cells that no other row has."""
    first, others = [cell.strip().lower() for cell in rows[0]], rows[1:]
    if len(set(first)) < len(first) or not all(first):
        return bool(_USUAL & set(first))  # a column that is named twice is refused by name
    if _USUAL & set(first):
        return True
    columns = [[row[place] for row in others] for place in range(len(first))]
    recurring = [place for place, cells in enumerate(columns) if len(set(cells)) <= len(cells) / 2]
    return bool(recurring) and all(rows[0][place] not in columns[place] for place in recurring)
