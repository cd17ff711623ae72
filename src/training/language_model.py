"""Training of language models: one language, or several in one, then as every other task."""

from collections.abc import Mapping
from typing import Any

import yaml

from src.formats.errors import BadValue, Impossible
from src.runs.command import CONF
from src.runs.directory import RunDirectory
from src.training.run import train

SPLITS = ("train", "dev", "test")


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
    """Gives the configuration with the texts of `data.languages` as one corpus, each test text beside.

    Everything else is what the configuration says, its defaults those of `lang`.

    Raises:
        BadValue: `data.languages` is no list of distinct languages that has `lang`.
        Impossible: a language has no text, or none in files of its own.
    """
    languages, lang, data = config["data"]["languages"], config["lang"], config["data"]
    if languages is None:
        return dict(config)
    if not isinstance(languages, list) or len(set(map(str, languages))) != len(languages) or not languages:
        raise BadValue("data.languages", languages, "a list of languages, each once, such as [en,fr]")
    if lang["code"] not in languages:
        raise BadValue("lang", lang["code"], f"one of data.languages, such as lang={languages[0]}")
    entries = {code: _entry(str(code)) for code in languages}
    name = "+".join(entries)
    corpus = {
        "reader": entries[lang["code"]]["reader"],
        **{split: [entry[split] for entry in entries.values()] for split in SPLITS},
        "beside": {
            f"test_{code}": {"reader": entry["reader"], "file": entry["test"]} for code, entry in entries.items()
        },
    }
    return {
        **config,
        "lang": {**lang, "code": name, "name": name},
        "data": {**data, "corpus": "joined", "corpora": {"joined": corpus}},
    }


def _entry(code: str) -> Mapping[str, Any]:
    """Gives the default corpus of a language."""
    known = sorted(file.stem.removeprefix("lm_") for file in (CONF / "task_lang").glob("lm_*.yaml"))
    if code not in known:
        raise Impossible(f"task=lm has no corpus for lang={code}. Languages that have one: {', '.join(known)}.")
    data = yaml.safe_load((CONF / "task_lang" / f"lm_{code}.yaml").read_text(encoding="utf-8"))["data"]
    entry = data["corpora"][data["corpus"]]
    if "shares" in entry:
        raise Impossible(f"The text of lang={code} is one file, made when it is used: it cannot be joined to others.")
    return entry
