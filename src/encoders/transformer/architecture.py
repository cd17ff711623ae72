"""What a folder's transformer is, so that checkpoints of one training are told from other models."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer
from transformers import PreTrainedConfig

from src.encoders.transformer.files import digests
from src.encoders.transformer.named_checkpoints import WEIGHTS

_SIZES = ("model_type", "num_hidden_layers", "hidden_size", "vocab_size")
_DIGITS = 12


def architecture(folder: Path, config: PreTrainedConfig, tokenizer: Tokenizer) -> Mapping[str, object]:
    """Returns the sizes of a model, its vocabulary and tokenizer, and a digest of its weights, by what they are.

    Args:
        folder: of the model.
        config: its config.json.
        tokenizer: without truncation and padding.
    """
    sizes = {name: getattr(config, name, None) for name in _SIZES}
    small, whole = digests(folder, with_weights=False), digests(folder, with_weights=True)
    weights = {name: digest for name, digest in whole.items() if name not in small}
    return {
        **sizes,
        "number of pieces": tokenizer.get_vocab_size(),
        "tokenizer": _digest(tokenizer.to_str()),
        WEIGHTS: tuple(sorted(weights.values())),
    }


def sizes(config: PreTrainedConfig) -> dict[str, int | None]:
    """Returns what `Encoder.provenance` says of a transformer."""
    return {
        "vocabulary": getattr(config, "vocab_size", None),
        "depth": getattr(config, "num_hidden_layers", None),
        "width": getattr(config, "hidden_size", None),
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
