"""Reports the probing tests that `python generate.py` made: sizes, labels, trivial accuracies, which are missing."""

from collections.abc import Mapping
from typing import Any

from src.analysis.output.terminal_tables import TitledTable, new_table, show
from src.display.short_paths import short_path
from src.display.shown import say
from src.runs.directory import RunDirectory

_NUMBERS = ("items", "labels", "ambiguous (%)", "frequent (%)", "lemmas of train (%)", "majority (%)", "memoriser (%)")


def report_generated_tests(run: RunDirectory) -> None:
    """Prints the table of a finished run, why other tests were not made, and where the tests are."""
    record = run.record()
    table = new_table(["test"], list(_NUMBERS))
    for name, test in record["tests"].items():
        table.add_row(name, *_cells(test))
    notes = [
        "Ambiguous: forms of the feature with several labels; lemmas of train: test items that share a lemma with it."
    ]
    show(TitledTable("Probing tests", table, [*notes, *record["left_out"]]))
    say(f"Tests: {short_path(run.sets)}")


def _cells(test: Mapping[str, Any]) -> list[str]:
    ambiguous = test["ambiguity"].get("several_labels")
    shares = [ambiguous, test["frequent_share"]["train"], test["shared_with_train"]["lemma"]["test"]]
    shares += [test["majority"]["accuracy"], test["memoriser"]]
    counts = [sum(test["items"].values()), len(test["labels"]["train"])]
    return [*(f"{count:,}" for count in counts), *("" if share is None else f"{100 * share:.2f}" for share in shares)]
