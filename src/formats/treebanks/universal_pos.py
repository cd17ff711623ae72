"""Words and universal parts of speech from CoNLL-U; multiword tokens and empty nodes are ignored."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.lines import written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks import conllu
from src.formats.treebanks.conllu import ConlluSentence, with_words, write_with_answers
from src.formats.treebanks.labelled_words import LabelledWords


def universal_pos_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledWords]:
    """Reads the words of each sentence with their UPOS.

    Raises:
        MalformedLine: as `conllu.read`, at a sentence without a word, and at a word without UPOS.
    """
    for sentence in conllu.read(path, on_malformed):
        try:
            yield _tagged(path, sentence)
        except MalformedLine as place:
            on_malformed(place)


def _tagged(path: Path, sentence: ConlluSentence) -> LabelledWords:
    words = sentence.words
    if not words:
        raise MalformedLine(path, sentence.line, "the sentence has no word", "at least one row with an integer ID")
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        if row.is_word and row.upos == "_":
            raise MalformedLine(path, line, f'the word "{row.form}" has no UPOS', "a tag such as NOUN")
    return LabelledWords(tuple(row.form for row in words), tuple(row.upos for row in words), sentence.line)


def universal_pos_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads the words; an answer is a tag for each, put in place of UPOS; all else stays byte for byte.

    Raises as `conllu.read`.
    """
    sentences = list(conllu.read(path, on_malformed))
    examples = [_labelled(sentence) for sentence in sentences if sentence.words]
    write = partial(write_with_answers, sentences, _with_tags)
    return FileToLabel(examples, written_back(write, path, conllu.line_numbers(sentences)))


def _labelled(sentence: ConlluSentence) -> LabelledWords:
    words = sentence.words
    return LabelledWords(tuple(row.form for row in words), tuple(row.upos for row in words), sentence.line)


def _with_tags(sentence: ConlluSentence, tags: Sequence[str]) -> ConlluSentence:
    return with_words(sentence, [replace(row, upos=tag) for row, tag in zip(sentence.words, tags, strict=True)])
