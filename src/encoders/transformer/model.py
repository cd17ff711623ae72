"""Transformers as polyprobe runs them: frozen, the encoder half alone, each layer read as it is computed."""

import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from transformers import AutoConfig, AutoModel, BitsAndBytesConfig, PreTrainedConfig
from transformers.utils import logging as transformers_logging

from polyprobe.encoders.base.device import device_of
from polyprobe.encoders.transformer.config_checks import (
    QUANTISING,
    check_config_file,
    check_installed,
    reason,
)
from polyprobe.encoders.transformer.files import NotATransformer, digests, weight_files
from polyprobe.encoders.transformer.inner_sites import Place, handed_over, layer_places
from polyprobe.encoders.transformer.model_options import WEIGHTS, ModelOptions
from polyprobe.errors import BadValue
from polyprobe.seeds import derived_seed

_log = logging.getLogger(__name__)
NUMBER_TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_CPU = torch.device("cpu")
_HALVES = (torch.bfloat16, torch.float16)
_BITS = {"int8": {"load_in_8bit": True}, "nf4": {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}}
_TRIAL_PIECES = 4  # of the run that shows where the layers are


@dataclass(frozen=True, slots=True)
class Weights:
    """Which weights a model has, by which numbers, and where."""

    number_type: str = "float32"
    """A name of `NUMBER_TYPES`."""
    device: torch.device = _CPU
    """Where its pieces go in; and all of its weights, unless they are spread."""
    seed: int | None = None
    """None for the folder's weights; else fresh ones are drawn by it. A folder without weights can only be drawn."""
    quantised: str | None = None
    """A name of `_BITS`, of the folder's weights; None as they are."""
    is_spread: bool = False
    """Whether the layers are spread over all GPUs, and the rest of the host's memory."""

    @classmethod
    def of(cls, options: ModelOptions) -> Self:
        """Takes what a user chose.

        Raises:
            BadValue: options contradict each other, or the device is none of this machine.
            PolyprobeError: a package that is needed for one is not installed.
        """
        group, is_random = options.key, options.weights == "random"
        if options.quantised is not None:
            if is_random:
                raise BadValue(f"{group}.quantised", options.quantised, f"null with {group}.weights=random")
            check_installed(f"{group}.quantised={options.quantised}", *QUANTISING)
        if options.device_map is not None:
            _check_device_map(group, options.device_map, options.device)
        return cls(
            options.number_type,
            device_of(options.device, group),
            options.seed if is_random else None,
            options.quantised,
            options.device_map is not None,
        )

    def __str__(self) -> str:
        quantised = "" if self.quantised is None else f"{self.quantised}, "
        return f"{'' if self.seed is None else 'random, '}{quantised}{self.number_type}"

    def are_quantised(self, config: PreTrainedConfig) -> bool:
        """Says whether they are held in fewer bits: those of a folder may be kept so."""
        return self.quantised is not None or is_quantised(config)

    def trial(self, config: PreTrainedConfig) -> AbstractContextManager:
        """Runs a trial of a model in float32; one whose weights are quantised as it is."""
        is_narrow = self.number_type != "float32" and not self.are_quantised(config)
        return InFloat32() if is_narrow else nullcontext()

    def in_fingerprint(self) -> dict[str, object]:
        """Returns what changes numbers; of weights as they are, what was always told."""
        quantised = {} if self.quantised is None else {"quantised": self.quantised}
        return {"number_type": self.number_type, "random": self.seed, **quantised}


def _check_device_map(group: str, device_map: str, device: str | None) -> None:
    if device is not None:
        raise BadValue(f"{group}.device_map", device_map, f"null with {group}.device={device}, a single one")
    check_installed(f"{group}.device_map={device_map}", "accelerate")


