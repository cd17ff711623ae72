"""A small sentencepiece model and vectors of its pieces, written as BPEmb lays them out."""

import io
from pathlib import Path

import numpy as np
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

TEXT = ["talo paloi eilen .", "pöly leijui taloissa .", "vuonna 0000 talossa oli 00 autoa", "Talo Paloi"]
WIDTH = 4


def write_pieces(folder: Path, n_pieces: int = 60) -> Path:
    """Trains a model, always the same, and returns its path."""
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT), model_writer=model, model_type="bpe", vocab_size=n_pieces, minloglevel=2
    )
    path = folder / "pieces.model"
    path.write_bytes(model.getvalue())
    return path


def table_of(pieces: Path, seed: int = 1) -> dict[str, np.ndarray]:
    """Returns every piece a vector."""
    processor = SentencePieceProcessor(model_file=str(pieces))
    vectors = np.random.default_rng(seed).normal(size=(len(processor), WIDTH)).astype(np.float32)
    return {processor.id_to_piece(id): vector for id, vector in enumerate(vectors)}


def write_text(table: dict[str, np.ndarray], path: Path) -> Path:
    """Writes word2vec text."""
    rows = (f"{word} {' '.join(map(repr, vector.tolist()))}\n" for word, vector in table.items())
    path.write_text(f"{len(table)} {WIDTH}\n" + "".join(rows), encoding="utf-8")
    return path
