"""What `--help` and `list=…` print, from the files of conf/ and the source of our classes: nothing heavy is imported.

python probe.py --help                          the choices of each group, a line each, and the keys
python probe.py --help encoder=transformer      its options
python probe.py --help encoder seed             the choices of a group; a key
python probe.py list=encoders                   the choices of a group
"""

import re
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from polyprobe.display.shown import cut, shown_lines
from polyprobe.errors import PolyprobeError, UnknownChoice, nearest
from polyprobe.runs.command.choice_options import Option, comments_in, for_users, header, keys_of, options_of, written
from polyprobe.runs.command.declared_options import Declared, declared, summary
from polyprobe.runs.command.overrides import (
    COMMANDS,
    CONF,
    CommandLineError,
    check_group_choice,
    choices,
    default_choices,
    groups,
)
from polyprobe.runs.names.conf_folders import choice_files, choice_settings, defaults_of, file_content
from polyprobe.runs.names.foreign_names import READER, names_of
from polyprobe.runs.names.typed_command import called_as

READERS = "reader"
_PLURALS = {"lang": "languages"}
_SETTINGS = ("lang", "experiment")  # groups whose files are settings of other keys
_EXAMPLES = {"train": "task=ner", "probe": "encoder=transformer", "generate": "suite=own"}
_OF_EVERY_READER = ("path", "on_malformed")


def width() -> int:
    """Returns how wide text is: as the terminal, within what reads well; 100 where there is none."""
    return min(120, max(80, shutil.get_terminal_size((100, 24)).columns))


def help_text(name: str, arguments: Sequence[str] = ()) -> str:
    """Returns what a command prints for `--help`, with what is typed beside it.

    Raises:
        CommandLineError: a choice is unknown, or all that is typed is neither a choice nor a group nor a key.
    """
    topics = [one for one in arguments if not one.startswith(("-", "hydra"))]
    found = [text for one in topics if (text := _about(name, one, topics))]
    if topics and not found:
        key = topics[0].partition("=")[0]
        chosen = [pair for pair in default_choices(name).items() if pair[0] not in _SETTINGS]
        options = [*keys_of(name), *(one for pair in chosen for one in options_of(*pair))]
        others = [one for one in COMMANDS if key in groups(one)]
        near = nearest(key, {*groups(name), *(one.key for one in options)})
        meant = f"See {called_as(others[0])} --help {topics[0]}." if others else near
        raise CommandLineError(f'{called_as(name)} has no choice, group or key "{key}". {meant}')
    return shown_lines("\n\n".join(found) if found else _overview(name))


def _about(name: str, topic: str, topics: Sequence[str]) -> str:
    """Returns the help on one thing that is typed; "" where it is a key of something else."""
    key, _, value = topic.lstrip("+~").partition("=")
    if key in (READERS, plural(READERS)) and name == "train":
        return "\n\n".join(map(_reader_help, value.split(","))) if value else list_text(name, plural(READERS))
    if key == "list" and value in plurals(name):
        return list_text(name, value)
    if key in groups(name):
        chosen = [one for one in value.strip("[]").split(",") if one]
        return "\n\n".join(_choice_help(name, key, one) for one in chosen) or list_text(name, plural(key))
    typed = {one.partition("=")[0]: one.partition("=")[2] for one in topics}
    group = key.partition(".")[0]
    known = keys_of(name)
    if group in groups(name) and group not in typed and (default := default_choices(name).get(group)):
        known = [*options_of(group, default), *known]
    of_key = [one for one in known if one.key == key or one.key.startswith(f"{key}.")]
    return "\n".join(_option_help(one) for one in of_key)


