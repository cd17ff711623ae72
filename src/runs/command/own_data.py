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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

from polyprobe.display.shown import cut, say
from polyprobe.errors import PolyprobeError, UnknownChoice, check_choice, near_names
from polyprobe.formats import detect as kinds
from polyprobe.formats.detect import ROLES, DetectedFormat, detect_format, has_rows, usual_columns
from polyprobe.formats.pairs.pair_tables import LABELS, PairFormat
from polyprobe.formats.reading.table_rows import SEPARATORS, Quotes
from polyprobe.runs.command.overrides import SWEEP_FLAGS, CommandLineError, text_of, typed_value
from polyprobe.runs.names.conf_folders import choice_files, file_content, shipped
from polyprobe.runs.names.typed_command import called_as
from polyprobe.splits import SPLITS, split_in_name

PAIRS_TABLE, TABLES = "pairs_table", ("table", "objects")
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
"""By task, of task=sentence by objective: which reader reads what a file is."""
_ROLES = {
    "pos": ("label",),
    "ner": ("token", "tag"),
    "nli": ("premise", "hypothesis", "label"),
    **dict.fromkeys(("lm", "word_vectors"), ("text",)),
}
"""By task: what `columns` can name a column for."""
_NO_TAGS = (
    ". Expected a token and a tag a line, empty lines between sentences; tags such as B-PER, I-PER and O, of IOB, "
    "IOBES, BILOU or BMES. Types without B- and I- (the scheme IO) do not tell neighbours of one type apart."
)
_MEANINGS = {**{label: label for label in LABELS}, "-": "null", "-1": "null"}  # in whatever case; null: no label
_LABELS_KEY = "data.corpora.mine.reader_options.labels"
_SENTENCES = "sentence"  # the task whose objective says what is read
_ENTRY = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^,])+""", re.DOTALL)
_FEW, _MOST = 0.25, 0.8  # of the cells of a column with blanks: at most so many are words, at least so many sentences
_MOST_FILES = 100  # of a folder that are looked at
_LEFT_OUT = re.compile(r"[.~]|readme|licen[sc]e|changelog|.*\.(md|rst|yaml|yml|pdf)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed beside `data=`."""

    arguments: Sequence[str]
    columns: Mapping[str, str]
    """Of `columns={label: class}`, by roles."""

    def value(self, key: str) -> str | None:
        """Returns what is typed for a key, the last if it is typed twice; None where it is not."""
        named = [one.lstrip("+").partition("=")[::2] for one in self.arguments]
        return next((value for name, value in reversed(named) if name == key), None)

    def choice(self, key: str, choices: Iterable[str]) -> str | None:
        """Returns what is typed for a key that has one of some words or null; None for null, too."""
        value = text_of(self.value(key) or "null")
        check_choice(key, value, [*choices, "null"])
        return None if value == "null" else value

    def named_columns(self) -> dict[str, str]:
        """Returns the names of columns that are typed, by roles: in `columns`, or as keys of the suite."""
        keys = {role: self.value(f"suite.{role}") for role in ROLES}
        return {**self.columns, **{role: text_of(name) for role, name in keys.items() if name not in (None, "null")}}

    def check_roles(self, *roles: str) -> None:
        """Checks that columns are named for nothing but what is read."""
        for role in self.columns:
            if not roles:
                raise CommandLineError(f"columns={{{role}: …}} has no effect on these data. Expected no columns=.")
            if role not in roles:
                raise CommandLineError(str(UnknownChoice("columns: the role", role, roles)))

    def check_columns(self, names: Sequence[str]) -> None:
        """Checks that the columns that are named are there, and each is one thing, or a group besides."""
        roles = {name: role for role, name in reversed(self.columns.items()) if role != "group"}
        for role, name in self.columns.items():
            if role != "group" and roles[name] != role:
                found = f"columns={{{roles[name]}: {name}, {role}: {name}}} names one column twice"
                raise CommandLineError(f"{found}. Expected a column for each. Known: {', '.join(names)}.")
        for role, name in self.named_columns().items():
            if name not in names and not name.startswith("["):
                raise CommandLineError(f"columns={{{role}: {name}}}: {UnknownChoice('the column', name, names)}")


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """What is at the path of `data=`."""

    typed: str
    files: Sequence[Path]
    """Those that are read, train before dev before test, or all of a folder."""
    has_splits: bool
    """Whether their names say which is train, dev and test."""
    found: DetectedFormat
    """What the first of them is, and so all others."""

    @property
    def is_folder(self) -> bool:
        return not Path(self.typed).expanduser().is_file()

    @property
    def is_suite(self) -> bool:
        """Whether each folder in it is a test."""
        return self.files[0].parent != Path(self.typed).expanduser() and self.is_folder

    def refused(self, reason: str) -> PolyprobeError:
        """Returns the error that says what the data are and why they are of no use here."""
        return PolyprobeError(f"data={self.typed}: {self.found.description}{reason}")

    def paths(self) -> list[str]:
        """Returns the files as a user would type them."""
        return [str(Path(self.typed) / file.name) if self.is_folder else self.typed for file in self.files]


