"""A chunk: families of probes of one shape that start together and are trained to their end."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import torch
from torch import Tensor

from polyprobe.models.layers.probe_loss import cross_entropies, divide_by_batch, mean_losses, mean_of_batch_means
from polyprobe.models.layers.probe_random import gathered_examples, kept_share
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import ElasticNetSlope, columns_of
from polyprobe.probing.bank.cell_search import EndedCell, tell_searches
from polyprobe.probing.bank.family import Family, ProbeInTraining
from polyprobe.probing.bank.inputs import DenseInputs, Inputs, Rows, SparseInputs
from polyprobe.probing.bank.jobs import ProbeData, ProbeOutcome
from polyprobe.probing.bank.networks import Batch, Network, network_of
from polyprobe.probing.bank.parameter_stack import ParameterStack

SCORED_ROWS = 500


class Chunk:
    """Trains families of equal input width, columns and number of training examples.

    Attributes:
        outcomes: of the probes that have ended, by the positions of their jobs in the bank.
    """

    def __init__(self, families: Sequence[Family], n_threads: int):
        self._families, self.n_threads = list(families), n_threads
        first = self._families[0]
        self._spec, self._device = first.spec, first.data.vectors.device
        self._columns = columns_of(first.data.n_labels, self._spec)
        self._network = network_of(self._spec, self._columns)
        initial = [
            self._network.initial(family.random, family.data.input_width, family.data.n_labels, self._columns.width)
            for family in self._families
        ]
        decays = self._by_column(lambda spec: spec.weight_decay)
        self._stack = ParameterStack(initial, self._spec, decays, self._device)
        self._scale, self._elastic_nets = self._scale_of_dropout(), self._slope_of_elastic_nets()
        self._are_kin = len({family.kin for family in self._families}) == 1
        self._n_train = first.data.n_train
        self._n_rows = _whole_batches(self._n_train, self._spec.batch_size)
        self._next_example = 0
        self._buffers: dict[str, Tensor] = {}
        self.outcomes: dict[int, ProbeOutcome] = {}

    def _by_column(self, value: Callable[[ProbeSpec], float]) -> Tensor:
        """Returns a value of the probe of each column, or of each family where that is one probe."""
        n_labels, n_members, width = self._columns.n_labels, self._columns.n_members, self._columns.width
        of_families = [[value(spec) for spec in family.specs] for family in self._families]
        if n_members == 1:
            return torch.tensor(of_families)[:, None]
        values = torch.zeros(len(self._families), 1, width)
        by_label = values[..., : n_labels * n_members].view(-1, n_labels, n_members)
        for of_columns, of_members in zip(by_label, of_families, strict=True):
            of_columns[:, : len(of_members)] = torch.tensor(of_members)
        return values

    @property
    def is_finished(self) -> bool:
        return not self._families

    @property
    def epochs_left(self) -> int:
        """Epochs that the probes still in training may take at most."""
        return sum(family.epochs_left for family in self._families)

    def advance(self) -> None:
        """Trains the next mini-batches of an epoch; after the last ones the probes are scored on dev and may end."""
        if self._next_example == 0:
            self._start_epoch()
        start = self._next_example
        stop = min(start + gathered_examples(self._spec.batch_size), self._n_train)
        for batch in self._gather(start, stop).split(self._spec.batch_size):
            self._network.fill_gradients(self._stack.parameters, batch, self._stack.gradients)
            self._stack.step()
        self._next_example = stop % self._n_train
        if self._next_example == 0:
            self._end_epoch()

    def _start_epoch(self) -> None:
        for family in self._families:
            family.start_epoch()
        shape = len(self._families), self._n_rows, self._columns.n_members
        self._gold_probabilities = torch.empty(shape, device=self._device)

    def _gather(self, start: int, stop: int) -> Batch:
        """Gathers the examples from `start` to `stop` of every family's own order; once for all, where it is the same.

        The last mini-batch of an epoch is filled up with rows that count nothing: products of few rows round otherwise
        alone than in company.
        """
        n_examples, n_rows = stop - start, _whole_batches(stop - start, self._spec.batch_size)
        families = self._families[:1] if self._are_kin else self._families
        shape = (len(families), n_rows)
        labels = self._buffer("labels", *shape, dtype=torch.int64)
        examples = [torch.from_numpy(family.order[start:stop]).to(self._device) for family in families]
        for of_family, family, chosen in zip(labels, families, examples, strict=True):
            of_family[:n_examples] = family.data.train_labels[chosen]
        inputs = self._gather_inputs([family.data for family in families], examples, n_rows)
        labels[:, n_examples:].zero_()
        kept, shares = self._draw_kept(n_examples, n_rows), self._shares(labels, n_examples)
        labels, shares = labels[:, :, None], shares[:, :, None]
        targets = self._buffer("targets", *shape, self._columns.n_labels).zero_().scatter_(2, labels, 1.0)
        gold_probabilities = self._gold_probabilities[:, start : start + n_rows]
        of_all = (part.expand(len(self._families), -1, -1) for part in (labels, targets))
        shares = shares.expand(len(self._families), -1, -1)
        inputs = inputs.expand(len(self._families))
        return Batch(inputs, *of_all, gold_probabilities, shares, kept, self._scale, self._elastic_nets)

    def _gather_inputs(self, datas: Sequence[ProbeData], examples: Sequence[Tensor], n_rows: int) -> Inputs:
        """Gathers examples of train of each data, and as many rows of nothing as a whole number of batches takes."""
        if datas[0].is_sparse:
            pairs = zip(datas, examples, strict=True)
            return SparseInputs([data.vectors.taken(data.train_rows[chosen, 0], n_rows) for data, chosen in pairs])
        inputs = self._buffer("inputs", len(datas), n_rows, datas[0].input_width)
        for slot, (data, chosen) in enumerate(zip(datas, examples, strict=True)):
            _gather_vectors(data, data.train_rows[chosen], out=inputs[slot, : len(chosen)])
        inputs[:, len(examples[0]) :].zero_()
        return DenseInputs(inputs)

    def _draw_kept(self, n_examples: int, n_rows: int) -> Tensor | None:
        if self._scale is None:
            return None
        whole = self._buffer("kept", len(self._families), n_rows, self._spec.hidden_size)
        whole[:, n_examples:].zero_()
        kept = whole[:, :n_examples]
        for slot, family in enumerate(self._families):
            if family.dropout == 0:
                kept[slot].fill_(1)
                continue
            drawn = family.random.kept(kept[slot].numel(), family.dropout)
            kept[slot].copy_(torch.from_numpy(drawn).view(kept[slot].shape))
        return whole

    def _shares(self, labels: Tensor, n_examples: int) -> Tensor:
        stacked = self._buffer("shares", *labels.shape).zero_()
        for slot, family in enumerate(self._families[: len(stacked)]):
            stacked[slot, :n_examples] = family.label_weights[labels[slot, :n_examples]]
            if self._spec.loss_reduction == "mean":
                divide_by_batch(stacked[slot], self._spec.batch_size)
        return stacked

    def _buffer(self, name: str, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Returns memory of that shape, the same at each call while it is large enough."""
        count = torch.Size(shape).numel()
        if name not in self._buffers or self._buffers[name].numel() < count:
            self._buffers[name] = torch.empty(count, dtype=dtype, device=self._device)
        return self._buffers[name][:count].view(shape)

    def _end_epoch(self) -> None:
        due = []
        for slot, family in enumerate(self._families):
            # Copies: how a product rounds may depend on where in memory its factors lie.
            parameters = tuple(parameter.clone() for parameter in self._stack.of_family(slot))
            losses = mean_losses(self._gold_probabilities[slot, : self._n_train])
            are_finite = self._network.are_finite(parameters)
            for member in family.running:
                member.train_losses.append(losses[member.number])
                if not are_finite[member.number]:
                    member.failed = f"the loss is not a number in epoch {len(member.train_losses)}"
            if any(member.is_due and member.failed is None for member in family.running):
                due.append((family, parameters))
        for data, pairs in _by_data(due):
            scores = _scores(self._network, [parameters for _, parameters in pairs], data, data.dev_rows)
            for (family, parameters), of_family in zip(pairs, scores, strict=True):
                self._take(family, parameters, of_family)
        self._let_go()

    def _take(self, family: Family, parameters: tuple[Tensor, ...], scores: Tensor) -> None:
        """Hands the scores on dev, `[examples, labels, members]`, to the members of which they are due."""
        data, loss, predictions = family.data, None, scores.argmax(1)
        for member in family.running:
            if not member.is_due or member.failed is not None:
                continue
            if self._spec.needs_dev_loss:
                weights = family.label_weights[data.dev_labels].double()
                losses = cross_entropies(scores[:, :, member.number], data.dev_labels)
                loss = mean_of_batch_means(losses, weights, self._spec.dev_batch_size)
            member.take(predictions[:, member.number], data.dev_labels, loss, parameters)

    def _let_go(self) -> None:
        """Ends the probes that do not go on; the stack closes up over families that have none left."""
        ended = [(family, member) for family in self._families for member in family.ended()]
        for data, pairs in _by_data(ended):
            self._end([member for _, member in pairs], data)
        staying = [slot for slot, family in enumerate(self._families) if family.running]
        if len(staying) == len(self._families):
            return
        self._families = [self._families[slot] for slot in staying]
        if staying:
            self._stack.keep(staying)
            self._scale, self._elastic_nets = self._scale_of_dropout(), self._slope_of_elastic_nets()

    def _scale_of_dropout(self) -> Tensor | None:
        """Returns what kept components are multiplied by, `[families, 1, 1]`; None where no probe drops any."""
        dropouts = [family.dropout for family in self._families]
        if not any(dropouts):
            return None
        return torch.tensor([1 / kept_share(dropout) for dropout in dropouts], device=self._device).view(-1, 1, 1)

    def _slope_of_elastic_nets(self) -> ElasticNetSlope | None:
        if self._spec.elastic_net is None:
            return None
        l1 = self._by_column(lambda spec: spec.elastic_net.l1).to(self._device)
        l2 = self._by_column(lambda spec: spec.elastic_net.l2).to(self._device)
        return ElasticNetSlope(l1, l2, self._spec.elastic_net.penalty, self._columns)

    def _end(self, members: Sequence[ProbeInTraining], data: ProbeData) -> None:
        """Scores test for members of one data that have ended, and tells the searches that ask for them."""
        for member in members:
            if member.failed is not None:
                self.outcomes[member.position] = member.failure()
        whole = [member for member in members if member.failed is None]
        kept = {id(member.kept_parameters): member.kept_parameters for member in whole}
        scores = dict(zip(kept, _scores(self._network, list(kept.values()), data, data.test_rows), strict=True))
        for member in whole:
            of_member = scores[id(member.kept_parameters)][:, :, member.number]
            layers = self._layers(member, data) if member.job.is_kept else ()
            losses = cross_entropies(of_member, data.test_labels)
            outcome = member.outcome(of_member.argmax(1), losses, layers, data.scaling)
            self.outcomes[member.position] = outcome
        cells = [self._ended_cell(member, data) for member in whole if member.job.cell is not None]
        if cells:
            tell_searches(cells, _blocks(data, data.dev_rows), data.dev_labels)

    def _ended_cell(self, probe: ProbeInTraining, data: ProbeData) -> EndedCell:
        layer = self._layers(probe, data)
        return EndedCell(probe.job.cell, *layer, probe.kept_predictions, data.train_labels.unique())

    def _layers(self, probe: ProbeInTraining, data: ProbeData) -> tuple[Tensor, ...]:
        return self._network.of_member(probe.kept_parameters, probe.number, data.n_labels)


