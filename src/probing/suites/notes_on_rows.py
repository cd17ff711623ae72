"""Notes on the rows of a test, shown with its scores: what is odd in them, counted."""

from collections.abc import Sequence

from src.formats.probing_sets.senteval import SentEvalRow
from src.formats.probing_sets.xprobe import XprobeRow
from src.formats.reading.sentence_words import has_surplus_blanks
from src.probing.suites.test_files import Row, Rows


def notes_on_rows(rows: Rows) -> list[str]:
    """Returns notes, in words: one label only, labels that train lacks, sentences with surplus blanks."""
    found = [_one_label(rows), _unseen(rows), _surplus_blanks([row for split in rows.values() for row in split])]
    return [note for note in found if note]


def _one_label(rows: Rows) -> str | None:
    labels = {row.label for split in rows.values() for row in split}
    return f'one label only ("{labels.pop()}")' if len(labels) == 1 else None


def _unseen(rows: Rows) -> str | None:
    seen = {row.label for row in rows["train"]}
    counts = {split: sum(row.label not in seen for row in rows[split]) for split in ("dev", "test")}
    told = [f"{n} of {split}" for split, n in counts.items() if n]
    return f"rows with a label that train lacks: {', '.join(told)}" if told else None


def _surplus_blanks(rows: Sequence[Row]) -> str | None:
    sentences = [row.sentence for row in rows if isinstance(row, SentEvalRow | XprobeRow)]
    n_sentences = sum(map(has_surplus_blanks, sentences))
    return f"surplus blanks dropped in {n_sentences} sentences" if n_sentences else None
