from pathlib import Path

from polyprobe.encoders.transformer.encoder import TransformerEncoder
from tests.encoders.kind import Kind
from tests.encoders.tiny_transformers import write_transformer

OPTIONS = {
    "revision": None,
    "layers": None,
    "word_pooling": "mean",
    "sentence_pooling": "mean",
    "lowercase": False,
    "dotless_i": False,
    "token_budget": 96,
    "number_type": "float32",
    "device": "cpu",
    "over_long": "split",
    "weights": "pretrained",
    "seed": 1,
    "context": "sentence",
}


def transformer(folder: Path, **changes) -> TransformerEncoder:
    return TransformerEncoder(**{**OPTIONS, "model": str(folder), **changes})


def build(folder: Path, architecture: str = "bert", **changes) -> TransformerEncoder:
    model = folder / architecture
    if not model.is_dir():
        write_transformer(model, architecture)
    return transformer(model, **changes)


KIND = Kind(
    "transformer",
    build,
    (
        {"architecture": "xlmr"},
        {"layers": [0, 2]},
        {"word_pooling": "first"},
        {"sentence_pooling": "mean_with_special_tokens"},
        {"lowercase": True},
        {"lowercase": True, "dotless_i": True},
        {"number_type": "bfloat16"},
        {"over_long": "refuse"},
        {"weights": "random"},
        {"weights": "random", "seed": 2},
        {"context": "none"},
    ),
    nfc_equals_nfd=False,
)
