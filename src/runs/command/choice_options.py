"""The options of a choice, such as `encoder=transformer`: what its file says, and what its class declares.

What an option means is said once: below its field, where its class is a section or a data class, else in the comment
behind its key. A comment behind the key of a field says why the choice has this value.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml

from polyprobe.runs.command.declared_options import UNTOLD, Declared, declared
from polyprobe.runs.command.overrides import typed_value
from polyprobe.runs.names.conf_folders import CONF, LOADER, choice_files, choice_settings
from polyprobe.section import words_of_type

MUST_BE_GIVEN = "???"
EXAMPLES = {  # of what must be given: of a key, and where it differs of a choice's key
    "run": "runs/train/srl-fi-learned-s1-3f2a9c1e",
    **dict.fromkeys(["lstm.run", "random.run"], "runs/train/lm-fi-learned-s1-3f2a9c1e"),
    "model": "bert-base-multilingual-cased",
    "_target_": "mine.Length",
    "fasttext.path": "cc.fi.300.bin",
    "untrained.path": "cc.en.300.bin",
    "static_vectors.path": "wiki.fi.vec",
    "word2vec.path": "word2vec.fi.bin",
    "glove_bpe.path": "fi.wiki.bpe.vs25000.d300.w2v.bin",
    "glove_bpe.model": "fi.wiki.bpe.vs25000.model",
    "muse.path": "wiki.multi.fi.vec",
    "subword_vectors.model": "fi.wiki.bpe.vs25000.model",
    "subword_vectors.path": "fi.wiki.bpe.vs25000.d300.w2v.bin",
    "elmo.path": "elmo_fi",
    "d_elmo.path": "elmo_fi",
    "c_elmo.path": "elmo_fi",
    "table.path": "vectors.tsv",
    "bov.path": "cc.en.300.vec",
    "cache": "cache/encodings",
    "vectors.path": "cache/vectors/mine-3f2a9c1e",
    "log_probabilities.path": "log_probabilities.jsonl",
    "own.path": "my_tests",
    "pairs.path": "my_pairs.csv",
}
_PROBE_SETTINGS = "polyprobe.probing.settings.ProbeSettings"
_OF_ALL = {
    "trainer": "polyprobe.runs.trainer_settings.TrainerSettings",
    "bank": "polyprobe.probing.settings.BankSettings",
    "cache": "polyprobe.encoders.cache.store.VectorCache",
    "logger": "polyprobe.training.settings.LoggerSettings",
}
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "train": {
        "": "polyprobe.training.settings.TrainingSettings",
        "data": "polyprobe.training.settings.DataSettings",
        "task": "polyprobe.training.settings.TaskSettings",
        "minimal_sets": _PROBE_SETTINGS,
        "minimal_sets.predictor": "polyprobe.predictors.word_level.predictor.WordOptions",
        **_OF_ALL,
    },
    "probe": {"": _PROBE_SETTINGS, **_OF_ALL},
    "generate": {
        "type_level": "polyprobe.generation.type_tests.type_level_options.TypeLevelOptions",
        "token_level": "polyprobe.generation.token_tests.token_level_options.TokenLevelOptions",
        "pseudowords": "polyprobe.generation.pseudo_tests.lexicon_words.PseudoOptions",
        "sentence_level": "polyprobe.generation.sentence_tests.labelled_sentences.SentenceOptions",
        **_OF_ALL,
    },
    "analyze": {
        "of_neurons": "polyprobe.analysis.neurons.neuron_settings.NeuronSettings",
        "of_similarity": "polyprobe.analysis.similarity.measures.SimilaritySettings",
        **_OF_ALL,
    },
}
"""By command: the class of each section of its configuration; "": of the keys that are in none."""
_NO_OPTIONS = ("_target_", "_partial_", "_convert_", "defaults", "trained_by", "model_class")
_PACKAGE = re.compile(r"# @package (\S+)")
_TYPES = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a group of keys",
}
_SUCH_AS = re.compile(r"such as (?!an? |the |those )(\[[^\]]*\]|\{[^}]*\}|'[^']*'|[^\s,;()]*[^\s,;:().])")


@dataclass(frozen=True, slots=True)
class Option:
    """A key that a choice has, as it is typed."""

    choice: str
    key: str
    """Whole, such as "encoder.layers"."""
    default: Any
    """As the file has it: "???" must be given, "${suite.lowercase}" is what another key says."""
    meaning: str
    note: str
    """What the file of the choice says more: why it has this value; "" for nothing."""
    annotation: Any
    """The type that its class declares; Any where it declares none."""
    is_checked: bool
    """Whether a value of another type is refused by what the annotation says."""

    @property
    def type_in_words(self) -> str:
        """What a value must be; "" where nothing is known."""
        plain = self.default != MUST_BE_GIVEN and not str(self.default).startswith("${")
        words = words_of_type(self.annotation) or (_TYPES.get(type(self.default), "") if plain else "")
        return f"{words} or null" if self.default is None and words and "null" not in words else words

    @property
    def default_in_words(self) -> str:
        """The default as it is typed, or where it comes from."""
        text = self.default if isinstance(self.default, str) and "${" in self.default else written(self.default)
        if text == MUST_BE_GIVEN:
            return "must be given"
        if found := re.fullmatch(r"\$\{oc\.select:([\w.]+)(?:,(.*))?\}", text):
            return f"default: {found[1]}=, if given" + (f"; otherwise {found[2]}" if found[2] else "")
        if found := re.fullmatch(r"\$\{oc\.env:(\w+),(.*)\}", text):
            return f"default: environment variable {found[1]}; otherwise {found[2]}"
        if found := re.fullmatch(r"\$\{([\w.]+)\}", text):
            return f"default: same as {found[1]}="
        return "" if text == UNTOLD else f"default: {text}"

    @property
    def example(self) -> str:
        """What can be typed: the option with a value that its text names, another of its choices, or its default."""
        value = self._value_of_example()
        typed = f"{self.key}={value}"
        return f"'{typed}'" if re.search(r"[ {}\"*$!()&;<>|]", typed) else typed

    def _value_of_example(self) -> str:
        key, text = self.key.rpartition(".")[2], str(self.default)
        if said := _SUCH_AS.search(f"{self.meaning} {self.note}"):
            return said[1].strip("'").removeprefix(f"{self.key}=")
        is_open = text == MUST_BE_GIVEN or text.startswith("${")
        if given := EXAMPLES.get(f"{self.choice}.{key}") or (EXAMPLES.get(key) if is_open else None):
            return given
        if isinstance(self.default, bool):
            return written(not self.default)
        if others := [one for one in self.choices if one != self.default]:
            return others[0]
        if not text.startswith("${"):
            return written(_first_entry(self.default))
        otherwise = re.fullmatch(r"\$\{oc\.\w+:[\w.]+,(.*)\}", text)
        by_type = {"an i": "1", "true": "true"}.get(self.type_in_words[:4], "…")
        return otherwise[1] if otherwise else by_type

    @property
    def choices(self) -> Sequence[str]:
        """The values that there are, where the list of them is closed."""
        if self.type_in_words.startswith("true or false"):
            return ("true", "false")
        return choices_of(self.annotation)


def header(path: Path) -> str:
    """Returns what the first lines of a file of choices say it is, without how it is typed."""
    lines = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("#"):
            break
        if not _PACKAGE.match(line):
            lines.append(line.removeprefix("#").strip())
    return "\n".join(lines)


def options_of(group: str, choice: str) -> list[Option]:
    """Returns the options of a choice, in the order of its file.

    Raises:
        UnknownChoice: there is no such choice.
        PolyprobeError: a file cannot be read.
    """
    settings = choice_settings(group, choice)
    package = _PACKAGE.match(choice_files(group)[choice].read_text(encoding="utf-8"))
    prefix = package[1] if package else group
    place = () if prefix == "_global_" else tuple(prefix.split("."))
    comments = _comments_of(group, choice)
    return [
        _option(choice, place, path, value, comments.get(path, []), one, SECTIONS["train"])
        for path, value, one in _leaves(settings, (), package is not None, {})
    ]


def keys_of(name: str) -> list[Option]:
    """Returns the keys of a command's own file, conf/<name>.yaml, as options; those of Hydra apart."""
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    comments, found = comments_in(text), []
    for key, value in yaml.load(text, Loader=LOADER).items():
        is_section = isinstance(value, Mapping) and bool(value)
        leaves = {(key, inner): one for inner, one in value.items()} if is_section else {(key,): value}
        for path, one in leaves.items():
            said = [comments[path]] if path in comments else []
            found.append(_option(name, (), path, one, said, None, SECTIONS[name]))
    return [one for one in found if not one.key.startswith(("hydra.", "defaults"))]


