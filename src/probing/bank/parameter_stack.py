"""Parameters of many families of probes, stacked along the first axis, and Adam over all of them in one call."""

from collections.abc import Sequence

import torch
from torch import Tensor

from polyprobe.models.layers.probe_spec import ProbeSpec

# Lengths are multiples of a cache line's worth of vector registers, so that no number falls into the optimiser's scalar
# remainder, where rounding could differ: a probe's numbers must not depend on its place in the stack.
UNIT = 64
PAGE = 1024  # float32 numbers in 4 KiB


class ParameterStack:
    """Parameters, gradients and the two moments of Adam of families of probes that started together.

    All four lie in one piece of memory, each a quarter page further into its page than the one before: where they
    started at the same place of a page, as separate tensors of this size do, Adam took twice as long on a CPU.

    Args:
        families: the initial parameters of each family; the same shapes for all.
        spec: learning rate, betas, epsilon and clamp.
        decays: the weight decay of each family, or of each column of its parameters: float32 `[families, 1, 1]` or
            `[families, 1, columns]`.

    Attributes:
        parameters, gradients: one tensor `[families, ...]` per parameter of the network. Write gradients, then `step`.
    """

    def __init__(self, families: Sequence[Sequence[Tensor]], spec: ProbeSpec, decays: Tensor, device: torch.device):
        self._spec = spec
        self._decays = decays.to(device) if bool(decays.any()) else None
        self._steps = torch.zeros((), device=device)
        self._shapes = [tuple(parameter.shape) for parameter in families[0]]
        self._allocate(len(families), device)
        for stacked, parts in zip(self.parameters, zip(*families, strict=True), strict=True):
            stacked.copy_(torch.stack(parts))

    def _allocate(self, n_families: int, device: torch.device) -> None:
        length = self._length(n_families)
        self._stride = -(-length // PAGE) * PAGE + PAGE // 4
        self._memory = torch.zeros(4 * self._stride, device=device)
        self._pulls = None if self._decays is None else torch.zeros(length, device=device)
        self._lay_out(n_families)

    def _length(self, n_families: int) -> int:
        return -(-sum(self._sizes(n_families)) // UNIT) * UNIT

    def _sizes(self, n_families: int) -> list[int]:
        return [n_families * torch.Size(shape).numel() for shape in self._shapes]

    def _lay_out(self, n_families: int) -> None:
        """Sets the views of so many families, at the front of the memory of each role."""
        length = self._length(n_families)
        self._values, self._slopes, self._first, self._second = (
            self._memory[role * self._stride : role * self._stride + length] for role in range(4)
        )
        self.parameters = self._views(self._values, n_families)
        self.gradients = self._views(self._slopes, n_families)
        if self._pulls is not None:
            self._pulls = self._pulls[:length]
            self._pulls_by_parameter = self._views(self._pulls, n_families)

    def _views(self, flat: Tensor, n_families: int) -> list[Tensor]:
        sizes = self._sizes(n_families)
        pieces = flat[: sum(sizes)].split(sizes)
        return [piece.view(n_families, *shape) for piece, shape in zip(pieces, self._shapes, strict=True)]

    def step(self) -> None:
        """Clamps the gradients and takes one step of Adam, as `torch.optim.Adam(fused=True)` would for each probe."""
        if self._spec.gradient_clamp is not None:
            self._slopes.clamp_(-self._spec.gradient_clamp, self._spec.gradient_clamp)
        if self._decays is not None:
            self._add_decay()
        self._steps.add_(1)
        beta1, beta2 = self._spec.adam_betas
        # What `torch.optim.adam.adam` calls; the Python around it takes a tenth of its time, and no other thread has
        # Python meanwhile.
        torch._fused_adam_(
            [self._values],
            [self._slopes],
            [self._first],
            [self._second],
            [],
            [self._steps],
            amsgrad=False,
            beta1=beta1,
            beta2=beta2,
            lr=self._spec.learning_rate,
            weight_decay=0.0,
            eps=self._spec.adam_epsilon,
            maximize=False,
        )

    def _add_decay(self) -> None:
        """Adds weight decay to the gradients, in two calls whose rounding no vectorisation can change.

        The bias of an absent label gets a huge gradient by this; it stays all the same, for a step of Adam is small.
        """
        for parameter, pull in zip(self.parameters, self._pulls_by_parameter, strict=True):
            torch.mul(parameter, self._decays, out=pull)
        self._slopes.add_(self._pulls)

    def of_family(self, slot: int) -> tuple[Tensor, ...]:
        """Returns the parameters of one family, as views."""
        return tuple(stacked[slot] for stacked in self.parameters)

    def keep(self, slots: Sequence[int]) -> None:
        """Drops all families but those at `slots`, ascending; the others move together, in the same memory."""
        assert list(slots) == sorted(slots)  # or a family would be written over before it has moved
        before = len(self.parameters[0])
        for flat in (self._values, self._first, self._second):
            for old, new in zip(self._views(flat, before), self._views(flat, len(slots)), strict=True):
                for target, slot in zip(new, slots, strict=True):
                    if target.data_ptr() != old[slot].data_ptr():
                        target.copy_(old[slot].clone())
        if self._decays is not None:
            self._decays = self._decays[list(slots)]
        self._lay_out(len(slots))
