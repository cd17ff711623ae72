"""A chunk: families of probes of one shape that start together and are trained to their end."""

from collections.abc import Sequence

import torch
from torch import Tensor

from src.probing.bank.family import Family, Member
from src.probing.bank.jobs import ProbeData, ProbeOutcome
from src.probing.bank.losses import divide_by_batch, mean_of_batch_means
from src.probing.bank.networks import Batch, Network, network_of
from src.probing.bank.parameter_stack import ParameterStack
from src.probing.bank.randomness import kept_share
from src.probing.bank.score_columns import columns_of

# Rows and dropout are drawn for about so many examples at a time: few calls, and still little memory.
GATHERED_EXAMPLES = 512
SCORED_ROWS = 500


class Chunk:
    """Trains families of equal input width, columns and number of training examples.

    Attributes:
        outcomes: of the probes that have ended, by the positions of their jobs in the bank.
    """

    def __init__(self, families: Sequence[Family]):
        self._families = list(families)
        first = self._families[0]
        self._spec, self._device = first.spec, first.data.vectors.device
        self._columns = columns_of(first.data.n_labels, self._spec)
        self._network = network_of(self._spec, self._columns)
        initial = [
            self._network.initial(family.random, family.data.input_width, family.data.n_labels, self._columns.width)
            for family in self._families
        ]
        self._stack = ParameterStack(initial, self._spec, self._decays(), self._device)
        self._scale = self._scale_of_dropout()
        self._n_train = first.data.n_train
        self._n_rows = _whole_batches(self._n_train, self._spec.batch_size)
        self._next_example = 0
        self._buffers: dict[str, Tensor] = {}
        self.outcomes: dict[int, ProbeOutcome] = {}

    def _decays(self) -> Tensor:
        """Returns the weight decay of each column, or of each family where that is one probe."""
        n_labels, n_members, width = self._columns.n_labels, self._columns.n_members, self._columns.width
        if n_members == 1:
            return torch.tensor([[family.decays] for family in self._families])
        decays = torch.zeros(len(self._families), 1, width)
        by_label = decays[..., : n_labels * n_members].view(-1, n_labels, n_members)
        for of_family, family in zip(by_label, self._families, strict=True):
            of_family[:, : len(family.decays)] = torch.tensor(family.decays)
        return decays

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
            family.order = family.random.order(self._n_train)
        shape = len(self._families), self._n_rows, self._columns.n_members
        self._gold_probabilities = torch.empty(shape, device=self._device)

    def _gather(self, start: int, stop: int) -> Batch:
        """Gathers the examples from `start` to `stop` of every family's own order.

        The last mini-batch of an epoch is filled up with rows that count nothing: products of few rows round otherwise
        alone than in company.
        """
        n_examples, n_rows = stop - start, _whole_batches(stop - start, self._spec.batch_size)
        shape = (len(self._families), n_rows)
        inputs = self._buffer("inputs", *shape, self._families[0].data.input_width)
        labels = self._buffer("labels", *shape, dtype=torch.int64)
        for slot, family in enumerate(self._families):
            examples = torch.from_numpy(family.order[start:stop]).to(self._device)
            _gather_vectors(family.data, family.data.train_rows[examples], out=inputs[slot, :n_examples])
            labels[slot, :n_examples] = family.data.train_labels[examples]
        inputs[:, n_examples:].zero_()
        labels[:, n_examples:].zero_()
        kept, shares = self._draw_kept(shape, n_examples), self._shares(labels, n_examples)
        labels, shares = labels[:, :, None], shares[:, :, None]
        targets = self._buffer("targets", *shape, self._columns.n_labels).zero_().scatter_(2, labels, 1.0)
        gold_probabilities = self._gold_probabilities[:, start : start + n_rows]
        return Batch(inputs, labels, targets, gold_probabilities, shares, kept, self._scale)

    def _draw_kept(self, shape: tuple[int, int], n_examples: int) -> Tensor | None:
        if self._scale is None:
            return None
        whole = self._buffer("kept", *shape, self._spec.hidden_size)
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
        for slot, family in enumerate(self._families):
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
        for slot, family in enumerate(self._families):
            # Copies: how a product rounds may depend on where in memory its factors lie.
            parameters = tuple(parameter.clone() for parameter in self._stack.of_family(slot))
            losses = _mean_losses(self._gold_probabilities[slot, : self._n_train])
            are_finite = self._network.are_finite(parameters)
            for member in family.running:
                probe = member.probe
                probe.train_losses.append(losses[member.number])
                if not are_finite[member.number]:
                    probe.failed = f"the loss is not a number in epoch {len(probe.train_losses)}"
            self._evaluate(family, parameters)
        self._let_go()

    def _evaluate(self, family: Family, parameters: tuple[Tensor, ...]) -> None:
        """Scores dev for the members of which it is due."""
        due = [member for member in family.running if member.probe.is_due and member.probe.failed is None]
        if not due:
            return
        data, loss = family.data, None
        scores = _scores(self._network, parameters, data, data.dev_rows)
        predictions = scores.argmax(1)
        for member in due:
            if self._spec.needs_dev_loss:
                weights = family.label_weights[data.dev_labels].double()
                losses = _losses(scores[:, :, member.number], data.dev_labels)
                loss = mean_of_batch_means(losses, weights, self._spec.dev_batch_size)
            member.probe.take(predictions[:, member.number], data.dev_labels, loss, parameters)

    def _let_go(self) -> None:
        """Ends the probes that do not go on; the stack closes up over families that have none left."""
        for family in self._families:
            for member in family.ended():
                self.outcomes[member.position] = self._outcome(member, family.data)
        staying = [slot for slot, family in enumerate(self._families) if family.running]
        if len(staying) == len(self._families):
            return
        self._families = [self._families[slot] for slot in staying]
        if staying:
            self._stack.keep(staying)
            self._scale = self._scale_of_dropout()

    def _scale_of_dropout(self) -> Tensor | None:
        """Returns what kept components are multiplied by, `[families, 1, 1]`; None where no probe drops any."""
        dropouts = [family.dropout for family in self._families]
        if not any(dropouts):
            return None
        return torch.tensor([1 / kept_share(dropout) for dropout in dropouts], device=self._device).view(-1, 1, 1)

    def _outcome(self, member: Member, data: ProbeData) -> ProbeOutcome:
        if member.probe.failed is not None:
            return member.probe.failure()
        scores = _scores(self._network, member.probe.kept_parameters, data, data.test_rows)[:, :, member.number]
        return member.probe.outcome(scores.argmax(1), _losses(scores, data.test_labels))


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
    """Scores the labels of every example, a block of rows at a time: float32 `[examples, labels, members]`."""
    memory = torch.empty(min(len(rows), SCORED_ROWS), data.input_width, device=data.vectors.device)
    blocks = rows.split(SCORED_ROWS)
    inputs = (_gather_vectors(data, block, out=memory[: len(block)]) for block in blocks)
    return torch.cat([network.scores(parameters, vectors) for vectors in inputs])


def _losses(scores: Tensor, labels: Tensor) -> Tensor:
    """Returns the cross-entropy of every example in nats: float64 `[examples]`."""
    return -torch.log_softmax(scores.double(), 1).gather(1, labels[:, None])[:, 0]


def _mean_losses(gold_probabilities: Tensor) -> list[float]:
    """Returns the mean cross-entropy of each member, in nats, of `[examples, members]`."""
    smallest = torch.finfo(gold_probabilities.dtype).tiny
    return (-gold_probabilities.clamp(min=smallest).log().mean(0)).tolist()
