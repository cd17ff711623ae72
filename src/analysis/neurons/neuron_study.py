"""The work of `python analyze.py neurons=<run>`: from the weights of a run's probes to rows, tables and pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from polyprobe.analysis.neurons.ablations import AblationPoint, KeptNeurons, kept_sizes, retrained_points
from polyprobe.analysis.neurons.neuron_output import write_output
from polyprobe.analysis.neurons.neuron_settings import GAUSSIAN, NeuronJob, NeuronSettings
from polyprobe.analysis.neurons.probed_test import (
    NeuronSpace,
    ProbedTest,
    in_deviations,
    probed_tests,
    standardised,
    usable_tests,
    weights_of,
)
from polyprobe.analysis.neurons.rankings import check_gaussian
from polyprobe.analysis.neurons.studied_test import StudiedTest, ranked_test, studied_tests
from polyprobe.display.progress import each
from polyprobe.errors import BadValue
from polyprobe.formats.files.shared_work import sharing
from polyprobe.models.base.lightning_process import circumstances, flush_denormals, set_threads
from polyprobe.probing.bank.bank import bank_trainer
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.bank.probe_spec import ProbeSpec
from polyprobe.probing.design import own_probes, shared_probe
from polyprobe.probing.earlier_run import EarlierRun
from polyprobe.probing.probes.probe import Probe
from polyprobe.probing.settings import BankSettings
from polyprobe.probing.stages import train_jobs
from polyprobe.runs.array_records import NO_EPOCH, SEARCHED, NeuronWeights
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.study import Outcome, Processes, Work, in_a_line


@dataclass(frozen=True, eq=False)
class NeuronWork(Work):
    """Ranks, keeps and counts neurons, and writes what is found."""

    probed: EarlierRun
    """The run whose neurons they are."""
    weights: Mapping[str, NeuronWeights]
    """Of its probes, by their tests."""
    tests: Sequence[ProbedTest]
    """At every epoch."""
    digests: Mapping[str, str]
    """Of what the numbers follow from, see `polyprobe.analysis.neurons.neurons_job.versions_of`."""
    settings: NeuronSettings
    bank: BankSettings
    """On what new probes are trained."""

    def versions(self) -> Mapping[str, str]:
        return self.digests

    def circumstances(self) -> Mapping[str, Any]:
        return circumstances(self.bank.accelerator, sharing().n_processes)

    def start(self) -> Sequence[str]:
        n_probes = sum(len(one.probed.seeds) * len(one.kept) for one in self.ranked)
        n_tests = len({one.test.name for one in self.tests})
        counts = {"tests": n_tests, "epochs": len(self.tests) // n_tests, "neurons": self.tests[0].space.n_neurons}
        return [in_a_line({**counts, "new probes": n_probes})]

    def share(self, run: RunDirectory) -> None:
        studied_tests(self.ranked, self.retrained)

    def work(self, run: RunDirectory) -> Outcome:
        return write_output(self.probed.directory.rows(), studied_tests(self.ranked, self.retrained), run), {}

    @cached_property
    def ranked(self) -> list[StudiedTest]:
        """Every test with its neurons in order: how many probes are new depends on it."""
        seed = self.probed.settings.seeds[0]
        return [
            ranked_test(one, self.spec_of(one), self.settings, seed, one.epoch in self.kept_epochs)
            for one in each(self.tests, "ranking neurons", "tests")
        ]

    @property
    def kept_epochs(self) -> Sequence[int | None]:
        """At which epochs neurons are kept alone."""
        return self.settings.epochs or [self.tests[-1].epoch]

    def spec_of(self, probed: ProbedTest) -> ProbeSpec:
        """Returns how the probe of the first trained seed was trained, with the penalty that was chosen."""
        specs = probe_of(self.probed, probed.test.name).specs
        l1, l2 = chosen_penalty(self.weights[probed.test.name], probed.epoch, probed.seeds[0])
        return next(spec for spec in specs if (spec.elastic_net.l1, spec.elastic_net.l2) == (l1, l2))

    def retrained(self, wanted: Sequence[KeptNeurons]) -> list[AblationPoint]:
        """Trains new probes, but those that an earlier start has kept."""
        settings = self.probed.settings
        kept = KeptOutcomes(settings.workspace.probes, settings.probe)
        source = f"{self.probed.encoder.fingerprint} {settings.cache.number}"
        if self.settings.scale != "none":
            source += f" {self.settings.scale}"
        return retrained_points(wanted, source, partial(train_jobs, self.bank), kept)


def probe_of(run: EarlierRun, test: str) -> Probe:
    """Returns what was trained for a test."""
    own = own_probes(run.settings.probe, [test]).get(test)
    return shared_probe(run.settings.probe) if own is None else own.probe


def chosen_penalty(weights: NeuronWeights, epoch: int | None, seed: int) -> tuple[float, float]:
    """Returns l1 and l2 of the cell that counts: the first with the highest score."""
    place = weights.epochs.tolist().index(NO_EPOCH if epoch is None else epoch)
    cells = weights.searched[place, weights.seeds.tolist().index(seed)]
    best = cells[np.nanargmax(cells[:, SEARCHED.index("score")])]
    return float(best[SEARCHED.index("l1")]), float(best[SEARCHED.index("l2")])


def check_some_are_kept(settings: NeuronSettings, n_neurons: int) -> None:
    """Checks that the Gaussian ranking selects as many neurons as the smallest share has."""
    smallest, *_ = kept_sizes(settings.shares, n_neurons)
    if settings.gaussian_neurons < smallest:
        expected = f"at least {smallest}, the smallest of of_neurons.shares of {n_neurons} neurons"
        raise BadValue("of_neurons.gaussian_neurons", settings.gaussian_neurons, expected)


def check_names(settings: NeuronSettings, weights: NeuronWeights) -> None:
    """Checks that the epochs and neurons that are named are those of the run, of any of whose tests the weights are."""
    known = [epoch for epoch in weights.epochs.tolist() if epoch != NO_EPOCH]
    if unknown := sorted(set(settings.epochs or ()) - set(known)):
        epochs = ", ".join(map(str, known)) or "it has none"
        raise BadValue("of_neurons.epochs", unknown, f"null, or some of those of the run ({epochs})")
    NeuronSpace.of(weights).places(settings.show, "of_neurons.show")


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
    settings, of_run = asked.settings, run.settings.bank
    set_threads(asked.processes.threads or of_run.threads)
    accelerator = settings.accelerator or of_run.accelerator
    bank = replace(of_run, accelerator=accelerator)
    bank_trainer(accelerator)  # first, since the machine may lack the device
    weights = {name: of_test for name, of_test in weights_of(run.directory).items() if name in tests}
    check_names(settings, next(iter(weights.values())))  # before vectors are read, or encoded
    processes.start()
    probed = usable_tests(list(probed_tests(run, weights)))
    probed = [standardised(one) if probe_of(run, one.test.name).scale == "standard" else one for one in probed]
    if settings.scale == "deviation":
        probed = list(map(in_deviations, probed))
    for one in probed:
        if GAUSSIAN in settings.rankings:
            check_gaussian(one)
            check_some_are_kept(settings, one.space.n_neurons)
    return NeuronWork(run, weights, probed, versions, settings, bank)
