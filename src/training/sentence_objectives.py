"""Training of sentence encoders: the objective and the corpus must fit, then as every other task."""

from collections.abc import Mapping
from typing import Any

from src.errors import BadValue, Impossible, check_choice
from src.runs.directory import RunDirectory
from src.runs.names.conf_folders import choice_files, file_content
from src.training.run import train


def train_sentence_encoder(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says, see `train`.

    Raises:
        Impossible: the corpus is one of another objective, the language has none for this objective, or there is a
            decoder and nothing to decode.
        UnknownChoice: there is no corpus with that target language.
    """
    check_decoder(config["task"]["objective"], config["choices"])
    check_corpus(config["task"]["objective"], config["data"], config["lang"]["code"])
    return train(config)


def check_decoder(objective: str, choices: Mapping[str, str]) -> None:
    """Checks that a decoder is chosen only where the objective generates something; see `train_sentence_encoder`."""
    defaults = (file_content(choice_files("objective")[objective]) or {}).get("defaults", [])
    if choices.get("decoder") and not any("/decoder" in one for one in defaults):
        found = f"objective={objective} has a classifier, no decoder"
        raise Impossible(f"{found}: leave out decoder={choices['decoder']}.")


def check_corpus(objective: str, data: Mapping[str, Any], lang: str) -> None:
    """Checks that the corpus is one of the objective; see `train_sentence_encoder`."""
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
            key = f"data.corpora.{name}.objective"
            raise BadValue(
                key, "missing", f"one of {', '.join(choice_files('objective'))}, for which the corpus is made"
            )
