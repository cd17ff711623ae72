"""Which corpus a training reads: the one that is named, one of its objective, or the texts of several languages."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyprobe.datamodules.corpora.labelled_corpora import chosen_corpus, entries_of
from polyprobe.errors import BadValue, Impossible, PolyprobeError, check_choice
from polyprobe.runs.names.conf_folders import choice_files, corpora_of_task, file_content
from polyprobe.runs.names.identity import is_ours, lasting_name
from polyprobe.splits import SPLITS

log = logging.getLogger(__name__)


def with_one_corpus(task: str, lang: str, data: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Returns the section `data` with the corpus that it means, and no other.

    Args:
        task: as it is typed after `task=`.
    """
    if not data["corpora"]:
        known = ", ".join(corpora_of_task(task))
        raise Impossible(f"task={task} has no corpus for lang={lang}. Languages that have one: {known}.")
    if data["corpus"] is None:
        raise Impossible(_without_corpus(task, lang, data["corpora"]))
    name = chosen_corpus(data, root)
    check_reader_of_task(task, data["corpora"][name]["reader"])
    if name != data["corpus"]:
        log.warning("The files of %s are not in %s; using %s instead.", data["corpus"], root, name)
    return {**data, "corpus": name, "corpora": {name: data["corpora"][name]}}


def _without_corpus(task: str, lang: str, corpora: Mapping[str, Any]) -> str:
    """Says that no corpus is named, as where a study takes that of its paper, and which languages have such a one."""
    known = [code for code, settings in corpora_of_task(task).items() if settings.get("paper_corpus")]
    papers = f"one of a paper, which task={task} has for lang={', '.join(known)}" if known else "a corpus"
    return f"No corpus is named for task={task} lang={lang}. Expected {papers}, or data.corpus={', '.join(corpora)}."


def check_reader_of_task(task: str, reader: str) -> None:
    """Checks that a reader of ours, not one of a user's own, yields what the task reads."""
    known, name = _readers_of(task), lasting_name(reader)
    if name in known or not is_ours(reader):
        return
    others = " or ".join(f"task={one}" for one in choice_files("task") if name in _readers_of(one)) or "another task"
    expected = f"Expected {', '.join(sorted(known))}, or a function of your own, such as mine.read"
    raise PolyprobeError(f"task={task}: reader {name} is for {others}. {expected}.")


def _readers_of(task: str) -> set[str]:
    """Returns the readers of ours that a corpus of the task in conf/ has."""
    tasks = (task, "lm") if task == "word_vectors" else (task,)  # any text will do for vectors
    of_languages = [settings["data"]["corpora"] for one in tasks for settings in corpora_of_task(one).values()]
    entries = [entry for corpora in of_languages for entry in corpora.values()]
    return {lasting_name(one["reader"]) for entry in entries for one in entries_of(entry)}


def joined_languages(lang: Mapping[str, Any], data: Mapping[str, Any], root: Path) -> tuple[dict, dict]:
    """Joins the texts of `data.languages` to one corpus, each test text a further test set.

    Each language gives the text that `data.corpus` names. Everything else is what the configuration says, its defaults
    those of `lang`.

    Returns:
        The sections `lang`, whose code is all codes joined by "+", and `data`.
    """
    languages = data["languages"]
    if not isinstance(languages, list) or len(set(map(str, languages))) != len(languages) or not languages:
        raise BadValue("data.languages", languages, "a list of languages, each once, such as [en,fr]")
    if lang["code"] not in languages:
        raise BadValue("lang", lang["code"], f"one of data.languages, such as lang={languages[0]}")
    entries = _texts([str(code) for code in languages], data, root)
    name = "+".join(entries)
    corpus = {
        "reader": entries[lang["code"]]["reader"],
        **{split: [entry[split] for entry in entries.values()] for split in SPLITS},
        "beside": {
            f"test_{code}": {"reader": entry["reader"], "file": entry["test"]} for code, entry in entries.items()
        },
    }
    if all(entry.get("vocabulary") for entry in entries.values()):
        named = [entry["vocabulary"] for entry in entries.values()]
        corpus["vocabulary"] = [file for files in named for file in ([files] if isinstance(files, str) else files)]
    return {**lang, "code": name, "name": name}, {**data, "corpus": "joined", "corpora": {"joined": corpus}}


def _texts(codes: Sequence[str], data: Mapping[str, Any], root: Path) -> dict[str, Mapping[str, Any]]:
    """Returns the corpus of each language, all of one name: `data.corpus`, or one whose files all have."""
    corpora = {code: _texts_of(code) for code in codes}
    names = {code: chosen_corpus({**data, "corpora": corpora[code]}, root) for code in codes}
    replaced = [code for code in codes if names[code] != data["corpus"]]
    if 0 < len(replaced) < len(codes):
        found = f"The files of {data['corpus']} for {', '.join(replaced)} are not in {root}, those of the others are."
        raise Impossible(f"{found} Texts of one kind are joined: put them there, or data.corpus={names[replaced[0]]}.")
    if replaced:
        log.warning("The files of %s are not in %s; using %s instead.", data["corpus"], root, names[codes[0]])
    return {code: corpora[code][names[code]] for code in codes}


def _texts_of(code: str) -> Mapping[str, Mapping[str, Any]]:
    """Returns the corpora of a language by their names."""
    known = corpora_of_task("lm")
    if code not in known:
        raise Impossible(f"task=lm has no corpus for lang={code}. Languages that have one: {', '.join(known)}.")
    corpora = known[code]["data"]["corpora"]
    if any("shares" in entry for entry in corpora.values()):
        raise Impossible(f"The text of lang={code} is one file, made when it is used: it cannot be joined to others.")
    return corpora


def check_decoder(objective: str, decoder: str | None) -> None:
    """Checks that a decoder is chosen only where the objective generates something."""
    defaults = (file_content(choice_files("objective")[objective]) or {}).get("defaults", [])
    if decoder and not any("/decoder" in one for one in defaults):
        raise Impossible(f"objective={objective} has a classifier, no decoder: leave out decoder={decoder}.")


def check_corpus(objective: str, data: Mapping[str, Any], lang: str) -> None:
    """Checks that the corpus is one of an objective of sentence encoders."""
    corpora, name, target = data["corpora"], data["corpus"], data["target"]
    _check_objectives(corpora)
    fitting = [one for one, entry in corpora.items() if entry["objective"] == objective]
    if corpora and not fitting:
        known = ", ".join(sorted({entry["objective"] for entry in corpora.values()}))
        raise Impossible(f"objective={objective} has no corpus for lang={lang}. Objectives that have one: {known}.")
    if name not in corpora and name.endswith(f"_{target}"):
        of_kind = name.removesuffix(f"_{target}")
        known = [one.removeprefix(f"{of_kind}_") for one in fitting if one.startswith(f"{of_kind}_")]
        check_choice("data.target", target, known or fitting)
    if name not in corpora:
        return  # refused as that of any task
    if name not in fitting:
        found = f"data.corpus={name} is made for objective={corpora[name]['objective']}"
        raise Impossible(f"{found}, not for objective={objective}, whose corpora are {', '.join(fitting)}.")
    if "target" in corpora[name] and (target is not None or len(fitting) > 1):
        check_choice("data.target", target, corpora[name].get("targets", [corpora[name]["target"]]))


def _check_objectives(corpora: Mapping[str, Any]) -> None:
    for name, entry in corpora.items():
        if not isinstance(entry, Mapping) or "objective" not in entry:
            expected = f"one of {', '.join(choice_files('objective'))}, for which the corpus is made"
            raise BadValue(f"data.corpora.{name}.objective", None, expected)
