"""The probe whose weights rank neurons: one linear layer over all layers, with an elastic net (Dalvi et al. 2019)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np

from polyprobe.errors import BadValue
from polyprobe.models.layers.probe_spec import ElasticNet, ProbeSpec
from polyprobe.probing.bank.cell_search import CellScores, CellSearch, SearchedCell
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.probes.grid import values_of
from polyprobe.probing.probes.probe import Probe
from polyprobe.runs.array_records import SEARCHED
from polyprobe.section import AboveZero, AtLeastZero, check_options, checked


class NeuronProbe(Probe):
    """Linear probes that differ in the strength of their elastic net; all are trained, one counts.

    By "ablation" that is the one with the highest score of Dalvi et al. (2019):
    ```
    score = a (accuracy with the top neurons alone - with the bottom neurons alone)
          - b (accuracy of the probe without penalty - of this one)
    ```
    All are accuracies on dev, 0 to 1. Alone are neurons where the weights of all others are set to zero in the trained
    probe. The neurons of a cell are ranked by its own weights; the top and the bottom ones are a share of their number.
    Where the grid has no cell without penalty, or that one fails, the best accuracy of the grid stands for it: the
    scores move, the choice does not. By "dev" the score is the dev accuracy. Of equal cells the grid's first counts.

    Args:
        l1, l2: of `ElasticNet`; all pairs of them are the cells, l2 changing fastest.
        penalty: of `ElasticNet`.
        lambda_by: what a cell is chosen by: "ablation" or "dev".
        ablated_share: share of the number of neurons that are the top (the bottom) ones.
        ablation_weight, accuracy_weight: a and b of the score.
        max_epochs: passes over train, always all of them; the weights are those after the last.
        settings: the other fields of `ProbeSpec` that such a probe has, the same for all cells.
    """

    over_all_layers = True

    @checked("probe")
    def __init__(
        self,
        l1: float | Sequence[float],
        l2: float | Sequence[float],
        penalty: str,
        lambda_by: Literal["ablation", "dev"],
        ablated_share: AboveZero,
        ablation_weight: AtLeastZero,
        accuracy_weight: AtLeastZero,
        max_epochs: int,
        **settings: Annotated[Any, ProbeSpec],
    ):
        check_options(ProbeSpec, settings, ["elastic_net"], "probe")
        if ablated_share > 0.5:
            raise BadValue("probe.ablated_share", ablated_share, "at most 0.5")
        cells = [
            ElasticNet(l1=l1, l2=l2, penalty=penalty) for l1, l2 in product(values_of("l1", l1), values_of("l2", l2))
        ]
        self.specs: list[ProbeSpec] = [_spec(cell, max_epochs, settings) for cell in dict.fromkeys(cells)]
        self.scale, self._lambda_by, self._ablated_share = self.specs[0].scale, lambda_by, ablated_share
        self._a, self._b = ablation_weight, accuracy_weight

    @property
    def n_probes(self) -> int:
        return len(self.specs)

    def jobs(self, data: ProbeData, seed: int, key: str) -> list[ProbeJob]:
        search = CellSearch(self._ablated_share, self._merit)
        return [ProbeJob(data, spec, seed, key, SearchedCell(search, n)) for n, spec in enumerate(self.specs)]

    def outcome(self, jobs: Sequence[ProbeJob], outcomes: Sequence[ProbeOutcome]) -> ProbeOutcome:
        """Returns the outcome of the cell that counts, with its weights; a failed one only where all have failed."""
        search = jobs[0].cell.search
        if search.best is None:
            return outcomes[0]
        chosen = self.specs[search.best].elastic_net
        return replace(
            outcomes[search.best],
            cell=f"l1={chosen.l1:g} l2={chosen.l2:g}" if len(self.specs) > 1 else None,
            weights=search.weights,
            biases=search.biases,
            searched=np.array([self._row(search, place) for place in range(len(self.specs))]),
        )

    def _merit(self, scores: CellScores) -> float:
        """Returns what orders cells as their score does, in examples, so that equal cells are equal to the last bit."""
        if self._lambda_by == "dev":
            return float(scores.whole)
        return self._a * (scores.top - scores.bottom) + self._b * scores.whole

    def _row(self, search: CellSearch, place: int) -> list[float]:
        """Returns a row of `ProbeOutcome.searched`, in the columns `SEARCHED`; not a number for a cell that failed."""
        net, scores = self.specs[place].elastic_net, search.scores.get(place)
        if scores is None:
            return [net.l1, net.l2] + (len(SEARCHED) - 2) * [float("nan")]
        accuracies = [count / scores.n_dev for count in (scores.whole, scores.top, scores.bottom)]
        plain = 0.0 if self._lambda_by == "dev" else self._b * self._plain(search)
        return [net.l1, net.l2, *accuracies, (self._merit(scores) - plain) / scores.n_dev]

    def _plain(self, search: CellSearch) -> int:
        """Returns how many dev examples the cell without penalty has right; where there is none, the best cell."""
        for place, scores in search.scores.items():
            net = self.specs[place].elastic_net
            if net.l1 == net.l2 == 0:
                return scores.whole
        return max(scores.whole for scores in search.scores.values())


def _spec(cell: ElasticNet, max_epochs: int, settings: dict[str, Any]) -> ProbeSpec:
    """Returns what is trained for a cell: a linear layer, for all epochs, as it is after the last."""
    return ProbeSpec(
        hidden_size=None,
        activation="relu",
        dropout=0.0,
        dropout_place="after_activation",
        weight_decay=0.0,
        gradient_clamp=None,
        loss_reduction="mean",
        max_epochs=max_epochs,
        epochs_per_evaluation=max_epochs,
        stopping="none",
        patience=1,
        dev_batch_size=1,
        kept_weights="last_as_it_is",
        elastic_net=cell,
        **settings,
    )
