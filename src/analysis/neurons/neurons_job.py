"""Looks at the neurons of a probed encoder: `python analyze.py neurons=<run>`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from src.analysis.neurons.neuron_settings import NeuronSettings
from src.analysis.neurons.neuron_tables import neuron_tables
from src.analysis.neurons.row_names import FULL, ITEMS, MINIMAL_SET, STAGE
from src.analysis.output.tables import show
from src.analysis.pictures.percent_axes import checked_extent
from src.analysis.reports.made_files import MadeFiles, files_made_before, remember_files
from src.analysis.results.collection import find_run
from src.analysis.results.paired_runs import chosen_tests
from src.analysis.results.rows import Row
from src.display.shown import say, short_path
from src.errors import BadValue, PolyprobeError
from src.formats.files.file_names import file_name
from src.probing.design import versions_of_tests
from src.probing.earlier_run import EarlierRun, earlier_run
from src.runs.directory import RunDirectory
from src.runs.names.identity import identity
from src.runs.study import Study, Work, done
from src.runs.workspace import Workspace
from src.section import known_by

OF_THE_JOB = ("neurons", "of_neurons", "tests", "paths", "choices")
LOGGED_COLUMNS = (
    *("test", "epoch", "metric", "layer", "ranking", "ablation", "neurons", "value", "n"),
    *("interval_low", "interval_high", "control", "selectivity"),
)


class NeuronStudy(Study):
    """The neurons of a run of probe=neurons: ranked, kept alone, counted and drawn.

    Args:
        config: the resolved configuration of conf/analyze.yaml, as plain values.

    Raises:
        PolyprobeError: the run is unknown or has no weights of neurons; a ranking or a test has a name that there is
            not.
    """

    command = "analyze"

    def __init__(self, config: Mapping[str, Any]):
        if not isinstance(config["neurons"], str | int):
            raise BadValue("neurons", config["neurons"], "one run (similarity=[…] takes several)")
        self.settings = NeuronSettings.of(config["of_neurons"])
        self.workspace, self._typed = Workspace.of(config["paths"]), config
        self.config = {key: config[key] for key in OF_THE_JOB if key in config}
        self.probed = RunDirectory(find_run(self.workspace.work, str(config["neurons"])))
        self.tests = _tests(self.probed, config["tests"])
        self.earlier = earlier_run(self.probed, self.workspace)
        self._versions = versions_of(self.earlier, self.tests)

    @property
    def name(self) -> str:
        """The name of the probed run and an identity: the same run, tests and options are the same work."""
        options = known_by(NeuronSettings, self._typed["of_neurons"])
        number = identity({"neurons": self.probed.name, "tests": self.tests, "of_neurons": options})
        return file_name(f"neurons-{self.probed.name}-{number}")

    @property
    def outcome(self) -> list[Path]:
        return [self.run.path / ITEMS]

    def versions(self) -> Mapping[str, str]:
        return self._versions

    def prepare(self) -> Work:
        from src.analysis.neurons.neuron_study import prepared  # torch

        return prepared(self.earlier, self._versions, self.tests, self.settings, self._typed["confirm"] is True)


def analyze_neurons(config: Mapping[str, Any]) -> RunDirectory:
    """Looks at the neurons of a run, or shows what an earlier command found: see `NeuronStudy`.

    Returns:
        The folder of the finished run.

    Raises:
        PolyprobeError: a neuron has a name that there is not; or vectors are not in the cache and cannot be encoded
            here.
    """
    axis = checked_extent(config["pictures"]["axis"])
    study = NeuronStudy(config)
    directory = done(study)
    _report(directory, axis, study.settings.tolerance)
    if config["logger"]["wandb"] is not None:
        log_neurons(directory, config)
    return directory


def versions_of(run: EarlierRun, tests: Sequence[str]) -> dict[str, str]:
    """Returns digests of tests and of the weights of their probes, and the fingerprint of the encoder, by their names.

    A run that is made again, or another one of its name, may have other weights.
    """
    of_tests = {name: version for name, version in versions_of_tests(run.settings).items() if name in tests}
    files = run.directory.record().get("files", {})
    names = [f"{run.directory.neurons.name}/{file_name(test)}.npz" for test in tests]
    of_weights = {name: files[name] for name in names if name in files}
    return {**of_tests, **of_weights, "encoder": run.encoder.fingerprint}


def _tests(probed: RunDirectory, names: object) -> list[str]:
    """Returns the names of the tests that are looked at."""
    rows = probed.rows()
    with_weights = {path.stem for path in probed.neurons.glob("*.npz")}
    if not with_weights:
        raise PolyprobeError(
            f"{probed.path} has no weights of neurons: it was not made with probe=neurons. Expected a run of python "
            "probe.py probe=neurons encoder=…, which probes all layers at once."
        )
    found = dict.fromkeys(row["test"] for row in rows if row["stage"] == "probing")
    return list(
        chosen_tests({name: name for name in found if file_name(name) in with_weights}, names, "test", "[Case]")
    )


def _report(directory: RunDirectory, axis: str, tolerance: float) -> None:
    """Prints the tables, draws accuracies unless they are drawn with this axis, and says where everything is."""
    rows = directory.rows()
    show(*neuron_tables(rows, tolerance))
    if files_made_before(directory, axis) is None:
        from src.analysis.neurons.ablation_pictures import draw_kept  # matplotlib

        remember_files(directory, axis, MadeFiles([], [], draw_kept(rows, directory.pictures, axis)))
    for table in sorted(directory.path.glob("*.csv")):
        say(f"table     {short_path(table)}")
    say(f"results   {short_path(directory.results)}")
    say(f"run       {short_path(directory.provenance)}")
    for picture in sorted(directory.pictures.glob("*.p[dn][fg]")):
        say(f"picture   {short_path(picture)}")


def log_neurons(run: RunDirectory, config: Mapping[str, Any]) -> None:
    """Sends the table of all rows, the pictures, and the accuracies of all neurons and of the minimal sets."""
    from src.analysis.reports.wandb_dashboard import log_tables, table_of_rows  # torch

    rows = [row for row in run.rows() if row["stage"] == STAGE]
    found = [row for row in rows if row.get("ablation") in (FULL, MINIMAL_SET) and row.get("neurons")]
    scores = {_name(row): row["value"] for row in found}
    log_tables(run, config, {STAGE: table_of_rows(rows, LOGGED_COLUMNS)}, scores)


def _name(row: Row) -> str:
    """Returns "Case/all", "Case/8/minimal_set/weights"."""
    parts = (row["test"], row.get("epoch"), row["ablation"], row.get("ranking"))
    return "/".join(str(part) for part in parts if part is not None)
