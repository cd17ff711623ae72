"""The modules after the pooling of sentence-transformers: Dense, LayerNorm and Normalize, read or drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from src.encoders.transformer.files import NotATransformer
from src.encoders.transformer.sentence_modules import HeadModule
from src.encoders.transformer.size_checks import reason
from src.seeds import derived_seed

_BYTES_PER_NUMBER = 8  # at most
_MORE_BYTES = 1 << 16  # for what else a file holds


class _Normalize(nn.Module):
    def forward(self, vectors: Tensor) -> Tensor:
        return nn.functional.normalize(vectors, p=2, dim=-1)


def sentence_head(modules: Sequence[HeadModule], device: torch.device, seed: int | None) -> nn.Module:
    """Returns the modules in evaluation mode, in float32: `[sentences, n_in of the first]` to `[sentences, n_out]`.

    Args:
        modules: in their order; none returns what it is given.
        device: where it runs.
        seed: None for the weights of the folder; else fresh ones are drawn by it. Global generators are as before.

    Raises:
        NotATransformer: weights cannot be read, or are not of the sizes that their module says.
    """
    with torch.random.fork_rng(devices=[]):
        if seed is not None:
            torch.manual_seed(derived_seed(seed, "random sentence head"))
        built = [_module(module, is_read=seed is None) for module in modules]
    return nn.Sequential(*built).to(device).eval().requires_grad_(False)


def _module(module: HeadModule, is_read: bool) -> nn.Module:
    if module.kind == "Normalize":
        return _Normalize()
    if module.kind == "LayerNorm":
        return _with_weights(nn.LayerNorm(module.n_in), "norm.", module, is_read)
    linear = _with_weights(nn.Linear(module.n_in, module.n_out, module.has_bias), "linear.", module, is_read)
    return nn.Sequential(linear, getattr(nn, module.activation)())


def _with_weights(layer: nn.Module, prefix: str, module: HeadModule, is_read: bool) -> nn.Module:
    if not is_read:
        return layer
    expected = {f"{prefix}{name}": tensor.shape for name, tensor in layer.state_dict().items()}
    most = _BYTES_PER_NUMBER * sum(shape.numel() for shape in expected.values()) + _MORE_BYTES
    if module.weights.stat().st_size > most:
        raise NotATransformer(module.weights, f"it has {module.weights.stat().st_size:,} bytes", f"at most {most:,}")
    found = _read(module.weights)
    shapes = {name: tensor.shape for name, tensor in found.items()}
    if shapes != expected:
        told = {name: list(shape) for name, shape in shapes.items()}
        wanted = {name: list(shape) for name, shape in expected.items()}
        raise NotATransformer(module.weights, f"its tensors are {told}", f"{wanted}, as its config.json says")
    layer.load_state_dict({name.removeprefix(prefix): tensor.float() for name, tensor in found.items()})
    return layer


def _read(path: Path) -> Mapping[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        found = torch.load(path, map_location="cpu", weights_only=True)  # a pickle may hold nothing but tensors
        return {str(name): tensor.detach() for name, tensor in found.items()}
    except Exception as error:  # damaged weights can end in any exception
        raise NotATransformer(path, f"its weights cannot be loaded ({reason(error)})", "tensors") from error
