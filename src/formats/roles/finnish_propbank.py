"""Finnish PropBank (Haverinen et al. 2015): CoNLL-U with predicates in MISC and roles in DEPS.

A predicate has `PBSENSE=alkaa.1` among the items of MISC. An argument has `3:PBArg_1` or `3:PBArgM_tmp` (ID of the
predicate, label) among the items of DEPS; other items of DEPS are second-layer relations, not roles.

    2   pyöritys   …   3:PBArg_1   _
    3   alkoi      …   _           PBSENSE=alkaa.1

Labels get the names that are common to all corpora: `PBArg_1` is `A1`, `PBArgM_tmp` is `AM-TMP`.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition, labelled
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence

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
    for sentence in conllu.read(path, on_malformed):
        try:
            senses = _senses(path, sentence)
        except MalformedLine as place:
            on_malformed(place)
            continue
        arguments = _arguments(path, sentence, senses, on_malformed)
        propositions = (Proposition(int(id) - 1, sense, tuple(arguments[id])) for id, sense in senses.items())
        yield labelled(sentence, sentence.words, tuple(propositions))


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
            number, modifier = _NUMBERED.fullmatch(label), _MODIFIER.fullmatch(label)
            if not (number or modifier) or predicate not in senses or not row.is_word:
                found = f'DEPS of row {row.id} has the item "{item}", which is not an argument'
                on_malformed(MalformedLine(path, line, found, expected))
            else:
                role = f"A{number[1]}" if number else f"AM-{modifier[1].upper()}"
                arguments[predicate].append(Argument(int(row.id) - 1, role))
    return arguments
