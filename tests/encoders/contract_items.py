"""The items on which every encoder is held to its contract, and how a test encodes them."""

import numpy as np

from polyprobe.encoders.base.encoder import Encoder
from polyprobe.items import Form, Item, Sentence, TokenInContext

NFC, NFD = "pöly", "po\u0308ly"
SENTENCE = ("Talo", "paloi", "eilen", ".")
ITEMS: list[Item] = [
    Form("taloissa"),
    Form("Ω≈ç√∫"),
    Form("a"),
    Form("x" * 300),
    Form(NFC),
    TokenInContext(SENTENCE, 1),
    TokenInContext(SENTENCE, 3),
    TokenInContext(("paloi",), 0),
    Sentence(SENTENCE),
    Sentence(("paloi",)),
    Form("paloi"),
    *(Form(f"sana{number}") for number in range(40)),
    *(Sentence(tuple(f"w{word}" for word in range(1 + number % 9))) for number in range(20)),
]


def encode(encoder: Encoder, items: list[Item]) -> list[np.ndarray]:
    """Returns one `[items, width]` array per layer."""
    blocks = list(encoder.encode(items))
    return [np.concatenate(layer) for layer in zip(*blocks, strict=True)]


def accepted(encoder: Encoder) -> list[Item]:
    """Returns the items that an encoder takes."""
    return [item for item in ITEMS if type(item) in encoder.accepts]
