"""What was probably meant: where a command line has no key=value, a language's name, a model of the hub as a choice."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyprobe.errors import near_names
from polyprobe.runs.names.conf_folders import choice_files, file_content

_WORD = re.compile(r"[A-Za-z_][\w@./-]*")
_FLAGS = (
    "--help",
    "-h",
    "--hydra-help",
    "--version",
    "--resolve",
    "--run",
    "-r",
    "--multirun",
    "-m",
    "--info",
    "-i",
    "-sc",
)
_FLAGS_WITH_VALUE = (
    *("--shell-completion", "--experimental-rerun", "--cfg", "-c", "--package", "-p"),
    *("--config-path", "-cp", "--config-name", "-cn"),
)
_PATHS = ("/", "./", "../", "~/")
_OF_PATHS = {"probe": "data", "train": "data", "analyze": "report"}
_LAUNCHERS = {"ray": "hydra-ray-launcher", "ray_aws": "hydra-ray-launcher[aws]", "rq": "hydra-rq-launcher"}
_LOGGERS = ("comet", "neptune", "aim", "trackio")
_WAYS_OUT = {
    "train": "Corpora of your own: '+data.corpora.mine={reader: …, train: …, dev: …, test: …}' data.corpus=mine",
    "probe": "Tests of your own: suite=own suite.path=… suite.format=…, or suite=pairs",
}
_MADE_FROM = {
    "linspector_type": "made_from.unimorph=<table> made_from.frequency=<list>",
    "linspector_token": "'made_from.treebanks=[<file>.conllu]'",
    "sentences": "'made_from.treebanks=[<file>.conllu]' or 'made_from.trees=[<file>]'",
    "pseudowords": "made_from.syllables=<file>",
}
"""By the suites of generate.py: your own files that a language without a file of its own takes."""
_GRAMMAR = "suite=own grammar=<file or folder>"


def meant_by(arguments: Sequence[str]) -> str | None:
    """Returns what a command line says where it should say key=value, with what was probably meant; None: nowhere.

    `--lang fi`, `lang = fi` and `lang fi` are for lang=fi. A list that a shell has cut is none of these.
    """
    for place, one in enumerate(arguments):
        if any(one.count(opening) != one.count(closing) for opening, closing in ("[]", "{}", "()")):
            return None
        before = arguments[place - 1] if place else ""
        if before in _FLAGS_WITH_VALUE or one in _FLAGS or one.partition("=")[0] in _FLAGS_WITH_VALUE:
            continue
        rest = [*arguments[place:], "", ""]
        if one.startswith("-"):
            key, equals, value = one.lstrip("-").partition("=")
        elif _WORD.fullmatch(one):
            key, equals, value = one, "", ""
        elif one.endswith("=") and _WORD.fullmatch(rest[1]):
            key, equals, value = one[:-1], "=", ""
        else:
            continue
        typed, value = ([one], value) if value else _with_value(rest, equals)
        return f'"{" ".join(typed)}" is not key=value. Expected {key}={value or "…"}'
    return None


def path_meant(name: str, arguments: Sequence[str]) -> str | None:
    """Returns what a command line says where a path stands alone: data, or a run for analyze.py; None: nowhere."""
    before = ""
    for one in arguments:
        is_path = one.startswith(_PATHS) or (Path(one).is_file() if "/" not in one else Path(one).exists())
        is_alone = before in ("", "-m", "--multirun") or ("=" in before and not before.endswith("="))
        if name in _OF_PATHS and is_alone and is_path and "=" not in one:
            return f'"{one}" is not key=value. Did you mean {_OF_PATHS[name]}={one}?'
        before = one
    return None


def _with_value(rest: Sequence[str], equals: str) -> tuple[list[str], str]:
    """Returns what belongs together at the start of arguments, and the value in it."""
    first, second, third, *_ = rest
    if second == "=" and not equals:
        return [first, second, *([third] if third else [])], third
    if second.startswith("=") and not equals:
        return [first, second], second[1:]
    return ([first, second], second) if second and "=" not in second and second[0] not in "-+~" else ([first], "")


def language_meant(typed: str, only_spelling: bool = False) -> str:
    """Returns the choice that another spelling or the name of a language means, as a sentence; else "".

    Args:
        only_spelling: no name that is merely near counts: the language may be one of your own.
    """
    languages = {
        choice: str((file_content(file) or {}).get("name", "")) for choice, file in choice_files("lang").items()
    }
    by_name = {name.lower(): choice for choice, name in languages.items() if name}
    near = [typed.lower()] if typed.lower() in by_name else []
    near = near if near or only_spelling else near_names(typed.lower(), by_name)
    codes = [typed.lower()] if typed.lower() in languages else [by_name[name] for name in near]
    meant = " or ".join(f"lang={code} ({languages[code]})" for code in dict.fromkeys(codes))
    return f"Did you mean {meant}?" if meant else ""


def cause_without_own(typed: Mapping[str, object]) -> str:
    """Says what of your own is not named for generate.py, of what is typed: the grammar, or the files of a suite."""
    suite = typed.get("suite", "clams")
    if suite in _MADE_FROM and "grammar" not in typed:
        return f"suite={suite} is made of your own files: {_MADE_FROM[suite]}"
    if typed.get("grammar") is not None:
        return "A grammar of your own is read by suite=own"
    own = "; ".join(f"suite={one} {files}" for one, files in _MADE_FROM.items())
    return f"Your own grammar: {_GRAMMAR}. Other files of your own: {own}"


def way_out(name: str, code: str) -> str:
    """Says how a command takes a language that has no file."""
    ways = [*([_WAYS_OUT[name]] if name in _WAYS_OUT else []), f"lang/{code}.yaml in a folder passed as --config-dir"]
    return f" {'; or '.join(ways)} (docs/adding.md)."


def about_plugin(group: str, typed: str) -> str:
    """Says what to install for a launcher of Hydra that is not there, or why there is none of its kind; else ""."""
    if group == "hydra/launcher" and typed.startswith(("joblib", "submitit_")):
        return " Expected `pip install 'polyprobe[cluster]'`."
    if group == "hydra/launcher" and (package := _LAUNCHERS.get(typed)):
        return f" pip install {package} adds it; polyprobe has not been tried with it."
    if group == "hydra/sweeper":
        return (
            " A sweep runs every combination that is listed, and no command returns a number to be optimised: "
            "leave it out, and list the values with -m."
        )
    return ""


def about_logger(group: str, typed: str) -> str:
    """Says where the curves of a training are without a logger that many tools have; else ""."""
    if group != "logger" or typed not in _LOGGERS:
        return ""
    return (
        f" Losses and scores by epoch are in metrics.csv of the run, and drawn in pictures/; there is no writer for "
        f"{typed}. Live, in a browser: logger=wandb (locally: wandb_offline)."
    )


def hub_model_meant(group: str, typed: str) -> str:
    """Says how a model of the hub is chosen, where one is typed as the choice of a group; else ""."""
    keys = {"model": "encoder", "encoder": "encoder", "predictor": "predictor"}
    if group not in keys or not re.search(r"[-/]|\d[bm]$|bert|gpt|elmo|llama|t5|xlm", typed):
        return ""
    chosen = {"encoder": "encoder=transformer encoder", "predictor": "predictor=causal predictor"}[keys[group]]
    return f" A model of the hub, or its folder: {chosen}.model={typed}"
