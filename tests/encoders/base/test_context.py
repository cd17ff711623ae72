"""What the option `context` of encoders says of items and fingerprints."""

import pytest

from polyprobe.encoders.base.encoder import accepted_items, as_read, checked_context, in_fingerprint
from polyprobe.errors import UnknownChoice
from polyprobe.items import Form, Sentence, TokenInContext

WORDS = ("talo", "paloi")


def test_without_context_a_word_of_a_sentence_is_its_form():
    items = [TokenInContext(WORDS, 1), Form("talo"), TokenInContext(WORDS, 0)]
    assert as_read(items, "none") == [Form("paloi"), Form("talo"), Form("talo")]
    assert as_read(items, "sentence") == items


def test_without_context_a_sentence_has_no_vector():
    assert accepted_items("none") == {Form, TokenInContext}
    assert accepted_items("sentence") == {Form, TokenInContext, Sentence}


def test_the_sentence_that_was_always_read_changes_no_fingerprint():
    assert in_fingerprint("sentence") == {}
    assert in_fingerprint("none") == {"context": "none"}


def test_another_context_is_refused_with_those_that_there_are():
    assert [checked_context(context) for context in ("sentence", "none")] == ["sentence", "none"]
    with pytest.raises(UnknownChoice, match=r"encoder\.context .*none, sentence"):
        checked_context("word")
