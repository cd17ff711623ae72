"""Tokenizers that fail or panic: told in one line when the model is opened, before a run is begun."""

import json

import pytest

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.items import Sentence
from tests.encoders.kinds.transformer import transformer
from tests.encoders.sentence_folders import flags, write_sentence_folder
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_masked import masked


def without_unknown(content):
    content["added_tokens"] = [one for one in content["added_tokens"] if one["content"] != "[UNK]"]
    del content["model"]["vocab"]["[UNK]"]


def of_charsmap(content):
    content["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}


def of_no_length(content):
    content["pre_tokenizer"] = {"type": "FixedLength", "length": 0}


def of_absent_token(content):
    content["post_processor"]["special_tokens"] = {}


FAULTS = {
    "lacks its unknown piece": (without_unknown, r"tokenizer fails \(.*Missing \[UNK\] token"),
    "panics when it is read": (of_charsmap, r"tokenizer cannot be loaded \(.*precompiled_charsmap"),
    "panics at words": (of_no_length, r"tokenizer fails \(chunk size must be non-zero\)"),
    "panics at special tokens": (of_absent_token, r"tokenizer fails \("),
}


def masked_at(folder):
    return masked(folder.parent, folder.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_transformer(tmp_path_factory.mktemp("model") / "bert", "bert")


@pytest.mark.parametrize("build", [transformer, masked_at, causal])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_tokenizer_is_one_line_when_the_model_is_opened(folder, fault, build):
    change, words = FAULTS[fault]
    path = folder / "tokenizer.json"
    before = path.read_text()
    content = json.loads(before)
    change(content)
    path.write_text(json.dumps(content))
    try:
        with pytest.raises(NotATransformer, match=words) as refusal:
            build(folder)
    finally:
        path.write_text(before)
    assert "\n" not in str(refusal.value)


def test_a_limit_without_room_for_words_is_told(tmp_path):
    folder = write_sentence_folder(tmp_path, flags("mean"), of_transformer={"max_seq_length": 1})
    with pytest.raises(NotATransformer, match=r"may have 1 pieces\. Expected more than its 2 special tokens"):
        list(transformer(folder, sentence_pooling=None).encode([Sentence(("talo",))]))
