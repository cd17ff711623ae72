"""Tables of the neurons of a run: accuracies by their number, top neurons by layer."""

from collections.abc import Iterator, Sequence

from polyprobe.analysis.neurons.neuron_settings import FULL, NEURONS_OF_MASS, NEURONS_OF_NUMBER, RANDOM, STAGE, ZEROED
from polyprobe.analysis.output.tables import Table, table_of_rows
from polyprobe.analysis.results.rows import Row, distinct, epoch_order, percent, said_of_one

LOGGED_COLUMNS = (
    *("test", "epoch", "metric", "layer", "ranking", "ablation", "neurons", "value", "n"),
    *("interval_low", "interval_high", "control", "selectivity"),
)
OF_LAYERS = {NEURONS_OF_MASS: "of the weight mass", NEURONS_OF_NUMBER: "of the number"}
SAID = ("lang", "suite", "encoder", "probe")


def neuron_tables(rows: Sequence[Row]) -> list[Table]:
    """Formats the results of a run; of several epochs those of the last."""
    kept = _of_last_epoch([row for row in rows if str(row.get("ablation")).endswith(ZEROED)])
    by_layer = _by_layer(_of_last_epoch(rows), rows)
    full = [row for row in rows if row.get("ablation") == FULL and kept and row.get("epoch") == kept[0].get("epoch")]
    of_tests = [[row for row in [*full, *kept] if row["test"] == test] for (test,) in distinct(full, "test")]
    return [*map(_by_number, of_tests), *by_layer]


def _of_last_epoch(rows: Sequence[Row]) -> list[Row]:
    last = max(map(epoch_order, rows), default=None)
    return [row for row in rows if epoch_order(row) == last]


def _by_number(rows: Sequence[Row]) -> Table:
    """Makes the table of one test: a line for each order of neurons, a column for each number kept."""
    points = [row for row in rows if row["metric"] == "accuracy" and row["split"] == "test"]
    kept = [row for row in points if row["ablation"] != FULL]
    (full,) = [row for row in points if row["ablation"] == FULL]
    sizes = sorted({row["neurons"] for row in kept})
    table = Table(["kept"], [f"{size:,}" for size in sizes], folds=True)
    for ranking, ablation in distinct(kept, "ranking", "ablation"):
        of_line = [row for row in kept if (row["ranking"], row["ablation"]) == (ranking, ablation)]
        by_size = {row["neurons"]: percent(row["value"]) for row in of_line}
        table.rows.append([_in_words(ranking, ablation), *(by_size.get(size, "-") for size in sizes)])
    whole = f"{percent(full['value'])}, with all {full['neurons']:,}"
    title = f"Accuracy (%) by number of neurons kept: {full['test']}{_epoch([full])}, n = {full['n']}; {whole}"
    notes = [f"{ZEROED}: the run's own probes, all other columns 0."]
    if any(row["ablation"].startswith(RANDOM) for row in kept):
        notes.append(f"{RANDOM}: a single draw.")
    if full.get("selectivity") is not None:
        notes.append(f"Selectivity with all: {percent(full['selectivity'])}, over the probe of the control task.")
    return table.titled(title, [*notes, *_widest_interval(kept)])


def _widest_interval(rows: Sequence[Row]) -> list[str]:
    halves = [(row["interval_high"] - row["interval_low"]) / 2 for row in rows if row.get("interval_low") is not None]
    return [f"95 % intervals over test items: at most ±{percent(max(halves))}."] if halves else []


def _by_layer(rows: Sequence[Row], all_rows: Sequence[Row]) -> Iterator[Table]:
    """Yields the table of top neurons by layer: two lines for each test, one for each meaning of a share."""
    counted = [row for row in rows if row["metric"] in OF_LAYERS]
    layers = [layer for (layer,) in distinct(counted, "layer")]
    table = Table(["test"], [str(layer) for layer in layers], folds=True)
    for test, metric in distinct(counted, "test", "metric"):
        by_layer = {row["layer"]: row["value"] for row in counted if (row["test"], row["metric"]) == (test, metric)}
        table.rows.append([f"{test}, {OF_LAYERS[metric]}", *(f"{by_layer[layer]:,.0f}" for layer in layers)])
        _add_even_draw(table, [row for row in counted if (row["test"], row["metric"]) == (test, metric)])
    n_epochs = len(distinct(all_rows, "epoch"))
    notes = [f"Last of {n_epochs} epochs; for all of them see results.jsonl."] if n_epochs > 1 else []
    if counted:
        yield table.titled(f"Top neurons by layer: {said_of_one(rows, *SAID)}{_epoch(rows)}", notes)


def _add_even_draw(table: Table, of_line: Sequence[Row]) -> None:
    """Adds the line of as many neurons drawn evenly, unless it is there."""
    name = f"{of_line[0].get('neurons', 0):,} at random"
    if all("permuted" in row for row in of_line) and name not in [line[0] for line in table.rows]:
        table.rows.append([name, *(f"{row['permuted']:,.0f}" for row in of_line)])


def _in_words(ranking: str, ablation: str) -> str:
    kept, _, manner = ablation.partition("_")
    return f"{ranking}, {manner}" if kept == ranking else f"{kept} of {ranking}, {manner}"


def _epoch(rows: Sequence[Row]) -> str:
    epoch = rows[0].get("epoch")
    return "" if epoch is None else f", epoch {epoch}"


def logged_neurons(rows: Sequence[Row]) -> tuple[dict[str, Table], dict[str, float]]:
    """Returns for dashboards the table of all rows, and the accuracies of all neurons by test: "Case/8/all"."""
    found = [row for row in rows if row.get("ablation") == FULL]
    return {STAGE: table_of_rows(rows, LOGGED_COLUMNS)}, {_name(row): row["value"] for row in found}


def _name(row: Row) -> str:
    parts = (row["test"], row.get("epoch"), row["ablation"])
    return "/".join(str(part) for part in parts if part is not None)
