"""A chunk: probes of one shape that start together and are trained to their end."""

from collections.abc import Sequence

import torch
from torch import Tensor

from src.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from src.probing.bank.losses import divide_by_batch, label_weights, mean_of_batch_means
from src.probing.bank.networks import Batch, Network, network_of
from src.probing.bank.parameter_stack import ParameterStack
from src.probing.bank.probe_in_training import ProbeInTraining
from src.probing.bank.randomness import kept_share

# Rows and dropout are drawn for about so many examples at a time: few calls, and still little memory.
GATHERED_EXAMPLES = 512
SCORED_ROWS = 500


class Chunk:
    """Trains probes of equal input width, padded label count and number of training examples.

    Args:
        positions: of the jobs in the bank; `outcomes` is keyed by them.
        datas: the tests and vectors of the jobs, already on the device.
        padded_labels: the label count that all are padded to.

    Attributes:
        outcomes: of the probes that have ended.
    """

    def __init__(
        self,
        positions: Sequence[int],
        jobs: Sequence[ProbeJob],
        datas: Sequence[ProbeData],
        padded_labels: int,
    ):
        self._spec, self._padded_labels = jobs[0].spec, padded_labels
        self._network = network_of(self._spec)
        self._device = datas[0].vectors.device
        self._positions, self._datas = list(positions), list(datas)
        self._probes = [ProbeInTraining(job) for job in jobs]
        initial = [
            self._network.initial(probe.random, data.input_width, data.n_labels, padded_labels)
            for probe, data in zip(self._probes, datas, strict=True)
        ]
        self._stack = ParameterStack(initial, self._spec, [job.spec.weight_decay for job in jobs], self._device)
        self._label_weights = [label_weights(data, self._spec) for data in datas]
        self._scale = self._scale_of_dropout()
        self._n_train = datas[0].n_train
        self._n_rows = _whole_batches(self._n_train, self._spec.batch_size)
        self._next_example = 0
        self._buffers: dict[str, Tensor] = {}
        self.outcomes: dict[int, ProbeOutcome] = {}

    @property
    def is_finished(self) -> bool:
        return not self._probes

    @property
    def epochs_left(self) -> int:
        """Epochs that the probes still in training may take at most."""
        return sum(self._spec.max_epochs - len(probe.train_losses) for probe in self._probes)

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
        for probe in self._probes:
            probe.order = probe.random.order(self._n_train)
        self._gold_probabilities = torch.empty(len(self._probes), self._n_rows, 1, device=self._device)

    def _gather(self, start: int, stop: int) -> Batch:
        """Gathers the examples from `start` to `stop` of every probe's own order.

        The last mini-batch of an epoch is filled up with rows that count nothing: products of few rows round otherwise
        alone than in company.
        """
        n_examples, n_rows = stop - start, _whole_batches(stop - start, self._spec.batch_size)
        shape = (len(self._probes), n_rows)
        inputs = self._buffer("inputs", *shape, self._datas[0].input_width)
        labels = self._buffer("labels", *shape, 1, dtype=torch.int64)
        for slot, (probe, data) in enumerate(zip(self._probes, self._datas, strict=True)):
            examples = torch.from_numpy(probe.order[start:stop]).to(self._device)
            _gather_vectors(data, data.train_rows[examples], out=inputs[slot, :n_examples])
            labels[slot, :n_examples, 0] = data.train_labels[examples]
        inputs[:, n_examples:].zero_()
        labels[:, n_examples:].zero_()
        targets = self._buffer("targets", *shape, self._padded_labels).zero_().scatter_(2, labels, 1.0)
        gold_probabilities = self._gold_probabilities[:, start : start + n_rows]
        kept, shares = self._draw_kept(shape, n_examples), self._shares(labels, n_examples)
        return Batch(inputs, labels, targets, gold_probabilities, shares, kept, self._scale)

    def _draw_kept(self, shape: tuple[int, int], n_examples: int) -> Tensor | None:
        if self._scale is None:
            return None
        whole = self._buffer("kept", *shape, self._spec.hidden_size)
        whole[:, n_examples:].zero_()
        kept = whole[:, :n_examples]
        for slot, probe in enumerate(self._probes):
            if probe.job.spec.dropout == 0:
                kept[slot].fill_(1)
                continue
            drawn = probe.random.kept(kept[slot].numel(), probe.job.spec.dropout)
            kept[slot].copy_(torch.from_numpy(drawn).view(kept[slot].shape))
        return whole

    def _shares(self, labels: Tensor, n_examples: int) -> Tensor:
        stacked = self._buffer("shares", *labels.shape).zero_()
        for slot, weights in enumerate(self._label_weights):
            stacked[slot, :n_examples, 0] = weights[labels[slot, :n_examples, 0]]
            if self._spec.loss_reduction == "mean":
                divide_by_batch(stacked[slot, :, 0], self._spec.batch_size)
        return stacked

    def _buffer(self, name: str, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Returns memory of that shape, the same at each call while it is large enough."""
        count = torch.Size(shape).numel()
        if name not in self._buffers or self._buffers[name].numel() < count:
            self._buffers[name] = torch.empty(count, dtype=dtype, device=self._device)
        return self._buffers[name][:count].view(shape)

    def _end_epoch(self) -> None:
        for slot, probe in enumerate(self._probes):
            # Copies: how a product rounds may depend on where in memory its factors lie.
            parameters = tuple(parameter.clone() for parameter in self._stack.of_probe(slot))
            probe.train_losses.append(_mean_loss(self._gold_probabilities[slot, : self._n_train]))
            if not _all_finite(parameters):
                probe.failed = f"the loss is not a number in epoch {len(probe.train_losses)}"
            elif probe.is_due:
                self._evaluate(slot, parameters)
        self._let_go([slot for slot, probe in enumerate(self._probes) if probe.goes_on])

    def _evaluate(self, slot: int, parameters: tuple[Tensor, ...]) -> None:
        data, loss = self._datas[slot], None
        scores = _scores(self._network, parameters, data, data.dev_rows)
        if self._spec.needs_dev_loss:
            weights = self._label_weights[slot][data.dev_labels].double()
            loss = mean_of_batch_means(_losses(scores, data.dev_labels), weights, self._spec.dev_batch_size)
        self._probes[slot].take(scores.argmax(1), data.dev_labels, loss, parameters)

    def _let_go(self, staying: list[int]) -> None:
        """Ends the probes that do not stay; the stack closes up."""
        if len(staying) == len(self._probes):
            return
        for slot in sorted(set(range(len(self._probes))) - set(staying)):
            self.outcomes[self._positions[slot]] = self._outcome(self._probes[slot], self._datas[slot])
        for name in ("_positions", "_probes", "_datas", "_label_weights"):
            setattr(self, name, [getattr(self, name)[slot] for slot in staying])
        if staying:
            self._stack.keep(staying)
            self._scale = self._scale_of_dropout()

    def _scale_of_dropout(self) -> Tensor | None:
        """Returns what kept components are multiplied by, `[probes, 1, 1]`; None where no probe drops any."""
        dropouts = [probe.job.spec.dropout for probe in self._probes]
        if not any(dropouts):
            return None
        return torch.tensor([1 / kept_share(dropout) for dropout in dropouts], device=self._device).view(-1, 1, 1)

    def _outcome(self, probe: ProbeInTraining, data: ProbeData) -> ProbeOutcome:
        if probe.failed is not None:
            return probe.failure()
        scores = _scores(self._network, probe.kept_parameters, data, data.test_rows)
        return probe.outcome(scores.argmax(1), _losses(scores, data.test_labels))


def gathered_examples(batch_size: int) -> int:
    """Returns how many examples are gathered at a time: whole mini-batches, at least one."""
    return max(1, GATHERED_EXAMPLES // batch_size) * batch_size


def _whole_batches(n_examples: int, batch_size: int) -> int:
    return -(-n_examples // batch_size) * batch_size


def _gather_vectors(data: ProbeData, rows: Tensor, out: Tensor) -> Tensor:
    """Puts the concatenated vectors of `rows` `[examples, parts]` into `out` `[examples, input width]`."""
    torch.index_select(data.vectors, 0, rows.flatten(), out=out.view(rows.numel(), data.vectors.shape[1]))
    return out


def _scores(network: Network, parameters: tuple[Tensor, ...], data: ProbeData, rows: Tensor) -> Tensor:
    """Scores the labels of every example, a block of rows at a time: float32 `[examples, labels]`."""
    memory = torch.empty(min(len(rows), SCORED_ROWS), data.input_width, device=data.vectors.device)
    blocks = rows.split(SCORED_ROWS)
    inputs = (_gather_vectors(data, block, out=memory[: len(block)]) for block in blocks)
    return torch.cat([network.scores(parameters, vectors) for vectors in inputs])


def _losses(scores: Tensor, labels: Tensor) -> Tensor:
    """Returns the cross-entropy of every example in nats: float64 `[examples]`."""
    return -torch.log_softmax(scores.double(), 1).gather(1, labels[:, None])[:, 0]


def _mean_loss(gold_probabilities: Tensor) -> float:
    smallest = torch.finfo(gold_probabilities.dtype).tiny
    return -gold_probabilities.clamp(min=smallest).log().mean().item()


def _all_finite(parameters: tuple[Tensor, ...]) -> bool:
    return all(bool(torch.isfinite(parameter).all()) for parameter in parameters)
