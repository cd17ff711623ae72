"""An encoder: how often each letter is in an item."""

import numpy as np

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.items import Form, Sentence, TokenInContext, words_of


class Letters(Encoder):
    """Counts letters, of a word or of all words of a sentence."""

    accepts = frozenset({Form, TokenInContext, Sentence})
    reads_context = False

    def __init__(self, alphabet):
        self.alphabet = alphabet
        self.layers = (Layer("letters", len(alphabet)),)
        self.fingerprint = f"example-letters-1-{alphabet}"

    def encode(self, items):
        texts = ["".join(words_of(item)).lower() for item in items]
        yield (np.array([[text.count(letter) for letter in self.alphabet] for text in texts], np.float32),)