def read_config(folder: Path) -> PreTrainedConfig:
    """Reads config.json; code that the folder brings along is never executed.

    Raises:
        NotATransformer: transformers does not know such a model, or it has no number of layers or no width.
    """
    check_config_file(folder)
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # a foreign configuration can end in any exception
        raise NotATransformer(folder, f"its config.json cannot be used ({reason(error)})", _EXPECTED) from error
    for name in ("num_hidden_layers", "hidden_size"):
        if not isinstance(size := getattr(config, name, None), int):
            raise NotATransformer(folder, f"its config.json has no {name}", _EXPECTED)
        if size < 1:
            raise NotATransformer(folder, f"its config.json says {name}={size}", "at least 1")
    return config


_EXPECTED = "a text model that transformers knows by its model_type"


def is_quantised(config: PreTrainedConfig) -> bool:
    """Says whether the weights of a folder are kept in fewer bits."""
    return getattr(config, "quantization_config", None) is not None


class FrozenTransformer:
    """A model in evaluation mode on its device.

    Of an encoder-decoder (T5, mBART) the encoder half is kept alone.
    """

    def __init__(self, folder: Path, weights: Weights):
        self.folder, self.device = folder, weights.device
        self.config = read_config(folder)
        model = load_model(AutoModel, folder, self.config, weights)
        self.model = (model.get_encoder() if self.config.is_encoder_decoder else model).eval()
        self.model.config.use_cache = False  # a decoder would keep keys and values for a next step
        self._places = self._layer_places()

    def hidden_states(
        self,
        ids: Tensor,
        is_real: Tensor | None,
        layers: Mapping[int | str, int | str],
        take: Callable[[int | str, Tensor], None],
    ) -> None:
        """Hands over the states of layers as soon as each is there; layers above the highest are not run.

        Args:
            ids: `[batch, pieces]`, padded on the right.
            is_real: `[batch, pieces]`, True at pieces, False at padding; None where there is no padding.
            layers: by any key the number of a layer, 0 for the embedding layer, or the name of a module.
            take: gets the key of a layer and its state, `[batch, pieces, width]`, on the device.
        """
        check_ids(self.folder, int(ids.max()), self.model.get_input_embeddings().num_embeddings)
        inputs = {
            "input_ids": ids.to(self.device),
            "attention_mask": None if is_real is None else is_real.to(self.device, torch.long),
        }
        found = self._places
        places = {
            key: Place(self.model.get_submodule(where)) if isinstance(where, str) else found[where]
            for key, where in layers.items()
            if isinstance(where, str) or found is not None
        }

        def in_batches(state: Tensor) -> Tensor:
            return state if state.ndim == 3 else state.reshape(*ids.shape, -1)  # OPT's MLP takes all pieces in a row

        returned = {key: where for key, where in layers.items() if key not in places}
        if returned:  # by the model at its end, so that it has to run to it: one place is never reached
            inputs["output_hidden_states"] = True
            places[None] = Place(nn.Identity())
        with (
            torch.inference_mode(),
            handed_over(places, lambda key, state: take(key, in_batches(state.to(self.device)))),
        ):
            output = self.model(**inputs)
            for key, where in returned.items():
                take(key, output.hidden_states[where])

    @property
    def padding_id(self) -> int:
        """The piece of padding. Any would do behind a mask, but RoBERTa counts positions by this one."""
        number = getattr(self.config, "pad_token_id", None)
        return number if isinstance(number, int) and number >= 0 else 0

    @property
    def position_limit(self) -> int | None:
        """How many pieces its position embeddings allow, special tokens included; None for relative positions."""
        return position_limit(self.model, self.config)

    def _layer_places(self) -> list[Place] | None:
        n_pieces = min(_TRIAL_PIECES, self.position_limit or _TRIAL_PIECES)
        ids = torch.arange(n_pieces, device=self.device)[None] % self.model.get_input_embeddings().num_embeddings
        with torch.inference_mode():
            states = self.model(input_ids=ids, output_hidden_states=True).hidden_states
        n_states, width = self.config.num_hidden_layers + 1, self.config.hidden_size
        found = [state.shape[-1] for state in states]
        if found != [width] * n_states:
            expected = f"{n_states} of width {width}, as config.json says (the embedding layer and its layers)"
            raise NotATransformer(
                self.folder, f"the model returned {len(found)} hidden states of widths {found}", expected
            )
        places = layer_places(self.model, ids, states)
        if places is None:
            _log.info("%s: its layers are not found one by one: all of them are run and held at once.", self.folder)
        return places


