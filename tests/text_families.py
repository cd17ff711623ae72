"""Transformers of random weights, with small tokenizers of the classes that their families have."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    AlbertConfig,
    AlbertTokenizer,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    BartConfig,
    BartTokenizer,
    BertConfig,
    BertTokenizer,
    DebertaConfig,
    DebertaTokenizer,
    FalconConfig,
    GPT2Config,
    GPT2Tokenizer,
    ModernBertConfig,
    OPTConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2Tokenizer,
    RobertaConfig,
    RobertaTokenizer,
    T5Config,
    T5Tokenizer,
    XLMRobertaConfig,
    XLMRobertaTokenizer,
)
from transformers.utils import logging

LINES = (
    "The dogs that love the cats bark.",
    "Dogs bark, and the small cat's friend doesn't.",
    "the author laughs",
    "Authors near the senators laugh loudly.",
)
TEXTS = (
    *LINES,
    "Zebras",
    "dogs bark",
    " a blank  before, and  two inside ",
    "a no-break\u00a0space and one \u00a0 alone",
    "naïve Ωmega, 猫が",
    "a\tb\nc",
)
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
OF_BART = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2}
OF_BART |= {"decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
OF_T5 = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 2, "num_heads": 2}
OF_ALBERT = {**SIZES, "embedding_size": 8}
OF_OPT = {**SIZES, "ffn_dim": 16, "word_embed_proj_dim": 16}

# A family's tokenizer, the kind of its pieces, its configuration and sizes, the class that scores (None: none does).
FAMILIES = {
    "roberta": (RobertaTokenizer, "bytes", RobertaConfig, SIZES, AutoModelForMaskedLM),
    "modernbert": (PreTrainedTokenizerFast, "whole", ModernBertConfig, SIZES, AutoModelForMaskedLM),
    "deberta": (DebertaTokenizer, "bytes", DebertaConfig, SIZES, AutoModelForMaskedLM),
    "bart": (BartTokenizer, "bytes", BartConfig, OF_BART, None),
    "gpt2": (GPT2Tokenizer, "bytes", GPT2Config, {"n_embd": 16, "n_layer": 2, "n_head": 2}, AutoModelForCausalLM),
    "qwen2": (Qwen2Tokenizer, "bytes", Qwen2Config, {**SIZES, "num_key_value_heads": 1}, AutoModelForCausalLM),
    "opt": (RobertaTokenizer, "bytes", OPTConfig, OF_OPT, AutoModelForCausalLM),
    "falcon": (GPT2Tokenizer, "bytes", FalconConfig, SIZES, AutoModelForCausalLM),
    "bert": (BertTokenizer, "words", BertConfig, SIZES, AutoModelForMaskedLM),
    "xlm_roberta": (XLMRobertaTokenizer, "unigram", XLMRobertaConfig, SIZES, AutoModelForMaskedLM),
    "albert": (AlbertTokenizer, "unigram", AlbertConfig, OF_ALBERT, AutoModelForMaskedLM),
    "t5": (T5Tokenizer, "unigram", T5Config, OF_T5, None),
}
MASKED = [name for name, family in FAMILIES.items() if family[-1] is AutoModelForMaskedLM]
CAUSAL = [name for name, family in FAMILIES.items() if family[-1] is AutoModelForCausalLM]
SPECIAL = ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>")


def write_family(folder: Path, family: str) -> Path:
    """Writes a model of a family and returns its folder."""
    _, _, config_class, sizes, loader = FAMILIES[family]
    tokenizer = tokenizer_of(family)
    special = {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in ("pad", "bos", "eos")}
    known = {name: number for name, number in special.items() if number is not None}
    config = config_class(**{**sizes, "vocab_size": len(tokenizer), **known})
    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = (loader or AutoModel).from_config(config)
        for parameter in model.parameters():  # large enough that layers and positions differ
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def tokenizer_of(family: str) -> PreTrainedTokenizerBase:
    """Returns a small tokenizer of the class that the family has."""
    kind, pieces, *_ = FAMILIES[family]
    if pieces == "bytes":
        content = json.loads(_of_bytes().to_str())["model"]
        return kind(vocab=content["vocab"], merges=[tuple(merge) for merge in content["merges"]])
    if pieces == "whole":
        backend = _of_bytes(["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"])
        ends = [(token, backend.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
        names = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "mask", "pad", "unk")}
        return kind(tokenizer_object=backend, **names)
    letters = sorted({letter for line in LINES for letter in line if not letter.isspace()})
    if pieces == "words":
        known = [
            "[PAD]",
            "[UNK]",
            "[CLS]",
            "[SEP]",
            "[MASK]",
            "the",
            "dogs",
            *letters,
            *(f"##{one}" for one in letters),
        ]
        return kind(vocab={piece: number for number, piece in enumerate(known)}, do_lower_case=False)
    known = [*SPECIAL, "▁", *letters, "▁the", "▁dogs", "og"]
    return kind(vocab=[(piece, 0.0 if piece in SPECIAL else -len(known) / len(piece)) for piece in known])


def _of_bytes(special: Sequence[str] = ()) -> Tokenizer:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    settings = {"initial_alphabet": pre_tokenizers.ByteLevel.alphabet(), "show_progress": False}
    backend.train_from_iterator(LINES * 3, trainers.BpeTrainer(vocab_size=360, special_tokens=[*special], **settings))
    return backend