def with_own_data(name: str, arguments: Sequence[str]) -> list[str]:
    """Writes `data=…` and `columns=…` of a command line as the keys that they stand for, and prints these.

    Args:
        arguments: of its command line; without `data=<file or folder>` they stay as they are.

    Raises:
        CommandLineError: `data` or `columns` is not what it has to be.
        PolyprobeError: there is no such file, it cannot be read, or what it is serves this command in no way, or in
            several.
    """
    makers = {"probe": _of_probe, "train": _of_train}
    values = [text_of(one.partition("=")[2]) for one in arguments if one.partition("=")[0] == "data"]
    if name not in makers or not values or values[-1].startswith("{"):
        return [*arguments]
    if values == [""]:
        raise CommandLineError("data= names nothing. Expected data=<file or folder>.")
    if len(values) > 1 or ("," in values[0] and SWEEP_FLAGS & set(arguments)):
        raise CommandLineError("data= must be one file or one folder. Run one command for each.")
    named = [one.partition("=")[2] for one in arguments if one.partition("=")[0] == "columns"]
    others = [one for one in arguments if one.partition("=")[0] not in ("data", "columns")]
    typed = Typed(others, _columns(named))
    data = _own_files(values[0], typed)
    keys, otherwise = makers[name](data, typed)
    keys = [key for key in keys if typed.value(key.lstrip("+").partition("=")[0]) is None]
    if "LOCAL_RANK" not in os.environ:  # the first process prints it
        equivalent = f"data={data.typed}: {data.found.description}. Equivalent to: {shlex.join(keys)}"
        say(f"{equivalent} (otherwise: {otherwise})", sys.stderr)
    flags = [one for one in others if one.startswith("-")]
    return [*flags, *keys, *(one for one in others if one not in flags)]


def _without(brackets: str, text: str) -> str:
    return text.strip().removeprefix(brackets[0]).removesuffix(brackets[1])


def _entries(text: str) -> list[str]:
    """Splits at commas, but not at those in quotation marks."""
    return [one.strip() for one in _ENTRY.findall(text)] or [""]


def _columns(typed: Sequence[str]) -> dict[str, str]:
    """Reads `{label: class, word: form}`, or `label:class` where a shell has taken off the braces."""
    columns = {}
    for entry in (entry for one in typed for entry in _entries(_without("{}", one))):
        role, colon, column = (part.strip() for part in entry.partition(":"))
        if not colon or not column:
            raise CommandLineError(f"columns has \"{entry}\". Expected roles with names: 'columns={{label: class}}'.")
        columns[role] = text_of(column)
    return columns


# What is at a path.


