"""What others do with a transformer, and the least that any way must do: for transformer_encoding."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel, AutoTokenizer

from polyprobe.items import TokenInContext

Words = tuple[str, ...]


class PaddedLoop:
    """Batches of 32 sentences as they come, all layers, mean of the pieces of the words asked for.

    It has inference mode and the library's fused attention, as polyprobe's encoder has; what differs are the batches.
    """

    def __init__(self, folder: Path):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()

    def vectors(self, items: Sequence[TokenInContext]) -> np.ndarray:
        """Encodes the sentence of every item: `[layers, items, width]`."""
        batches = (items[start : start + 32] for start in range(0, len(items), 32))
        found = [self._batch([item.words for item in batch], [[item.index] for item in batch]) for batch in batches]
        return np.concatenate(found, axis=1)

    def vectors_by_sentence(self, indices: dict[Words, list[int]]) -> np.ndarray:
        """Encodes each sentence once, for all words asked for in it: `[layers, words, width]`."""
        sentences = list(indices)
        batches = (sentences[start : start + 32] for start in range(0, len(sentences), 32))
        found = [self._batch(batch, [indices[words] for words in batch]) for batch in batches]
        return np.concatenate(found, axis=1)

    def _batch(self, sentences: Sequence[Words], indices: Sequence[Sequence[int]]) -> np.ndarray:
        pieces = self.tokenizer([list(words) for words in sentences], is_split_into_words=True, padding=True)
        inputs = {name: torch.tensor(pieces[name]) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            states = torch.stack(self.model(**inputs, output_hidden_states=True).hidden_states).numpy()
        vectors = []
        for row, wanted in enumerate(indices):
            owners = np.array([-1 if owner is None else owner for owner in pieces.word_ids(row)])
            vectors += [states[:, row, owners == index].mean(1) for index in wanted]
        return np.stack(vectors, axis=1)


def products(config: object, batches: Sequence[Sequence[int]]) -> list[tuple[Tensor, Tensor]]:
    """Returns the factors of every matrix product that batches of sentences need, padding left out.

    Args:
        config: of a model with the layers of BERT.
        batches: the lengths of each batch's sentences, in pieces, special tokens included.
    """
    layers = [_weights(config) for _ in range(config.num_hidden_layers)]
    return [factors for lengths in batches for weights in layers for factors in _of_layer(config, lengths, weights)]


def _weights(config: object) -> list[Tensor]:
    width, inner = config.hidden_size, config.intermediate_size
    return [*(torch.randn(width, width) for _ in range(4)), torch.randn(width, inner), torch.randn(inner, width)]


def _of_layer(config: object, lengths: Sequence[int], weights: Sequence[Tensor]) -> Iterator[tuple[Tensor, Tensor]]:
    inputs = _inputs(sum(lengths), config.hidden_size)
    for weight in weights:
        yield inputs if len(weight) == config.hidden_size else _inputs(sum(lengths), len(weight)), weight
    heads = config.num_attention_heads
    for length, count in zip(*np.unique(lengths, return_counts=True), strict=True):
        queries = _inputs(count * heads * length, config.hidden_size // heads).view(count * heads, length, -1)
        yield queries, queries.transpose(1, 2)
        yield _inputs(count * heads * length, length).view(count * heads, length, length), queries


_MEMORY: dict[int, Tensor] = {}


def _inputs(n_rows: int, width: int) -> Tensor:
    """Returns a matrix; those of one width share memory, as they would in a model."""
    if width not in _MEMORY or len(_MEMORY[width]) < n_rows:
        _MEMORY[width] = torch.randn(int(n_rows), width)
    return _MEMORY[width][:n_rows]


def multiply(factors: Sequence[tuple[Tensor, Tensor]]) -> None:
    for left, right in factors:
        torch.matmul(left, right)


def neurox_seconds(python: str, folder: Path, sentences: Sequence[Words], threads: int) -> dict[str, float]:
    """Extracts all layers of all words with NeuroX; gives wall and CPU seconds, without loading.

    Args:
        python: of that environment.
        sentences: distinct; NeuroX takes one line of text each, in which blanks separate words.
    """
    with tempfile.TemporaryDirectory() as work:
        corpus = Path(work) / "sentences.txt"
        corpus.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
        script = Path(__file__).with_name("neurox_extraction.py")
        command = [python, str(script), str(folder), str(corpus), str(Path(work) / "vectors.hdf5"), str(threads)]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])
