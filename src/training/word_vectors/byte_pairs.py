"""Pieces of words by byte-pair encoding (sentencepiece), and their vectors in the layout of BPEmb."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

from gensim.models import KeyedVectors
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from polyprobe.errors import PolyprobeError, briefly
from polyprobe.formats.reading.lines import write_lines

UNKNOWN = "<unk>"
LONGEST_SENTENCE = 1 << 30
"""In bytes, the most that sentencepiece takes. By default it leaves out all over 4,192."""

_DIGIT = re.compile(r"\d")
Sentences = Sequence[Sequence[str]]


def without_digits(text: Sentences) -> list[list[str]]:
    """Writes 0 for every digit, as in the text of BPEmb; the encoder of subwords does so, too."""
    return [[_DIGIT.sub("0", word) for word in sentence] for sentence in text]


def train_pieces(text: Sentences, n_pieces: int, character_coverage: float) -> bytes:
    """Learns pieces from a text and returns sentencepiece's model, as it stands in a file."""
    model = io.BytesIO()
    try:
        SentencePieceTrainer.train(
            sentence_iterator=(" ".join(sentence) for sentence in text),
            model_writer=model,
            model_type="bpe",
            vocab_size=n_pieces,
            character_coverage=character_coverage,
            max_sentence_length=LONGEST_SENTENCE,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise PolyprobeError(f"model.n_pieces={n_pieces} does not suit this text: {_reason(error)}") from error
    return model.getvalue()


def _reason(error: RuntimeError) -> str:
    """Says in our words which bound of sentencepiece a number of pieces breaks, where its message has it."""
    message = briefly(error)
    if most := re.search(r"value <= (\d+)", message):
        return f"it has {most[1]} different pieces. Expected model.n_pieces={most[1]} or fewer, or a longer text."
    if fewest := re.search(r"required_chars. \d+ vs (\d+)", message):
        coverage = "or a smaller model.character_coverage"
        return f"its characters alone are {fewest[1]} pieces. Expected at least this number, {coverage}."
    return message


def pieces_of(text: Sentences, piece_model: bytes) -> list[list[str]]:
    """Cuts every sentence into pieces; a stretch of characters that no piece has is the piece `UNKNOWN`."""
    processor = SentencePieceProcessor(model_proto=piece_model)
    pieces = _pieces(processor)
    return [[pieces[number] for number in processor.encode_as_ids(" ".join(sentence))] for sentence in text]


def write_piece_vectors(path: Path, piece_model: bytes, vectors: KeyedVectors) -> None:
    """Writes word2vec text whose rows are the pieces by their number, as in BPEmb.

    A piece that the text does not have on its own, such as a step towards a longer one, gets zeros.
    """
    processor = SentencePieceProcessor(model_proto=piece_model)
    pieces = _pieces(processor)
    zeros = " ".join(["0.0"] * vectors.vector_size)
    rows = (f"{piece} {' '.join(map(str, vectors[piece])) if piece in vectors else zeros}" for piece in pieces)
    write_lines([f"{len(pieces)} {vectors.vector_size}", *rows], path)


def _pieces(processor: SentencePieceProcessor) -> list[str]:
    return [processor.id_to_piece(number) for number in range(len(processor))]
