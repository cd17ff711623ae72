"""The jobs of analyze.py: each has a file of keys in conf/job, and a function here that gives them to what does it.

What a job does is imported where it is done: scipy and matplotlib take longer than most answers. A job yields what is
shown, tables and lines.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.output.tables import Printable
from polyprobe.analysis.results.collection import collect, find_run, write_csv
from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.study import done
from polyprobe.runs.trainer_settings import check_machine
from polyprobe.runs.workspace import RUNS, Workspace

if TYPE_CHECKING:
    from polyprobe.analysis.neurons.neurons_job import NeuronStudy
    from polyprobe.analysis.similarity.similarity_job import SimilarityStudy
    from polyprobe.probing.settings import ProcessSettings

Config = Mapping[str, Any]
"""Of conf/analyze.yaml with the file of a job, resolved: plain values."""


def analyze(config: Config) -> Iterable[Printable]:
    """Does the job that was chosen.

    Raises:
        PolyprobeError: a run is unknown or has no results, or a key is not what it should be.
    """
    job = config["choices"]["job"]
    check_choice("job", job, JOBS)
    return JOBS[job](config)


def summary(config: Config) -> Iterator[Printable]:
    """Writes the rows of all runs to `<work>/results.csv`; tells a line of each run, and what is left out."""
    from polyprobe.analysis.reports.result_kinds import summary_table

    work = _work(config)
    found = collect(work)
    if not found.rows:
        hint = f"No results below {work / RUNS}. {called_as('train')} and {called_as('probe')} make some."
        raise PolyprobeError(" ".join([hint, *found.lines()]))
    write_csv(found.rows, work / "results.csv")
    yield summary_table(found.rows)
    yield from found.lines()
    yield f"{len(found.rows)} rows in {work / 'results.csv'}"


def compare(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.comparisons.compare import compare

    return compare(_work(config), _runs(config), config["tests"], config["rule"])


def layers(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.comparisons.neighbouring_layers import compare_layers

    return compare_layers(_work(config), _run(config), config["tests"])


def table(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.reports.side_by_side import scores_side_by_side

    return scores_side_by_side(_work(config), _runs(config))


def confusion(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.reports.details import draw_confusions

    return draw_confusions(_work(config), _run(config), config["tests"], config["layer"])


def correlate(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.correlations.downstream import correlate

    how = (config[key] for key in ("scores", "layer_of", "except_encoders", "correction"))
    return correlate(_work(config), *how)


def complexity(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.correlations.complexity import correlate_complexity

    return correlate_complexity(_work(config), config["table"], None if config["runs"] is None else _runs(config))


def curves(config: Config) -> Iterable[Printable]:
    """Draws the pictures of a run again, or the probing scores of several together."""
    from polyprobe.analysis.reports.finished_run import draw_run
    from polyprobe.analysis.reports.side_by_side import draw_curves

    work, runs = _work(config), _run_or_runs(config)
    return draw_curves(work, runs) if config["run"] is None else draw_run(find_run(work, runs[0]))


def report(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.reports.run_pages import write_reports

    is_of_all = config["run"] is None and config["runs"] is None
    return write_reports(_work(config), [] if is_of_all else _run_or_runs(config))


def cite(config: Config) -> Iterable[Printable]:
    from polyprobe.analysis.citations import bibtex

    return bibtex([RunDirectory(find_run(_work(config), one)) for one in _run_or_runs(config)]).split("\n")


def apply(config: Config) -> Iterable[Printable]:
    from polyprobe.probing.apply import apply
    from polyprobe.probing.settings import Application

    asked = Application(
        run=find_run(_work(config), _run(config)),
        **{key: config[key] for key in ("text", "tests", "layer")},
        threads=_processes(config).threads,
        workspace=Workspace.of(config["paths"]),
    )
    return apply(asked)


def neurons(config: Config) -> Iterator[Printable]:
    """Ranks and ablates the neurons of a run, or tells what an earlier command found."""
    yield from _of_study(neuron_study(config), config)


def similarity(config: Config) -> Iterator[Printable]:
    """Compares all layers of runs, or tells what an earlier command found."""
    yield from _of_study(similarity_study(config), config)


JOBS: Mapping[str, Callable[[Config], Iterable[Printable]]] = {
    "summary": summary,
    "compare": compare,
    "layers": layers,
    "table": table,
    "confusion": confusion,
    "correlate": correlate,
    "complexity": complexity,
    "curves": curves,
    "neurons": neurons,
    "similarity": similarity,
    "report": report,
    "cite": cite,
    "apply": apply,
}


def neuron_study(config: Config) -> "NeuronStudy":
    """Reads which run's neurons are looked at, and how.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    from polyprobe.analysis.neurons.neuron_settings import NeuronSettings
    from polyprobe.analysis.neurons.neurons_job import NeuronStudy

    section = {field.name: config[field.name] for field in fields(NeuronSettings)}
    return NeuronStudy(
        run=_run(config),
        tests=config["tests"],
        settings=NeuronSettings.of(section),
        workspace=Workspace.of(config["paths"]),
        processes=_processes(config),
        kept=_kept({"neurons": config["run"], "of_neurons": section}, config),
    )


