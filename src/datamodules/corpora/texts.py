"""A plain text from its configuration: fetched where it is missing, read, lower-cased, in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.datamodules.corpora.further_files import files_of
from src.datamodules.corpora.labelled_corpora import CorpusReader, malformed_handler, with_options_of
from src.errors import PolyprobeError
from src.formats.reading.case import lower_cased
from src.formats.texts.text_corpus import TextSentence


@dataclass(frozen=True)
class Text:
    """The sentences of a text; equal words are one object, so that a word costs eight bytes where it occurs again."""

    name: str
    """As in the configuration ("text")."""
    sentences: list[list[str]]
    """Lists of words."""
    files: tuple[Path, ...]
    """Every file that was read."""
    malformed: tuple[str, ...]
    """The skipped lines, in the words of the reader."""


def read_text(
    name: str, settings: Mapping[str, Any], on_malformed: str | None, root: Path, mirror: str | None, rule: str
) -> Text:
    """Reads a text as `read_corpus` reads a labelled corpus; all of it is `train`.

    Args:
        rule: of `src.formats.reading.case.case_rule`, by which its words are lower-cased.

    Raises:
        MalformedLine: the file has a malformed line and these are refused.
        PolyprobeError: the file is missing and cannot be fetched, or has no sentence.
    """
    handle = malformed_handler(on_malformed, settings, root)
    reader = CorpusReader(root, mirror, handle)
    settings, words = with_options_of("train", settings), dict[str, str]()
    sentences = [
        [words[token] if token in words else words.setdefault(token, lower_cased(token, rule)) for token in sentence]
        for file in files_of(settings, "train")
        for sentence in map(_words, reader.sentences(settings, file))
    ]
    if not sentences:
        raise PolyprobeError(f"{settings['train']} has no sentence. Expected at least one.")
    malformed = tuple(str(place) for place in handle.places)
    return Text(name, sentences, tuple(reader.files), malformed)


def _words(sentence: tuple[str, ...] | TextSentence) -> tuple[str, ...]:
    return sentence.words if isinstance(sentence, TextSentence) else sentence
