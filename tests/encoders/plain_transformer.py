"""Transformers the slow way: one sentence at a time, each word tokenised by itself."""

from functools import cache

import torch
from transformers import AutoModel, AutoTokenizer

SPECIAL = {"bert": (1, 1), "xlmr": (1, 1), "gpt2": (0, 0), "t5": (0, 1), "mbart": (0, 2)}  # tokens before and after


def pieces_one_by_one(folder, architecture, words):
    """Tokenises each word by itself, as it stands behind a blank; returns ids, and the word of each."""
    tokenizer, _ = tokenizer_and_model(folder)
    blank = " " if architecture == "gpt2" else ""
    by_word = [tokenizer(blank + word, add_special_tokens=False)["input_ids"] for word in words]
    by_word = [pieces or [tokenizer.unk_token_id] for pieces in by_word]
    before, after = SPECIAL[architecture]
    special = tokenizer("a")["input_ids"]
    prefix, suffix = special[:before], special[len(special) - after :]
    ids = [*prefix, *(piece for pieces in by_word for piece in pieces), *suffix]
    owners = [number for number, pieces in enumerate(by_word) for _ in pieces]
    return ids, [*[-1] * before, *owners, *[-1] * after]


@cache
def tokenizer_and_model(folder):
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    return AutoTokenizer.from_pretrained(folder), model


def states_one_by_one(folder, ids):
    """Returns `[layers, pieces, width]` of one sequence, alone."""
    _, model = tokenizer_and_model(folder)
    with torch.no_grad():
        return torch.stack(model(torch.tensor([ids]), output_hidden_states=True).hidden_states)[:, 0].numpy()
