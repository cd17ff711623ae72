"""What the option `context` of encoders says of items and fingerprints."""

import pytest

from polyprobe.encoders.base.context_encoder import ContextEncoder
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext

WORDS = ("talo", "paloi")


class Asked(ContextEncoder):
    """Keeps what it is asked for."""

    kind = "asked"

    def encode_blocks(self, blocks):
        for block in blocks:
            yield self.as_read(block)


def test_without_context_a_word_of_a_sentence_is_its_form():
    items = [TokenInContext(WORDS, 1), Form("talo"), TokenInContext(WORDS, 0)]
    assert list(Asked("none").encode(items)) == [[Form("paloi"), Form("talo"), Form("talo")]]
    assert list(Asked("sentence").encode(items)) == [items]


def test_without_context_a_sentence_has_no_vector():
    assert list(Asked("sentence").encode([Sentence(WORDS)])) == [[Sentence(WORDS)]]
    with pytest.raises(PolyprobeError, match=r"asked with encoder\.context=none cannot encode item 1.*not Sentence"):
        list(Asked("none").encode([Sentence(WORDS)]))


def test_the_sentence_that_was_always_read_changes_no_fingerprint():
    assert Asked("sentence").context_in_fingerprint == {}
    assert Asked("none").context_in_fingerprint == {"context": "none"}
