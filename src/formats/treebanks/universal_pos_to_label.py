"""Universal parts of speech into CoNLL-U: UPOS of the words is replaced, all else stays byte for byte."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks import conllu
from src.formats.treebanks.conllu import ConlluSentence
from src.formats.treebanks.conllu_words import with_words, write_with_answers
from src.formats.treebanks.labelled_words import LabelledWords


def universal_pos_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads the words; an answer is a tag for each. Raises as `conllu.read`."""
    sentences = list(conllu.read(path, on_malformed))
    examples = [_labelled(sentence) for sentence in sentences if sentence.words]
    write = partial(write_with_answers, sentences, _with_tags)
    return FileToLabel(examples, written_back(write, path, conllu.line_numbers(sentences)))


def _labelled(sentence: ConlluSentence) -> LabelledWords:
    words = sentence.words
    return LabelledWords(tuple(row.form for row in words), tuple(row.upos for row in words), sentence.line)


def _with_tags(sentence: ConlluSentence, tags: Sequence[str]) -> ConlluSentence:
    return with_words(sentence, [replace(row, upos=tag) for row, tag in zip(sentence.words, tags, strict=True)])
