"""Roles into Finnish PropBank: the roles in DEPS are replaced, its other items and all else stay.

A role without a name in the corpus, such as R-A1 of Universal PropBank, cannot be written: it is left out, and the
number of such roles is logged.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.lines import UnwritableText
from src.formats.reading.malformed import OnMalformed
from src.formats.roles import finnish_propbank
from src.formats.roles.finnish_propbank import own_label
from src.formats.roles.propositions import Proposition
from src.formats.treebanks import conllu
from src.formats.treebanks.conllu import ConlluSentence, Row
from src.formats.treebanks.conllu_words import with_words

log = logging.getLogger(__name__)


def finnish_propbank_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads sentences; an answer is the propositions of a sentence.

    A sentence that the reader leaves out is not in the written file. Raises as the reader.
    """
    examples = list(finnish_propbank.finnish_propbank_sentences(path, on_malformed))
    lines = {one.line for one in examples}
    sentences = [one for one in conllu.read(path, lambda place: None) if one.first_row_line in lines]
    write = partial(_write, sentences, path)
    return FileToLabel(examples, written_back(write, path, conllu.line_numbers(sentences)))


def _write(
    sentences: Sequence[ConlluSentence], source: Path, answers: Sequence[Sequence[Proposition]], path: Path
) -> None:
    nameless = sum(not _has_name(one.role) for found in answers for p in found for one in p.arguments)
    if nameless:
        found = "%d arguments have a role without a name in Finnish PropBank and are left out."
        log.warning(f"%s: {found}", source, nameless)
    conllu.write(map(_with_roles, sentences, answers), path)


def _has_name(role: str) -> bool:
    try:
        own_label(role)
    except UnwritableText:
        return False
    return True


def _with_roles(sentence: ConlluSentence, propositions: Sequence[Proposition]) -> ConlluSentence:
    items: dict[int, list[str]] = defaultdict(list)
    for proposition in propositions:
        for argument in proposition.arguments:
            if _has_name(argument.role):
                items[argument.word].append(f"{proposition.predicate + 1}:{own_label(argument.role)}")
    return with_words(sentence, [_with_items(row, items[word]) for word, row in enumerate(sentence.words)])


def _with_items(row: Row, roles: Sequence[str]) -> Row:
    others = (item for item in row.deps.split("|") if row.deps != "_" and ":PBArg" not in item)
    return replace(row, deps="|".join([*others, *roles]) or "_")