def check_ids(folder: Path, largest: int, n_embeddings: int) -> None:
    """Refuses a piece without an embedding."""
    if largest >= n_embeddings:
        found = f"its tokenizer returned piece {largest}, its model has embeddings for {n_embeddings}"
        raise NotATransformer(folder, found, "a tokenizer and a model that belong together")


def position_limit(model: nn.Module, config: PreTrainedConfig) -> int | None:
    """Returns how many pieces position embeddings allow, special tokens included; None for relative positions.

    Args:
        model: with or without weights: those of the meta device do.
    """
    limit = getattr(config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit < 1:
        return None
    # RoBERTa and related models number positions from the one after the padding's: 514 embeddings hold 512 pieces.
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return module.num_embeddings - module.padding_idx - 1
    return limit


def load_model(loader: type, folder: Path, config: PreTrainedConfig, weights: Weights) -> nn.Module:
    """Returns a model with the folder's weights or fresh ones, in their number type and in their place.

    Args:
        loader: AutoModel, or a related class with an output layer.
        folder, config: see `read_config`.

    Raises:
        NotATransformer: the weights are missing, damaged, or not those of this architecture.
    """
    return (_pretrained if weights.seed is None else _random)(loader, folder, config, weights)


def convert(model: nn.Module, number_type: torch.dtype) -> None:
    """Converts weights; the angles of rotary positions stay as they are, as when transformers loads such a model."""
    angles = {name: buffer for name, buffer in model.named_buffers() if name.endswith("inv_freq")}
    model.to(number_type)
    for name, buffer in angles.items():
        module, _, own_name = name.rpartition(".")
        model.get_submodule(module).register_buffer(own_name, buffer, persistent=False)


class InFloat32(TorchFunctionMode):
    """Computes in float32 what a model in half precision computes: each function widens the numbers that it gets.

    So a trial of a model is as sharp as in float32, and its weights are widened one after the other, not all at once.
    """

    def __torch_function__(self, function, types, positional=(), named=None):
        named = named or {}
        if not _IN_PLACE.fullmatch(function.__name__):
            positional, named = _widened(tuple(positional)), {key: _widened(value) for key, value in named.items()}
        return function(*positional, **named)


_IN_PLACE = re.compile(r"[a-z].*_|__([gs]et|setitem|i\w+)__")  # what writes to its first argument, or asks for its type


def _widened(value: object) -> object:
    if isinstance(value, Tensor) and value.dtype in _HALVES:
        return value.float()
    if type(value) in (list, tuple):
        return type(value)(map(_widened, value))
    return torch.float32 if isinstance(value, torch.dtype) and value in _HALVES else value


def _pretrained(loader: type, folder: Path, config: PreTrainedConfig, weights: Weights) -> nn.Module:
    """Reads each tensor into its place in its number type; without accelerate by way of the host's memory."""
    if not weight_files(folder):
        expected = "model.safetensors or pytorch_model.bin; to initialise randomly: weights=random"
        raise NotATransformer(folder, "it has no weights", expected)
    placed = _placed(folder, config, weights)
    transformers_logging.disable_progress_bar()
    verbosity = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # its table of keys: what matters in it is checked below
    try:
        # Without dtype, weights keep the type they were saved in. Pickles hold nothing but tensors.
        model, report = loader.from_pretrained(
            folder,
            config=config,
            dtype=NUMBER_TYPES[weights.number_type],
            trust_remote_code=False,
            local_files_only=True,
            weights_only=True,
            output_loading_info=True,
            **placed,
        )
    except Exception as error:  # damaged weights can end in any exception
        raise NotATransformer(folder, f"its weights cannot be loaded ({reason(error)})", _WEIGHTS_EXPECTED) from error
    finally:
        transformers_logging.set_verbosity(verbosity)
    _check_complete(folder, config, report)
    if weights.is_spread or getattr(model, "is_quantized", False):
        return model
    convert(model, NUMBER_TYPES[weights.number_type])  # what the architecture keeps in float32 (T5 in float16)
    return model.to(weights.device)


def _placed(folder: Path, config: PreTrainedConfig, weights: Weights) -> dict[str, object]:
    """Returns what from_pretrained is told of places and bits: nothing where the host's memory is the place."""
    told: dict[str, object] = {}
    if weights.quantised is not None:
        if is_quantised(config):
            raise NotATransformer(folder, "its weights are quantised already", "quantised=null")
        logging.getLogger("bitsandbytes").setLevel(
            logging.ERROR
        )  # it says of each product that it is in half precision
        compute = {"bnb_4bit_compute_dtype": NUMBER_TYPES[weights.number_type]}
        told["quantization_config"] = BitsAndBytesConfig(**_BITS[weights.quantised], **compute)
    if weights.is_spread:
        return {**told, "device_map": "auto"}
    needs_no_map = weights.device.type == "cpu" and not (told or is_quantised(config))
    if needs_no_map or find_spec("accelerate") is None:
        return told
    return {**told, "device_map": {"": weights.device}}


_WEIGHTS_EXPECTED = "the weights of the architecture that config.json describes"


def _check_complete(folder: Path, config: PreTrainedConfig, report: dict[str, Any]) -> None:
    """Refuses a model of which a part would be random. A pooler, or a decoder next to an encoder, is not used here."""
    unused = ("pooler.", "decoder.") if config.is_encoder_decoder else ("pooler.",)
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(unused))
    if missing:
        found = f"its weights lack {len(missing)} tensors, such as {missing[0]}"
        raise NotATransformer(folder, found, _WEIGHTS_EXPECTED)


