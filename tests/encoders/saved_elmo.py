"""Small ELMo models with random weights, as the public programs save them."""

import json
from pathlib import Path

import h5py
import numpy as np
import torch

FILTERS = ((1, 3), (2, 4), (5, 2))
N_FEATURES = 9
CHARACTER_SIZE, PROJECTION_SIZE, HIDDEN_SIZE, WORD_SIZE = 4, 6, 8, 3
LONGEST = 10  # characters that are read of a word
LSTM = {"projection_dim": PROJECTION_SIZE, "cell_clip": 3, "proj_clip": 3, "dim": HIDDEN_SIZE, "n_layers": 2}
CHARACTERS = ("<bos>", "<eos>", "<oov>", "<pad>", "<bow>", "<eow>", "\u3000", *"aeilnopstö")
WORDS = ("<oov>", "<bos>", "<eos>", "<pad>", "talo", "paloi", "talolpoisinaa"[:LONGEST])
OPTIONS = {
    "lstm": {**LSTM, "use_skip_connections": True},
    "char_cnn": {
        "activation": "relu",
        "filters": FILTERS,
        "n_highway": 2,
        "embedding": {"dim": CHARACTER_SIZE},
        "n_characters": 262,
        "max_characters_per_token": LONGEST + 2,
    },
}
MANY_LANGUAGES_OPTIONS = {
    "encoder": {"name": "elmo", **LSTM},
    "token_embedder": {
        "name": "cnn",
        "activation": "relu",
        "filters": FILTERS,
        "n_highway": 2,
        "word_dim": WORD_SIZE,
        "char_dim": CHARACTER_SIZE,
        "max_characters_per_token": LONGEST + 2,
    },
}


def allennlp_arrays(seed: int) -> dict[str, np.ndarray]:
    """Draws the datasets of weights.hdf5."""
    shapes = {"char_embed": (261, CHARACTER_SIZE), "CNN_proj/W_proj": (N_FEATURES, PROJECTION_SIZE)}
    shapes["CNN_proj/b_proj"] = (PROJECTION_SIZE,)
    for number, (width, count) in enumerate(FILTERS):
        shapes[f"CNN/W_cnn_{number}"] = (1, width, CHARACTER_SIZE, count)
        shapes[f"CNN/b_cnn_{number}"] = (count,)
    for number in range(2):
        for name in ("transform", "carry"):
            shapes[f"CNN_high_{number}/W_{name}"] = (N_FEATURES, N_FEATURES)
            shapes[f"CNN_high_{number}/b_{name}"] = (N_FEATURES,)
    for direction in range(2):
        for layer in range(2):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes[f"{cell}/W_0"] = (2 * PROJECTION_SIZE, 4 * HIDDEN_SIZE)
            shapes[f"{cell}/B"] = (4 * HIDDEN_SIZE,)
            shapes[f"{cell}/W_P_0"] = (HIDDEN_SIZE, PROJECTION_SIZE)
    return _drawn(shapes, seed)


def many_languages_arrays(seed: int) -> dict[str, np.ndarray]:
    """Draws the tensors of token_embedder.pkl and encoder.pkl."""
    shapes = {
        "word_emb_layer.embedding.weight": (len(WORDS), WORD_SIZE),
        "char_emb_layer.embedding.weight": (len(CHARACTERS), CHARACTER_SIZE),
        "projection.weight": (PROJECTION_SIZE, WORD_SIZE + N_FEATURES),
        "projection.bias": (PROJECTION_SIZE,),
    }
    for number, (width, count) in enumerate(FILTERS):
        shapes[f"convolutions.{number}.weight"] = (count, CHARACTER_SIZE, width)
        shapes[f"convolutions.{number}.bias"] = (count,)
    for number in range(2):
        shapes[f"highways._layers.{number}.weight"] = (2 * N_FEATURES, N_FEATURES)
        shapes[f"highways._layers.{number}.bias"] = (2 * N_FEATURES,)
        for direction in ("forward", "backward"):
            layer = f"{direction}_layer_{number}"
            shapes[f"{layer}.input_linearity.weight"] = (4 * HIDDEN_SIZE, PROJECTION_SIZE)
            shapes[f"{layer}.state_linearity.weight"] = (4 * HIDDEN_SIZE, PROJECTION_SIZE)
            shapes[f"{layer}.state_linearity.bias"] = (4 * HIDDEN_SIZE,)
            shapes[f"{layer}.state_projection.weight"] = (PROJECTION_SIZE, HIDDEN_SIZE)
    return _drawn(shapes, seed)


def write_allennlp(folder: Path, arrays: dict[str, np.ndarray], options: dict = OPTIONS) -> Path:
    """Writes a model with these datasets."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "small_options.json").write_text(json.dumps(options))
    with h5py.File(folder / "small_weights.hdf5", "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return folder


def write_many_languages(
    folder: Path, arrays: dict[str, np.ndarray], options: dict = MANY_LANGUAGES_OPTIONS, words: tuple = WORDS
) -> Path:
    """Writes a model with these tensors; config.json names a file of another machine."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"config_path": "/another/machine/cnn_small.json"}))
    (folder / "cnn_small.json").write_text(json.dumps(options))
    write_dictionary(folder / "char.dic", CHARACTERS)
    write_dictionary(folder / "word.dic", words)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    language_model = {name: tensor for name, tensor in tensors.items() if "ward_layer_" in name}
    torch.save({name: tensors[name] for name in tensors if name not in language_model}, folder / "token_embedder.pkl")
    torch.save(language_model, folder / "encoder.pkl")
    return folder


def write_dictionary(path: Path, tokens: tuple[str, ...]) -> None:
    """Writes one token a line with its number; the ideographic space is lost, as in the published files."""
    lines = [f"{token}\t{number}".strip() for number, token in enumerate(tokens)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _drawn(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {name: generator.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
