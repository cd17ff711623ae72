"""Online coding (Voita and Titov 2020): how few bits a probe needs to tell the train labels."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import torch

from polyprobe.errors import BadValue
from polyprobe.frequency import entropy
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.probes.probe import Probe
from polyprobe.section import check_options
from polyprobe.seeds import derived_seed


class OnlineCoding(Probe):
    """Sends the train labels portion by portion, each coded with the probe that the portions before it have trained.

    ```
    train, shuffled by the seed   |1|2|  3  |      4      |            5            |
    coded by                       ^ ^    ^        ^ a probe trained on 1 to 3
                    the uniform code probe on 1
    ```
    The first portion costs log2(labels) bits an example, the others their cross-entropy in bits. Every probe stops by
    dev, which is taken as known to both sides and costs nothing. All layers of a test have the same portions. The floor
    is what labels cost without vectors: by their shares in train, known to both sides, and by those seen so far.

    Args:
        portions: shares of train, rising to 1. Those that come to the same number of examples count once.
        settings: the fields of `ProbeSpec`, the same for all portions.
    """

    def __init__(self, portions: Sequence[float], **settings: Annotated[Any, ProbeSpec]):
        is_rising = all(share < following for share, following in pairwise(portions))
        if not portions or portions[0] <= 0 or portions[-1] != 1 or not is_rising:
            raise BadValue("probe.portions", portions, "rising shares, above 0 and up to 1")
        check_options(ProbeSpec, settings, ["elastic_net"], "probe")
        self._portions, self._spec = portions, ProbeSpec(**settings)
        self.scale = self._spec.scale

    @property
    def n_probes(self) -> int:
        return len(self._portions)

    def jobs(self, data: ProbeData, seed: int, key: str) -> list[ProbeJob]:
        """Returns a probe for each portion with the next one as its test, and the probe of the whole train."""
        random = np.random.default_rng(derived_seed(seed, "online coding"))
        order = torch.from_numpy(random.permutation(data.n_train))
        ends = list(dict.fromkeys(max(1, int(share * data.n_train)) for share in self._portions))
        coding = [
            ProbeJob(_portion(data, order[:start], order[start:end]), self._spec, seed, f"{key}/first {start}")
            for start, end in pairwise(ends)
        ]
        return [*coding, ProbeJob(data, self._spec, seed, key)]

    def outcome(self, jobs: Sequence[ProbeJob], outcomes: Sequence[ProbeOutcome]) -> ProbeOutcome:
        """Returns the outcome of the whole train with codelengths and compression; fails where any portion failed."""
        for outcome in outcomes:
            if outcome.failed is not None:
                return outcome
        bits = math.log2(jobs[-1].data.n_labels)
        coded = sum(float(outcome.test_losses.sum()) for outcome in outcomes[:-1]) / math.log(2)
        codelength = jobs[0].data.n_train * bits + coded
        uniform = jobs[-1].data.n_train * bits
        compression = uniform / codelength if codelength else float("nan")
        by_shares = jobs[-1].data.n_train * entropy(torch.bincount(jobs[-1].data.train_labels)) / math.log(2)
        return replace(
            outcomes[-1],
            codelength=codelength,
            compression=compression,
            prior_codelength=by_shares,
            online_prior_codelength=jobs[0].data.n_train * bits + _bits_by_prior(jobs[:-1]),
        )


def _bits_by_prior(jobs: Sequence[ProbeJob]) -> float:
    """Returns the bits of all but the first portion, each by the shares of the labels before it.

    A label counts half once more (Krichevsky and Trofimov 1981), so that none is impossible.

    Args:
        jobs: of these portions.
    """
    bits = 0.0
    for data in (job.data for job in jobs):
        counts = torch.bincount(data.train_labels, minlength=data.n_labels).double() + 0.5
        bits -= float(torch.log2(counts / counts.sum())[data.test_labels].sum())
    return bits


def _portion(data: ProbeData, known: torch.Tensor, following: torch.Tensor) -> ProbeData:
    """Returns a test whose train is what is known and whose test is what follows in train.

    Its vectors are at the scale of the whole train: both sides have all vectors, the labels alone are sent.
    """
    return replace(
        data,
        scale_rows=data.train_rows,
        train_rows=data.train_rows[known],
        train_labels=data.train_labels[known],
        test_rows=data.train_rows[following],
        test_labels=data.train_labels[following],
    )
