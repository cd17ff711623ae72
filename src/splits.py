"""The parts of a corpus or a test."""

from pathlib import Path

SPLITS = ("train", "dev", "test")
_SPELLINGS = {
    "train": ("train", "training", "tr"),
    "dev": ("dev", "devel", "development", "valid", "validation", "val", "va"),
    "test": ("test", "testing", "te"),
}
_SPLIT_OF = {spelling: split for split, spellings in _SPELLINGS.items() for spelling in spellings}


def split_spelt(text: str) -> str | None:
    """Returns the split that a word of somebody's own files means, such as "valid" or "Train"; None for none."""
    return _SPLIT_OF.get(text.strip().lower())


def split_in_name(path: Path) -> str | None:
    """Returns the split that a file's name says, as "train.csv" and "words_valid.tsv" do; None for none."""
    return split_spelt(path.stem.replace("_", "-").rpartition("-")[2])
