"""Causal language models of a few thousand random weights, with tokenizers, in folders as transformers saves them."""

from functools import lru_cache
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BloomConfig,
    Gemma2Config,
    LlamaConfig,
    MambaConfig,
    PreTrainedConfig,
)
from transformers.utils import logging

from tests.encoders.tiny_transformers import ARCHITECTURES, SIZES

_SMALL = {**SIZES, "num_key_value_heads": 1, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}


def write_causal(folder: Path, architecture: str, seed: int = 4) -> Path:
    """Writes one of `KINDS` into its folder, once, and returns that; equal bytes for equal architectures and seeds."""
    folder = folder / architecture
    if folder.is_dir():
        return folder
    of_tokenizer, make_config = KINDS[architecture]
    tokenizer, config = ARCHITECTURES[of_tokenizer]()
    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(make_config(config))
        for parameter in model.parameters():  # large enough that layers and positions differ
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _gpt2(config: PreTrainedConfig) -> PreTrainedConfig:
    return config


def _llama(config: PreTrainedConfig) -> LlamaConfig:
    """Rotary positions, shared keys, an output layer of its own; its tokenizer has a beginning and an unknown piece."""
    return LlamaConfig(vocab_size=config.vocab_size, max_position_embeddings=32, tie_word_embeddings=False, **_SMALL)


def _gemma2(config: PreTrainedConfig) -> Gemma2Config:
    """Its logits are capped behind the output layer, and its layers look back 8 pieces."""
    caps = {"final_logit_softcapping": 2.0, "sliding_window": 8, "head_dim": 4}
    return Gemma2Config(vocab_size=config.vocab_size, max_position_embeddings=32, **caps, **_SMALL)


def _bloom(config: PreTrainedConfig) -> BloomConfig:
    """Its positions are distances that it counts itself."""
    return BloomConfig(vocab_size=config.vocab_size, hidden_size=8, n_layer=2, n_head=2)


def _mamba(config: PreTrainedConfig) -> MambaConfig:
    """No attention at all."""
    return MambaConfig(vocab_size=config.vocab_size, hidden_size=8, num_hidden_layers=2, state_size=4)


KINDS = {
    "gpt2": ("gpt2", _gpt2),
    "llama": ("xlmr", _llama),
    "gemma2": ("xlmr", _gemma2),
    "bloom": ("gpt2", _bloom),
    "mamba": ("gpt2", _mamba),
}


@torch.inference_mode()
def plain_log_probabilities(folder: Path, words: tuple[str, ...], start: str) -> tuple[list[str], list[float]]:
    """Scores one sentence alone by the whole model, a full softmax at every piece.

    Args:
        start: a special token.

    Returns:
        Pieces and their log-probabilities.
    """
    tokenizer, model = _loaded(folder)
    pieces = tokenizer(" ".join(words), add_special_tokens=False).input_ids
    ids = [tokenizer.convert_tokens_to_ids(start), *pieces]
    of_vocabulary = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    found = [of_vocabulary[place, piece].item() for place, piece in enumerate(pieces)]
    return tokenizer.convert_ids_to_tokens(pieces), found


@lru_cache
def _loaded(folder: Path) -> tuple:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return AutoTokenizer.from_pretrained(folder), model
