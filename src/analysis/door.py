"""The door of analyze.py: each of its jobs gets what its configuration says of it, and no job sees that itself.

A job yields what is to be shown of its answer, tables and lines.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.output.tables import Printable, Table
from polyprobe.analysis.pictures.percent_axes import CLOSE, checked_extent
from polyprobe.analysis.reporting import Reporting, reported
from polyprobe.analysis.results.collection import collect, find_run, write_csv
from polyprobe.display.shown import short_path
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.named import object_at
from polyprobe.runs.command.overrides import refuse_idle
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.study import done
from polyprobe.runs.trainer_settings import check_machine, check_shares_work
from polyprobe.runs.workspace import RUNS, Workspace

if TYPE_CHECKING:
    from polyprobe.analysis.neurons.neurons_job import NeuronStudy
    from polyprobe.analysis.similarity.similarity_job import SimilarityStudy
    from polyprobe.probing.settings import ProcessSettings

AXIS = "axis"  # of pictures


@dataclass(frozen=True, slots=True)
class Job:
    """What a key of conf/analyze.yaml asks for."""

    typed: str
    """How it is typed, in messages."""
    function: str
    """Of the work folder and the values of the job's key and of `keys`; imported where the job is done: scipy and
    matplotlib take longer than most answers."""
    keys: Sequence[str] = ()
    """What else it reads."""
    takes_all: bool = False
    """Whether its function takes the whole configuration apart, as those of this module."""
    has_run: bool = False
    """Whether what it finds is a run, which is reported as such."""

    def __call__(self, work: Path, config: Mapping[str, Any]) -> Iterator[Printable]:
        """Does it."""
        function = object_at(self.function, self.typed)
        if self.takes_all:
            return function(config)
        further = [_axis(config) if key == AXIS else config.get(key) for key in self.keys]
        return function(work, config[self.typed.partition("=")[0]], *further)


JOBS: Mapping[str, Job] = {
    "compare": Job("compare=[<run>,<run>]", "polyprobe.analysis.comparisons.compare.compare", ["tests", "rule"]),
    "layers": Job("layers=<run>", "polyprobe.analysis.comparisons.neighbouring_layers.compare_layers", ["tests", AXIS]),
    "table": Job("table=[<run>,<run>]", "polyprobe.analysis.reports.side_by_side.scores_side_by_side", [AXIS]),
    "confusion": Job("confusion=<run>", "polyprobe.analysis.reports.details.draw_confusions", ["tests"]),
    "correlate": Job(
        "correlate=runs, published_linspector, …",
        "polyprobe.analysis.correlations.downstream.correlate",
        ["layer_of", "except_encoders", "correction"],
    ),
    "complexity": Job(
        "complexity=<table>", "polyprobe.analysis.correlations.complexity.correlate_complexity", ["runs"]
    ),
    "curves": Job("curves=<run>", "polyprobe.analysis.door.curves", takes_all=True),
    "neurons": Job(
        "neurons=<run>",
        "polyprobe.analysis.door.neurons",
        ["tests", "of_neurons", "trainer"],
        takes_all=True,
        has_run=True,
    ),
    "similarity": Job(
        "similarity=[<run>,…]",
        "polyprobe.analysis.door.similarity",
        ["tests", "of_similarity", "trainer"],
        takes_all=True,
        has_run=True,
    ),
    "report": Job("report=<run>, [<run>,<run>] or work", "polyprobe.analysis.reports.run_pages.write_reports"),
    "cite": Job("cite=<run> or [<run>,<run>]", "polyprobe.analysis.citations.citations"),
}


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that the keys typed on the command line are about the job that is done.

    Args:
        config: the resolved configuration of conf/analyze.yaml.
        typed: as typed, "tests=[Case]".

    Raises:
        PolyprobeError: a key has no effect.
    """
    jobs_of: dict[str, list[str]] = {}
    for name, job in JOBS.items():
        for key in job.keys:
            jobs_of.setdefault(key, []).append(name)
    idle = {key: names for key, names in jobs_of.items() if key != AXIS and all(config[one] is None for one in names)}
    expected = {key: " or ".join(JOBS[one].typed for one in names) for key, names in idle.items()}
    check_logger(config)
    refuse_idle(typed, {key: f" alone. Expected {jobs}, too." for key, jobs in expected.items()})


def analyze(config: Mapping[str, Any]) -> Iterator[Printable]:
    """Does the one job that the configuration names; without one, collects the results of all runs.

    Args:
        config: the resolved configuration of conf/analyze.yaml, as plain values.

    Raises:
        PolyprobeError: several jobs are named, a run is unknown or has no results, or there are no results at all.
    """
    work = Path(config["paths"]["work"])
    named = [job for job in JOBS if config[job] is not None and config[job] is not False]
    if config["report"] is True:
        named.remove("report")  # a page of the other job
        if not named:
            raise BadValue("report", "true", "a run, [<run>,<run>] or work; true only with another job")
    if len(named) > 1:
        raise PolyprobeError(f"{' and '.join(f'{job}=…' for job in named)}: analyze.py does one thing at a time.")
    if not named:
        return summarise(work)
    (name,) = named
    found = JOBS[name](work, config)
    has_page = config["report"] is True and not JOBS[name].has_run
    return _with_page(work, name, config, found) if has_page else found


