"""What a run used, as BibTeX: suites, encoders, models, probes and methods, each with what it was used for."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from polyprobe.analysis.output.tables import Printable, latex
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.rows import distinct
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import PACKAGE

RESOURCES = PACKAGE / "resources"
CITING_GROUPS = ("suite", "encoder", "predictor", "probe", "task", "model", "objective")
"""Groups of choices whose works `cited.yaml` names, of each choice."""
ABOUT_MODELS = "a model; its card says what its authors want cited"
_WITHOUT_PART = {"predictor": ("encoder", "probe"), "task": ("suite", "probe", "predictor")}
_ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}\n", re.MULTILINE | re.DOTALL)


def citations(work: Path, references: object) -> Iterator[Printable]:
    """Yields the BibTeX entries of what runs used, sorted by key.

    Args:
        references: a run, by its name or folder, or a list of runs.

    Raises:
        PolyprobeError: a run is unknown or not finished.
    """
    named = references if isinstance(references, list) else [references]
    yield from bibtex([RunDirectory(find_run(work, str(one))) for one in named]).split("\n")


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
    choices = {group: choice for group, choice in (config.get("choices") or {}).items() if choice is not None}
    without = {group for chosen, groups in _WITHOUT_PART.items() if chosen in choices for group in groups}
    found = [f"{group}={choices[group]}" for group in CITING_GROUPS if group in choices and group not in without]
    found += ["baselines=all"] if config.get("baselines") == "all" and "probe=" in "".join(found) else []
    return [*found, *(one for one in ("neurons", "similarity") if config.get(one) is not None)]


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
    if not {"transformer", "causal", "masked"} & {str(one) for one in (config.get("choices") or {}).values()}:
        return []
    try:
        return [model for (model,) in distinct(run.rows(), "model") if model]
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error
