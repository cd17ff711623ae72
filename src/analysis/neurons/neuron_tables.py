"""Tables of the neurons of a run: accuracies by their number, minimal sets, top neurons by layer."""

from collections.abc import Iterator, Sequence

from polyprobe.analysis.neurons.neuron_settings import (
    FULL,
    MINIMAL_SET,
    NEURONS_OF_MASS,
    NEURONS_OF_NUMBER,
    OVERLAP,
    RANDOM,
    RETRAINED,
    STAGE,
    ZEROED,
)
from polyprobe.analysis.output.tables import Table, marks, notes_on_marks, table_of_rows
from polyprobe.analysis.results.rows import (
    Row,
    distinct,
    epoch_order,
    interval_behind,
    percent,
    rests_on_few_items,
    said_of_one,
)

LOGGED_COLUMNS = (
    *("test", "epoch", "metric", "layer", "ranking", "ablation", "neurons", "value", "n"),
    *("interval_low", "interval_high", "control", "selectivity"),
)
MANNERS = {
    ZEROED: "the run's own probes, all other columns 0",
    RETRAINED: "new probes on the kept columns, with the penalty, learning rate and epochs of that of all",
}
OF_LAYERS = {NEURONS_OF_MASS: "of the weight mass", NEURONS_OF_NUMBER: "of the number"}
SAID = ("lang", "suite", "encoder", "probe")


def neuron_tables(rows: Sequence[Row], tolerance: float) -> list[Table]:
    """Formats the results of a run; of several epochs those of the last. The tolerance is of minimal sets, 0 to 1."""
    kept = _of_last_epoch([row for row in rows if row.get("ablation") and row["ablation"] != FULL])
    by_layer = _by_layer(_of_last_epoch(rows), rows)
    if not kept:
        return list(by_layer)
    epoch = kept[0].get("epoch")
    full = [row for row in rows if row.get("ablation") == FULL and row.get("epoch") == epoch]
    of_tests = [[row for row in [*full, *kept] if row["test"] == test] for (test,) in distinct(full, "test")]
    return [*map(_by_number, of_tests), *_minimal_sets([*full, *kept], tolerance), *by_layer]


def _of_last_epoch(rows: Sequence[Row]) -> list[Row]:
    last = max(map(epoch_order, rows), default=None)
    return [row for row in rows if epoch_order(row) == last]


def _by_number(rows: Sequence[Row]) -> Table:
    """Makes the table of one test: a line for each order of neurons and manner, a column for each number kept."""
    points = [row for row in rows if row["metric"] == "accuracy" and row["split"] == "test"]
    kept = [row for row in points if row["ablation"] not in (FULL, MINIMAL_SET)]
    (full,) = [row for row in points if row["ablation"] == FULL]
    sizes = sorted({row["neurons"] for row in kept})
    table = Table(["kept"], [f"{size:,}" for size in sizes], folds=True)
    for ranking, ablation in distinct(kept, "ranking", "ablation"):
        of_line = [row for row in kept if (row["ranking"], row["ablation"]) == (ranking, ablation)]
        by_size = {row["neurons"]: percent(row["value"]) for row in of_line}
        table.rows.append([_in_words(ranking, ablation), *(by_size.get(size, "-") for size in sizes)])
    whole = f"{percent(full['value'])}, with all {full['neurons']:,}"
    title = f"Accuracy (%) by number of neurons kept: {_test(full)}, n = {full['n']}; {whole}"
    used = [manner for manner in MANNERS if any(row["ablation"].endswith(manner) for row in kept)]
    notes = [f"{manner}: {MANNERS[manner]}." for manner in used]
    if any(row["ablation"].startswith(RANDOM) for row in kept):
        notes.append(f"{RANDOM}: a single draw.")
    return table.titled(title, [*notes, *_widest_interval(kept)])


def _widest_interval(rows: Sequence[Row]) -> list[str]:
    halves = [(row["interval_high"] - row["interval_low"]) / 2 for row in rows if row.get("interval_low") is not None]
    return [f"95 % intervals over test items: at most ±{percent(max(halves))}."] if halves else []


