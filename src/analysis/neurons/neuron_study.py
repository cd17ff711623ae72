"""The work of `python analyze.py neurons=<run>`: from the weights of a run's probes to rows, tables and pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyprobe.analysis.neurons.ablations import studied_test
from polyprobe.analysis.neurons.neuron_output import write_output
from polyprobe.analysis.neurons.neuron_settings import NeuronJob, NeuronSettings
from polyprobe.analysis.neurons.probed_test import (
    NeuronSpace,
    ProbedTest,
    probed_tests,
    standardised,
    usable_tests,
    weights_of,
)
from polyprobe.display.progress import each
from polyprobe.formats.files.shared_work import sharing
from polyprobe.models.base.torch_process import circumstances, flush_denormals, set_threads
from polyprobe.probing.design import own_probes, shared_probe
from polyprobe.probing.earlier_run import EarlierRun
from polyprobe.probing.probes.probe import Probe
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.study import Outcome, Processes, Work, in_a_line


@dataclass(frozen=True, eq=False)
class NeuronWork(Work):
    """Ranks, keeps and counts neurons, and writes what is found."""

    probed: EarlierRun
    """The run whose neurons they are."""
    tests: Sequence[ProbedTest]
    """At every epoch."""
    digests: Mapping[str, str]
    """Of what the numbers follow from, see `polyprobe.analysis.neurons.neurons_job.versions_of`."""
    settings: NeuronSettings

    def versions(self) -> Mapping[str, str]:
        return self.digests

    def circumstances(self) -> Mapping[str, Any]:
        return circumstances("cpu", sharing().n_processes)

    def start(self) -> Sequence[str]:
        n_tests = len({one.test.name for one in self.tests})
        counts = {"tests": n_tests, "epochs": len(self.tests) // n_tests, "neurons": self.tests[0].space.n_neurons}
        return [in_a_line(counts)]

    def work(self, run: RunDirectory) -> Outcome:
        seed, last = self.probed.settings.seeds[0], self.tests[-1].epoch
        studied = [
            studied_test(one, self.settings, seed, is_kept=one.epoch == last)
            for one in each(self.tests, "ranking neurons", "tests")
        ]
        return write_output(self.probed.directory.rows(), studied, run), {}


def probe_of(run: EarlierRun, test: str) -> Probe:
    """Returns what was trained for a test."""
    own = own_probes(run.settings.probe, [test]).get(test)
    return shared_probe(run.settings.probe) if own is None else own.probe


def prepared(
    run: EarlierRun,
    versions: Mapping[str, str],
    tests: Sequence[str],
    asked: NeuronJob,
    processes: Processes,
) -> NeuronWork:
    """Reads and checks what the work needs: weights, tests, vectors, names of neurons.

    Args:
        processes: are started before vectors are encoded.
    """
    flush_denormals()
    settings = asked.settings
    set_threads(asked.processes.threads or run.settings.bank.threads)
    weights = {name: of_test for name, of_test in weights_of(run.directory).items() if name in tests}
    # Checked before vectors are read, or encoded.
    NeuronSpace.of(next(iter(weights.values()))).places(settings.show, "of_neurons.show")
    processes.start()
    probed = usable_tests(list(probed_tests(run, weights)))
    probed = [standardised(one) if probe_of(run, one.test.name).scale == "standard" else one for one in probed]
    return NeuronWork(run, probed, versions, settings)