def _own_files(typed_path: str, typed: Typed) -> OwnFiles:
    example = shipped("docs").parent / typed_path
    if Path(typed_path).parts[:1] == ("docs",) and not Path(typed_path).exists() and example.is_file():
        typed_path = str(example)  # README's commands work in any folder
    place = Path(typed_path).expanduser()
    if not place.exists():
        near = near_names(place.name, [one.name for one in place.parent.iterdir()]) if place.parent.is_dir() else []
        hint = f" Did you mean {' or '.join(str(Path(typed_path).parent / one) for one in near)}?" if near else ""
        raise PolyprobeError(f"data={typed_path} is not there: there is no {place.absolute()}.{hint}")
    detect = partial(_detected, typed)
    if not place.is_dir():
        return OwnFiles(typed_path, [place], False, detect(place))
    files, has_splits = _files_of_folder(place)
    found = {file: detect(file) for file in files}
    if not files:
        parts = [one / part for one in sorted(place.iterdir()) for part in ("train.txt", "tr.txt")]
        first = next((part for part in parts if part.is_file()), None)
        if first is None:
            expected = "Expected one file, or train, dev and test"
            raise PolyprobeError(f"data={typed_path} has no file that is read. {expected}.")
        return OwnFiles(typed_path, [first], False, detect(first))
    different = {one.kind: file for file, one in reversed(found.items())}
    if len(different) > 1:
        listed = "; ".join(f"{file.name} is {found[file].description}" for file in reversed(different.values()))
        raise PolyprobeError(
            f"data={typed_path} has files of several formats: {listed}. Expected one: data=<one file>."
        )
    _check_headers(typed_path, found)
    return OwnFiles(typed_path, files, has_splits, found[files[0]])


def _detected(typed: Typed, file: Path) -> DetectedFormat:
    cut_by = [typed.choice("suite.separator", SEPARATORS), typed.choice("suite.quotes", get_args(Quotes))]
    names = set(typed.named_columns().values())
    try:
        found = detect_format(file, *cut_by, is_table=typed.value("suite.format") == "table")
    except OSError as error:
        raise PolyprobeError(f"{file} cannot be read: {error.strerror}.") from error
    if found.kind == kinds.BLIMP and typed.columns:
        return replace(found, kind=kinds.OBJECTS)
    if found.kind == kinds.TABLE and not found.columns and names and names <= set(found.rows[0]):
        return replace(found, columns=found.rows[0], rows=found.rows[1:])  # names that only the user knows as such
    return found


def _check_headers(typed_path: str, found: Mapping[Path, DetectedFormat]) -> None:
    """Checks that of several tables all have names of columns or none, where names are usual ones."""
    named = [file for file, one in found.items() if one.kind == kinds.TABLE and usual_columns(one)]
    unnamed = [file for file, one in found.items() if one.kind == kinds.TABLE and not one.columns]
    if named and unnamed:
        header = ", ".join(found[named[0]].columns)
        raise PolyprobeError(
            f"data={typed_path}: line 1 of {named[0].name} has names of columns ({header}), line 1 of "
            f"{unnamed[0].name} has none ({cut(' | '.join(found[unnamed[0]].rows[0]), 80)}). Expected names in all of "
            "them, or in none."
        )


def _files_of_folder(folder: Path) -> tuple[list[Path], bool]:
    """Returns the files of the splits, in their order, where there are such; else all that may be data."""
    files = sorted(one for one in folder.iterdir() if one.is_file() and not _LEFT_OUT.match(one.name))
    of_split = {split: [file for file in files if split_in_name(file) == split] for split in SPLITS}
    if all(of_split.values()):
        return [file for split in SPLITS for file in of_split[split]], True
    if some := [split for split in SPLITS if of_split[split]]:
        lacking = [split for split in SPLITS if split not in some]
        raise PolyprobeError(
            f"data={folder} has {' and '.join(of_split[some[0]][0].name for _ in some[:1])}, but no file of "
            f"{' and none of '.join(lacking)}. Expected one each for train, dev and test, or a single "
            "file, which is split."
        )
    return files[:_MOST_FILES], False


# probe.


