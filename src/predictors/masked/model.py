"""Masked transformers as polyprobe runs them: frozen, the vocabulary's scores only at the requested places."""

from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MODEL_FOR_MASKED_LM_MAPPING, AutoModelForMaskedLM, PreTrainedConfig

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.inner_sites import layer_stacks
from polyprobe.encoders.transformer.model import Weights, check_ids, load_model, position_limit, read_config

_TOLERANCE = 1e-4  # of the largest absolute score, in float32


class MaskedModel:
    """A model in evaluation mode on its device.

    One place of each input is read. Everything after the model's last mixing of places is computed for that place
    alone: the feed-forward half of the last layer, if the last attention is found, and the output layer, which is a
    fifth of the work of BERT. On a CPU the weights of linear layers are laid out once. When the model is loaded, a
    trial shows whether each of the two leaves the scores unchanged; if not, it is not used.

    Attributes:
        is_early: whether places are chosen inside the model.
    """

    def __init__(self, folder: Path, weights: Weights):
        self.folder, self.device = folder, weights.device
        self._config = read_config(folder)
        _check_masked(folder, self._config)
        self.model = load_model(AutoModelForMaskedLM, folder, self._config, weights).eval()
        self.is_early = False
        with torch.inference_mode(), weights.trial(self._config):
            self._hasten(is_exact=weights.number_type == "float32" and not weights.is_spread)

    def log_probabilities(self, ids: Tensor, places: Tensor, rows: Tensor, targets: Tensor) -> Tensor:
        """Returns log-probabilities of pieces, in nats: float32 `[targets]`, on the CPU.

        Args:
            ids: `[inputs, pieces]`, without padding.
            places: `[inputs]`, the piece that is read.
            rows: `[targets]`, number of the input.
            targets: `[targets]`, ids of pieces.
        """
        with torch.inference_mode():
            scores = self._scores(ids.to(self.device), places.to(self.device))
            rows, targets = rows.to(self.device), targets.to(self.device)
            return (scores[rows, targets] - scores.logsumexp(-1)[rows]).cpu()

    def check_ids(self, largest: int) -> None:
        """Refuses pieces without an embedding, or without a row in the output layer."""
        check_ids(self.folder, largest, min(self.model.get_input_embeddings().num_embeddings, self._config.vocab_size))

    def _scores(self, ids: Tensor, places: Tensor) -> Tensor:
        """Returns unnormalised scores at one place of each input: float32 `[inputs, vocabulary]`."""
        self._places = places
        logits = self.model(input_ids=ids).logits
        return (logits if self.is_early else _at(logits, places))[:, 0].float()

    def _hasten(self, is_exact: bool) -> None:
        """Makes the model faster where its scores stay the same: tried on two inputs of seven pieces.

        Args:
            is_exact: whether its weights are float32, in one place.
        """
        first = getattr(self._config, "pad_token_id", None) or 0
        ids = (first + 1 + torch.arange(14, device=self.device).view(2, 7)) % self._config.vocab_size
        self._places = torch.tensor([1, 4], device=self.device)
        whole = self.model(input_ids=ids).logits
        if self.device.type == "cpu" and is_exact:
            put_back = pack_linear_layers(self.model)
            if not self._gives(whole, ids):
                put_back()
        for module in _last_modules(self.model, self._config.num_hidden_layers):
            hook = module.register_forward_hook(self._chosen)
            self.is_early = self._gives(_at(whole, self._places), ids)
            if self.is_early:
                return
            hook.remove()

    def _gives(self, expected: Tensor, ids: Tensor) -> bool:
        try:
            found = self.model(input_ids=ids).logits
        except (RuntimeError, IndexError, ValueError, AttributeError):  # a model of another structure
            return False
        tolerance = _TOLERANCE * expected.abs().max().item()
        return found.shape == expected.shape and torch.allclose(found, expected, rtol=0, atol=tolerance)

    def _chosen(self, module: nn.Module, inputs: object, output: object) -> object:
        """Keeps of the states that a module returns, `[inputs, pieces, width]`, those at the places."""
        if isinstance(output, Tensor):
            return _at(output, self._places)
        if isinstance(output, tuple):
            return (_at(output[0], self._places), *output[1:])
        output["last_hidden_state"] = _at(output["last_hidden_state"], self._places)
        return output


def masked_position_limit(folder: Path, config: PreTrainedConfig) -> int | None:
    """Returns `position_limit` of the model of a folder; no weights are read."""
    _check_masked(folder, config)
    with torch.device("meta"):
        return position_limit(AutoModelForMaskedLM.from_config(config, trust_remote_code=False), config)


def _check_masked(folder: Path, config: PreTrainedConfig) -> None:
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING or config.is_encoder_decoder:
        expected = "an encoder with an output layer for masked pieces, such as BERT or RoBERTa"
        raise NotATransformer(folder, f"transformers has no such masked model of type {config.model_type}", expected)


def _last_modules(model: nn.Module, n_layers: int) -> Iterator[nn.Module]:
    """Yields modules that may be the last to mix places, the earliest first."""
    for layers in layer_stacks(model.base_model, n_layers):
        if hasattr(layers[-1], "attention"):
            yield layers[-1].attention
    yield model.base_model


def _at(states: Tensor, places: Tensor) -> Tensor:
    """Chooses one place of each row of `[inputs, pieces, width]`: `[inputs, 1, width]`."""
    return states[torch.arange(len(places), device=states.device), places.to(states.device)][:, None]


class PackedLinear(nn.Module):
    """Computes the same as a linear layer, to rounding, on a CPU and in float32; it cannot be trained or saved.

    The operators are those of oneDNN that torch's own compiler calls.

    Args:
        layer: its weights are copied.
    """

    _ROWS = 256  # for which the layout is chosen; results are right for any number of rows

    def __init__(self, layer: nn.Linear):
        super().__init__()
        self._weights = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach().clone(), self._ROWS)
        self._bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, inputs: Tensor) -> Tensor:
        """Maps `[…, inputs]` to `[…, outputs]`."""
        return torch.ops.mkldnn._linear_pointwise(inputs, self._weights, self._bias, "none", [], "")


def pack_linear_layers(model: nn.Module) -> Callable[[], None]:
    """Replaces the linear layers of a model on the CPU; returns a function that restores them."""
    replaced = []
    if torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        for parent in list(model.modules()):
            for name, layer in list(parent.named_children()):
                if type(layer) is nn.Linear:
                    setattr(parent, name, PackedLinear(layer))
                    replaced.append((parent, name, layer))

    def put_back() -> None:
        for parent, name, layer in replaced:
            setattr(parent, name, layer)

    return put_back