def _random(loader: type, folder: Path, config: PreTrainedConfig, weights: Weights) -> nn.Module:
    """Draws weights in float32, as the architecture initialises itself; global generators are as before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed(weights.seed, "random transformer"))
        try:
            model = loader.from_config(config, dtype=torch.float32, trust_remote_code=False)
        except Exception as error:  # a foreign configuration can end in any exception
            found = f"no model can be built as its config.json says ({reason(error)})"
            raise NotATransformer(folder, found, "sizes that go together") from error
    convert(model, NUMBER_TYPES[weights.number_type])
    return _spread(model) if weights.is_spread else model.to(weights.device)


def _spread(model: nn.Module) -> nn.Module:
    from accelerate import dispatch_model, infer_auto_device_map

    whole = model._no_split_modules and list(model._no_split_modules)
    return dispatch_model(model, infer_auto_device_map(model, no_split_module_classes=whole))


_SIZES = ("model_type", "num_hidden_layers", "hidden_size", "vocab_size")
_DIGITS = 12


def architecture(folder: Path, config: PreTrainedConfig, tokenizer: Tokenizer) -> Mapping[str, object]:
    """Returns the sizes of a model, its vocabulary and tokenizer, and a digest of its weights, by what they are.

    Args:
        tokenizer: without truncation and padding.
    """
    sizes = {name: getattr(config, name, None) for name in _SIZES}
    small, whole = digests(folder, with_weights=False), digests(folder, with_weights=True)
    weights = {name: digest for name, digest in whole.items() if name not in small}
    return {
        **sizes,
        "number of pieces": tokenizer.get_vocab_size(),
        "tokenizer": hashlib.sha256(tokenizer.to_str().encode()).hexdigest()[:_DIGITS],
        WEIGHTS: tuple(sorted(weights.values())),
    }


def sizes(config: PreTrainedConfig) -> dict[str, int | None]:
    """Returns what `Encoder.provenance` says of a transformer."""
    return {
        "vocabulary": getattr(config, "vocab_size", None),
        "depth": getattr(config, "num_hidden_layers", None),
        "width": getattr(config, "hidden_size", None),
    }
