"""`data=<file or folder>`: a user's own data, as the keys that it stands for.

    probe data=words.tsv      suite=table suite.path=words.tsv suite.columns=[word,label]
    train task=pos data=ud    data.corpus=mine '+data.corpora.mine={reader: universal_pos_sentences, train: …, …}'

The format is detected (`polyprobe.formats.detect`); the keys that it makes are printed. What is typed goes before, and
a run has the name of the command in full.
"""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from polyprobe.display.shown import cut, say
from polyprobe.errors import PolyprobeError, UnknownChoice, check_choice, near_names
from polyprobe.formats import detect as kinds
from polyprobe.formats.detect import (
    ROLES,
    DetectedFormat,
    common_format,
    detect_format,
    files_of_folder,
    has_rows,
    usual_columns,
)
from polyprobe.formats.pairs.pair_tables import LABELS, PairFormat
from polyprobe.formats.reading.table_rows import SEPARATORS, Quotes
from polyprobe.runs.command.overrides import SWEEP_FLAGS, CommandLineError, text_of, typed_value
from polyprobe.runs.names.conf_folders import choice_files, file_content, shipped
from polyprobe.runs.names.typed_command import called_as
from polyprobe.splits import SPLITS, split_in_name

_MINIMAL_SETS = (kinds.CLAMS, kinds.BLIMP, kinds.EWOK, kinds.JSON_SETS)  # formats of suite=own, too
_TREEBANKS = (kinds.TREEBANK, kinds.PROPBANK)
_TEXTS = (kinds.TEXT, kinds.TABLE, kinds.CLAMS)  # running text: a text whose lines have as many commas is no table
_READERS = {
    "pos": dict.fromkeys(_TREEBANKS, "universal_pos_sentences"),
    "dep": dict.fromkeys(_TREEBANKS, "dependency_sentences"),
    "ner": {kinds.ENTITIES: "entity_column_sentences"},
    "srl": {kinds.PROPBANK: "universal_propbank_sentences", kinds.CONLL2009: "conll2009_word_sentences"},
    "nli": {kinds.TABLE: "table_pairs", kinds.OBJECTS: "object_pairs"},
    **dict.fromkeys(("lm", "word_vectors"), dict.fromkeys((*_TEXTS, kinds.OBJECTS), "text_sentences")),
    "nmt": dict.fromkeys(_TEXTS, "parallel_sentences"),
    "autoencoder": dict.fromkeys(_TEXTS, "repeated_sentences"),
    "skipthought": dict.fromkeys(_TEXTS, "next_sentences"),
    "seq2tree": dict.fromkeys(_TREEBANKS, "linearised_dependency_trees"),
}
"""By task, of task=sentence by objective: which reader reads a format."""
_ROLES = {
    "pos": ("label",),
    "ner": ("token", "tag"),
    "nli": ("premise", "hypothesis", "label"),
    **dict.fromkeys(("lm", "word_vectors"), ("text",)),
}
"""By task: what `columns` can name a column for."""
_OF_TABLES = ("word", "sentence", "index", "label", "split", "group")
_DEFAULT_COLUMNS = ("word", "sentence", "label", "good", "bad")  # as conf/ names those of suite=table and suite=pairs
_NO_TAGS = (
    "Expected a token and a tag a line, empty lines between sentences; tags such as B-PER, I-PER and O, of IOB, "
    "IOBES, BILOU or BMES. Types without B- and I- (the scheme IO) do not tell neighbours of one type apart."
)
_MEANINGS = {**{label: label for label in LABELS}, "-": "null", "-1": "null"}  # in whatever case; null: no label
_ENTRY = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^,])+""", re.DOTALL)
_FEW, _MOST = 0.25, 0.8  # of the cells of a column with blanks: at most so many are words, at least so many sentences


@dataclass(frozen=True, slots=True)
class OwnData:
    """The files that `data=` names, and what is typed with it."""

    path: str
    """As it is typed."""
    files: Sequence[Path]
    """Train before dev before test, or all of a folder."""
    has_splits: bool
    """Whether their names say which is train, dev and test."""
    found: DetectedFormat
    """The format of all of them."""
    columns: Mapping[str, str]
    """Of `columns={label: class}`, by roles."""
    named: Mapping[str, str]
    """Those, and the columns that keys of the suite name: `suite.label=class`."""
    typed: Mapping[str, str]
    """The other arguments, by keys."""

    @property
    def is_folder(self) -> bool:
        return not Path(self.path).expanduser().is_file()

    @property
    def is_suite(self) -> bool:
        """Whether each folder in it is a test."""
        return self.is_folder and self.files[0].parent != Path(self.path).expanduser()

    def refused(self, reason: str) -> PolyprobeError:
        """Returns the error that names the format and goes on with a reason."""
        return PolyprobeError(f"data={self.path}: {self.found.description}{reason}")

    def check_roles(self, *roles: str) -> None:
        """Checks that columns are named for nothing but what is read."""
        for role in self.columns:
            if role not in roles:
                reason = UnknownChoice("columns: the role", role, roles) if roles else "Expected no columns=."
                raise CommandLineError(f"columns={{{role}: …}} has no effect on these data. {reason}")

    def check_columns(self, names: Sequence[str]) -> None:
        """Checks that the columns that are named are there."""
        for role, name in self.named.items():
            if name not in names and not name.startswith("["):
                raise CommandLineError(f"columns={{{role}: {name}}}: {UnknownChoice('the column', name, names)}")


def with_own_data(name: str, arguments: Sequence[str]) -> list[str]:
    """Writes `data=…` and `columns=…` of a command line as the keys that they stand for, and prints these.

    Args:
        arguments: of its command line; without `data=<file or folder>` they stay as they are.

    Raises:
        CommandLineError: `data` or `columns` is not what it has to be.
        PolyprobeError: there is no such file, it cannot be read, or this command cannot use it, or in several ways.
    """
    makers = {"probe": _probe_keys, "train": _train_keys}
    parts = [one.partition("=")[::2] for one in arguments]
    values = [text_of(value) for key, value in parts if key == "data"]
    if name not in makers or not values or values[-1].startswith("{"):
        return [*arguments]
    if len(values) > 1 or values == [""] or ("," in values[0] and SWEEP_FLAGS & set(arguments)):
        raise CommandLineError("data= must be one file or one folder. Run one command for each.")
    others = [one for one, (key, _) in zip(arguments, parts, strict=True) if key not in ("data", "columns")]
    typed = {key.lstrip("+"): value for key, value in (one.partition("=")[::2] for one in others)}
    data = _own_data(values[0], _columns([value for key, value in parts if key == "columns"]), typed)
    keys, otherwise = makers[name](data)
    keys = [key for key in keys if key.lstrip("+").partition("=")[0] not in typed]
    if "LOCAL_RANK" not in os.environ:  # the first process prints it
        equivalent = f"data={data.path}: {data.found.description}. Equivalent to: {shlex.join(keys)}"
        say(f"{equivalent} (otherwise: {otherwise})", sys.stderr)
    flags = [one for one in others if one.startswith("-")]
    return [*flags, *keys, *(one for one in others if one not in flags)]


def _entries(text: str, brackets: str) -> list[str]:
    """Splits what stands in brackets at commas, but not at those in quotation marks."""
    inside = text.strip().removeprefix(brackets[0]).removesuffix(brackets[1])
    return [one.strip() for one in _ENTRY.findall(inside)] or [""]


def _columns(typed: Sequence[str]) -> dict[str, str]:
    """Reads `{label: class, word: form}`, or `label:class` where a shell has taken off the braces."""
    columns = {}
    for entry in (entry for one in typed for entry in _entries(one, "{}")):
        role, _, column = (part.strip() for part in entry.partition(":"))
        if not column:
            raise CommandLineError(f"columns has \"{entry}\". Expected roles with names: 'columns={{label: class}}'.")
        columns[role] = text_of(column)
    return columns


def _own_data(path: str, columns: Mapping[str, str], typed: Mapping[str, str]) -> OwnData:
    """Finds the files of `data=` and detects their format."""
    example = shipped("docs").parent / path
    if Path(path).parts[:1] == ("docs",) and not Path(path).exists() and example.is_file():
        path = str(example)  # README's commands work in any folder
    place = Path(path).expanduser()
    if not place.exists():
        near = near_names(place.name, [one.name for one in place.parent.iterdir()]) if place.parent.is_dir() else []
        hint = f" Did you mean {' or '.join(str(Path(path).parent / one) for one in near)}?" if near else ""
        raise PolyprobeError(f"data={path} is not there: there is no {place.absolute()}.{hint}")
    files, has_splits = files_of_folder(place) if place.is_dir() else ([place], False)
    keys = {role: typed.get(f"suite.{role}", "null") for role in ROLES}
    named = {**columns, **{role: text_of(name) for role, name in keys.items() if name != "null"}}
    found = common_format(path, {file: _detected(file, bool(columns), {*named.values()}, typed) for file in files})
    return OwnData(path, files, has_splits, found, columns, named, typed)


def _detected(file: Path, is_of_columns: bool, names: set[str], typed: Mapping[str, str]) -> DetectedFormat:
    """Detects the format of a file of which columns are named."""
    given = []
    for key, words in (("suite.separator", SEPARATORS), ("suite.quotes", get_args(Quotes))):
        value = text_of(typed.get(key, "null"))
        check_choice(key, value, [*words, "null"])
        given.append(None if value == "null" else value)
    found = detect_format(file, *given, is_table=typed.get("suite.format") == "table")
    if found.kind == kinds.BLIMP and is_of_columns:
        return replace(found, kind=kinds.OBJECTS)
    if found.kind == kinds.TABLE and not found.columns and names and names <= set(found.rows[0]):
        return replace(found, columns=found.rows[0], rows=found.rows[1:])  # names that only the user knows as such
    return found


# probe.


def _probe_keys(data: OwnData) -> tuple[list[str], str]:
    kind, path = data.found.kind, f"suite.path={typed_value(data.path)}"
    chosen, format_name = data.typed.get("suite"), data.typed.get("suite.format")
    if (file := choice_files("suite").get(chosen or "")) and "path" not in (file_content(file) or {}):
        raise CommandLineError(f"data= and suite={chosen} exclude each other: suite={chosen} has its own files.")
    if (chosen and chosen != "table") or (format_name and format_name not in ("table", "objects")):
        data.check_roles()
        keys = ["suite=pairs", path, *_quotes(data)] if format_name == "pairs_table" else ["suite=own", path]
        return keys, "another suite.format"
    if data.is_suite and kind in (kinds.TABLE, kinds.TOKENS):
        data.check_roles()
        of_linspector = ["suite.format=linspector", f"suite.level={'token' if kind == kinds.TOKENS else 'type'}"]
        is_xprobe = data.files[0].name == "tr.txt"
        return ["suite=own", path, *(["suite.format=xprobe"] if is_xprobe else of_linspector)], "suite.format=…"
    if kind in (kinds.TABLE, kinds.OBJECTS, kinds.TOKENS):
        return _table_keys(data, path)
    if kind in _TREEBANKS:
        data.check_roles("label")
        column = typed_value(data.columns.get("label", "upos"))
        keys = ["suite=own", path, "suite.format=conllu", "suite.level=token", f"suite.column={column}"]
        return keys, "'columns={label: feats.Case}' for another column, suite.level=type for forms alone"
    if kind in (*_MINIMAL_SETS, kinds.SENTEVAL):
        data.check_roles()
        if kind != kinds.SENTEVAL:
            _check_predictor(data)
        return ["suite=own", path, f"suite.format={kind}"], "suite.format=…"
    train = f"{called_as('train')} task="
    raise data.refused(
        {
            kinds.VECTORS: ": an encoder, no items. Expected data=<items> encoder=static_vectors "
            f"encoder.path={data.path}",
            kinds.TEXT: f", which has no labels. To train a model on it: {train}lm data={data.path}",
            kinds.ENTITIES: f". To train a model on them: {train}ner data={data.path}",
            kinds.CONLL2009: f". To train a model on it: {train}srl data={data.path}",
            kinds.PIPES: f". {_NO_TAGS}",
        }[kind]
    )


def _check_predictor(data: OwnData) -> None:
    """Checks that there is a language model to evaluate on minimal pairs."""
    if "predictor" not in data.typed and data.typed.get("check") != "true":
        labels = "; for labels of sentences: suite.format=table 'suite.columns=[label,sentence]'"
        raise data.refused(
            f": minimal pairs, to evaluate a language model on. Add predictor=causal predictor.model=… (or "
            f"predictor=lstm predictor.run=…){labels if data.found.kind == kinds.CLAMS else ''}."
        )


def _check_pairs(data: OwnData) -> None:
    """Checks that a table for a language model has pairs: labels are nothing that it scores."""
    roles = {*usual_columns(data.found), *data.named}
    if data.typed.get("predictor", "null") == "null" or {"good", "bad"} <= roles:
        return
    expected = "'columns={good: …, bad: …}'"
    if not data.found.columns:
        sign = "<tab>" if data.found.separators[0] == "tab" else SEPARATORS[data.found.separators[0]]
        expected = f"a first line with their names, good{sign}bad for the grammatical sentence and its variant"
    raise data.refused(f"; predictor= scores minimal pairs. Expected {expected}.")


def _table_keys(data: OwnData, path: str) -> tuple[list[str], str]:
    """Returns the keys of labelled rows, or of minimal pairs, in a table or objects."""
    is_objects = data.found.kind == kinds.OBJECTS
    if data.found.kind == kinds.TABLE and not data.found.rows:
        raise data.refused(", the names in its first line, and no rows below. Expected words and labels.")
    data.check_roles(*(role for role in ROLES if role not in ("item", "premise", "hypothesis")))
    _check_pairs(data)
    columns, names = _columns_of(data)
    if {"good", "bad"} <= set(columns):
        data.check_roles("good", "bad")
        _check_predictor(data)
        format_name = ["suite.format=blimp"] if is_objects else []
        keys = ["suite=pairs", path, *format_name, *_named(columns, ("good", "bad")), *_quotes(data)]
        return keys, "'columns={good: …, bad: …}' by their names"
    if {"premise", "hypothesis"} <= set(columns):
        train = f"{called_as('train')} task=nli data={data.path}"
        raise data.refused(f": pairs of sentences. To train a model on them: {train}")
    data.check_roles(*_OF_TABLES)
    has_words = bool({"word", "index"} & set(columns))
    level = "type" if "sentence" not in columns else "token" if has_words else "sentence"
    keys = ["suite=table", path, f"suite.level={level}", *(["suite.format=objects"] if is_objects else [])]
    keys += [f"suite.columns=[{','.join(map(typed_value, names))}]"] if names else []
    otherwise = "'columns={word: …, sentence: …, label: …, split: …}' by their names"
    return [*keys, *_named(columns, _OF_TABLES), *_quotes(data)], otherwise


def _quotes(data: OwnData) -> list[str]:
    """Returns the key by which tab-separated cells are read without their quotation marks, where they have such."""
    return ["suite.quotes=always"] if data.found.quotes == "always" else []


def _named(columns: Mapping[str, str], roles: Sequence[str]) -> list[str]:
    """Returns the keys of columns whose names are not the defaults of conf/."""
    named = {role: columns[role] for role in roles if role in columns}
    return [
        f"suite.{role}={typed_value(name)}"
        for role, name in named.items()
        if role not in _DEFAULT_COLUMNS or name != role
    ]


def _names(found: DetectedFormat) -> list[str]:
    return list(found.columns) or [f"column{number}" for number in range(1, len(found.rows[0]) + 1)]


def _columns_of(data: OwnData, needed: Sequence[str] | None = None) -> tuple[dict[str, str], list[str]]:
    """Returns which column is what, by roles, and names of all columns where the first line does not have them.

    Names that are usual say it; of two columns that are left, or one, the cells do.

    Args:
        needed: roles without which rows say nothing; None: what is labelled, and the label.
    """
    found, named, given = data.found, data.named, data.typed.get("suite.columns")
    if len(found.separators) > 1:
        signs = " or ".join(f"suite.separator={one}" for one in found.separators)
        raise data.refused(f", or by {found.separators[1]}s: all rows have equally many of both. Expected {signs}.")
    names = _names(found) if given is None else [text_of(one) for one in _entries(given, "[]")]
    usual = usual_columns(replace(found, columns=tuple(names)))
    columns = {**{role: name for role, name in usual.items() if name not in named.values()}, **named}
    data.check_columns(names)
    cells = dict(zip(names, zip(*found.rows, strict=True), strict=False)) if found.rows else {}
    with_blanks = {name: sum(" " in cell for cell in of_name) / len(of_name) for name, of_name in cells.items()}
    if (item := columns.pop("item", None)) and not {"word", "sentence"} & set(columns):
        columns["sentence" if with_blanks.get(item, 0) >= _MOST else "word"] = item
    lacking = _lacking(columns) if needed is None else [role for role in needed if role not in columns]
    left = [name for name in names if name not in columns.values() and name.lower() not in ("id", "idx", "")]
    by_recurrence = sorted(left, key=lambda name: -len(set(cells.get(name, ()))))  # labels recur
    # Cells do not say which of two sentences is the premise.
    is_item = lacking[:1] == ["word"] and not any(_FEW < with_blanks.get(one, 0) < _MOST for one in by_recurrence[:1])
    if lacking and (len(lacking) != len(left) or not (is_item or lacking == ["label"])):
        raise data.refused(f"; {_which(lacking, needed or lacking, found, names)}")
    for role, name in zip(lacking, by_recurrence, strict=False):
        columns["sentence" if role == "word" and with_blanks.get(name, 0) >= _MOST else role] = name
    if given is not None or (found.columns and found.kind != kinds.TOKENS):
        return columns, []
    role_of = {name: role for role, name in columns.items()}
    return {role: role for role in columns}, [role_of.get(name, name) for name in names]


def _lacking(columns: Mapping[str, str]) -> list[str]:
    """Returns the roles that have no column yet, without which rows say nothing: what is labelled, before the label."""
    if {"good", "bad"} <= set(columns):
        return []
    has_items = {"word", "sentence"} & set(columns) or {"premise", "hypothesis"} <= set(columns)
    return [*([] if has_items else ["word"]), *([] if "label" in columns else ["label"])]


def _which(lacking: Sequence[str], needed: Sequence[str], found: DetectedFormat, names: Sequence[str]) -> str:
    """Returns the question which columns the lacking roles have, and the key that answers it."""
    roles = " and which the ".join("text (word or sentence)" if role == "word" else role for role in lacking)
    first = "" if found.columns else f" (its first line is {cut(' | '.join(found.rows[0]), 80)})"
    expected = ", ".join(f"{'sentence' if role == 'word' else role}: …" for role in needed)
    or_word = ", or word: … in place of sentence" if "word" in lacking else ""
    has = f"Its columns are {', '.join(names)}{first}"
    return f"which of them is the {roles}? {has}. Expected 'columns={{{expected}}}'{or_word}."


# train.


def _train_keys(data: OwnData) -> tuple[list[str], str]:
    task, objective, kind = data.typed.get("task"), data.typed.get("objective") or "nmt", data.found.kind
    learned = objective if task == "sentence" else task
    serving = " or ".join(
        f"task={one}" if one in choice_files("task") else f"task=sentence objective={one}"
        for one, readers in _READERS.items()
        if kind in readers and (kind == kinds.TEXT or kinds.TEXT not in readers)
    )
    if learned not in _READERS:
        reason = "which of these?" if task is None else f"task={task} has no reader for it."
        raise CommandLineError(str(data.refused(f"; {reason} Expected {serving or 'other data'}.")))
    data.check_roles(*_ROLES.get(learned, ()))
    if kind not in _READERS[learned] or data.is_suite:
        lacks_tags = kind == kinds.PIPES or (learned == "ner" and kind in (*_TEXTS, kinds.OBJECTS))
        hint = _NO_TAGS if lacks_tags else f"It is for {serving}." if serving else ""
        raise data.refused(f", which task={task} does not read. {hint}")
    if task == "sentence" and has_rows(data.found):
        raise data.refused(f", but task={task} objective={objective} reads one sentence per line.")
    entry = {"objective": objective} if task == "sentence" else {}
    entry |= {"reader": _READERS[learned][kind]}
    if learned == "nmt":
        entry |= _translations(data)
    else:
        options = _OPTIONS[learned](data) if learned in _OPTIONS else {}
        entry |= {"reader_options": options} if options else {}
        entry |= _splits(data, data.files, learned)
    keys = ["data.corpus=mine", f"+data.corpora.mine={typed_value(entry)}"]
    keys += [] if data.typed.get("lang") or data.typed.get("experiment") else ["lang=und"]
    return keys, "'+data.corpora.mine={reader: …, train: …, dev: …, test: …}' data.corpus=mine"


def _splits(data: OwnData, files: Sequence[Path], learned: str) -> dict[str, object]:
    """Returns the files of the splits: those with such names, or parts of all files, drawn or, of texts, in order."""

    def paths(split: str | None) -> str | list[str]:
        kept = [file.name for file in files if split is None or split_in_name(file) == split]
        written = [str(Path(data.path) / name) if data.is_folder else data.path for name in kept]
        return written[0] if len(written) == 1 else written

    if data.has_splits:
        return {split: paths(split) for split in SPLITS}
    if learned == "word_vectors":
        return {"train": paths(None)}
    shares = {"train": [0, 0.8], "dev": [0.8, 0.9], "test": [0.9, 1]}
    drawn = {} if kinds.TEXT in _READERS[learned] else {"split_seed": 1}
    return {**dict.fromkeys(SPLITS, paths(None)), "shares": shares, **drawn}


def _translations(data: OwnData) -> dict[str, object]:
    """Returns the files of one language, and by which ending those of the other are found beside them."""
    first = data.files[0]
    beside = [one for one in sorted(first.parent.iterdir()) if one.stem == first.stem]
    endings = list(dict.fromkeys(one.suffix for one in (data.files if data.is_folder else beside)))
    source = f".{data.typed.get('lang')}" if data.is_folder else first.suffix
    if len(endings) != 2:
        raise PolyprobeError(
            f"data={data.path} has files that end in {', '.join(endings)}. Expected two files of one name, such as "
            "text.xno and text.en."
        )
    if source not in endings:
        codes = " or ".join(f"lang={ending[1:]}" for ending in endings)
        raise PolyprobeError(
            f"data={data.path} has translations; the direction is not clear. Expected {codes}, the source."
        )
    (target,) = (ending for ending in endings if ending != source)
    texts = [one for one in data.files if one.suffix == source]
    return {"further_files": {"target": {"replace": source, "by": target}}, **_splits(data, texts, "nmt")}


def _pair_options(data: OwnData) -> dict[str, object]:
    found, roles, key = data.found, _ROLES["nli"], "data.corpora.mine.reader_options.labels"
    if not data.columns and not found.columns and len(found.rows[0]) == 3:
        return {"separator": found.separators[0], "columns": [*roles]}
    columns, names = _columns_of(data, roles)
    labels = {row[found.columns.index(columns["label"])] for row in found.rows} if found.columns else set()
    known = {*PairFormat().labels, *(["null"] if found.kind == kinds.OBJECTS else [])}
    if (unknown := sorted(labels - known)) and key not in data.typed:
        means = ", ".join(f"{label}: {_MEANINGS.get(label.lower(), '…')}" for label in sorted(labels))
        expected = f"Expected {', '.join(LABELS[:3])}, or what each means: '+{key}={{{means}}}'"
        raise data.refused(f"; its labels are {', '.join(unknown[:5])}. {expected}.")
    named = {role: columns[role] for role in roles if columns[role] != role}
    if found.kind == kinds.OBJECTS:
        return named
    quotes = {"quotes": "csv"} if found.quotes == "always" else {}
    return {"separator": found.separators[0], **quotes, **({"columns": names} if names else {}), **named}


def _entity_options(data: OwnData) -> dict[str, object]:
    names = [f"column{number}" for number in range(1, len(data.found.columns) + 1)]
    data.check_columns(names)
    seen = {role: name for name, role in zip(names, data.found.columns, strict=True) if role in _ROLES["ner"]}
    roles = {name: role for role, name in {**seen, **data.columns}.items()}
    if lacking := [role for role in ("tag", "token") if role not in roles.values()]:
        raise data.refused(f"; which of them is the {lacking[0]}? Expected 'columns={{{lacking[0]}: column…}}'.")
    return {"separator": data.found.separators[0], "columns": [roles.get(name, name) for name in names]}


def _text_options(data: OwnData) -> dict[str, object]:
    """Returns the column, or the key of objects, that has the text, and how rows are cut."""
    found = data.found
    column = data.columns.get("text") or usual_columns(found).get("sentence")
    if column is None and not (found.kind == kinds.OBJECTS or has_rows(found)):
        return {}
    if found.kind == kinds.TEXT:
        raise data.refused("; columns= names a column of a table, or a key of JSON objects.")
    names = _names(found)
    if column is None:
        some = "" if found.columns else f" Its first line is {cut(' | '.join(found.rows[0]), 80)}."
        expected = f"'columns={{text: {'…' if found.columns else names[-1]}}}'"
        raise data.refused(f"; which of them is the text?{some} Expected {expected}.")
    data.check_columns(names)
    if found.kind == kinds.OBJECTS:
        return {"column": column}
    quotes = {"quotes": found.quotes} if found.quotes == "always" else {}
    unnamed = {} if found.columns else {"columns": names}
    return {"column": column, "separator": (found.separators or ("tab",))[0], **quotes, **unnamed}


_OPTIONS = {
    "ner": _entity_options,
    "pos": lambda data: {"column": data.columns["label"]} if data.columns else {},
    **dict.fromkeys(("lm", "word_vectors"), _text_options),
    "nli": _pair_options,
}
"""By task: what its reader has to know of the files."""
