"""What a run used, as BibTeX: suites, encoders, models, probes, corpora, methods, each with what it was used for."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from polyprobe.analysis.output.tables import latex
from polyprobe.analysis.results.rows import distinct, rows_of_finished
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import PACKAGE

RESOURCES = PACKAGE / "resources"
CITING_GROUPS = ("suite", "encoder", "predictor", "probe", "task", "model", "objective")
"""Groups of choices whose works `cited.yaml` names, of each choice."""
ABOUT_MODELS = "a model; its card says what its authors want cited"
_ANALYSES = ("neurons", "similarity")
"""Jobs of analyze.py that make runs, whose rows say what the runs that they read used."""
_OF_ROWS = {"suite": "suite", "encoder": "encoder", "other_encoder": "encoder", "probe": "probe"}
_ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)


def bibtex(runs: Iterable[RunDirectory]) -> str:
    """Returns the works that finished runs rest on, each under a comment that says for what.

    Raises:
        PolyprobeError: a run is not finished, or a file of it is damaged.
    """
    used: dict[str, dict[str, None]] = {}
    models: dict[str, None] = {}
    for run in runs:
        config = run.configuration_if_any()
        for typed in used_by(run, config):
            for key in works().get(typed, ()):
                used.setdefault(key, {})[typed] = None
        models |= dict.fromkeys(_hub_models(run, config))
    entries = [f"% {', '.join(typed)}\n{references()[key]}" for key, typed in sorted(used.items())]
    for model in sorted(models):
        name = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")
        digest = hashlib.sha256(model.encode()).hexdigest()[:6]  # two names may differ in signs alone
        entries.append(f"% {ABOUT_MODELS}\n@misc{{model-{name}-{digest},\n  title = {{{latex(model)}}}\n}}\n")
    return "\n".join(entries).strip() or "% nothing that has a reference here"


def used_by(run: RunDirectory, config: Mapping[str, Any]) -> list[str]:
    """Returns the choices and methods that a run used, as `cited.yaml` names them."""
    if methods := [one for one in _ANALYSES if config.get(one) is not None]:
        rows = rows_of_finished(run)
        read = (f"{group}={one}" for column, group in _OF_ROWS.items() for (one,) in distinct(rows, column) if one)
        return list(dict.fromkeys([*read, *methods]))
    choices = {group: choice for group, choice in (config.get("choices") or {}).items() if choice is not None}
    measured = [f"suite={str(name).partition('/')[0]}" for name in config.get("probe_each_epoch") or ()]
    of_sets = [one for one in measured if one in works()]  # "clams" or "clams/vp_coord"; all else are probing tests
    without = _without_part(config, choices, has_tests=len(of_sets) < len(measured))
    found = [f"{group}={choices[group]}" for group in CITING_GROUPS if group in choices and group not in without]
    found += ["baselines=all"] if config.get("baselines") == "all" and "probe=" in "".join(found) else []
    data = config.get("data") or {}
    corpus = (data.get("corpora") or {}).get(data.get("corpus"))
    corpora = [f"corpus={'/'.join(file.split('/')[:2])}" for file in _texts(corpus) if "/" in file]
    return list(dict.fromkeys([*found, *of_sets, *corpora]))


def _without_part(config: Mapping[str, Any], choices: Mapping[str, str], has_tests: bool) -> Sequence[str]:
    """Returns the groups whose choice a run does not use: each command has a default for all of its groups."""
    if "predictor" in choices:
        return "encoder", "probe"
    if "task" in choices:
        return () if has_tests else ("suite", "probe")
    return ("probe",) if "classifier" in (config.get("suite") or {}) else ()


def _texts(value: Any) -> Iterator[str]:
    """Yields the texts in nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)


@cache
def works() -> Mapping[str, Sequence[str]]:
    """Returns the keys of the works that each choice and method rests on."""
    return yaml.safe_load((RESOURCES / "cited.yaml").read_text(encoding="utf-8"))


@cache
def references() -> Mapping[str, str]:
    """Returns the entries of references.bib by their keys."""
    text = (RESOURCES / "references.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(text)}


def _hub_models(run: RunDirectory, config: Mapping[str, Any]) -> list[str]:
    """Returns the transformers that a run read, by their names, with the commit where the hub said it."""
    used = {one.partition("=")[2] for one in used_by(run, config)}
    if not used & {"transformer", "causal", "masked"}:
        return []
    read = distinct(rows_of_finished(run), "encoder", "model")
    has_runs = any(config.get(one) is not None for one in _ANALYSES)  # of several encoders
    return [model for encoder, model in read if model and (encoder == "transformer" or not has_runs)]
