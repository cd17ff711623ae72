"""The contract of transformers over families of models, each a tiny random configuration of its own."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoTokenizer,
    DebertaV2Config,
    Gemma2Config,
    Gemma3TextConfig,
    GPTNeoXConfig,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    ModernBertConfig,
    OPTConfig,
    PhiConfig,
    Qwen2Config,
    Qwen3Config,
    XLMRobertaConfig,
)
from transformers.utils import logging

from polyprobe.encoders.transformer.model import NUMBER_TYPES, Weights, convert, load_model, read_config
from polyprobe.items import Sentence, TokenInContext
from polyprobe.predictors.base.predictor import NothingKept, Question
from tests.encoders.kinds.transformer import transformer
from tests.encoders.tiny_transformers import ARCHITECTURES
from tests.predictors import tiny_masked
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_causal import plain_log_probabilities

WINDOW = {"sliding_window": 8}  # of attention: shorter than the longest sentence
DEBERTA = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "conv_kernel_size": 3, "position_buckets": 4}
CAUSAL = {
    "gemma2": (Gemma2Config, {"num_key_value_heads": 1, "head_dim": 4, **WINDOW}),
    "gemma3": (Gemma3TextConfig, {"num_key_value_heads": 1, "head_dim": 4, **WINDOW}),
    "gpt_neox": (GPTNeoXConfig, {}),
    "llama": (LlamaConfig, {"num_key_value_heads": 1}),
    "mamba": (MambaConfig, {"state_size": 4}),
    "mistral": (MistralConfig, {"num_key_value_heads": 1, **WINDOW}),
    "opt": (OPTConfig, {"ffn_dim": 16, "word_embed_proj_dim": 8}),
    "phi": (PhiConfig, {}),
    "qwen2": (Qwen2Config, {"num_key_value_heads": 1}),
    "qwen3": (Qwen3Config, {"num_key_value_heads": 1, "head_dim": 4}),
}
MASKED = {
    "deberta_v2": (DebertaV2Config, DEBERTA),
    "modernbert": (ModernBertConfig, {"local_attention": 8, "global_attn_every_n_layers": 2}),
    "xlm_roberta": (XLMRobertaConfig, {}),
}
FAMILIES = {**CAUSAL, **MASKED}
SIZES = {"num_hidden_layers": 3, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16}
SENTENCES = [
    ("the", "dogs", "that", "love", "the", "cats", "bark"),
    ("the", "dog", "barks"),
    ("a",),
    ("the", "dog", "bark"),
    ("cats", "that", "love", "small", "dogs"),
]
ITEMS = [
    *(TokenInContext(words, index) for words in SENTENCES for index in range(len(words))),
    *(Sentence(words) for words in SENTENCES),
]
NEAR = 1e-5  # of the largest absolute value

every_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("families")
    return {family: written(root / family, family) for family in FAMILIES}


def written(folder: Path, family: str) -> Path:
    tokenizer, _ = tiny_masked.ARCHITECTURES["bert"]() if family in MASKED else ARCHITECTURES["xlmr"]()
    config_class, further = FAMILIES[family]
    special = {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": 0, "eos_token_id": 2}
    sizes = {"vocab_size": len(tokenizer), "max_position_embeddings": 64, **SIZES, **special}
    loader = AutoModelForMaskedLM if family in MASKED else AutoModelForCausalLM
    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = loader.from_config(config_class(**{**sizes, **further}))
        for parameter in model.parameters():  # large enough that layers and positions differ
            torch.nn.init.normal_(parameter, std=0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def encode(folder: Path, **changes) -> list[np.ndarray]:
    encoder = transformer(folder, sentence_pooling="last", **changes)
    return [np.concatenate(layer) for layer in zip(*encoder.encode(ITEMS), strict=True)]


def assert_near(found, expected, tolerance: float = NEAR) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.abs(other).max())


@every_family
def test_a_vector_alone_is_that_in_a_batch(folders, family):
    assert_near(encode(folders[family], token_budget=1000), encode(folders[family], token_budget=1))


@every_family
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_either_side_changes_no_vector(folders, family, side):
    """The last pieces of sentences are those of transformers' own batches, padded on this side."""
    folder = folders[family]
    tokenizer, model = AutoTokenizer.from_pretrained(folder, padding_side=side), AutoModel.from_pretrained(folder)
    batch = tokenizer([list(words) for words in SENTENCES], is_split_into_words=True, padding=True, return_tensors="pt")
    is_real = batch["attention_mask"]
    given = {"input_ids": batch["input_ids"], "attention_mask": is_real}
    if family not in ("mamba", "opt", "xlm_roberta"):  # which count positions by the mask, or have none
        given["position_ids"] = (is_real.cumsum(1) - 1).clamp(min=0)
    last = is_real.shape[1] - 1 - is_real.flip(1).argmax(1)
    with torch.no_grad():
        states = model.eval()(**given, output_hidden_states=True).hidden_states
    expected = [state[torch.arange(len(last)), last].numpy() for state in states]
    assert_near([layer[-len(SENTENCES) :] for layer in encode(folder)], expected)


