"""Finnish PropBank (Haverinen et al. 2015): CoNLL-U with predicates in MISC and roles in DEPS.

A predicate has `PBSENSE=alkaa.1` among the items of MISC. An argument has `3:PBArg_1` or `3:PBArgM_tmp` (ID of the
predicate, label) among the items of DEPS; other items of DEPS are second-layer relations, not roles.

    2   pyöritys   …   3:PBArg_1   _
    3   alkoi      …   _           PBSENSE=alkaa.1

Labels get the names that are common to all corpora: `PBArg_1` is `A1`, `PBArgM_tmp` is `AM-TMP`.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import FileToLabel
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition, labelled
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, to_label, with_words

_SENSE = "PBSENSE="
_ROLE_ITEM = re.compile(r"([^:]*):(PBArg.*)", re.DOTALL)
_NUMBERED, _MODIFIER = re.compile(r"PBArg_([0-9]+)"), re.compile(r"PBArgM_([a-z]+)")
_log = logging.getLogger(__name__)


def finnish_propbank_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads sentences with their propositions.

    Raises:
        MalformedLine: as `conllu.read` and, where `on_malformed` raises, at an argument whose ID is that of no
            predicate or whose label is not of the two kinds. If it does not raise, only that argument is skipped. For
            a word with two senses or an empty one the whole sentence is skipped.
    """
    return (labelled for _, labelled in _sentences(path, on_malformed))


def _sentences(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[ConlluSentence, LabelledSentence]]:
    for sentence in conllu.read(path, on_malformed):
        try:
            senses = _senses(path, sentence)
        except MalformedLine as place:
            on_malformed(place)
            continue
        arguments = _arguments(path, sentence, senses, on_malformed)
        propositions = (Proposition(int(id) - 1, sense, tuple(arguments[id])) for id, sense in senses.items())
        yield sentence, labelled(sentence, sentence.words, tuple(propositions))


def _common_label(label: str) -> str | None:
    """Returns the common name of a label (`PBArgM_tmp`: `AM-TMP`), None for an unknown kind."""
    if match := _NUMBERED.fullmatch(label):
        return f"A{match[1]}"
    if match := _MODIFIER.fullmatch(label):
        return f"AM-{match[1].upper()}"
    return None


def _senses(path: Path, sentence: ConlluSentence) -> dict[str, str]:
    """Reads the sense of each predicate, by the ID of its word."""
    senses = {}
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        if _SENSE not in row.misc:
            continue
        items = [item.removeprefix(_SENSE) for item in row.misc.split("|") if item.startswith(_SENSE)]
        if len(items) != 1 or items == [""] or not row.is_word:
            raise MalformedLine(path, line, f'MISC is "{row.misc}"', f"one item such as {_SENSE}alkaa.1, on a word")
        senses[row.id] = items[0]
    return senses


def _arguments(
    path: Path, sentence: ConlluSentence, senses: Mapping[str, str], on_malformed: OnMalformed
) -> dict[str, list[Argument]]:
    """Collects the arguments of each predicate ID, in the order of the words."""
    arguments: dict[str, list[Argument]] = {identifier: [] for identifier in senses}
    expected = "a word's item such as 3:PBArg_1 or 3:PBArgM_tmp, with the ID of a word that has PBSENSE in MISC"
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        for item in filter(_ROLE_ITEM.fullmatch, row.deps.split("|")):
            predicate, _, label = item.partition(":")
            role = _common_label(label)
            if role is None or predicate not in senses or not row.is_word:
                found = f'DEPS of row {row.id} has the item "{item}", which is not an argument'
                on_malformed(MalformedLine(path, line, found, expected))
            else:
                arguments[predicate].append(Argument(int(row.id) - 1, role))
    return arguments


def _own_label(role: str) -> str | None:
    """Returns the corpus's own name of a role (`AM-TMP`: `PBArgM_tmp`), None for one of another kind."""
    numbered, modifier = f"PBArg_{role[1:]}", f"PBArgM_{role[3:].lower()}"
    return next((label for label in (numbered, modifier) if _common_label(label) == role), None)


def finnish_propbank_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads sentences; an answer is the propositions of a sentence.

    The roles in DEPS are replaced, its other items and all else stay. A role without a name in the corpus, such as R-A1
    of Universal PropBank, cannot be written: it is left out, and the number of such roles is logged. A sentence that
    the reader leaves out is not in the written file. Raises as the reader.
    """
    file = to_label(path, _sentences(path, on_malformed), _with_roles)

    def write_answers(answers: Sequence[Sequence[Proposition]], target: Path) -> None:
        roles = [one.role for found in answers for proposition in found for one in proposition.arguments]
        if nameless := sum(_own_label(role) is None for role in roles):
            found = "%d arguments have a role without a name in Finnish PropBank and are left out."
            _log.warning(f"%s: {found}", path, nameless)
        file.write(answers, target)

    return FileToLabel(file.examples, write_answers)


def _with_roles(sentence: ConlluSentence, propositions: Sequence[Proposition]) -> ConlluSentence:
    items: dict[int, list[str]] = defaultdict(list)
    for proposition in propositions:
        for argument in proposition.arguments:
            if label := _own_label(argument.role):
                items[argument.word].append(f"{proposition.predicate + 1}:{label}")
    rows = []
    for word, row in enumerate(sentence.words):
        others = (item for item in row.deps.split("|") if row.deps != "_" and ":PBArg" not in item)
        rows.append(replace(row, deps="|".join([*others, *items[word]]) or "_"))
    return with_words(sentence, rows)
