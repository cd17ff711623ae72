"""The door of analyze.py: each of its jobs gets what its configuration says of it, and no job sees that itself.

Each job imports what only it needs: scipy and matplotlib take longer than most answers.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from src.analysis.output.tables import show
from src.analysis.pictures.percent_axes import checked_extent
from src.analysis.results.collection import collect, find_run, write_csv
from src.analysis.tables.training import summary_table
from src.display.shown import say
from src.errors import BadValue, PolyprobeError
from src.runs.command.overrides import refuse_idle
from src.runs.workspace import RUNS, Workspace

_SCORE = {"score": "score=bleu, conll09, spans or ud"}
_CORRELATE = {"correlate": "correlate=runs, published_linspector, …"}
_NEURONS, _SIMILARITY = {"neurons": "neurons=<run>"}, {"similarity": "similarity=[<run>,…]"}
_OF_ITEMS = {
    "compare": "compare=[<run>,<run>]",
    "layers": "layers=<run>",
    "confusion": "confusion=<run>",
    **_NEURONS,
    **_SIMILARITY,
}
OF_JOBS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(["gold", "system"], _SCORE),
        **dict.fromkeys(["claims", "correction", "except_encoders", "layer_of"], _CORRELATE),
        "confirm": {"clean": "clean=<run> or caches", **_NEURONS},
        "rule": {"compare": "compare=[<run>,<run>]"},
        "runs": {"complexity": "complexity=<table>"},
        "tests": _OF_ITEMS,
        "of_neurons": _NEURONS,
        "of_similarity": _SIMILARITY,
    }
)
"""The keys that say something of some jobs alone: by the job, how that is typed."""


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that the keys typed on the command line are about the job that is done.

    Args:
        config: the resolved configuration of conf/analyze.yaml.
        typed: as typed, "tests=[Case]".

    Raises:
        PolyprobeError: a key has no effect.
    """
    idle = {key: jobs for key, jobs in OF_JOBS.items() if all(config[job] is None for job in jobs)}
    refuse_idle(typed, {key: f" alone. Expected {' or '.join(jobs.values())}, too." for key, jobs in idle.items()})


def _compare(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.comparisons.compare import compare

    compare(work, config["compare"], config["tests"], config["rule"])


def _layers(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.comparisons.neighbouring_layers import compare_layers

    compare_layers(work, config["layers"], config["tests"], _axis(config))


def _table(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.comparisons.side_by_side import show_side_by_side

    show_side_by_side(work, config["table"], config["pictures"]["axis"])


def _confusion(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.reports.finished_run import draw_confusions

    draw_confusions(work, config["confusion"], config["tests"])


def _score(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.reports.scored_files import show_scores

    show_scores(config["score"], config["gold"], config["system"])


def _correlate(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.correlations.coefficients import Levels
    from src.analysis.correlations.downstream import correlate
    from src.analysis.correlations.encoder_scores import EncoderChoice

    claims = config.get("claims")
    levels = Levels(config["correction"] or (claims or {}).get("correction"))
    encoders = EncoderChoice(config["layer_of"] or {}, config["except_encoders"])
    correlate(work, config["correlate"], encoders, levels, claims)


def _complexity(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.correlations.complexity import correlate_complexity

    correlate_complexity(work, config["complexity"], config["runs"])


def _curves(work: Path, config: Mapping[str, Any]) -> None:
    if isinstance(config["curves"], list):
        from src.analysis.comparisons.side_by_side import draw_side_by_side

        draw_side_by_side(work, config["curves"], _axis(config))
    else:
        from src.analysis.reports.finished_run import draw_run

        draw_run(find_run(work, config["curves"]), _axis(config))


def _neurons(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.neurons.neuron_settings import NeuronSettings
    from src.analysis.neurons.neurons_job import NeuronJob, analyze_neurons

    if not isinstance(config["neurons"], str | int):
        raise BadValue("neurons", config["neurons"], "one run (similarity=[…] takes several)")
    asked = NeuronJob(
        run=str(config["neurons"]),
        tests=config["tests"],
        settings=NeuronSettings.of(config["of_neurons"]),
        is_confirmed=config["confirm"] is True,
        workspace=Workspace.of(config["paths"]),
        kept=_kept(config, "neurons", "of_neurons", "tests", "paths", "choices"),
    )
    run = analyze_neurons(asked, _axis(config))
    if config["logger"]["wandb"] is not None:
        from src.analysis.neurons.neurons_job import log_neurons  # torch
        from src.training.settings import LoggerSettings

        log_neurons(run, LoggerSettings.of(config["logger"]), config)


def _similarity(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.similarity.similarity_job import compare_representations
    from src.analysis.similarity.similarity_settings import SimilaritySettings

    axis, workspace = _axis(config), Workspace.of(config["paths"])
    settings = SimilaritySettings.of_runs(config["similarity"], config["tests"], config["of_similarity"], workspace)
    kept = _kept(config, "similarity", "of_similarity", "tests", "paths", "choices", "logger")
    run = compare_representations(settings, kept, axis)
    if config["logger"]["wandb"] is not None:
        from src.analysis.similarity.similarity_job import log_similarities  # torch
        from src.training.settings import LoggerSettings

        log_similarities(run, LoggerSettings.of(config["logger"]), config)


def _published(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.published.scoreboard import show_published

    show_published(work, config["published"])


def _disk(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.work_folder import show_disk

    show_disk(work, config["disk"])


def _clean(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.work_folder import clean

    clean(work, str(config["clean"]), config["confirm"])


def _verify(work: Path, config: Mapping[str, Any]) -> None:
    from src.analysis.work_folder import verify

    verify(work, str(config["verify"]))


def _kept(config: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Returns what config.yaml keeps of a job: these keys, in this order."""
    return {key: config[key] for key in keys if key in config}


def _axis(config: Mapping[str, Any]) -> str:
    return checked_extent(config["pictures"]["axis"])


JOBS: Mapping[str, Callable[[Path, Mapping[str, Any]], None]] = {
    "compare": _compare,
    "layers": _layers,
    "table": _table,
    "confusion": _confusion,
    "score": _score,
    "correlate": _correlate,
    "complexity": _complexity,
    "curves": _curves,
    "neurons": _neurons,
    "similarity": _similarity,
    "published": _published,
    "disk": _disk,
    "clean": _clean,
    "verify": _verify,
}


def analyze(config: Mapping[str, Any]) -> None:
    """Does the one job that the configuration names; without one, collects the results of all runs.

    Args:
        config: the resolved configuration of conf/analyze.yaml, as plain values.

    Raises:
        PolyprobeError: several jobs are named, a run is unknown or has no results, or there are no results at all.
    """
    work = Path(config["paths"]["work"])
    named = [job for job in JOBS if config[job] is not None]
    if len(named) > 1:
        raise PolyprobeError(f"{' and '.join(f'{job}=…' for job in named)}: analyze.py does one thing at a time.")
    for job in named:
        JOBS[job](work, config)
    if not named:
        summarise(work)


def summarise(work: Path) -> None:
    """Writes the rows of all runs to `<work>/results.csv`, prints a line for each run, and lists what is left out.

    Raises:
        PolyprobeError: no run has results.
    """
    found = collect(work)
    left_out = [f"Left out: {reason}" for reason in found.left_out]
    if not found.rows:
        hint = f"No results below {work / RUNS}. python train.py and python probe.py make some."
        raise PolyprobeError(" ".join([hint, *left_out]))
    write_csv(found.rows, work / "results.csv")
    show(summary_table(found.rows))
    for line in left_out:
        say(line)
    say(f"{len(found.rows)} rows in {work / 'results.csv'}")
