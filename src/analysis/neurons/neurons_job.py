"""Looks at the neurons of a probed encoder: `python analyze.py job=neurons run=a`.

From the weights of a run's probes to rows, tables and pictures.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyprobe.analysis.neurons.ablations import studied_test
from polyprobe.analysis.neurons.neuron_output import write_output
from polyprobe.analysis.neurons.neuron_settings import ITEMS, NeuronSettings
from polyprobe.analysis.neurons.probed_test import (
    NeuronSpace,
    ProbedTest,
    probed_tests,
    standardised,
    usable_tests,
    weights_of,
)
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import chosen_tests
from polyprobe.display.progress import each
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.files.shared_work import sharing
from polyprobe.models.base.torch_process import circumstances, flush_denormals, set_threads
from polyprobe.probing.design import own_probes, shared_probe, versions_of_tests
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.probing.settings import ProcessSettings
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.study import Outcome, Study, Work, in_a_line
from polyprobe.runs.workspace import Workspace


class NeuronStudy(Study, Work):
    """The neurons of a run of probe=neurons: ranked, kept alone, counted and drawn.

    Args:
        run: its name or folder.
        tests: such as [Case]; None: all with weights.
        kept: what config.yaml keeps.

    Raises:
        PolyprobeError: the run is unknown or has no weights of neurons; a ranking or a test has a name that there is
            not.
    """

    command = "analyze"

    def __init__(
        self,
        run: str,
        tests: Any,
        settings: NeuronSettings,
        workspace: Workspace,
        processes: ProcessSettings,
        kept: Mapping[str, Any],
    ):
        self.settings, self.workspace, self.config, self.machine = settings, workspace, kept, processes
        self.probed = RunDirectory(find_run(workspace.work, run))
        self.names = _tests(self.probed, tests)
        self.earlier = earlier_run(self.probed, self.workspace)

    @property
    def name(self) -> str:
        """The name of the probed run and an identity: the same run, tests and options are the same work."""
        number = identity({"neurons": self.probed.name, "tests": self.names, "of_neurons": vars(self.settings)})
        return file_name(f"neurons-{self.probed.name}-{number}")

    @property
    def outcome(self) -> list[Path]:
        return [self.run.path / ITEMS]

    def versions(self) -> Mapping[str, str]:
        return versions_of(self.earlier, self.names)

    def prepare(self) -> Work:
        """Reads and checks what the work needs: weights, tests, vectors, names of neurons."""
        run, settings = self.earlier, self.settings
        flush_denormals()
        set_threads(self.machine.threads or run.settings.bank.threads)
        weights = {name: of_test for name, of_test in weights_of(run.directory).items() if name in self.names}
        # Checked before vectors are read, or encoded.
        NeuronSpace.of(next(iter(weights.values()))).places(settings.show, "show")
        self.processes.start()
        probed = usable_tests(list(probed_tests(run, weights)))
        self.tests = [standardised(one) if _scale(run, one) == "standard" else one for one in probed]
        return self

    def circumstances(self) -> Mapping[str, Any]:
        return circumstances("cpu", sharing().n_processes)

    def start(self) -> Sequence[str]:
        n_tests = len({one.test.name for one in self.tests})
        counts = {"tests": n_tests, "epochs": len(self.tests) // n_tests, "neurons": self.tests[0].space.n_neurons}
        return [in_a_line(counts)]

    def work(self, run: RunDirectory) -> Outcome:
        seed, last = self.earlier.settings.seeds[0], self.tests[-1].epoch
        studied = [
            studied_test(one, self.settings, seed, is_kept=one.epoch == last)
            for one in each(self.tests, "ranking neurons", "tests")
        ]
        return write_output(self.earlier.directory.rows(), studied, run), {}


def versions_of(run: EarlierRun, tests: Sequence[str]) -> dict[str, str]:
    """Returns digests of tests and of the weights of their probes, and the fingerprint of the encoder, by their names.

    A run that is made again, or another one of its name, may have other weights.
    """
    of_tests = {name: version for name, version in versions_of_tests(run.settings).items() if name in tests}
    files = run.directory.record().get("files", {})
    names = [f"{run.directory.neurons.name}/{file_name(test)}.npz" for test in tests]
    of_weights = {name: files[name] for name in names if name in files}
    return {**of_tests, **of_weights, "encoder": run.encoder.fingerprint}


def _scale(run: EarlierRun, probed: ProbedTest) -> str:
    """Returns how the vectors were scaled for the probe of a test."""
    own = own_probes(run.settings.probe, [probed.test.name]).get(probed.test.name)
    return (shared_probe(run.settings.probe) if own is None else own.probe).scale


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
