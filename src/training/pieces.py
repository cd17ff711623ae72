"""Pieces of words by byte-pair encoding (sentencepiece), and their vectors in the layout of BPEmb."""

import io
from collections.abc import Sequence
from pathlib import Path

from gensim.models import KeyedVectors
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from src.formats.errors import PolyprobeError
from src.formats.lines import write_lines

Sentences = Sequence[Sequence[str]]


def train_pieces(text: Sentences, n_pieces: int, character_coverage: float) -> bytes:
    """Learns pieces from a text and gives sentencepiece's model, as it stands in a file.

    Raises:
        PolyprobeError: the text does not give so many pieces.
    """
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=(" ".join(sentence) for sentence in text),
            model_writer=model,
            model_type="bpe",
            vocab_size=n_pieces,
            character_coverage=character_coverage,
            max_sentence_length=longest_in_bytes(text),  # else sentences over 4,192 bytes are left out
            minloglevel=2,
        )
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise PolyprobeError(f"model.n_pieces={n_pieces} does not suit this text: {reason}") from error
    return model.getvalue()


def longest_in_bytes(text: Sentences) -> int:
    """Gives the size of the longest sentence, blanks between words included."""
    return max(len(" ".join(sentence).encode()) for sentence in text)


def pieces_of(text: Sentences, piece_model: bytes) -> list[list[str]]:
    """Cuts every sentence into pieces. A stretch of characters that no piece has stays as it is, so is no piece."""
    processor = SentencePieceProcessor(model_proto=piece_model)
    return [processor.encode_as_pieces(" ".join(sentence)) for sentence in text]


def write_piece_vectors(path: Path, piece_model: bytes, vectors: KeyedVectors) -> None:
    """Writes word2vec text whose rows are the pieces by their number, as in BPEmb.

    A piece that the text does not have on its own, such as a step towards a longer one, gets zeros.
    """
    processor = SentencePieceProcessor(model_proto=piece_model)
    pieces = [processor.id_to_piece(number) for number in range(len(processor))]
    zeros = " ".join(["0.0"] * vectors.vector_size)
    rows = (f"{piece} {' '.join(map(str, vectors[piece])) if piece in vectors else zeros}" for piece in pieces)
    write_lines([f"{len(pieces)} {vectors.vector_size}", *rows], path)
