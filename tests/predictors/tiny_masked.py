"""Masked transformers of a few thousand random weights in folders, and the plainest way to score with one."""

from functools import lru_cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    BertConfig,
    DistilBertConfig,
    PreTrainedConfig,
    PreTrainedTokenizerFast,
    RobertaConfig,
)
from transformers.utils import logging

from polyprobe.predictors.base.predictor import Question
from polyprobe.predictors.masked.predictor import MaskedPredictor

WORDS = ("the", "dog", "dogs", "barks", "bark", "cats", "love", "that", ".", "is", "are", "small")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIZES = {"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
LIMIT = 24  # pieces, special tokens included
OPTIONS = {
    "revision": None, "score": "focus", "multi_token": False, "unknown": "scored", "number_type": "float32",
    "device": "cpu", "token_budget": 64, "weights": "pretrained", "seed": 1,
}  # fmt: skip


def masked(folder: Path, architecture: str = "bert", **changes) -> MaskedPredictor:
    """Returns a predictor with one of `ARCHITECTURES`, which is written if it is not there."""
    model = folder / architecture
    if not model.is_dir():
        write_masked(model, architecture)
    return MaskedPredictor(**{**OPTIONS, "model": str(model), **changes})


def write_masked(folder: Path, architecture: str, seed: int = 3) -> Path:
    """Writes one of `ARCHITECTURES` and returns its folder; the same bytes for the same architecture and seed."""
    tokenizer, config = ARCHITECTURES[architecture]()
    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = AutoModelForMaskedLM.from_config(config)
        for parameter in model.parameters():  # large enough that layers and positions differ
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _bert() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    tokenizer = _wordpiece()
    return tokenizer, BertConfig(vocab_size=len(tokenizer), max_position_embeddings=LIMIT, pad_token_id=0, **SIZES)


def _distilbert() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    """Its layers and its output layer have other names than those of BERT."""
    tokenizer = _wordpiece()
    sizes = {"n_layers": 2, "dim": 8, "n_heads": 2, "hidden_dim": 16}
    return tokenizer, DistilBertConfig(vocab_size=len(tokenizer), max_position_embeddings=LIMIT, **sizes)


def _wordpiece() -> PreTrainedTokenizerFast:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(strip_accents=False, lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=backend, mask_token="[MASK]", **names)


def _roberta() -> tuple[PreTrainedTokenizerFast, PreTrainedConfig]:
    """Byte-level pieces, the words of `WORDS` among them, each behind a blank and at the beginning of a text."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator([*WORDS, " " + " ".join(WORDS)] * 3, trainer)
    ends = [(token, backend.token_to_id(token)) for token in ("<s>", "</s>")]
    backend.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    names = {"unk_token": "<unk>", "pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, mask_token="<mask>", **names)
    positions = LIMIT + 2  # two are unused: those before the first piece's
    return tokenizer, RobertaConfig(vocab_size=len(tokenizer), max_position_embeddings=positions, **SIZES)


ARCHITECTURES = {"bert": _bert, "distilbert": _distilbert, "roberta": _roberta}


def plain(predictor: MaskedPredictor, question: Question) -> list[float]:
    """One sentence as a text, one masked input at a time, log-softmax over the whole vocabulary everywhere."""
    tokenizer, model = _loaded(predictor.folder)
    blank = " " if predictor.options.reading == "words" else ""
    encoding = tokenizer(blank + " ".join(question.words))
    ids, owners = encoding["input_ids"], encoding.word_ids()
    places = [place for place, owner in enumerate(owners) if owner is not None]
    if predictor.asks_focus:
        before, through = (len(tokenizer.tokenize(blank + " ".join(question.words[:end]))) for end in question.span)
        places = places[before:through]
        owners = ["focus" if place in places else None for place in range(len(ids))]
    within = predictor.options.score != "pll"
    found = []
    for place in places:
        later = [other for other in places if other >= place and owners[other] == owners[place]] if within else [place]
        masked_ids = [tokenizer.mask_token_id if other in later else id for other, id in enumerate(ids)]
        with torch.inference_mode():
            scores = model(torch.tensor([masked_ids])).logits.log_softmax(-1)
        found.append(scores[0, place, ids[place]].item())
    return found


@lru_cache
def _loaded(folder: Path) -> tuple:
    return AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
