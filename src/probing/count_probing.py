"""Probes a count encoder: its own classifier for each test, fitted to counts."""

from collections.abc import Sequence
from dataclasses import replace

from src.display.progress import watched
from src.encoders.base.count_encoder import CountEncoder
from src.probing.baselines.control import control_test
from src.probing.baselines.count_probe import count_outcome
from src.probing.findings import Findings
from src.probing.stages import CONTROL, MAIN, StageOutcomes, gold_of
from src.probing.study import Study
from src.probing.suites.tests import ProbingTest


def probe_counts(study: Study, encoder: CountEncoder, baselines: str) -> Findings:
    """Fits the classifier of a count encoder to each test and, with all baselines, to the control tasks.

    Nothing is drawn, so one seed says all; there are no weights for a random encoder; what `probe=` says plays no part.

    Args:
        study: with the seed of the control tasks first.
        baselines: see `ProbingSettings`.
    """
    stages = {MAIN: study.tests}
    if baselines == "all":
        stages[CONTROL] = [control_test(test, study.seeds[0]) for test in study.tests]
    of_one_seed = replace(study, seeds=study.seeds[:1], probe_name=encoder.classifier.name, own_probes={})
    return Findings(of_one_seed, {stage: _outcomes(encoder, tests) for stage, tests in stages.items()}, [])


def _outcomes(encoder: CountEncoder, tests: Sequence[ProbingTest]) -> StageOutcomes:
    outcomes = {}
    with watched("fitting classifiers", "tests", len(tests)) as progress:
        for test in tests:
            outcomes[test.name, 0] = [count_outcome(encoder, test)]
            progress.advance()
    return StageOutcomes(encoder.layers, gold_of(tests), outcomes)