def _of_probe(data: OwnFiles, typed: Typed) -> tuple[list[str], str]:
    kind, path = data.found.kind, f"suite.path={typed_value(data.typed)}"
    chosen, format_name = typed.value("suite"), typed.value("suite.format")
    if (file := choice_files("suite").get(chosen or "")) and "path" not in (file_content(file) or {}):
        raise CommandLineError(f"data= and suite={chosen} exclude each other: suite={chosen} has its own files.")
    if (chosen and chosen != "table") or (format_name and format_name not in TABLES):
        typed.check_roles()
        keys = ["suite=pairs", path, *_quotes(data)] if format_name == PAIRS_TABLE else ["suite=own", path]
        return keys, "another suite.format"
    if data.is_suite and kind in (kinds.TABLE, kinds.TOKENS):
        level = "token" if kind == kinds.TOKENS else "type"
        of_linspector = ["suite.format=linspector", f"suite.level={level}"]
        has_parts = data.files[0].name == "tr.txt"
        typed.check_roles()
        return ["suite=own", path, *(["suite.format=xprobe"] if has_parts else of_linspector)], "suite.format=…"
    if kind in (kinds.TABLE, kinds.OBJECTS, kinds.TOKENS):
        return _of_table(data, typed, path)
    if kind in _TREEBANKS:
        typed.check_roles("label")
        column = typed.columns.get("label", "upos")
        keys = ["suite=own", path, "suite.format=conllu", "suite.level=token", f"suite.column={typed_value(column)}"]
        return keys, "'columns={label: feats.Case}' for another column, suite.level=type for forms alone"
    if kind in (*_MINIMAL_SETS, kinds.SENTEVAL):
        typed.check_roles()
        if kind != kinds.SENTEVAL:
            _check_predictor(data, typed)
        return ["suite=own", path, f"suite.format={kind}"], "suite.format=…"
    raise data.refused(_no_tests(data))


def _no_tests(data: OwnFiles) -> str:
    """Says, as the end of a sentence, which command data without labels for probes are for."""
    train, path = f"{called_as('train')} task=", data.typed
    return {
        kinds.VECTORS: f": an encoder, no items. Expected data=<items> encoder=static_vectors encoder.path={path}",
        kinds.TEXT: f", which has no labels. To train a model on it: {train}lm data={path}",
        kinds.ENTITIES: f". To train a model on them: {train}ner data={path}",
        kinds.CONLL2009: f". To train a model on it: {train}srl data={path}",
        kinds.PIPES: _NO_TAGS,
    }[data.found.kind]


def _check_predictor(data: OwnFiles, typed: Typed) -> None:
    if typed.value("predictor") is None and typed.value("check") != "true":
        labels = "; for labels of sentences: suite.format=table 'suite.columns=[label,sentence]'"
        raise data.refused(
            f": minimal pairs, to evaluate a language model on. Add predictor=causal predictor.model=… (or "
            f"predictor=lstm predictor.run=…){labels if data.found.kind == kinds.CLAMS else ''}."
        )


def _check_pairs(data: OwnFiles, typed: Typed) -> None:
    """Checks that a table for a language model has pairs: labels are nothing that it scores."""
    roles = {*usual_columns(data.found), *typed.named_columns()}
    if typed.value("predictor") in (None, "null") or {"good", "bad"} <= roles:
        return
    expected = "'columns={good: …, bad: …}'"
    if not data.found.columns:
        sign = "<tab>" if data.found.separators[0] == "tab" else SEPARATORS[data.found.separators[0]]
        expected = f"a first line with their names, good{sign}bad for the grammatical sentence and its variant"
    raise data.refused(f"; predictor= scores minimal pairs. Expected {expected}.")


