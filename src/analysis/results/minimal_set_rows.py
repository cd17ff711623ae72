"""Selects the result rows about minimal sets that a table or picture shows."""

from collections.abc import Iterable

from src.analysis.results.rows import Row

MINIMAL_SETS = "minimal_sets"  # the stage
GROUPS = "minimal_set_groups"  # the stage of groups of constructions
AVERAGE = "average"  # name of the mean over constructions
ACCURACY = "accuracy"  # the metric of the main table
# What the metrics are called in tables, that of the main table first.
METRICS = {
    ACCURACY: "accuracy",
    "accuracy_focus": "focus",
    "accuracy_per_token": "per token",
    "accuracy_per_character": "per character",
}
PREDICTION = "prediction_"  # and a number: the metrics of what SyntaxGym predicts of an item, each alone
OF_ONE_AVERAGE = ("run", "suite", "lang", "predictor")


def minimal_set_rows(rows: Iterable[Row], metric: str) -> list[Row]:
    """Returns one row for each construction, language, predictor and epoch: averaged over seeds, or of the only model.

    Rows about all constructions together (test "") are left out: tables make their own average.
    """
    found = [row for row in rows if row["stage"] == MINIMAL_SETS and row["metric"] == metric and row.get("test")]
    averaged = {_model(row) for row in found if row.get("seed") is None}
    return [row for row in found if row.get("seed") is None or _model(row) not in averaged]


def single_predictions(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Returns the metrics of single predictions of each of SyntaxGym's test suites among the rows, by its name."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["stage"] == MINIMAL_SETS and row["metric"].startswith(PREDICTION):
            found.setdefault(row["test"], {})[row["metric"]] = None
    return {test: list(metrics) for test, metrics in found.items()}


def groupings(rows: Iterable[Row]) -> list[str]:
    """Names the ways in which rows group constructions ("phenomenon"), in their order."""
    return list(dict.fromkeys(row["grouping"] for row in rows if row["stage"] == GROUPS and row.get("grouping")))


def group_rows(rows: Iterable[Row], grouping: str) -> list[Row]:
    """Returns the rows about groups as those of constructions are, so that tables and pictures can show them alike."""
    of_groups = (row for row in rows if row["stage"] == GROUPS and row.get("grouping") == grouping)
    return [{**row, "stage": MINIMAL_SETS} for row in of_groups]


def n_ties(row: Row, rows: Iterable[Row]) -> float | None:
    """Returns how many sets of a row tie: its own count, or the mean over the seeds that it averages."""
    if row.get("ties") is not None:
        return row["ties"]
    of_seeds = [one["ties"] for one in rows if one.get("ties") is not None and _is_averaged_by(one, row)]
    return sum(of_seeds) / len(of_seeds) if of_seeds else None


def worth_of_ties(rows: Iterable[Row]) -> str | None:
    """Says what the accuracies take a tie for, as far as rows with ties show it; None where none does."""
    for row in rows:
        if row["stage"] == MINIMAL_SETS and row.get("scorer") == "released":
            return "As the released scorer counts: a tie is correct, and one more correct set is added"
        if row["stage"] == MINIMAL_SETS and row.get("ties") and row["value"] is not None:
            share = (row["value"] * row["n"] - row["correct"]) / row["ties"]
            return f"A tie counts as {['wrong', 'half correct', 'correct'][round(2 * share)]}"
    return None


def _model(row: Row) -> tuple:
    return tuple(row.get(column) for column in OF_ONE_AVERAGE)


def _is_averaged_by(row: Row, average: Row) -> bool:
    is_of_it = row["stage"] == MINIMAL_SETS and _model(row) == _model(average)
    is_alike = all(row.get(column) == average.get(column) for column in ("test", "metric"))
    return is_of_it and is_alike and average.get("epoch") in (None, row.get("epoch"))
