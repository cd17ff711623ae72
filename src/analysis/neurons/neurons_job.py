"""Looks at the neurons of a probed encoder: `python analyze.py job=neurons run=a`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from polyprobe.analysis.neurons.neuron_settings import ITEMS, NeuronJob
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import chosen_tests
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.probing.design import versions_of_tests
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.study import Study, Work


class NeuronStudy(Study):
    """The neurons of a run of probe=neurons: ranked, kept alone, counted and drawn.

    Raises:
        PolyprobeError: the run is unknown or has no weights of neurons; a ranking or a test has a name that there is
            not.
    """

    command = "analyze"

    def __init__(self, asked: NeuronJob):
        self.asked, self.workspace, self.config = asked, asked.workspace, asked.kept
        self.machine = asked.processes
        self.probed = RunDirectory(find_run(self.workspace.work, asked.run))
        self.tests = _tests(self.probed, asked.tests)
        self.earlier = earlier_run(self.probed, self.workspace)
        self._versions = versions_of(self.earlier, self.tests)

    @property
    def name(self) -> str:
        """The name of the probed run and an identity: the same run, tests and options are the same work."""
        number = identity({"neurons": self.probed.name, "tests": self.tests, "of_neurons": vars(self.asked.settings)})
        return file_name(f"neurons-{self.probed.name}-{number}")

    @property
    def outcome(self) -> list[Path]:
        return [self.run.path / ITEMS]

    def versions(self) -> Mapping[str, str]:
        return self._versions

    def prepare(self) -> Work:
        from polyprobe.analysis.neurons.neuron_study import prepared  # torch

        return prepared(self.earlier, self._versions, self.tests, self.asked, self.processes)


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
            f"{probed.path} has no weights of neurons: it was not made with probe=neurons. Expected a run of "
            f"{called_as('probe')} probe=neurons encoder=…, which probes all layers at once."
        )
    found = dict.fromkeys(row["test"] for row in rows if row["stage"] == "probing")
    return list(
        chosen_tests({name: name for name in found if file_name(name) in with_weights}, names, "test", "[Case]")
    )