def _whole_batches(n_examples: int, batch_size: int) -> int:
    return -(-n_examples // batch_size) * batch_size


def _gather_vectors(data: ProbeData, rows: Tensor, out: Tensor) -> Tensor:
    """Puts the concatenated vectors of `rows` `[examples, parts]` into `out`, float32 `[examples, input width]`."""
    flat, out_rows = rows.flatten(), out.view(rows.numel(), data.vectors.shape[1])
    if data.vectors.dtype == out.dtype:
        torch.index_select(data.vectors, 0, flat, out=out_rows)
    else:
        out_rows.copy_(data.vectors.index_select(0, flat))
    return out


def _blocks(data: ProbeData, rows: Tensor) -> Iterator[Rows]:
    """Yields the vectors of every example, some rows at a time; dense ones each time in the same memory."""
    if data.is_sparse:
        for block in rows.split(SCORED_ROWS):
            yield data.vectors.taken(block[:, 0], len(block))
        return
    memory = torch.empty(min(len(rows), SCORED_ROWS), data.input_width, device=data.vectors.device)
    for block in rows.split(SCORED_ROWS):
        yield _gather_vectors(data, block, out=memory[: len(block)])


def _scores(network: Network, of_families: Sequence[tuple[Tensor, ...]], data: ProbeData, rows: Tensor) -> list[Tensor]:
    """Scores the labels of every example for each family: float32 `[examples, labels, members]` each."""
    if not of_families:
        return []
    blocks = [[network.scores(one, vectors) for one in of_families] for vectors in _blocks(data, rows)]
    return [torch.cat(of_family) for of_family in zip(*blocks, strict=True)]


def _by_data(pairs: Sequence[tuple]) -> Iterator[tuple[ProbeData, list[tuple]]]:
    """Yields each data with the pairs of a family of it and something else, as long as they follow each other."""
    for _, group in groupby(pairs, key=lambda pair: id(pair[0].data)):
        same = list(group)
        yield same[0][0].data, same
