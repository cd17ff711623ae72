"""Sentences of CoNLL-U with other cells at their words."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from src.formats.treebanks import conllu
from src.formats.treebanks.conllu import ConlluSentence, Row


def with_words(sentence: ConlluSentence, words: Sequence[Row]) -> ConlluSentence:
    """Returns the sentence with other rows in place of its words; multiword tokens and empty nodes stay."""
    remaining = iter(words)
    return replace(sentence, rows=tuple(next(remaining) if row.is_word else row for row in sentence.rows))


def write_with_answers(
    sentences: Sequence[ConlluSentence],
    with_answer: Callable[[ConlluSentence, Any], ConlluSentence],
    answers: Sequence[Any],
    path: Path,
) -> None:
    """Writes sentences with an answer in each; those without a word, which no model reads, as they are."""
    remaining = iter(answers)
    conllu.write((with_answer(one, next(remaining)) if one.words else one for one in sentences), path)
