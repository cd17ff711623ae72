"""Completion in bash: commands, groups, choices, keys and their values, from the files of conf/ alone.

    eval "$(python probe.py -sc install=bash)"      or polyprobe -sc install=bash

The flag is Hydra's. Its own completer knows neither `polyprobe probe` nor own choices nor which of them a command can
use, and imports Hydra at each key stroke.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from polyprobe.errors import PolyprobeError
from polyprobe.runs.command.choice_options import Option, keys_of, options_of
from polyprobe.runs.command.help import READERS, plurals, reader_names, usable
from polyprobe.runs.command.overrides import COMMANDS, CommandLineError, default_choices, groups, without_own_folder
from polyprobe.runs.names.conf_folders import choice_files

FLAGS = ("-sc", "--shell-completion")
_FLAGS_OF_COMMANDS = ("--help", "--config-dir", "--cfg", "-m")
_OF_LIST = {"probe": ("true", "statistics")}
_BASH = """_polyprobe_complete() {
    local words=($COMP_LINE) line=${COMP_LINE:0:$COMP_POINT} start one
    local current=${line##*[[:space:]]}
    case "${words[0]##*/} ${words[1]} ${words[2]}" in
        polyprobe\\ *) start=("${words[0]}") ;;
        python*\\ -m\\ polyprobe) start=("${words[@]:0:3}") ;;
        python*\\ *train.py\\ *|python*\\ *probe.py\\ *|python*\\ *generate.py\\ *|python*\\ *analyze.py\\ *)
            start=("${words[@]:0:2}") ;;
        *) COMPREPLY=(); return ;;
    esac
    COMPREPLY=()
    while IFS= read -r one; do
        [[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && one=${one#"${current%"${current##*=}"}"}
        COMPREPLY+=("$one")
    done < <(COMP_LINE=$line "${start[@]}" -sc query=bash 2>/dev/null)
}
complete -o nospace -o default -F _polyprobe_complete polyprobe python python3"""
_BASH_OFF = "complete -r polyprobe python python3; unset -f _polyprobe_complete"


def completion(name: str | None, arguments: Sequence[str]) -> str | None:
    """Returns what the flag of completion prints; None where it is not typed.

    Args:
        name: of the command; None: `polyprobe` alone, which has commands.
        arguments: as typed: the flag, and `install=bash`, `uninstall=bash` or, from within bash, `query=bash`.

    Raises:
        CommandLineError: another shell or another word is named.
    """
    if not set(FLAGS) & set(arguments):
        return None
    asked = next((one for one in arguments if "=" in one), "")
    if asked == "query=bash":
        return "\n".join(_candidates(name, os.environ.get("COMP_LINE", "").split(" ")))
    if asked in ("install=bash", "uninstall=bash"):
        return _BASH if asked == "install=bash" else _BASH_OFF
    expected = "Expected install=bash or uninstall=bash; there is none for other shells"
    raise CommandLineError(f'{FLAGS[0]}: completion has no "{asked}". {expected}.')


def _candidates(name: str | None, words: Sequence[str]) -> list[str]:
    """Returns what the last word may become."""
    *typed, current = words
    n_of_start = next((n for n, one in enumerate(typed, 1) if one.endswith((".py", "polyprobe"))), 1)
    typed = [one for one in typed[n_of_start:] if one]
    if name is None:
        if not typed:
            return [f"{one} " for one in COMMANDS if one.startswith(current)]
        name = typed.pop(0)
    if name not in COMMANDS:
        return []
    with suppress(CommandLineError):  # a folder that is being typed
        typed = without_own_folder(typed)
    begun = current.lstrip("+~'\"")
    found = _values(name, typed, begun) if "=" in begun else _keys(name, typed, begun)
    before = current.removesuffix(begun)
    return sorted({f"{before}{one}" for one in found if one.startswith(begun)})


def _keys(name: str, typed: Sequence[str], begun: str) -> Iterator[str]:
    if begun.startswith("-"):
        yield from (f"{one} " for one in _FLAGS_OF_COMMANDS)
        return
    is_help = bool({"--help", "-h"} & set(typed))
    yield from (f"{group}=" for group in (*groups(name), *((READERS,) if is_help and name == "train" else ())))
    yield "list="
    yield from (f"{one.key}=" for one in _options(name, typed, begun.partition(".")[0]))


def _values(name: str, typed: Sequence[str], begun: str) -> Iterator[str]:
    """Yields whole words for a key: of a list of values those before the last stay."""
    key, _, value = begun.partition("=")
    before, comma, _ = value.rpartition(",")
    if key in groups(name):
        values: Sequence[str] = usable(key, name)
    elif key == READERS:
        values = reader_names()
    elif key == "list":
        values = (*_OF_LIST.get(name, ()), *plurals(name))
    else:
        of_key = [one for one in _options(name, typed, key.partition(".")[0]) if one.key == key]
        values = [one for option in of_key for one in option.choices]
    yield from (f"{key}={before}{comma}{one}" for one in values)


def _options(name: str, typed: Sequence[str], group: str) -> Iterator[Option]:
    """Yields the keys of a command, and the options of what is chosen of a group, or typed of one that sets any key."""
    chosen = default_choices(name) | {key: value for key, _, value in (one.partition("=") for one in typed)}
    wide = [one for one in ("task", "objective", "decoder", "optimizer") if one in chosen]
    for one in dict.fromkeys([group, *wide]):
        if one in groups(name) and chosen.get(one) in choice_files(one):
            with suppress(PolyprobeError):  # a file that is no YAML
                yield from options_of(one, chosen[one])
    yield from keys_of(name)