def _minimal_sets(rows: Sequence[Row], tolerance: float) -> Iterator[Table]:
    """Yields the table of minimal sets, if there are any: a line for each test and ranking, beside all neurons."""
    full = {row["test"]: row for row in rows if row.get("ablation") == FULL}
    minimal = [row for row in rows if row.get("ablation") == MINIMAL_SET]
    has_control = any("control" in row for row in full.values())
    right = ["neurons", "of all", "accuracy", "all neurons"]
    table = Table(["test, ranking"], [*right, *(["selectivity", "all neurons "] if has_control else [])], folds=True)
    for row in minimal:
        whole, line = full[row["test"]], f"{row['test']}, {row['ranking']}"
        accuracies = [_accuracy(row), _accuracy(whole)]
        selectivities = [percent(row.get("selectivity")), percent(whole.get("selectivity"))] if has_control else []
        n_neurons = row.get("neurons")
        size = ["-", "-"] if n_neurons is None else [f"{n_neurons:,}", percent(n_neurons / whole["neurons"])]
        table.rows.append([line, *size, *accuracies, *selectivities])
    has_few = any(map(rests_on_few_items, minimal))
    selectivity = "Selectivity: accuracy minus the accuracy of a probe on the same neurons on the control task."
    points = f"{100 * tolerance:g} {'point' if 100 * tolerance == 1 else 'points'}"
    notes = [
        "neurons: fewest top-ranked neurons (of the sizes tried) with which retrained probes are within "
        f"{points} of the dev accuracy of all neurons; penalty, learning rate and epochs are unchanged.",
        *(f"{row['test']}, {row['ranking']}: {row['note']}." for row in minimal if row.get("neurons") is None),
        *notes_on_marks("test items" if has_few else None, False),
        *([selectivity] if has_control else []),
    ]
    if minimal:
        yield table.titled(f"Minimal sets of neurons (%): {said_of_one(rows, *SAID)}{_epoch(rows)}", notes)


def _by_layer(rows: Sequence[Row], all_rows: Sequence[Row]) -> Iterator[Table]:
    """Yields the table of top neurons by layer: two lines for each test, one for each meaning of a share."""
    counted = [row for row in rows if row["metric"] in OF_LAYERS]
    layers = [layer for (layer,) in distinct(counted, "layer")]
    table = Table(["test"], [str(layer) for layer in layers], folds=True)
    for test, metric in distinct(counted, "test", "metric"):
        by_layer = {row["layer"]: row["value"] for row in counted if (row["test"], row["metric"]) == (test, metric)}
        table.rows.append([f"{test}, {OF_LAYERS[metric]}", *(f"{by_layer[layer]:,.0f}" for layer in layers)])
        _add_even_draw(table, [row for row in counted if (row["test"], row["metric"]) == (test, metric)])
    notes = [_overlap(row) for row in rows if row["metric"] == OVERLAP]
    n_epochs = len(distinct(all_rows, "epoch"))
    notes += [f"Last of {n_epochs} epochs; for all of them see results.jsonl."] if n_epochs > 1 else []
    if counted:
        yield table.titled(f"Top neurons by layer: {said_of_one(rows, *SAID)}{_epoch(rows)}", notes)


def _add_even_draw(table: Table, of_line: Sequence[Row]) -> None:
    """Adds the line of as many neurons drawn evenly, unless it is there."""
    name = f"{of_line[0].get('neurons', 0):,} at random"
    if all("permuted" in row for row in of_line) and name not in [line[0] for line in table.rows]:
        table.rows.append([name, *(f"{row['permuted']:,.0f}" for row in of_line)])


def _overlap(row: Row) -> str:
    return (
        f"{row['test']}: {percent(row['value'])} % of its top {row['neurons']:,} neurons are also top neurons of its "
        "control task."
    )


def _in_words(ranking: str, ablation: str) -> str:
    kept, _, manner = ablation.partition("_")
    return f"{ranking}, {manner}" if kept == ranking else f"{kept} of {ranking}, {manner}"


def _accuracy(row: Row) -> str:
    interval = interval_behind(row["metric"], row["value"], row.get("interval_low"), row.get("interval_high"))
    return f"{percent(row['value'])}{marks(rests_on_few_items(row), False)}{interval}"


def _test(row: Row) -> str:
    return row["test"] if row.get("epoch") is None else f"{row['test']}, epoch {row['epoch']}"


def _epoch(rows: Sequence[Row]) -> str:
    epoch = rows[0].get("epoch")
    return "" if epoch is None else f", epoch {epoch}"


def logged_neurons(rows: Sequence[Row]) -> tuple[dict[str, Table], dict[str, float]]:
    """Returns for dashboards the table of all rows, and the accuracies of all neurons and of the minimal sets."""
    found = [row for row in rows if row.get("ablation") in (FULL, MINIMAL_SET) and row.get("neurons")]
    return {STAGE: table_of_rows(rows, LOGGED_COLUMNS)}, {_name(row): row["value"] for row in found}


def _name(row: Row) -> str:
    """Returns "Case/all", "Case/8/minimal_set/weights"."""
    parts = (row["test"], row.get("epoch"), row["ablation"], row.get("ranking"))
    return "/".join(str(part) for part in parts if part is not None)
