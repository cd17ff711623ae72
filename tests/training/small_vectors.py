"""Vectors of words that say something of them, for the small data of lang=mini."""

from collections import Counter
from pathlib import Path

import numpy as np

TAGS = ("NOUN", "VERB", "PRON", "ADJ", "ADV", "PROPN", "PUNCT", "DET")
WIDTH = len(TAGS) + 8


def tagged_words(data: Path) -> list[tuple[str, str]]:
    """Returns every running word, lower-cased as Turkish does, with its tag: train and dev of the treebank."""
    texts = [(data / f"ud/mini/{split}.conllu").read_text(encoding="utf-8") for split in ("train", "dev")]
    rows = [line.split("\t") for text in texts for line in text.splitlines() if "\t" in line]
    return [(row[1].translate({ord("I"): "ı", ord("İ"): "i"}).lower(), row[3]) for row in rows]


def write_vectors(path: Path, data: Path, left_out: int = 0) -> Path:
    """Writes word2vec text: a word's most frequent tag as one of `TAGS`, and eight random numbers.

    Args:
        path: the file.
        data: the folder of the small data.
        left_out: so many words, the last by string, get no vector.
    """
    counts: dict[str, Counter[str]] = {}
    for word, tag in tagged_words(data):
        counts.setdefault(word, Counter())[tag] += 1
    words = sorted(counts)[: len(counts) - left_out]
    noise = np.random.default_rng(1).normal(size=(len(words), WIDTH - len(TAGS)))
    rows = []
    for word, numbers in zip(words, noise, strict=True):
        (tag, _), *_ = counts[word].most_common(1)
        vector = [float(tag == one) for one in TAGS] + [round(float(number), 4) for number in numbers]
        rows.append(f"{word} {' '.join(map(str, vector))}\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{len(rows)} {WIDTH}\n{''.join(rows)}", encoding="utf-8")
    return path


def given(path: Path) -> list[str]:
    """Returns what a user types to read words as these vectors."""
    return ["encoder=static_vectors", f"encoder.path={path}"]