def _of_table(data: OwnFiles, typed: Typed, path: str) -> tuple[list[str], str]:
    """Returns the keys of labelled rows, or of minimal pairs, in a table or objects."""
    if data.found.kind == kinds.TABLE and not data.found.rows:
        raise data.refused(", the names in its first line, and no rows below. Expected words and labels.")
    typed.check_roles(*(role for role in ROLES if role not in ("item", "premise", "hypothesis")))
    _check_pairs(data, typed)
    columns, names = _columns_of(data, typed)
    otherwise = "'columns={word: …, sentence: …, label: …, split: …}' by their names"
    if {"good", "bad"} <= set(columns):
        typed.check_roles("good", "bad")
        _check_predictor(data, typed)
        format_name = ["suite.format=blimp"] if data.found.kind == kinds.OBJECTS else []
        keys = ["suite=pairs", path, *format_name, *_named(columns, ("good", "bad")), *_quotes(data)]
        return keys, "'columns={good: …, bad: …}' by their names"
    if {"premise", "hypothesis"} <= set(columns):
        train = f"{called_as('train')} task=nli data={data.typed}"
        raise data.refused(f": pairs of sentences. To train a model on them: {train}")
    roles = ("word", "sentence", "index", "label", "split", "group")
    typed.check_roles(*roles)
    has_words = bool({"word", "index"} & set(columns))
    level = "type" if "sentence" not in columns else "token" if has_words else "sentence"
    keys = ["suite=table", path, f"suite.level={level}"]
    keys += ["suite.format=objects"] if data.found.kind == kinds.OBJECTS else []
    keys += [f"suite.columns=[{','.join(map(typed_value, names))}]"] if names else []
    return keys + _named(columns, roles) + _quotes(data), otherwise


def _quotes(data: OwnFiles) -> list[str]:
    """Returns the key by which tab-separated cells are read without their quotation marks, where they have such."""
    return ["suite.quotes=always"] if data.found.quotes == "always" else []


def _columns_of(data: OwnFiles, typed: Typed, needed: Sequence[str] | None = None) -> tuple[dict[str, str], list[str]]:
    """Returns which column is what, by roles, and names of all columns where the first line does not have them.

    Names that are usual say it; of two columns that are left, or one, the cells do.

    Args:
        needed: roles without which rows say nothing; None: what is labelled, and the label.
    """
    found = data.found
    if len(found.separators) > 1:
        signs = " or ".join(f"suite.separator={one}" for one in found.separators)
        raise data.refused(f", or by {found.separators[1]}s: all rows have equally many of both. Expected {signs}.")
    named, given = typed.named_columns(), typed.value("suite.columns")
    names = list(found.columns) or [f"column{number}" for number in range(1, len(found.rows[0]) + 1)]
    names = names if given is None else [text_of(one) for one in _entries(_without("[]", given))]
    usual = usual_columns(replace(found, columns=tuple(names)))
    columns = {**{role: name for role, name in usual.items() if name not in named.values()}, **named}
    typed.check_columns(names)
    cells = dict(zip(names, zip(*found.rows, strict=True), strict=False)) if found.rows else {}
    with_blanks = {name: sum(" " in cell for cell in of_name) / len(of_name) for name, of_name in cells.items()}
    if (item := columns.pop("item", None)) and not {"word", "sentence"} & set(columns):
        columns["sentence" if with_blanks.get(item, 0) >= _MOST else "word"] = item
    lacking = _lacking(columns) if needed is None else [role for role in needed if role not in columns]
    left = [name for name in names if name not in columns.values() and name.lower() not in ("id", "idx", "")]
    by_recurrence = sorted(left, key=lambda name: -len(set(cells.get(name, ()))))  # labels recur
    item = next(iter(by_recurrence), "")
    is_item = lacking[:1] == ["word"] and not _FEW < with_blanks.get(item, 0) < _MOST
    is_clear = is_item or lacking == ["label"]  # which of two sentences is the premise cells do not say
    if lacking and (len(lacking) != len(left) or not is_clear):
        roles = ["text (word or sentence)" if role == "word" else role for role in lacking]
        has = f"Its columns are {', '.join(names)}"
        first = "" if found.columns else f" (its first line is {cut(' | '.join(found.rows[0]), 80)})"
        expected = ", ".join(f"{'sentence' if role == 'word' else role}: …" for role in needed or lacking)
        or_word = ", or word: … in place of sentence" if "word" in lacking else ""
        raise data.refused(
            f"; which of them is the {' and which the '.join(roles)}? {has}{first}. "
            f"Expected 'columns={{{expected}}}'{or_word}."
        )
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


