"""Looks at the neurons of a probed encoder: `python analyze.py neurons=<run>`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.analysis.neurons.neuron_settings import (
    FULL,
    ITEMS,
    MINIMAL_SET,
    NEURONS_OF_MASS,
    NEURONS_OF_NUMBER,
    OVERLAP,
    RANDOM,
    RETRAINED,
    STAGE,
    ZEROED,
    NeuronSettings,
)
from polyprobe.analysis.output.tables import Printable, Table, marks, notes_on_marks, picture_lines
from polyprobe.analysis.reports.logged_tables import Logged, table_of_rows
from polyprobe.analysis.reports.made_files import MadeFiles, files_made_before, remember_files
from polyprobe.analysis.results.collection import find_run
from polyprobe.analysis.results.paired_runs import chosen_tests
from polyprobe.analysis.results.rows import (
    Row,
    distinct,
    epoch_order,
    percent,
    rests_on_few_items,
    said_of_one,
)
from polyprobe.display.shown import short_path
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.probing.design import versions_of_tests
from polyprobe.probing.earlier_run import EarlierRun, earlier_run
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.identity import identity
from polyprobe.runs.names.typed_command import called_as
from polyprobe.runs.study import Study, Work
from polyprobe.runs.workspace import Workspace
from polyprobe.section import known_by

LOGGED_COLUMNS = (
    *("test", "epoch", "metric", "layer", "ranking", "ablation", "neurons", "value", "n"),
    *("interval_low", "interval_high", "control", "selectivity"),
)


@dataclass(frozen=True)
class NeuronJob:
    """Whose neurons are looked at, and how."""

    run: str
    """Of probe=neurons, by its name or folder."""
    tests: Any
    """Such as [Case]; null: all with weights."""
    settings: NeuronSettings
    is_confirmed: bool
    """Whether work of more than a day is meant."""
    workspace: Workspace
    kept: Mapping[str, Any]
    """What config.yaml keeps."""


class NeuronStudy(Study):
    """The neurons of a run of probe=neurons: ranked, kept alone, counted and drawn.

    Raises:
        PolyprobeError: the run is unknown or has no weights of neurons; a ranking or a test has a name that there is
            not.
    """

    command = "analyze"

    def __init__(self, asked: NeuronJob):
        self.asked, self.workspace, self.config = asked, asked.workspace, asked.kept
        self.probed = RunDirectory(find_run(self.workspace.work, asked.run))
        self.tests = _tests(self.probed, asked.tests)
        self.earlier = earlier_run(self.probed, self.workspace)
        self._versions = versions_of(self.earlier, self.tests)

    @property
    def name(self) -> str:
        """The name of the probed run and an identity: the same run, tests and options are the same work."""
        options = known_by(NeuronSettings, vars(self.asked.settings))
        number = identity({"neurons": self.probed.name, "tests": self.tests, "of_neurons": options})
        return file_name(f"neurons-{self.probed.name}-{number}")

    @property
    def outcome(self) -> list[Path]:
        return [self.run.path / ITEMS]

    def versions(self) -> Mapping[str, str]:
        return self._versions

    def prepare(self) -> Work:
        from polyprobe.analysis.neurons.neuron_study import prepared  # torch

        return prepared(self.earlier, self._versions, self.tests, self.asked.settings, self.asked.is_confirmed)


def versions_of(run: EarlierRun, tests: Sequence[str]) -> dict[str, str]:
    """Returns digests of tests and of the weights of their probes, and the fingerprint of the encoder, by their names.

    A run that is made again, or another one of its name, may have other weights.
    """
    of_tests = {name: version for name, version in versions_of_tests(run.settings).items() if name in tests}
    files = run.directory.record().get("files", {})
    names = [f"{run.directory.neurons.name}/{file_name(test)}.npz" for test in tests]
    of_weights = {name: files[name] for name in names if name in files}
    return {**of_tests, **of_weights, "encoder": run.encoder.fingerprint}


def _tests(probed: RunDirectory, names: object) -> list[str]:
    """Returns the names of the tests that are looked at."""
    rows = probed.rows()
    with_weights = {path.stem for path in probed.neurons.glob("*.npz")}
    if not with_weights:
        raise PolyprobeError(
            f"{probed.path} has no weights of neurons: it was not made with probe=neurons. Expected a run of "
            f"{called_as('probe')} probe=neurons encoder=…, which probes all layers at once."
        )
    found = dict.fromkeys(row["test"] for row in rows if row["stage"] == "probing")
    return list(
        chosen_tests({name: name for name in found if file_name(name) in with_weights}, names, "test", "[Case]")
    )


def report_neurons(directory: RunDirectory, axis: str, tolerance: float) -> Iterator[Printable]:
    """Yields the tables, draws accuracies unless they are drawn with this axis, and says where everything is."""
    rows = directory.rows()
    yield from neuron_tables(rows, tolerance)
    if files_made_before(directory, axis) is None:
        from polyprobe.analysis.neurons.ablation_pictures import draw_kept  # matplotlib

        remember_files(directory, axis, MadeFiles([], [], draw_kept(rows, directory.pictures, axis)))
    yield from (f"table     {short_path(table)}" for table in sorted(directory.path.glob("*.csv")))
    yield f"results   {short_path(directory.results)}"
    yield f"run       {short_path(directory.provenance)}"
    yield from picture_lines(sorted(directory.pictures.glob("*.p[dn][fg]")))


def logged_neurons(run: RunDirectory, rows: Sequence[Row]) -> Logged:
    """Returns the table of all rows, and the accuracies of all neurons and of the minimal sets."""
    rows = [row for row in rows if row["stage"] == STAGE]
    found = [row for row in rows if row.get("ablation") in (FULL, MINIMAL_SET) and row.get("neurons")]
    scores = {_name(row): row["value"] for row in found}
    return {STAGE: table_of_rows(rows, LOGGED_COLUMNS)}, scores


def _name(row: Row) -> str:
    """Returns "Case/all", "Case/8/minimal_set/weights"."""
    parts = (row["test"], row.get("epoch"), row["ablation"], row.get("ranking"))
    return "/".join(str(part) for part in parts if part is not None)


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
        notes.append(f"{RANDOM}: one draw.")
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
    selectivity = "Selectivity: accuracy less that of a probe of the same neurons on the control task."
    points = f"{100 * tolerance:g} {'point' if 100 * tolerance == 1 else 'points'}"
    notes = [
        "The fewest best neurons, of the sizes tried, on which new probes are as good on dev, within the tolerance, "
        f"{points} of accuracy, as those of all, whose penalty, learning rate and epochs they keep.",
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
    notes += [f"The last of {n_epochs} epochs; results.jsonl has all."] if n_epochs > 1 else []
    if counted:
        yield table.titled(f"Top neurons by layer: {said_of_one(rows, *SAID)}{_epoch(rows)}", notes)


def _add_even_draw(table: Table, of_line: Sequence[Row]) -> None:
    """Adds the line of as many neurons drawn evenly, unless it is there."""
    name = f"{of_line[0].get('neurons', 0):,} drawn evenly"
    if all("permuted" in row for row in of_line) and name not in [line[0] for line in table.rows]:
        table.rows.append([name, *(f"{row['permuted']:,.0f}" for row in of_line)])


def _overlap(row: Row) -> str:
    return (
        f"{row['test']}: {percent(row['value'])} % of its first {row['neurons']:,} neurons are among those of its "
        "control task."
    )


def _in_words(ranking: str, ablation: str) -> str:
    kept, _, manner = ablation.partition("_")
    return f"{ranking}, {manner}" if kept == ranking else f"{kept} of {ranking}, {manner}"


def _accuracy(row: Row) -> str:
    low, high = row.get("interval_low"), row.get("interval_high")
    half = "" if low is None or high is None else f" ±{percent((high - low) / 2)}"
    return f"{percent(row['value'])}{marks(rests_on_few_items(row), False)}{half}"


def _test(row: Row) -> str:
    return row["test"] if row.get("epoch") is None else f"{row['test']}, epoch {row['epoch']}"


def _epoch(rows: Sequence[Row]) -> str:
    epoch = rows[0].get("epoch")
    return "" if epoch is None else f", epoch {epoch}"
