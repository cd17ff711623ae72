"""A grid of probes: every cell is trained, dev chooses one."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated, Any

from annotated_types import Ge, Lt

from polyprobe.errors import BadValue
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.probes.probe import Probe
from polyprobe.section import AtLeastZero, Count, Number, check_options

_Share = Annotated[Number, Ge(0), Lt(1)]


class GridProbe(Probe):
    """Probes that differ in hidden size, dropout or weight decay; the one with the best dev accuracy counts.

    All cells have the seed and the key of the test: where their shapes are equal they start from the same weights and
    see the same order, as in the released code of SentEval and RuSentEval. So a cell comes out as it would alone.

    Args:
        hidden_size, dropout, weight_decay: of `ProbeSpec`; a list is a dimension of the grid. A linear probe (None) has
            nothing to drop, its dropout is 0 whatever is given.
        dev_decimals: dev accuracy (0 to 1) is rounded to so many decimals before the cells are compared; None: it is
            not. Of equals the smallest weight decay wins, then the hidden size and the dropout that stand first.
        settings: the other fields of `ProbeSpec`, the same for all cells.
    """

    def __init__(
        self,
        hidden_size: Count | Sequence[Count | None] | None,
        dropout: _Share | Sequence[_Share],
        weight_decay: AtLeastZero | Sequence[AtLeastZero],
        dev_decimals: int | None,
        **settings: Annotated[Any, ProbeSpec],
    ):
        check_options(ProbeSpec, settings, ["elastic_net"], "probe")
        given = {"hidden_size": hidden_size, "dropout": dropout, "weight_decay": weight_decay}
        sizes, shares, decays = (values_of(key, value) for key, value in given.items())
        cells = [
            ProbeSpec(hidden_size=size, dropout=0.0 if size is None else share, weight_decay=decay, **settings)
            for decay, size, share in product(sorted(decays), sizes, shares)
        ]
        self.specs: list[ProbeSpec] = list(dict.fromkeys(cells))
        self.scale, self._dev_decimals = self.specs[0].scale, dev_decimals

    @property
    def n_probes(self) -> int:
        return len(self.specs)

    def jobs(self, data: ProbeData, seed: int, key: str) -> list[ProbeJob]:
        return [ProbeJob(data, spec, seed, key) for spec in self.specs]

    def outcome(self, jobs: Sequence[ProbeJob], outcomes: Sequence[ProbeOutcome]) -> ProbeOutcome:
        """Returns the outcome of the cell that dev chooses, with its name; a failed one only where all have failed."""
        trained = [number for number, outcome in enumerate(outcomes) if outcome.failed is None]
        if not trained:
            return outcomes[0]
        best = trained[self.best([outcomes[number].dev_accuracy for number in trained])]
        return replace(outcomes[best], cell=self._cell(self.specs[best]))

    def kept_job(self, jobs: Sequence[ProbeJob], outcome: ProbeOutcome) -> ProbeJob:
        return next(job for job in jobs if self._cell(job.spec) == outcome.cell)

    def best(self, dev_accuracies: Sequence[float]) -> int:
        """Returns the place of the highest dev accuracy (0 to 1), rounded; of equals the first."""
        decimals = self._dev_decimals
        rounded = [one if decimals is None else round(one, decimals) for one in dev_accuracies]
        return rounded.index(max(rounded))

    def _cell(self, chosen: ProbeSpec) -> str | None:
        """Returns the values in which the cells differ: "hidden_size=50 weight_decay=0.001"."""
        keys = ("hidden_size", "dropout", "weight_decay")
        differing = {key: getattr(chosen, key) for key in keys if len({getattr(one, key) for one in self.specs}) > 1}
        return " ".join(f"{key}={'null' if one is None else f'{one:g}'}" for key, one in differing.items()) or None


def values_of(key: str, given: object) -> list:
    """Returns the values of a key of a grid: a list of them, or a single one."""
    values = given if isinstance(given, list | tuple) else [given]
    if not values:
        raise BadValue(f"probe.{key}", given, "a value or a list of values")
    return list(values)
