"""Sentences of folders of sentence-transformers, judged by sentence-transformers itself."""

import numpy as np
import pytest

from polyprobe.items import Sentence
from tests.encoders.kinds.transformer import transformer
from tests.encoders.sentence_folders import NORMALIZE, OLD, dense, flags, layer_norm, modes, write_sentence_folder

pytest.importorskip("sentence_transformers")

SENTENCES = [
    ("talo", "paloi", "eilen"), ("ta",), ("x", "talossa", "."), ("Alo", "al"), ("o",) * 30,
    ("ta", "on", "tal", "o") * 9,
]  # fmt: skip
QUERY = {"prompts": {"query": "ta al: ", "passage": "x. "}, "default_prompt_name": None}
GELU, IDENTITY = "torch.nn.modules.activation.GELU", "torch.nn.modules.linear.Identity"
AS_TEXT = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
OF_VERSION_6 = {"transformer_task": "feature-extraction", "modality_config": AS_TEXT}
OF_VERSION_6 |= {"module_output_name": "token_embeddings"}

_, OF_DENSE, WEIGHTS = dense(8, 8)
RESIDUAL = ("Dense", {**OF_DENSE, "use_residual": True}, WEIGHTS)

# Of each folder: its pooling, the modules after it, and what else is said.
FOLDERS = {
    "cls": (flags("cls"), (), {}),
    "mean": (flags("mean"), (), {}),
    "max": (flags("max"), (), {}),
    "mean_sqrt_len": (flags("mean_sqrt_len_tokens"), (), {}),
    "weightedmean": (flags("weightedmean"), (), {}),
    "lasttoken": (flags("lasttoken"), (), {}),
    "no flag is set": (flags(), (), {}),
    "several flags": (flags("mean", "cls", "max"), (), {}),
    "pooling_mode": (modes("max"), (), {}),
    "several pooling_mode": (modes("mean", "lasttoken", "cls"), (), {}),
    "Dense with Tanh": (flags("mean"), (dense(8, 5),), {}),
    "Dense without bias, GELU": (flags("cls"), (dense(8, 12, GELU, bias=False),), {}),
    "Dense pickled": (flags("mean"), (dense(8, 5, IDENTITY),), {"pickled": True}),
    "two Dense after several": (flags("cls", "mean"), (dense(16, 9), dense(9, 4, IDENTITY), NORMALIZE), {}),
    "Dense with a residual": (flags("mean"), (RESIDUAL,), {}),
    "Normalize": (flags("mean"), (NORMALIZE,), {}),
    "LayerNorm": (flags("mean"), (layer_norm(8), NORMALIZE), {}),
    "RoBERTa": (flags("mean"), (NORMALIZE,), {"architecture": "xlmr"}),
    "T5": (flags("mean"), (dense(8, 5, IDENTITY), NORMALIZE), {"architecture": "t5"}),
    "GPT-2, lasttoken": (modes("lasttoken"), (NORMALIZE,), {"architecture": "gpt2"}),
    "max_seq_length": (flags("mean"), (), {"of_transformer": {"max_seq_length": 7}}),
    "no max_seq_length": (flags("mean"), (), {"of_transformer": {}}),
    "do_lower_case": (flags("mean"), (), {"of_transformer": {"do_lower_case": True, "max_seq_length": 20}}),
    "written by version 6": (modes("mean"), (NORMALIZE,), {"of_transformer": OF_VERSION_6}),
    "default prompt": (flags("mean"), (), {"of_model": {**QUERY, "default_prompt_name": "passage"}}),
}
PROMPTED = {
    "prompt": (flags("mean", "cls"), (), {"of_model": QUERY}),
    "prompt not pooled": (flags("mean", "cls", "max", include_prompt=False), (), {"of_model": QUERY}),
    "prompt not pooled, weighted": (modes("weightedmean", "lasttoken", include_prompt=False), (), {"of_model": QUERY}),
    "prompt not pooled, GPT-2": (flags("mean", include_prompt=False), (), {"of_model": QUERY, "architecture": "gpt2"}),
    "prompt of RoBERTa": (flags("mean", include_prompt=False), (), {"of_model": QUERY, "architecture": "xlmr"}),
}


def judged(folder, **prompt):
    from sentence_transformers import SentenceTransformer

    judge = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    if judge.tokenizer.pad_token is None:
        judge.tokenizer.pad_token = judge.tokenizer.eos_token
    judge[0].model.eval()
    return judge.encode([" ".join(words) for words in SENTENCES], show_progress_bar=False, **prompt)


def encode(encoder, sentences=SENTENCES):
    items = [Sentence(words) for words in sentences]
    return {
        layer.name: np.concatenate(blocks)
        for layer, blocks in zip(encoder.layers, zip(*encoder.encode(items), strict=True), strict=True)
    }


def assert_same(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_sentence_has_the_vector_that_sentence_transformers_gives_it(tmp_path, kind):
    pooling, steps, others = FOLDERS[kind]
    folder = write_sentence_folder(tmp_path, pooling, *steps, **{"kinds": OLD, **others})
    assert_same(encode(transformer(folder, sentence_pooling=None))["sentence_embedding"], judged(folder))


@pytest.mark.parametrize(
    ("kind", "prompt"), [*((kind, "query") for kind in PROMPTED), ("prompt not pooled", "xal: "), ("prompt", None)]
)
def test_a_prompt_is_read_before_the_sentence_and_pooled_as_the_folder_says(tmp_path, kind, prompt):
    pooling, steps, others = PROMPTED[kind]
    folder = write_sentence_folder(tmp_path, pooling, *steps, **others)
    expected = judged(folder, **({"prompt_name": prompt} if prompt == "query" else {"prompt": prompt}))
    assert_same(encode(transformer(folder, sentence_pooling=None, prompt=prompt))["sentence_embedding"], expected)
