"""Pieces of a text by a published tokenizer, without special tokens."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer

from src.errors import PolyprobeError
from src.formats.files.digest import file_digest


def piece_cutter(tokenizer: str | Path) -> tuple[Callable[[str], list[str]], str]:
    """Returns a function that cuts a text into pieces, and a digest of all that the pieces depend on.

    Args:
        tokenizer: a tokenizer.json or the folder with it, a sentencepiece `….model`, or the name of a model on the hub
            ("bert-base-multilingual-cased", "xlm-roberta-base": the BPE and SentencePiece rows of RuSentEval).

    Raises:
        PolyprobeError: there is no such tokenizer, or it cannot be read.
    """
    path = Path(tokenizer)
    if path.suffix == ".model":
        return _sentencepiece(path)
    read = _from_hub if not path.exists() else _from_file
    try:
        loaded = read(path / "tokenizer.json" if path.is_dir() else path)
    except Exception as error:  # the library raises bare exceptions
        expected = "a tokenizer.json or its folder, a sentencepiece .model, or the name of a model on the hub"
        raise PolyprobeError(
            f"encoder.tokenizer: {tokenizer} cannot be read ({error}). Expected {expected}."
        ) from error
    loaded.no_truncation()
    loaded.no_padding()
    return lambda text: loaded.encode(text, add_special_tokens=False).tokens, _digest(loaded)


def _from_file(path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(path))


def _from_hub(name: Path) -> Tokenizer:
    return Tokenizer.from_pretrained(name.as_posix())


def _digest(tokenizer: Tokenizer) -> str:
    return hashlib.sha256(tokenizer.to_str().encode()).hexdigest()


def _sentencepiece(path: Path) -> tuple[Callable[[str], list[str]], str]:
    processor = SentencePieceProcessor()
    try:
        processor.Load(str(path))
    except (OSError, RuntimeError) as error:
        raise PolyprobeError(f"encoder.tokenizer: {path} is no sentencepiece model ({error}).") from error
    return lambda text: processor.encode(text, out_type=str), file_digest(path)