@every_family
def test_some_layers_are_those_of_all_bit_for_bit(folders, family):
    every = encode(folders[family])
    for layers in ([0], [1, 2], [3]):
        for found, layer in zip(encode(folders[family], layers=layers), layers, strict=True):
            np.testing.assert_array_equal(found, every[layer])


@every_family
def test_every_state_is_found_at_its_layer(folders, family):
    assert transformer(folders[family])._model._places is not None


@every_family
@pytest.mark.parametrize("number_type", ["bfloat16", "float16"])
def test_weights_read_in_a_number_type_are_those_narrowed_afterwards(folders, family, number_type):
    folder, loader = folders[family], AutoModelForMaskedLM if family in MASKED else AutoModelForCausalLM
    read = load_model(loader, folder, read_config(folder), Weights(number_type))
    narrowed = loader.from_pretrained(folder, dtype=torch.float32)
    convert(narrowed, NUMBER_TYPES[number_type])
    expected = {**dict(narrowed.named_parameters()), **dict(narrowed.named_buffers())}
    found = {**dict(read.named_parameters()), **dict(read.named_buffers())}
    assert found.keys() == expected.keys()
    for name, numbers in expected.items():
        assert (found[name].dtype, torch.equal(found[name], numbers)) == (numbers.dtype, True), name
    assert {numbers.dtype for name, numbers in found.items() if name.endswith("inv_freq")} <= {torch.float32}


@every_family
def test_half_precision_is_near_full_precision(folders, family):
    assert_near(encode(folders[family], number_type="bfloat16"), encode(folders[family]), tolerance=0.1)


@pytest.mark.parametrize("family", CAUSAL)
@pytest.mark.parametrize("token_budget", [1, 300])
def test_log_probabilities_are_those_of_a_plain_loop(folders, family, token_budget):
    predictor = causal(folders[family], token_budget=token_budget)
    found = predictor.answer([Question(words) for words in SENTENCES], NothingKept()).log_probabilities
    expected = np.concatenate([plain_log_probabilities(folders[family], words, "<s>")[1] for words in SENTENCES])
    np.testing.assert_allclose(found, expected, rtol=NEAR, atol=NEAR)


@pytest.mark.parametrize("family", CAUSAL)
def test_prefixes_are_shared_in_half_precision_where_they_are_in_full(folders, family):
    full, half = (causal(folders[family], number_type=name)._model for name in ("float32", "bfloat16"))
    assert half.is_packed == full.is_packed


@pytest.mark.parametrize("family", MASKED)
def test_masked_pieces_have_the_scores_of_the_whole_model(folders, family):
    folder = folders[family]
    options = {**tiny_masked.OPTIONS, "score": "pll", "model": str(folder)}
    found, alone = (
        tiny_masked.MaskedPredictor(**{**options, "token_budget": budget}).answer(
            [Question(words) for words in SENTENCES], NothingKept()
        )
        for budget in (300, 1)
    )
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
    expected = []
    for words in SENTENCES:
        ids = tokenizer(list(words), is_split_into_words=True, return_tensors="pt")["input_ids"]
        for place in range(1, ids.shape[1] - 1):
            masked = ids.clone()
            masked[0, place] = tokenizer.mask_token_id
            with torch.no_grad():
                expected.append(model(masked).logits[0, place].log_softmax(-1)[ids[0, place]].item())
    for one in (found, alone):
        np.testing.assert_allclose(one.log_probabilities, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("family", MASKED)
def test_one_place_is_read_early_in_half_precision_where_it_is_in_full(folders, family):
    options = {**tiny_masked.OPTIONS, "score": "pll", "model": str(folders[family])}
    full, half = (
        tiny_masked.MaskedPredictor(**{**options, "number_type": name})._model for name in ("float32", "bfloat16")
    )
    assert half.is_early == full.is_early