def _option(
    choice: str,
    place: Sequence[str],
    path: Sequence[str],
    value: Any,
    comments: Sequence[str],
    one: Declared | None,
    sections: Mapping[str, str],
) -> Option:
    whole = (*place, *path)
    if one is None and (of_section := sections.get(".".join(whole[:-1]))):
        one = declared(of_section).get(whole[-1])
    field = for_users(comment_of(one)) if one and one.is_field else ""
    meaning = field or next(iter(comments), "") or (for_users(one.meaning) if one else "")
    note = comments[-1] if comments and for_users(comments[-1]) != for_users(meaning) else ""
    annotation, is_checked = (one.annotation, one.is_checked) if one else (Any, False)
    return Option(choice, ".".join(whole), value, meaning, note, annotation, is_checked)


def _leaves(
    node: Mapping[str, Any], path: tuple[str, ...], is_nested: bool, known: Mapping[str, Declared]
) -> Iterator[tuple[tuple[str, ...], Any, Declared | None]]:
    """Yields each option with its value, and as the class declares it that is built of the keys beside it."""
    target = node.get("_target_")
    if target == MUST_BE_GIVEN:
        yield (*path, "_target_"), target, None
    known = declared(target) if isinstance(target, str) else {}
    for key, value in node.items():
        if (
            key in _NO_OPTIONS
            or value == "${paths}"
            or (key in ("name", "objective") and path in (("task",), ()) and isinstance(value, str))
        ):
            continue
        if isinstance(value, Mapping) and (is_nested or "_target_" in value):
            yield from _leaves(value, (*path, key), is_nested, known)
        else:
            yield (*path, key), value, known.get(key)