def _named(columns: Mapping[str, str], roles: Sequence[str]) -> list[str]:
    """Returns the keys of columns whose names are not the defaults of conf/."""
    as_shipped = {"word": "word", "sentence": "sentence", "label": "label", "good": "good", "bad": "bad"}
    named = {role: columns[role] for role in roles if role in columns}
    return [f"suite.{role}={typed_value(name)}" for role, name in named.items() if as_shipped.get(role) != name]


# train.


def _of_train(data: OwnFiles, typed: Typed) -> tuple[list[str], str]:
    task, objective = typed.value("task"), typed.value("objective") or "nmt"
    learned = objective if task == _SENTENCES else task
    kind = data.found.kind
    serving = " or ".join(
        f"task={one}" if one in choice_files("task") else f"task=sentence objective={one}"
        for one, readers in _READERS.items()
        if kind in readers and (kind == kinds.TEXT or kinds.TEXT not in readers)
    )
    if learned not in _READERS:
        reason = "which of these?" if task is None else f"task={task} has no reader for it."
        raise CommandLineError(str(data.refused(f"; {reason} Expected {serving or 'other data'}.")))
    typed.check_roles(*_ROLES.get(learned, ()))
    if kind not in _READERS[learned] or data.is_suite:
        lacks_tags = kind == kinds.PIPES or (learned == "ner" and kind in (*_TEXTS, kinds.OBJECTS))
        hint = _NO_TAGS[2:] if lacks_tags else f"It is for {serving}." if serving else ""
        raise data.refused(f", which task={task} does not read. {hint}")
    if task == _SENTENCES and has_rows(data.found):
        raise data.refused(f", but task={task} objective={objective} reads one sentence per line.")
    entry = {"reader": _READERS[learned][kind], **_OF_READER.get(learned, lambda *_: {})(data, typed)}
    if task == _SENTENCES:
        entry = {"objective": objective, **entry}
    entry |= entry.get("files") or _splits(data, learned)
    entry.pop("files", None)
    keys = ["data.corpus=mine", f"+data.corpora.mine={typed_value(entry)}"]
    keys += [] if typed.value("lang") or typed.value("experiment") else ["lang=und"]
    return keys, "'+data.corpora.mine={reader: …, train: …, dev: …, test: …}' data.corpus=mine"


def _splits(data: OwnFiles, learned: str) -> dict[str, object]:
    """Returns the files of the splits: those with such names, or parts of all files, drawn or, of texts, in order."""
    paths = data.paths()
    if data.has_splits:
        return {split: _one_or_all([one for one in paths if split_in_name(Path(one)) == split]) for split in SPLITS}
    if learned == "word_vectors":
        return {"train": _one_or_all(paths)}
    drawn = {} if _READERS[learned].get(kinds.TEXT) else {"split_seed": 1}
    return {
        **dict.fromkeys(SPLITS, _one_or_all(paths)),
        "shares": {"train": [0, 0.8], "dev": [0.8, 0.9], "test": [0.9, 1]},
        **drawn,
    }


def _one_or_all(paths: Sequence[str]) -> str | Sequence[str]:
    return paths[0] if len(paths) == 1 else paths


def _of_pairs(data: OwnFiles, typed: Typed) -> dict[str, object]:
    """Returns the options of a reader of pairs of sentences."""
    found = data.found
    if not typed.columns and not found.columns and len(found.rows[0]) == 3:
        return {"reader_options": {"separator": found.separators[0], "columns": ["premise", "hypothesis", "label"]}}
    columns, names = _columns_of(data, typed, _ROLES["nli"])
    named = {role: columns[role] for role in _ROLES["nli"] if columns[role] != role}
    labels = {row[found.columns.index(columns["label"])] for row in found.rows} if found.columns else set()
    known = {*PairFormat().labels, *(["null"] if found.kind == kinds.OBJECTS else [])}
    if (unknown := sorted(labels - known)) and typed.value(_LABELS_KEY) is None:
        means = ", ".join(f"{label}: {_MEANINGS.get(label.lower(), '…')}" for label in sorted(labels))
        expected = f"Expected {', '.join(LABELS[:3])}, or what each means: '+{_LABELS_KEY}={{{means}}}'"
        raise data.refused(f"; its labels are {', '.join(unknown[:5])}. {expected}.")
    if found.kind == kinds.OBJECTS:
        return {"reader_options": named} if named else {}
    given = {"quotes": "csv"} if found.quotes == "always" else {}
    given |= {"columns": names} if names else {}
    return {"reader_options": {"separator": found.separators[0], **given, **named}}