def _with_page(work: Path, job: str, config: Mapping[str, Any], found: Iterable[Printable]) -> Iterator[Printable]:
    """Yields what a job found; writes a page with its tables, if there are any."""
    from polyprobe.analysis.reports.run_pages import write_tables_page  # jinja2

    shown = []
    for one in found:
        shown.append(one)
        yield one
    if tables := [one for one in shown if isinstance(one, Table)]:
        asked = {key: config[key] for key in (job, *JOBS[job].keys) if key in config}
        name = file_name(f"{job}-{identity(asked)}")
        yield f"report    {short_path(write_tables_page(work, name, f'{job}={config[job]}', tables))}"
    else:
        yield f"report=true has no effect: {JOBS[job].typed} finds no table."


def summarise(work: Path) -> Iterator[Printable]:
    """Writes the rows of all runs to `<work>/results.csv`; tells a line of each run, and what is left out."""
    from polyprobe.analysis.reports.summary import summary_table  # numpy, and all that draws

    found = collect(work)
    if not found.rows:
        hint = f"No results below {work / RUNS}. {called_as('train')} and {called_as('probe')} make some."
        raise PolyprobeError(" ".join([hint, *found.lines()]))
    write_csv(found.rows, work / "results.csv")
    yield summary_table(found.rows)
    yield from found.lines()
    yield f"{len(found.rows)} rows in {work / 'results.csv'}"


def neuron_study(config: Mapping[str, Any]) -> "NeuronStudy":
    """Reads which run's neurons are looked at, and how.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    from polyprobe.analysis.neurons.neuron_settings import NeuronJob, NeuronSettings
    from polyprobe.analysis.neurons.neurons_job import NeuronStudy

    if not isinstance(config["neurons"], str | int):
        raise BadValue("neurons", config["neurons"], "one run (similarity=[…] takes several)")
    asked = NeuronJob(
        run=str(config["neurons"]),
        tests=config["tests"],
        settings=NeuronSettings.of(config["of_neurons"]),
        workspace=Workspace.of(config["paths"]),
        processes=_processes(config),
        kept=_kept(config, "neurons", "of_neurons", "tests", "paths", "choices"),
    )
    return NeuronStudy(asked)


def neurons(config: Mapping[str, Any]) -> Iterator[Printable]:
    """Looks at the neurons of a run, or tells what an earlier command found."""
    return _reported(done(neuron_study(config)), config)


def similarity_study(config: Mapping[str, Any]) -> "SimilarityStudy":
    """Reads which layers are compared, and how.

    Raises:
        PolyprobeError: something is not what it should be.
    """
    from polyprobe.analysis.similarity.measures import SimilaritySettings
    from polyprobe.analysis.similarity.similarity_job import SimilarityStudy

    workspace = Workspace.of(config["paths"])
    settings = SimilaritySettings.of_runs(config["similarity"], config["tests"], config["of_similarity"], workspace)
    kept = _kept(config, "similarity", "of_similarity", "tests", "paths", "choices", "logger")
    return SimilarityStudy(settings, kept, _processes(config))


def _processes(config: Mapping[str, Any]) -> "ProcessSettings":
    """Reads how many processes share the work of a job."""
    from polyprobe.probing.settings import ProcessSettings

    trainer = config.get("trainer")  # Hydra leaves a group without a choice out
    if trainer is not None:
        check_machine(trainer)
        check_shares_work(trainer)
    return ProcessSettings.of_trainer(trainer)


def similarity(config: Mapping[str, Any]) -> Iterator[Printable]:
    """Compares all layers of the runs that are named, or tells what an earlier command found."""
    return _reported(done(similarity_study(config)), config)


def _reported(run: RunDirectory | None, config: Mapping[str, Any]) -> Iterator[Printable]:
    """Reports a run; a process that only helps has none."""
    if run is not None:
        yield from reported(run, reporting(config))


def curves(config: Mapping[str, Any]) -> Iterator[Printable]:
    """Draws the pictures of a run again, or the probing scores of several together."""
    from polyprobe.analysis.reports.finished_run import draw_run
    from polyprobe.analysis.reports.side_by_side import draw_curves  # matplotlib

    work, asked, axis = Path(config["paths"]["work"]), config["curves"], _axis(config)
    return draw_curves(work, asked, axis) if isinstance(asked, list) else draw_run(find_run(work, asked), axis)


def check_logger(config: Mapping[str, Any]) -> None:
    """Checks the logger of a command that trains nothing.

    Raises:
        PolyprobeError: it shows training alone, its package is not installed, or nobody is logged in.
    """
    logger = config.get("logger", {})
    if logger.get("wandb") is not None or logger.get("lightning") is not None:
        from polyprobe.training.settings import LoggerSettings  # torch

        is_trained = (config.get("probe") or {}).get("engine") == "lightning"
        (LoggerSettings.of if is_trained else LoggerSettings.of_finished)(logger).check_login()


def reporting(config: Mapping[str, Any]) -> Reporting:
    """Reads how the command of a configuration reports its run.

    Raises:
        PolyprobeError: `report` or `pictures.axis` is not what it should be.
    """
    if config["report"] is not None and not isinstance(config["report"], bool):
        raise BadValue("report", config["report"], "true or false")
    logger = None
    if config.get("logger", {}).get("wandb") is not None:
        from polyprobe.training.settings import LoggerSettings  # torch

        logger = LoggerSettings.of(config["logger"])
    axis = _axis(config) if "pictures" in config else CLOSE
    page_in = Path(config["paths"]["work"]) if config["report"] else None
    return Reporting(axis, page_in, logger, config)


def _kept(config: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Returns what config.yaml keeps of a job: these keys, in this order."""
    return {key: config[key] for key in keys if key in config}


def _axis(config: Mapping[str, Any]) -> str:
    pictures = config["pictures"]
    if not isinstance(pictures, Mapping):
        raise BadValue("pictures", pictures, "its keys, such as pictures.axis=full")
    return checked_extent(pictures["axis"])
