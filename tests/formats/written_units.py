"""Writes what readers yield, for tests: of these formats the program itself writes nothing, or only answers."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from polyprobe.formats.minimal_sets.clams import MinimalSet
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.reading.lines import cells_to_line, write_lines
from polyprobe.formats.roles import conll2009
from polyprobe.formats.roles.propositions import LabelledSentence
from polyprobe.formats.roles.universal_propbank import JOINED_COLUMNS
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence
from polyprobe.formats.treebanks.constituency_trees import Constituent, TreeOfDocument


def roles_of_words(sentence: LabelledSentence) -> list[dict[int, list[str]]]:
    found: list[dict[int, list[str]]] = [{} for _ in sentence.words]
    for one in sentence.propositions:
        for argument in one.arguments:
            found[argument.word].setdefault(one.predicate, []).append(argument.role)
    return found


def write_rows(sentences: Iterable[ConlluSentence], path: Path) -> None:
    """Writes sentences of CoNLL-U, of CoNLL-U Plus or of CoNLL-2009 with all that was read of them."""
    write_lines((line for one in sentences for line in _lines(one)), path)


def _lines(sentence: ConlluSentence) -> Iterator[str]:
    yield from sentence.comments
    for row in sentence.rows:
        if isinstance(row, conll2009.Row):
            *cells, roles = (getattr(row, name) for name in row.__dataclass_fields__)
            yield cells_to_line((*cells, *roles))
        else:
            yield cells_to_line(conllu.cells_of(row, sentence.columns))
    yield ""


def write_universal(sentences: Iterable[LabelledSentence], path: Path) -> None:
    write_rows((_universal(number, one) for number, one in enumerate(sentences, start=1)), path)


def _universal(number: int, sentence: LabelledSentence) -> ConlluSentence:
    header = [f"# global.columns = {' '.join(JOINED_COLUMNS)}"] if number == 1 else []
    roles = {
        one.predicate: (one.sense, "|".join(f"{a.role}:{a.word + 1}" for a in one.arguments) or "_", "_")
        for one in sentence.propositions
    }
    rows = [
        conllu.Row(str(word + 1), form, upos=upos, extra=roles.get(word, ("_",) * 3))
        for word, (form, upos) in enumerate(zip(sentence.words, sentence.upos, strict=True))
    ]
    return ConlluSentence(number, 0, (*header, f"# sent_id = {sentence.identifier}"), tuple(rows), JOINED_COLUMNS)


def write_finnish(sentences: Iterable[LabelledSentence], path: Path) -> None:
    write_rows((_finnish(number, one) for number, one in enumerate(sentences, start=1)), path)


def _finnish(number: int, sentence: LabelledSentence) -> ConlluSentence:
    senses = {one.predicate: f"PBSENSE={one.sense}" for one in sentence.propositions}
    rows = []
    for word, (form, upos, roles) in enumerate(
        zip(sentence.words, sentence.upos, roles_of_words(sentence), strict=True)
    ):
        items = [f"{head + 1}:{_finnish_label(role)}" for head, found in roles.items() for role in found]
        rows.append(conllu.Row(str(word + 1), form, upos=upos, deps="|".join(items) or "_", misc=senses.get(word, "_")))
    return ConlluSentence(number, 0, (f"# sent_id = {sentence.identifier}",), tuple(rows))


def _finnish_label(role: str) -> str:
    return f"PBArgM_{role[3:].lower()}" if role.startswith("AM-") else f"PBArg_{role[1:]}"


def write_conll2009(sentences: Iterable[LabelledSentence], path: Path) -> None:
    write_rows((_conll2009(number, one) for number, one in enumerate(sentences, start=1)), path)


def _conll2009(number: int, sentence: LabelledSentence) -> ConlluSentence:
    senses = {one.predicate: one.sense for one in sentence.propositions}
    rows = []
    for word, (form, pos, roles) in enumerate(
        zip(sentence.words, sentence.upos, roles_of_words(sentence), strict=True)
    ):
        cells = tuple("|".join(roles.get(one.predicate, ["_"])) for one in sentence.propositions)
        filled = {"fillpred": "Y", "pred": senses[word]} if word in senses else {}
        rows.append(conll2009.Row(str(word + 1), form, pos=pos, ppos=pos, **filled, roles=cells))
    return ConlluSentence(number, 0, (), tuple(rows), conll2009.COLUMNS)


def bracketing(constituent: Constituent | str) -> str:
    """Writes a tree with one blank between any two parts."""
    if isinstance(constituent, str):
        return constituent
    inside = " ".join(map(bracketing, constituent.children))
    return f"({constituent.label} {inside})"


def write_trees(trees: Iterable[TreeOfDocument], path: Path) -> None:
    write_lines((cells_to_line((tree.document, bracketing(tree.root))) for tree in trees), path)


def write_forms(rows: Iterable[FormRow], path: Path) -> None:
    write_lines((cells_to_line((*row.forms, row.label)) for row in rows), path)


def write_tokens(rows: Iterable[TokenRow], path: Path) -> None:
    write_lines((cells_to_line((" ".join(row.words), str(row.index), row.label)) for row in rows), path)


def published_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    for one in sets:
        for variant in one.variants:
            yield f"{variant is one.grammatical}\t{variant.sentence}"