def _of_translations(data: OwnFiles, typed: Typed) -> dict[str, object]:
    """Returns the files of one language, and by which ending those of the other are found beside them."""
    folder = data.files[0].parent
    files = (
        data.files if data.is_folder else [one for one in sorted(folder.iterdir()) if one.stem == data.files[0].stem]
    )
    endings = list(dict.fromkeys(one.suffix for one in files))
    source = f".{typed.value('lang')}" if data.is_folder else data.files[0].suffix
    if len(endings) != 2:
        found = f"has files that end in {', '.join(endings)}" if endings else "has no files"
        raise PolyprobeError(
            f"data={data.typed} {found}. Expected two files of one name, such as text.xno and text.en."
        )
    if source not in endings:
        codes = " or ".join(f"lang={ending[1:]}" for ending in endings)
        raise PolyprobeError(
            f"data={data.typed} has translations; the direction is not clear. Expected {codes}, the source."
        )
    (target,) = (ending for ending in endings if ending != source)
    texts = [one for one in data.files if one.suffix == source]
    parts = _splits(OwnFiles(data.typed, texts, data.has_splits, data.found), "nmt")
    return {"further_files": {"target": {"replace": source, "by": target}}, "files": parts}


def _of_entities(data: OwnFiles, typed: Typed) -> dict[str, object]:
    """Returns the options of a reader of entities."""
    names = [f"column{number}" for number in range(1, len(data.found.columns) + 1)]
    typed.check_columns(names)
    seen = {role: name for name, role in zip(names, data.found.columns, strict=True) if role in _ROLES["ner"]}
    roles = {name: role for role, name in {**seen, **typed.columns}.items()}
    if lacking := [role for role in ("tag", "token") if role not in roles.values()]:
        raise data.refused(f"; which of them is the {lacking[0]}? Expected 'columns={{{lacking[0]}: column…}}'.")
    columns = [roles.get(name, name) for name in names]
    return {"reader_options": {"separator": data.found.separators[0], "columns": columns}}


def _of_text(data: OwnFiles, typed: Typed) -> dict[str, object]:
    """Returns the options of a reader of text: of the column, or the key of objects, that has it."""
    found = data.found
    column = typed.columns.get("text") or usual_columns(found).get("sentence")
    if column is None and not (found.kind == kinds.OBJECTS or has_rows(found)):
        return {}
    if found.kind == kinds.TEXT:
        raise data.refused("; columns= names a column of a table, or a key of JSON objects.")
    names = found.columns or [f"column{number}" for number in range(1, len(found.rows[0]) + 1)]
    if column is None:
        some = "" if found.columns else f" Its first line is {cut(' | '.join(found.rows[0]), 80)}."
        expected = f"'columns={{text: {'…' if found.columns else names[-1]}}}'"
        raise data.refused(f"; which of them is the text?{some} Expected {expected}.")
    typed.check_columns(names)
    if found.kind == kinds.OBJECTS:
        return {"reader_options": {"column": column}}
    separator = found.separators[0] if found.separators else "tab"
    quotes = {"quotes": found.quotes} if found.quotes == "always" else {}
    unnamed = {} if found.columns else {"columns": names}
    return {"reader_options": {"column": column, "separator": separator, **quotes, **unnamed}}


_OF_READER: Mapping[str, Callable[[OwnFiles, Typed], dict[str, object]]] = {
    "ner": _of_entities,
    "pos": lambda _, typed: {"reader_options": {"column": typed.columns["label"]}} if typed.columns else {},
    **dict.fromkeys(("lm", "word_vectors"), _of_text),
    "nli": _of_pairs,
    "nmt": _of_translations,
}
