"""Which tests of a run have neurons that can be ranked."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from src.analysis.neurons.probed_test import ProbedTest
from src.display.shown import say
from src.errors import PolyprobeError


def usable_tests(tests: Sequence[ProbedTest]) -> list[ProbedTest]:
    """Returns the tests whose neurons can be ranked, without the seeds whose probe failed; says what is left out.

    Args:
        tests: at every epoch.

    Raises:
        PolyprobeError: none is left.
    """
    left_out = {one.test.name: reason for one in tests for reason in [_why_not(one)] if reason}
    for name, reason in left_out.items():
        say(f"left out: {name}, {reason}")
    kept = [_of_trained_probes(one) for one in tests if one.test.name not in left_out]
    if not kept:
        raise PolyprobeError(
            f"{', '.join(f'{name}: {reason}' for name, reason in left_out.items())}. Expected a test with at least two "
            "labels in train, and a probe that could be trained."
        )
    return kept


def _why_not(probed: ProbedTest) -> str | None:
    present = torch.unique(probed.label_ids["train"])
    if len(present) < 2:
        return f'its train items have one label ("{probed.test.labels[int(present[0])]}")'
    if _is_trained(probed.weights).any():
        return None
    return "all its probes failed" if probed.epoch is None else f"all its probes of epoch {probed.epoch} failed"


def _is_trained(weights: np.ndarray) -> np.ndarray:
    """Says of each seed whether its probe was trained: bool `[seeds]`."""
    return np.isfinite(weights).all(axis=(1, 2))


def _of_trained_probes(probed: ProbedTest) -> ProbedTest:
    """Leaves out the seeds of failed probes; and the control task where one of its probes failed."""
    of_seeds = _is_trained(probed.weights)
    seeds = tuple(seed for seed, is_trained in zip(probed.seeds, of_seeds, strict=True) if is_trained)
    kept = replace(probed, seeds=seeds, weights=probed.weights[of_seeds], biases=probed.biases[of_seeds])
    if probed.control_weights is None:
        return kept
    if not _is_trained(probed.control_weights).all():
        return replace(kept, control_weights=None, control_biases=None)
    control = {name: getattr(probed, name)[of_seeds] for name in ("control_weights", "control_biases")}
    return replace(kept, **control)
