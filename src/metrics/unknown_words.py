"""Words of a test set that train lacks."""

from collections.abc import Iterable

from src.metrics.task_score import TaskScore


def oov_rate(train: Iterable[str], words: Iterable[str]) -> TaskScore:
    """Returns the share of running words that train lacks, both lower-cased by `str.lower` (LINSPECTOR, Table 8)."""
    known = {word.lower() for word in train}
    is_unknown = [word.lower() not in known for word in words]
    return TaskScore("oov", sum(is_unknown) / max(1, len(is_unknown)), len(is_unknown), "LINSPECTOR")