def similarity_study(config: Config) -> "SimilarityStudy":
    """Reads which layers are compared, and how.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    from polyprobe.analysis.similarity.measures import OPTIONS, SimilaritySettings
    from polyprobe.analysis.similarity.similarity_job import SimilarityStudy

    section = {key: config[key] for key in OPTIONS}
    settings = SimilaritySettings.of_runs(_runs(config), config["tests"], section, Workspace.of(config["paths"]))
    kept = _kept({"similarity": config["runs"], "of_similarity": section}, config)
    return SimilarityStudy(settings, {**kept, "logger": config["logger"]}, _processes(config))


def _kept(of_job: Config, config: Config) -> dict[str, Any]:
    """Returns what config.yaml keeps of a job that makes a run, by the keys of all versions."""
    choices = {group: choice for group, choice in config["choices"].items() if group != "job"}
    return {**of_job, "tests": config["tests"], "paths": config["paths"], "choices": choices}


def _of_study(study: "NeuronStudy | SimilarityStudy", config: Config) -> Iterator[Printable]:
    """Does the work of a study and reports its run; a process that only helps has none."""
    check_reporting(config)
    if run := done(study):
        yield from reported(run, config)


def _processes(config: Config) -> "ProcessSettings":
    """Reads how many processes share the work of a job."""
    from polyprobe.probing.settings import ProcessSettings

    trainer = config.get("trainer")  # Hydra leaves a group without a choice out
    if trainer is not None:
        check_machine(trainer)
    return ProcessSettings.of_trainer(trainer)


def _work(config: Config) -> Path:
    return Path(config["paths"]["work"])


def _run(config: Config) -> str:
    """Reads the key `run`."""
    if not isinstance(config["run"], str | int):
        raise BadValue("run", config["run"], "one run, by its name or folder")
    return str(config["run"])


def _runs(config: Config) -> list[str]:
    """Reads the key `runs`; one may stand without brackets."""
    runs = config["runs"]
    named = [runs] if isinstance(runs, str | int) else runs
    if not isinstance(named, list) or not named:
        raise BadValue("runs", runs, "a list of runs, such as [runA,runB]")
    return [str(one) for one in named]


def _run_or_runs(config: Config) -> Sequence[str]:
    """Reads the keys `run` and `runs` of a job that is about one or several."""
    if (config["run"] is None) == (config["runs"] is None):
        raise PolyprobeError(f"job={config['choices']['job']} needs run=RUN, or runs=[RUN,RUN].")
    return _runs(config) if config["run"] is None else [_run(config)]


def check_reporting(config: Config) -> None:
    """Checks how a command is to report its run.

    Raises:
        PolyprobeError: `report` is not what it should be; or the logger shows training alone in a command that trains
            nothing, its package is not installed, or nobody is logged in.
    """
    if config["report"] is not None and not isinstance(config["report"], bool):
        raise BadValue("report", config["report"], "true or false")
    logger = config.get("logger", {})
    if logger.get("wandb") is not None or logger.get("lightning") is not None:
        from polyprobe.training.settings import LoggerSettings  # torch

        is_trained = "trained_by" in config or (config.get("probe") or {}).get("engine") == "lightning"
        (LoggerSettings.of if is_trained else LoggerSettings.of_finished)(logger).check_login()


def reported(run: RunDirectory, config: Config) -> Iterator[Printable]:
    """Reports a run on the terminal, in its folder, as a page, on a dashboard."""
    from polyprobe.analysis.reports.finished_run import report_run  # what every kind of results needs

    yield from report_run(run.path)
    if config["report"]:
        from polyprobe.analysis.reports.run_pages import write_reports  # jinja2

        yield from write_reports(_work(config), [str(run.path)])
    if config.get("logger", {}).get("wandb") is not None:
        from polyprobe.analysis.dashboard import log_run  # wandb
        from polyprobe.training.settings import LoggerSettings  # torch

        log_run(run, LoggerSettings.of(config["logger"]), config)