def _comments_of(group: str, choice: str) -> dict[tuple[str, ...], list[str]]:
    """Returns the comments on the keys of a choice: those of the choice that it changes first."""
    path = choice_files(group)[choice]
    text = path.read_text(encoding="utf-8")
    comments: dict[tuple[str, ...], list[str]] = {}
    bases = (yaml.load(text, Loader=LOADER) or {}).get("defaults", ())
    for base in (one for one in bases if isinstance(one, str) and one != "_self_"):
        comments |= _comments_of(group, base)
    for key, comment in comments_in(text).items():
        comments[key] = [*comments.get(key, []), comment]
    return comments


def comments_in(text: str) -> dict[tuple[str, ...], str]:
    """Returns the comments on the keys of a file: behind a value, further lines of it below, or on lines above."""
    lines, comments = text.splitlines(), {}
    root = yaml.compose(text, Loader=LOADER)
    for path, key, value in _pairs(root, ()) if root else ():
        end = key.end_mark if isinstance(value, yaml.MappingNode) and not value.flow_style else value.end_mark
        number = end.line if end.column or end.line == key.start_mark.line else end.line - 1
        rest = lines[number][end.column :] if end.column else lines[number]
        found = re.search(r"(?:^|\s):?\s*#\s?(.*)", rest)
        parts = [found[1]] if found else []
        column = len(lines[number]) - len(found[1]) if found else -1
        for below in lines[number + 1 :] if found else ():
            if not re.fullmatch(r" +# .*", below) or below.index("#") < column - 2:
                break
            parts.append(below.split("# ", 1)[1].strip())
        above = [] if parts else _above(lines, key.start_mark.line, key.start_mark.column)
        if said := " ".join([*above, *parts]).strip():
            comments[path] = said
    return comments


def _above(lines: Sequence[str], number: int, column: int) -> list[str]:
    """Returns the comment on the lines above a key; what stands first in a file is about all of it."""
    first = number
    while first and lines[first - 1].startswith(f"{' ' * column}# "):
        first -= 1
    return [line.strip(" #") for line in lines[first:number]] if first else []


def _pairs(node: yaml.Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], yaml.Node, yaml.Node]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        yield (*path, key.value), key, value
        yield from _pairs(value, (*path, key.value))


def comment_of(one: Declared) -> str:
    """Returns the text of a field as the comment on its key has it; choices that it does not name stand behind it."""
    text, choices = one.meaning.removesuffix("."), choices_of(one.annotation)
    if not all(re.search(rf"\b{choice}\b", text) for choice in choices):
        text = f"{text}: {', '.join(choices[:-1])} or {choices[-1]}"
    return text[0].lower() + text[1:] if re.match(r"[A-Z][a-z]*\b", text) else text


def choices_of(annotation: Any) -> Sequence[str]:
    """Returns the values that there are, where a type is a closed list of them."""
    kinds = [annotation, *get_args(annotation)]
    return next((tuple(map(str, get_args(one))) for one in kinds if get_origin(one) is Literal), ())


def for_users(text: str) -> str:
    """Returns the text of an argument in words of the command line: null for None, values without quotation marks."""
    text = re.sub(r'"([\w.]+)"', r"\1", re.sub(r"\bNone\b", "null", text)).replace("`", "").removesuffix(".")
    return text[0].lower() + text[1:] if re.match(r"[A-Z][a-z]*\b", text) else text


def _first_entry(value: Any) -> Any:
    """Returns a group of keys with the first of them alone: enough for an example."""
    if not isinstance(value, Mapping):
        return value
    return {key: _first_entry(one) for key, one in list(value.items())[:1]}


def written(value: Any) -> str:
    """Returns a value of conf/ as it is typed; an interpolation stays one."""
    return typed_value(value).replace("\\${", "${")
