"""Transformers of a few thousand random weights, with tokenizers, in folders as transformers saves them."""

import string
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoModel,
    BertConfig,
    GPT2Config,
    MBartConfig,
    PreTrainedConfig,
    PreTrainedTokenizerFast,
    T5Config,
    XLMRobertaConfig,
)
from transformers.utils import logging

ALPHABET = string.ascii_lowercase + string.digits + ".öä"
SIZES = {"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
LIMIT = 24  # pieces, special tokens included


def write_transformer(folder: Path, architecture: str, seed: int = 3) -> Path:
    """Writes one of `ARCHITECTURES` and returns its folder; the same bytes for the same architecture and seed."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer, config = ARCHITECTURES[architecture]()
    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = AutoModel.from_config(config)
        for parameter in model.parameters():  # large enough that layers and positions differ
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _bert() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    vocabulary = _numbered(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *ALPHABET, *(f"##{letter}" for letter in ALPHABET), "ta"]
    )
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=1000))
    backend.normalizer = normalizers.BertNormalizer(strip_accents=False, lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _surround(backend, vocabulary, "[CLS] $A [SEP]")
    tokenizer = _tokenizer(backend, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]")
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=LIMIT, pad_token_id=0, **SIZES)
    return tokenizer, config


def _xlmr() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    backend, vocabulary = _unigram()
    _surround(backend, vocabulary, "<s> $A </s>")
    tokenizer = _tokenizer(backend, unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>")
    positions = LIMIT + 2  # two are unused: those before the first piece's
    config = XLMRobertaConfig(vocab_size=len(vocabulary), max_position_embeddings=positions, pad_token_id=1, **SIZES)
    return tokenizer, config


def _gpt2() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    """No padding, no special tokens, no blank before the first word; positions are learned."""
    letters = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġt"]
    backend = Tokenizer(models.BPE(_numbered(letters), [("Ġ", "t")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer = _tokenizer(backend, unk_token="<|endoftext|>", eos_token="<|endoftext|>")
    sizes = {"n_layer": 2, "n_embd": 8, "n_head": 2, "n_positions": LIMIT}
    return tokenizer, GPT2Config(vocab_size=len(letters), bos_token_id=0, eos_token_id=0, **sizes)


def _t5() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    backend, vocabulary = _unigram()
    _surround(backend, vocabulary, "$A </s>")
    tokenizer = _tokenizer(backend, unk_token="<unk>", pad_token="<pad>", eos_token="</s>")
    config = T5Config(vocab_size=len(vocabulary), d_model=8, d_kv=4, d_ff=16, num_layers=2, num_heads=2, pad_token_id=1)
    return tokenizer, config


def _mbart() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    backend, vocabulary = _unigram()
    _surround(backend, vocabulary, "$A </s> <s>")
    tokenizer = _tokenizer(backend, unk_token="<unk>", pad_token="<pad>", eos_token="</s>")
    half = {"layers": 2, "attention_heads": 2, "ffn_dim": 16}
    halves = {f"{name}_{key}": value for name in ("encoder", "decoder") for key, value in half.items()}
    sizes = {"vocab_size": len(vocabulary), "d_model": 8, "max_position_embeddings": LIMIT}
    return tokenizer, MBartConfig(pad_token_id=1, **sizes, **halves)


ARCHITECTURES = {"bert": _bert, "xlmr": _xlmr, "gpt2": _gpt2, "t5": _t5, "mbart": _mbart}


def _unigram() -> tuple[Tokenizer, dict[str, int]]:
    """A sentencepiece model: a word begins with a low line, control characters vanish."""
    specials, pieces = ["<s>", "<pad>", "</s>", "<unk>"], ["▁", *ALPHABET, "▁t", "al"]
    scored = [(piece, 0.0) for piece in specials] + [(piece, -1.0 - 0.01 * rank) for rank, piece in enumerate(pieces)]
    backend = Tokenizer(models.Unigram(scored, unk_id=3))
    backend.normalizer = normalizers.BertNormalizer(strip_accents=False, lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    return backend, _numbered([*specials, *pieces])


def _surround(backend: Tokenizer, vocabulary: dict[str, int], template: str) -> None:
    special = [(token, vocabulary[token]) for token in template.split() if token != "$A"]
    backend.post_processor = processors.TemplateProcessing(single=template, special_tokens=special)


def _tokenizer(backend: Tokenizer, **tokens: str) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(tokenizer_object=backend, **tokens)


def _numbered(pieces: list[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(pieces)}
