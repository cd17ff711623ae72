"""The states inside a transformer: where each layer has its own, handed over while the model runs, which ends early."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Place:
    """Where a state appears in a model: it comes out of a module, or goes into one."""

    module: nn.Module
    is_input: bool = False


class _EveryStateSeen(Exception):
    """Ends the run of a model of which no further state is needed."""


@contextmanager
def handed_over(places: Mapping[Hashable, Place], take: Callable[[Hashable, Tensor], None]) -> Iterator[None]:
    """Hands over the state of each place as soon as it is there; after the last of them the model's run ends.

    The model is called once inside the context and returns only if a place was not reached. A module that is called
    again (shared layers) is read the first time.

        with handed_over({"in": Place(layers[0], is_input=True), "out": Place(layers[3])}, take):
            model(input_ids=ids)  # layers[4] is not run; take("in", state), then take("out", state)

    Args:
        take: gets the key of a place and its state, `[batch, pieces, width]`, which later layers may overwrite.
    """
    missing = set(places)

    def seen(key: Hashable, value: object) -> None:
        if key not in missing:
            return
        missing.remove(key)
        take(key, state_of(value))
        if not missing:
            raise _EveryStateSeen

    with ExitStack() as hooks:
        for key, place in places.items():
            hooks.callback(_hook(place, key, seen).remove)
        with suppress(_EveryStateSeen):
            yield


def _hook(place: Place, key: Hashable, seen: Callable[[Hashable, object], None]) -> torch.utils.hooks.RemovableHandle:
    if not place.is_input:
        return place.module.register_forward_hook(lambda module, given, output: seen(key, output))
    return place.module.register_forward_pre_hook(
        lambda module, given, named: seen(key, given or named["hidden_states"]), with_kwargs=True
    )


def state_of(value: object) -> Tensor:
    """Returns the state among what goes into a module or comes out of it: the first of several tensors."""
    return value if isinstance(value, Tensor) else value[0]


def layer_stacks(model: nn.Module, n_layers: int) -> Iterator[nn.ModuleList]:
    """Yields the lists of modules that may be the layers of a model: as many as it has layers, the outermost first."""
    for module in model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == n_layers:
            yield module


@torch.inference_mode()
def layer_places(model: nn.Module, ids: Tensor, states: tuple[Tensor, ...]) -> list[Place] | None:
    """Says where the states of all layers appear, the embedding layer's first.

    A state goes into the module of the layer above it, or comes out of the layer itself where the model returns no
    embeddings (Mamba); the last one, which has the norm of the whole model where there is one, comes out of the model.
    A run shows whether these are, bit for bit, the states that the model returns.

    Args:
        ids: `[batch, pieces]`, for that run; without padding.
        states: what the model returns for them.

    Returns:
        None where no list of modules is the layers of the model, such as one layer that is used several times.
    """
    for layers in layer_stacks(model, len(states) - 1):
        for is_input in (True, False):
            places = [*(Place(layer, is_input) for layer in layers), Place(model)]
            if _are_alike(model, ids, places, states):
                return places
    return None


def _are_alike(model: nn.Module, ids: Tensor, places: list[Place], states: tuple[Tensor, ...]) -> bool:
    found: dict[Hashable, Tensor] = {}
    with handed_over(dict(enumerate(places)), lambda number, state: found.update({number: state.clone()})):
        model(input_ids=ids)
    return all(number in found and torch.equal(found[number], state) for number, state in enumerate(states))
