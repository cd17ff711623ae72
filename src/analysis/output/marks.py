"""Marks at numbers that rest on little data, and the notes that explain them below a table."""

from src.runs.results import FEW_ITEMS

FEW_ITEMS_MARK, ONE_SEED_MARK = "*", "†"
BELOW = "↓"  # behind a score that its baseline beats


def marks(has_few_items: bool, has_one_seed: bool) -> str:
    """Returns the marks of a number; "" where it rests on many items and seeds."""
    return (FEW_ITEMS_MARK if has_few_items else "") + (ONE_SEED_MARK if has_one_seed else "")


def notes_on_marks(few: str | None, has_one_seed: bool) -> list[str]:
    """Explains the marks that a table has.

    Args:
        few: what some of its numbers rest on few of ("test items", "sets"); None where none does.
        has_one_seed: whether a number is marked to rest on one seed.
    """
    notes = [f"{FEW_ITEMS_MARK} rests on fewer than {FEW_ITEMS} {few}."] if few else []
    return [*notes, f"{ONE_SEED_MARK} rests on one seed."] if has_one_seed else notes
