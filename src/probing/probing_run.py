"""The work of a probing run: encodes the items of its tests, trains the probes and writes what they found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from polyprobe.display.progress import each
from polyprobe.display.shown import say
from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.cache.store import check_room, encoded
from polyprobe.encoders.random import random_counterpart
from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.models.base.torch_process import device_of, flush_denormals, set_threads
from polyprobe.probing.bank.outcome_cache import KeptOutcomes
from polyprobe.probing.baselines.columns import control_test, count_outcome, coverages
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.design import Design, check_probe_of_vectors, read_design
from polyprobe.probing.earlier_run import encoder_note
from polyprobe.probing.findings import Findings, neuron_weights
from polyprobe.probing.item_vectors import CountVectors, LayersTogether, LayerVectors, layers_together
from polyprobe.probing.probes.grid import GridProbe
from polyprobe.probing.settings import ProbingSettings
from polyprobe.probing.stages import (
    CONTROL,
    MAIN,
    RANDOM_ENCODER,
    EncodedTests,
    EncoderWork,
    ProbeKeeper,
    StageOutcomes,
    engine_of,
    gold_of,
    probe_outcomes,
)
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.probing.task_score_by_epoch import rows_of_probed
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from polyprobe.runs.study import Outcome, in_a_line
from polyprobe.seeds import derived_seed


@dataclass(frozen=True)
class ProbingWork(EncoderWork):
    """Trains the probes of a design."""

    settings: ProbingSettings
    design: Design
    encoder: Encoder | CountEncoder
    downstream: Sequence[ResultRow]
    """Of the run whose checkpoints are probed: the scores of its task."""

    def versions(self) -> Mapping[str, str]:
        return self.design.versions

    @property
    def files(self) -> Mapping[str, Sequence[Path]]:
        return {test.name: test.files for test in self.design.tests}

    def start(self) -> Sequence[str]:
        return [in_a_line(counts_of_design(self.design, self.encoder, self.settings.baselines == "all"))]

    def scored(self, run: RunDirectory) -> Outcome:
        design, encoder, findings = self.design, self.encoder, probed(self.settings, self.design, self.encoder, run)
        for predictions in findings.predictions():
            predictions.write(run.predictions)
        if design.probe.over_all_layers:
            for record in neuron_weights(design, encoder, findings.stages):
                record.write(run.neurons)
        if on_scale := findings.on_scale():
            say(on_scale)
        notes = {"encoder": encoder_note(encoder)} if isinstance(encoder, Encoder) else {}
        return [*self.downstream, *findings.rows()], notes

    def share(self, run: RunDirectory) -> None:
        if not isinstance(self.design.probe, CountClassifier):  # fitted in seconds
            probed(self.settings, self.design, self.encoder, run)


def prepared(settings: ProbingSettings, tests: Sequence[ProbingTest], encoder: Encoder | CountEncoder) -> ProbingWork:
    """Checks what a probing run needs.

    Raises:
        PolyprobeError: the probe cannot be built or is not for such an encoder, or the machine lacks the device.
    """
    flush_denormals()
    asked, resolved = settings.asked, getattr(encoder, "resolved", None)
    options = asked.suite.with_own_tests(asked.encoder.in_words(encoder.model_name is not None, resolved))
    design = replace(read_design(settings, tests), model=encoder.model_name, options=options)
    if isinstance(encoder, Encoder):
        encoder.check_there(design.items())
    check_probe(settings, design, encoder)
    device_of(settings.bank.accelerator)  # it says whether the machine has the device, before the run begins
    if design.probe.over_all_layers:
        design = design_of_neurons(design, encoder)
    return ProbingWork(settings, design, encoder, rows_of_probed(encoder))


def check_probe(settings: ProbingSettings, design: Design, encoder: Encoder | CountEncoder) -> None:
    """Checks that the probe of a design is for such an encoder, and that it can be kept or trained by Lightning."""
    has_counts, name = isinstance(encoder, CountEncoder), f"probe={design.probe_name}"
    if not has_counts:
        check_probe_of_vectors(design)
    elif isinstance(design.probe, CountClassifier) and len(design.seeds) > 1:
        raise BadValue("seeds", len(design.seeds), f"1 with {name}, which draws nothing")
    if settings.asked.keep and (has_counts or design.probe.over_all_layers):
        found = f"encoder={design.encoder} counts words anew for each test, so that its probes fit no other vectors"
        found = found if has_counts else f"the weights of all probes of {name} are in <run>/neurons/ already"
        raise PolyprobeError(f"probe.keep=true has no effect: {found}. Leave it out.")
    if settings.engine.engine == "lightning":
        from polyprobe.models.base.lightning_process import check_arguments  # Lightning

        check_arguments(settings.engine.arguments)
        probes = [design.probe, *(own.probe for own in design.own_probes.values())]
        is_single = all(isinstance(probe, GridProbe) and probe.n_probes == 1 for probe in probes)
        if has_counts or not is_single:
            found = f"counts of encoder={design.encoder}" if has_counts else f"{name}, which trains several together"
            raise PolyprobeError(f"probe.engine=lightning trains single MLP or linear probes of vectors, got {found}.")


def design_of_neurons(design: Design, encoder: Encoder | CountEncoder) -> Design:
    """Returns the design without tests of pairs, whose neurons stand twice in the input of a probe; says which."""
    if isinstance(encoder, CountEncoder) or len(encoder.layers) == len(layers_together(encoder.layers)):
        names = ", ".join(dict.fromkeys(layer.name for layer in encoder.layers))
        found = "counts of words and no layers" if isinstance(encoder, CountEncoder) else f"one layer ({names})"
        raise PolyprobeError(
            f"encoder={design.encoder} has {found}: there are no neurons of several layers to choose among. Expected "
            "an encoder with several, such as transformer, elmo, or checkpoint of a trained model over words in "
            "sentences."
        )
    kept = [test for test in design.tests if len(test.train.items[0]) == 1]
    left_out = [test.name for test in design.tests if test not in kept]
    if not kept:
        raise PolyprobeError(f"{', '.join(left_out)}: tests of pairs of words. Expected a test of single items.")
    if left_out:
        say(f"left out, as tests of pairs: {', '.join(left_out)}")
    return replace(design, tests=kept)


def counts_of_design(design: Design, encoder: Encoder | CountEncoder, has_baselines: bool) -> dict[str, int]:
    """Counts tests, layers, seeds, probes and items (as often as the tests have them).

    Args:
        has_baselines: whether a random encoder and a control task are probed, too.
    """
    n_of_one_layer = sum(design.probe_of(test.name).n_probes for test in design.tests)
    if isinstance(encoder, CountEncoder):
        n_stages = 2 if has_baselines else 1
        kind = "classifiers" if isinstance(design.probe, CountClassifier) else "probes"
        counted = {"tests": len(design.tests), kind: n_stages * n_of_one_layer * len(design.seeds)}
    else:
        layers = list(layers_together(encoder.layers)) if design.probe.over_all_layers else encoder.layers
        n_layers = len(layers)
        # The random counterpart of a checkpoint has each layer once, whatever the epochs.
        n_of_baselines = n_layers + len({layer.name for layer in layers}) if has_baselines else 0
        n_probes = n_of_one_layer * len(design.seeds) * (n_layers + n_of_baselines)
        counted = {"tests": len(design.tests), "layers": n_layers, "seeds": len(design.seeds), "probes": n_probes}
    return {**counted, "items": sum(1 for _ in design.items())}


def probed(
    settings: ProbingSettings, design: Design, encoder: Encoder | CountEncoder, run: RunDirectory | None = None
) -> Findings:
    """Trains the probes of a design, those of the requested baselines among them; classifiers of counts are fitted.

    Args:
        run: takes the probes of the tests themselves where the settings say so; None: none are kept.
    """
    set_threads(settings.bank.threads)
    parts = _encoded(settings, design, encoder)
    if isinstance(design.probe, CountClassifier):
        return Findings(design, _joined(_fitted(design, encoder, stages) for stages in parts), [])
    train = engine_of(settings, run)
    kept = KeptOutcomes(settings.workspace.probes, {**settings.probe, **settings.engine.identity})
    keep = None if run is None or not settings.asked.keep else ProbeKeeper(settings, design, encoder, run, train).keep
    outcomes = _joined(probe_outcomes(design, stages, train, kept, keep) for stages in parts)
    return Findings(design, outcomes, coverages(encoder, design.tests) if isinstance(encoder, Encoder) else [])


def _encoded(
    settings: ProbingSettings, design: Design, encoder: Encoder | CountEncoder
) -> Iterator[Sequence[EncodedTests]]:
    """Yields what is trained together: by vectors all tests; by counts each alone, its features let go when it is over.

    With all baselines also by a random encoder (counts have no weights for one), and with control labels.
    """
    if isinstance(encoder, CountEncoder):
        is_fitted = isinstance(design.probe, CountClassifier)
        for test in each(design.tests, "fitting classifiers", "tests") if is_fitted else design.tests:
            yield _with_control(settings, [EncodedTests(MAIN, [test], CountVectors(encoder, test))])
        return
    cache, encoders = settings.cache, [encoder]
    if settings.baselines == "all":
        encoders.append(random_counterpart(encoder, derived_seed(settings.seeds[0], RANDOM_ENCODER)))
    check_room(encoders, design.items(), cache)
    kind, stages = LayersTogether if design.probe.over_all_layers else LayerVectors, []
    for stage, one in zip((MAIN, RANDOM_ENCODER), encoders, strict=False):
        items = encoded(one, design.items(), cache)
        stages.append(EncodedTests(stage, design.tests, kind(items, f"{one.fingerprint} {cache.number}")))
    yield _with_control(settings, stages)


def _with_control(settings: ProbingSettings, stages: Sequence[EncodedTests]) -> Sequence[EncodedTests]:
    if settings.baselines != "all":
        return stages
    controls = [control_test(test, settings.seeds[0]) for test in stages[0].tests]
    return [*stages, replace(stages[0], stage=CONTROL, tests=controls)]


def _fitted(design: Design, encoder: CountEncoder, stages: Sequence[EncodedTests]) -> dict[str, StageOutcomes]:
    found = {}
    for one in stages:
        fits = {(test.name, 0): [count_outcome(encoder, design.probe_of(test.name), test)] for test in one.tests}
        found[one.stage] = StageOutcomes(encoder.layers, gold_of(one.tests), fits)
    return found


def _joined(parts: Iterable[Mapping[str, StageOutcomes]]) -> dict[str, StageOutcomes]:
    """Joins the outcomes of tests that were trained apart, stage by stage."""
    found: dict[str, StageOutcomes] = {}
    for stage, one in chain.from_iterable(part.items() for part in parts):
        before = found.get(stage, one)
        found[stage] = replace(one, gold={**before.gold, **one.gold}, outcomes={**before.outcomes, **one.outcomes})
    return found