def _overview(name: str) -> str:
    typed, example = called_as(name), _EXAMPLES.get(name)
    of_command = groups(name)
    first, *kinds = plurals(name, of_command)
    lines = [line for group in of_command for line in (*_group_lines(name, group), "")]
    return "\n".join(
        [
            f"Usage: {typed} [key=value | group=choice ...]   (sweeps: -m key=a,b)",
            *([f"       {typed} --help {example}   options: meaning, type, default, example"] if example else []),
            *_wrapped(f"{typed} list={first}   one line each; likewise {', '.join(kinds)}", 7),
            "       your own choices, in a folder laid out like conf/: --config-dir FOLDER",
            "",
            "Choices:",
            "",
            *lines,
            f"Keys (conf/{name}.yaml):",
            "",
            (CONF / f"{name}.yaml").read_text(encoding="utf-8"),
        ]
    )


def plural(group: str) -> str:
    """Returns the word for all choices of a group, as `list=` takes it."""
    return _PLURALS.get(group, f"{group}s")


def plurals(name: str, of_command: Sequence[str] | None = None) -> list[str]:
    """Returns what `list=` takes of a command, whose groups may be known already."""
    return [*map(plural, of_command or groups(name)), *([plural(READERS)] if name == "train" else [])]


def list_text(name: str, kinds: str) -> str:
    """Returns a line on each choice of a group, which `list=` names by its plural."""
    if kinds == plural(READERS):
        return "\n".join(_reader_lines())
    group = next(one for one in groups(name) if plural(one) == kinds)
    more = [] if group in _SETTINGS else ["", f"{called_as(name)} --help {group}=… lists the options of one."]
    return "\n".join([*_group_lines(name, group, packed=False), *more])


def listed(name: str, arguments: Sequence[str]) -> str | None:
    """Returns what `list=` prints where it names choices; None where it is not typed, or is the command's own.

    Raises:
        CommandLineError: there is no such list.
    """
    own = ("true", "false", "languages", "statistics") if name == "probe" else ()
    typed = [one.partition("=")[2] for one in arguments if one.startswith("list=")]
    if not typed or typed[-1] in own:
        return None
    if typed[-1] not in plurals(name):
        raise CommandLineError(UnknownChoice("list", typed[-1], dict.fromkeys([*own, *plurals(name)])))
    return shown_lines(list_text(name, typed[-1]))


def usable(group: str, name: str) -> list[str]:
    """Names the choices of a group that a command can use, and not only refuse."""
    return [one for one in choices(group, name) if _is_usable(group, one, name)]


def _is_usable(group: str, choice: str, name: str) -> bool:
    with suppress(PolyprobeError):  # of a file of the user's own, which is read when it is chosen
        if group == "suite":
            return name in _commands_of_suite(choice)
        if group == "encoder" and name == "train":  # counts are no vectors for a network
            return not _brings_a_probe(choice)
    return True


def _commands_of_suite(choice: str) -> set[str]:
    """Names the commands that make a suite, probe with it, or probe with it after each epoch of a training."""
    settings = choice_settings("suite", choice)
    target = str(settings.get("_target_", ""))
    if ".refuse_" in target:
        return {"generate"}
    is_made = settings.get("grammars") or settings.get("format") == "linspector" or choice == "own"
    has_probing_tests = target.endswith((".Suite", ".own_suite", ".own_table"))
    return {"probe", *(["generate"] if is_made else []), *(["train"] if has_probing_tests else [])}


def _brings_a_probe(choice: str) -> bool:
    bases = defaults_of(choice_files("encoder")[choice])
    if any("/probe" in key for one in bases if isinstance(one, Mapping) for key in one):
        return True
    return any(_brings_a_probe(one) for one in bases if isinstance(one, str) and one != "_self_")


def _group_lines(name: str, group: str, packed: bool = True) -> list[str]:
    files, default = choice_files(group), default_choices(name).get(group)
    known = usable(group, name)
    if group == "lang" and packed:
        texts = {one: files[one].read_text(encoding="utf-8", errors="replace") for one in known}
        names = {one: re.search(r"^name: ([^#\n]*)", text, re.MULTILINE) for one, text in texts.items()}
        named = [f"{one} {found[1].strip()}" if found else one for one, found in names.items()]
        indents = {"initial_indent": "  lang=…  ", "subsequent_indent": " " * 10}
        return textwrap.wrap(f"{', '.join(named)} (default: {default})", width(), **indents)
    column = min(36, max((len(f"{group}={one}") for one in known), default=0) + 4)
    return [_line(f"{group}={one}", _first_sentence(header(files[one])), column, one == default) for one in known]


