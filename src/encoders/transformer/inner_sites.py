"""The states inside a transformer, handed over while it runs: those of its layers, and of sites inside of them.

A site is what a sublayer adds to the residual stream: the output of its last projection, before dropout, norms and the
sum. Families name it differently, and some return the sum already (BERT's `output`), so the projection inside comes
first in the table. Looked up in transformers 4.49 to 5.
"""

import copy
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoModel, PreTrainedConfig

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import UnknownChoice


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


RESIDUAL, ATTENTION, MLP = "residual", "attention", "mlp"
MODULES = {
    ATTENTION: (
        "attention.output.dense",  # BERT, RoBERTa, ELECTRA, DeBERTa
        "self_attention.dense",  # Bloom, Falcon
        "attention.dense",  # GPT-NeoX
        "attn",  # GPT-2, GPT-J, GPT-Neo, ModernBERT, MPT
        "self_attn",  # Llama, Mistral, Qwen, Gemma, Phi, OPT, BART
        "layer.0.SelfAttention",  # T5
        "attention",  # DistilBERT
    ),
    MLP: (
        "output.dense",  # BERT and those like it
        "mlp.dense_4h_to_h",  # Bloom, Falcon, GPT-NeoX
        "mlp",  # GPT-2, Llama, Mistral, Qwen, Gemma, Phi, ModernBERT
        "fc2",  # OPT, BART
        "layer.1.DenseReluDense",  # T5
        "ffn.down_proj",  # MPT
        "ffn",  # DistilBERT
    ),
}
_EACH = "*"
_TRIAL_PIECES = 5
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class InnerSite:
    """A site of one layer."""

    name: str
    """As the layer of the encoder: "layer_3.attention", or the name of the module."""
    module: str
    """Its name in the model."""
    width: int


def inner_sites(
    folder: Path,
    config: PreTrainedConfig,
    sites: Sequence[str],
    layers: Sequence[int],
    loaded: Callable[[], nn.Module],
) -> list[InnerSite]:
    """Finds the sites of a model, of most models without their weights.

    Args:
        folder, config: of the model.
        sites: see `TransformerOptions`.
        layers: numbers of those whose sites are meant; names of modules without `*` are of any layer.
        loaded: loads the model; called where an empty one cannot be run to see how wide its states are.

    Returns:
        Attention and MLP layer by layer, then modules as they are named.

    Raises:
        UnknownChoice: a name is no site and no module; names the nearest.
        NotATransformer: the layers or their sites cannot be told, or a module has no state for each piece.
    """
    model = empty_model(config)
    modules = dict(model.named_modules())
    named = _of_layers(folder, model, [one for one in (ATTENTION, MLP) if one in sites], config, layers)
    for one in sites:
        if one not in (RESIDUAL, ATTENTION, MLP):
            named |= {module: module for module in _of_pattern(one, modules, config.num_hidden_layers, layers)}
    try:
        shapes = _shapes(model, named.values())
    except Exception:  # a model may look at its numbers as it runs (DeBERTa): any exception
        shapes = _shapes(loaded(), named.values())
    for module, shape in shapes.items():
        if shape[:-1] not in ([1, _TRIAL_PIECES], [_TRIAL_PIECES]):
            found = f"encoder.sites: its module {module} computes {shape or 'nothing'}"
            raise NotATransformer(folder, found, "a state for each piece")
    return [InnerSite(name, module, shapes[module][-1]) for name, module in named.items()]


def empty_model(config: PreTrainedConfig) -> nn.Module:
    """Builds the modules of a model, of an encoder-decoder those of the encoder, without memory for weights."""
    with torch.device("meta"):
        model = AutoModel.from_config(copy.deepcopy(config), dtype=torch.float32, trust_remote_code=False)
    return (model.get_encoder() if config.is_encoder_decoder else model).eval()


def _of_layers(
    folder: Path, model: nn.Module, sites: Sequence[str], config: PreTrainedConfig, layers: Sequence[int]
) -> dict[str, str]:
    """Returns the module of each site of each layer, by the site's name."""
    if not sites:
        return {}
    name_of = {module: name for name, module in model.named_modules()}
    stack = next(layer_stacks(model, config.num_hidden_layers), None)
    if stack is None:
        expected = "a list of layers, one module each; sites can be named by their modules"
        raise NotATransformer(folder, "its layers are not found one by one", expected)
    found = {}
    for number, layer in enumerate(stack, start=1):
        inside = dict(layer.named_modules())
        for site in sites if number in layers else ():
            path = next((path for path in MODULES[site] if path in inside), None)
            if path is None:
                known = ", ".join(f"{_EACH}.{name}" for name, _ in layer.named_children())
                expected = f"one of {', '.join(MODULES[site])}; name its module in encoder.sites (there are {known})"
                raise NotATransformer(
                    folder, f"a layer of it ({type(layer).__name__}) has no {site} known here", expected
                )
            found[f"layer_{number}.{site}"] = name_of[inside[path]]
    return found


def _of_pattern(typed: str, modules: Mapping[str, nn.Module], n_layers: int, layers: Sequence[int]) -> list[str]:
    """Returns the modules that a name means: with `*` in the place of the number of a layer, those of all `layers`.

    The modules of layer 1, the first above the embeddings, have the number 0.
    """
    every = [typed.replace(_EACH, str(number)) for number in range(n_layers)] if _EACH in typed else [typed]
    if not (known := [name for name in every if name and name in modules]):
        # With `*` in the place of the first number a list is short enough to be read.
        patterns = [_NUMBER.sub(_EACH, name, count=1) if _EACH in typed else name for name in modules if name]
        raise UnknownChoice("encoder.sites", typed, [RESIDUAL, ATTENTION, MLP, *dict.fromkeys(patterns)])
    return [name for name in known if _EACH not in typed or every.index(name) + 1 in layers]


@torch.inference_mode()
def _shapes(model: nn.Module, names: Iterable[str]) -> dict[str, list[int]]:
    """Runs a model on a few pieces; returns the shape of what each module computes, none of one that is not run."""
    places = {name: Place(model.get_submodule(name)) for name in names}
    shapes: dict[str, list[int]] = {name: [] for name in places}
    ids = torch.zeros(1, _TRIAL_PIECES, dtype=torch.long, device=model.get_input_embeddings().weight.device)
    with handed_over(places, lambda name, state: shapes.update({name: list(state.shape)})):
        model(input_ids=ids)
    return shapes
