"""Trees into CoNLL-U: HEAD and DEPREL of the words are replaced, all else, DEPS too, stays byte for byte."""

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
from src.formats.treebanks.dependencies import DependencySentence


def dependency_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads words and their UPOS; an answer is the heads (1-based, 0 at the root) and the relations.

    The examples have 0 and `_` for a HEAD and a DEPREL that the file lacks. Raises as `conllu.read`.
    """
    read = list(conllu.read(path, on_malformed))
    examples = [_bare(sentence) for sentence in read if sentence.words]
    write = partial(write_with_answers, read, _with_tree)
    return FileToLabel(examples, written_back(write, path, conllu.line_numbers(read)))


def _bare(sentence: ConlluSentence) -> DependencySentence:
    words = sentence.words
    return DependencySentence(
        sentence.identifier,
        sentence.line,
        tuple(word.form for word in words),
        tuple(word.upos for word in words),
        tuple(0 if word.head == "_" else int(word.head) for word in words),
        tuple(word.deprel for word in words),
    )


def _with_tree(sentence: ConlluSentence, tree: tuple[Sequence[int], Sequence[str]]) -> ConlluSentence:
    arcs = zip(sentence.words, *tree, strict=True)
    return with_words(sentence, [replace(row, head=str(head), deprel=relation) for row, head, relation in arcs])