def _line(typed: str, said: str, column: int, is_default: bool = False) -> str:
    end = " (default)" if is_default else ""
    left = f"{f'  {typed}'.ljust(column - 2)}  "
    return f"{left}{_cut_at_word(said, width() - len(left) - len(end))}{end}".rstrip()


def _cut_at_word(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{cut(text, longest)[:-1].rpartition(' ')[0].rstrip(',;:')} …"


def _first_sentence(text: str) -> str:
    """Returns the first sentence of a text, without how a command is typed."""
    said = " ".join(line for line in text.replace("`", "").splitlines() if not line.startswith("python "))
    return re.split(r"(?<=[a-z0-9)\]]{2}[.])\s+(?=[A-Z])", said, maxsplit=1)[0].removesuffix(".")


def _choice_help(name: str, group: str, choice: str) -> str:
    if choice not in choices(group, name):
        check_group_choice(group, choice, name)
    if choice not in (known := usable(group, name)):
        raise CommandLineError(f"{called_as(name)} cannot use {group}={choice}. Known: {', '.join(known)}.")
    path = choice_files(group)[choice]
    head = [f"{group}={choice}   ({path.parent.parent.name}/{group}/{path.name})", ""]
    head += [line for one in header(path).splitlines() for line in _wrapped(one, 0)]
    if group in _SETTINGS:
        return "\n".join([*head, *_settings_lines(group, path)])
    is_made = name == "generate" and group == "suite"
    options, chosen = _options_of_making(choice) if is_made else options_of(group, choice), _chosen_with(path)
    of_others = "conf/task_lang (by task and lang) and conf/task_encoder (by task and encoder) override some of them."
    return "\n".join(
        [
            *head,
            *(["", f"Also sets, unless overridden: {', '.join(chosen)}."] if chosen else []),
            "",
            *(_option_help(one) for one in options),
            *([] if options else ["No options."]),
            *(["", of_others] if group in ("task", "model", "objective") else []),
        ]
    )


def _options_of_making(choice: str) -> list[Option]:
    """Returns the keys of generate.py that are about what a suite makes, as conf/generate.yaml says above them."""
    text = (CONF / "generate.yaml").read_text(encoding="utf-8")
    grammars, *parts = re.split(r"^# suite=(\w+): ", text, flags=re.MULTILINE)
    blocks = dict(zip(parts[::2], parts[1::2], strict=True))
    block = blocks[choice].partition("\n\n")[0] if choice in blocks else grammars
    keys = {*re.findall(r"^(\w+):", block, re.MULTILINE)}
    named = block.partition(":\n")[0] if choice in blocks else ""
    shared = {*re.findall(r"\b(?:rules|seed|tests|on_malformed|made_from)\b", named)}
    return [one for one in keys_of("generate") if one.key.partition(".")[0] in (keys | shared) - {"suite"}]


def _chosen_with(path: Path) -> list[str]:
    """Returns the choices of other groups that a choice makes, as typed."""
    pairs = [pair for one in defaults_of(path) if isinstance(one, Mapping) for pair in one.items()]
    return [f"{key.split()[-1].split('@')[0].lstrip('/')}={value}" for key, value in pairs if value is not None]


def _settings_lines(group: str, path: Path) -> list[str]:
    """Returns what a file of settings chooses and sets, as it could be typed."""
    content, chosen = file_content(path) or {}, _chosen_with(path)
    kept = {key: value for key, value in content.items() if key != "defaults"}
    sweep = ((kept.pop("hydra", None) or {}).get("sweeper") or {}).get("params") or {}
    prefix = f"{group}." if group == "lang" else ""
    comments = comments_in(path.read_text(encoding="utf-8"))
    set_to = [(f"{prefix}{'.'.join(key)}={written(value)}", comments.get(key, "")) for key, value in _flat(kept, ())]
    swept = [f"{key}={values}" for key, values in sweep.items()]
    parts = {
        "Choices": [(one, "") for one in chosen],
        "Settings": set_to,
        "Runs with -m": [(one, "") for one in swept],
    }
    return [
        line
        for words, entries in parts.items()
        if entries
        for line in ("", f"{words}:", *(_line(cut(typed, width() - 4), said, 36) for typed, said in entries))
    ]


def _flat(node: Mapping, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in node.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, (*path, str(key)))
        else:
            yield (*path, str(key)), value


def _option_help(option: Option) -> str:
    said = [option.meaning, f"note: {option.note}" if option.note else ""]
    facts = "; ".join(filter(None, [option.type_in_words, _cut_at_word(option.default_in_words, 90)]))
    wrapped = [line for text in (*said, facts) if text for line in _wrapped(text)]
    return "\n".join([f"  {option.example}", *wrapped])


def _wrapped(text: str, n_blanks: int = 8) -> list[str]:
    indents = {"initial_indent": " " * n_blanks, "subsequent_indent": " " * n_blanks}
    return textwrap.wrap(text, width(), **indents, break_on_hyphens=False, break_long_words=False)


def reader_names() -> list[str]:
    """Returns the last parts of the names of the readers of corpora."""
    return sorted(_readers())


def _readers() -> dict[str, str]:
    """Returns the readers of corpora, whole names by last parts."""
    return {name.rpartition(".")[2]: name for name in sorted(names_of(READER).values())}


def _tasks_of_readers() -> dict[str, list[str]]:
    """Returns the tasks with a corpus that each reader reads, by whole names."""
    tasks: dict[str, list[str]] = {}
    for choice, file in choice_files("task_lang").items():
        for reader in set(re.findall(r"reader: (?:&\w+ )?([\w.]+)", file.read_text(encoding="utf-8"))):
            task = choice.rpartition("_")[0]
            if task not in tasks.setdefault(reader, []):
                tasks[reader].append(task)
    return tasks


def _reader_lines() -> list[str]:
    readers, tasks = _readers(), _tasks_of_readers()
    column = max(map(len, readers)) + 11
    lines = []
    for short, whole in readers.items():
        of = f" ({', '.join(f'task={one}' for one in tasks.get(whole, ()))})" if whole in tasks else ""
        said = _cut_at_word(_first_sentence(summary(whole)), width() - column - len(of))
        lines.append(_line(f"reader={short}", f"{said}{of}", column))
    return [
        "Of a corpus: '+data.corpora.mine={reader: …, train: …, dev: …, test: …}' data.corpus=mine",
        "",
        *lines,
        "",
        f"{called_as('train')} --help reader=… lists the options of one.",
    ]


def _reader_help(typed: str) -> str:
    readers = _readers()
    short = typed.rpartition(".")[2]
    if short not in readers:
        raise CommandLineError(UnknownChoice("reader", typed, readers))
    whole = readers[short]
    arguments = {key: one for key, one in declared(whole).items() if key not in _OF_EVERY_READER}
    tasks = ", ".join(f"task={one}" for one in _tasks_of_readers().get(whole, ()))
    return "\n".join(
        [
            f"reader={short}   (reader: {whole}{f'; {tasks}' if tasks else ''})",
            "",
            summary(whole),
            "",
            *([] if arguments else ["No options."]),
            *(_option_help(_reader_option(key, one)) for key, one in arguments.items()),
        ]
    )


def _reader_option(key: str, one: Declared) -> Option:
    """Returns an argument of a reader as the option of a corpus."""
    is_file = "Path" in str(one.annotation)
    place = "further_files" if is_file else "reader_options"
    default = "???" if one.is_needed else one.default
    annotation = Mapping if is_file else one.annotation
    meaning = for_users(one.meaning)
    if is_file:
        meaning = f"{meaning or 'a file beside each file of the corpus'}, by a rule such as {{replace: .en, by: .fr}}"
    return Option("reader", f"+data.corpora.mine.{place}.{key}", default, meaning, "", annotation, one.is_checked)
