"""Training of language models: one language, or several in one, then as every other task."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from src.datamodules.corpora.labelled_corpora import chosen_corpus
from src.errors import BadValue, Impossible
from src.resources.data_root import data_root
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import choice_settings
from src.runs.workspace import Workspace
from src.splits import SPLITS
from src.training.run import train
from src.training.settings import languages_of

log = logging.getLogger(__name__)


def train_language_model(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says; `data.languages` joins the texts of several languages. See `train`.

    Raises:
        BadValue: gradients are to be accumulated. Stretches of a stream follow each other; they are no pieces of one.
    """
    if config["trainer"]["accumulate"] != 1:
        advice = "1 with task=lm; fewer task.datamodule.columns need less memory, too"
        raise BadValue("trainer.accumulate", config["trainer"]["accumulate"], advice)
    return train(with_languages(config))


def with_languages(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the configuration with the texts of `data.languages` as one corpus, each test text a further test set.

    Each language gives the text that `data.corpus` names. Everything else is what the configuration says, its defaults
    those of `lang`.

    Raises:
        BadValue: `data.languages` is not a list of distinct languages with `lang` among them.
        UnknownChoice: a language has no corpus of this name.
        Impossible: a language has no text, none in files of its own, or not the kind of text that others have.
    """
    languages, lang, data = config["data"]["languages"], config["lang"], config["data"]
    if languages is None:
        return dict(config)
    if not isinstance(languages, list) or len(set(map(str, languages))) != len(languages) or not languages:
        raise BadValue("data.languages", languages, "a list of languages, each once, such as [en,fr]")
    if lang["code"] not in languages:
        raise BadValue("lang", lang["code"], f"one of data.languages, such as lang={languages[0]}")
    entries = _entries([str(code) for code in languages], data, data_root(lang, Workspace.of(config["paths"])))
    name = "+".join(entries)
    corpus = {
        "reader": entries[lang["code"]]["reader"],
        **{split: [entry[split] for entry in entries.values()] for split in SPLITS},
        "beside": {
            f"test_{code}": {"reader": entry["reader"], "file": entry["test"]} for code, entry in entries.items()
        },
    }
    if all(entry.get("vocabulary") for entry in entries.values()):
        corpus["vocabulary"] = [file for entry in entries.values() for file in _listed(entry["vocabulary"])]
    return {
        **config,
        "lang": {**lang, "code": name, "name": name},
        "data": {**data, "corpus": "joined", "corpora": {"joined": corpus}},
    }


def _listed(files: str | list[str]) -> list[str]:
    return [files] if isinstance(files, str) else files


def _entries(codes: Sequence[str], data: Mapping[str, Any], root: Path) -> dict[str, Mapping[str, Any]]:
    """Returns the corpus of each language, all of one name: `data.corpus`, or one whose files all have."""
    corpora = {code: _corpora(code) for code in codes}
    names = {code: chosen_corpus({**data, "corpora": corpora[code]}, root) for code in codes}
    replaced = [code for code in codes if names[code] != data["corpus"]]
    if 0 < len(replaced) < len(codes):
        found = f"The files of {data['corpus']} for {', '.join(replaced)} are not in {root}, those of the others are."
        raise Impossible(f"{found} Texts of one kind are joined: put them there, or data.corpus={names[replaced[0]]}.")
    if replaced:
        log.warning("The files of %s are not in %s; taking %s instead.", data["corpus"], root, names[codes[0]])
    return {code: corpora[code][names[code]] for code in codes}


def _corpora(code: str) -> Mapping[str, Mapping[str, Any]]:
    """Returns the corpora of a language by their names."""
    known = languages_of("lm")
    if code not in known:
        raise Impossible(f"task=lm has no corpus for lang={code}. Languages that have one: {', '.join(known)}.")
    corpora = choice_settings("task_lang", f"lm_{code}")["data"]["corpora"]
    if any("shares" in entry for entry in corpora.values()):
        raise Impossible(f"The text of lang={code} is one file, made when it is used: it cannot be joined to others.")
    return corpora
