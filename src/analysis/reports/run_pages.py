"""Pages of HTML: of a run, of several side by side, of a sweep, of a work folder."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from os.path import relpath
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import yaml

from polyprobe.analysis.citations import bibtex
from polyprobe.analysis.comparisons.compare import AGAINST, compared_runs, comparison_name, table_of_pair
from polyprobe.analysis.output.tables import Printable, Table, write_file
from polyprobe.analysis.page.html_page import Page, html_of, is_made_of
from polyprobe.analysis.page.panel import Panel
from polyprobe.analysis.page.single_items import keys_panels
from polyprobe.analysis.pictures.curves import encoders_figure
from polyprobe.analysis.reports.finished_run import REPORT
from polyprobe.analysis.reports.result_kinds import (
    RESULT_KINDS,
    ResultKind,
    RunResults,
    kinds_of,
    run_results,
    summary_table,
)
from polyprobe.analysis.reports.sweep_tables import sweep_lines, written_tables
from polyprobe.analysis.results.collection import collect, comparisons_folder, find_run, results_files
from polyprobe.analysis.results.config_differences import keys_apart
from polyprobe.analysis.results.kinds import KINDS, PROBING
from polyprobe.analysis.results.paired_runs import split_reference
from polyprobe.analysis.results.rows import (
    TRAINED,
    Row,
    best_layer,
    distinct,
    layer_of_row,
    note_on_one_seed,
    percent,
    whole_scores,
)
from polyprobe.analysis.statistics.significance import SIGNIFICANT
from polyprobe.display.progress import each
from polyprobe.display.shown import plural, short_path, shown
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.runs.command.sweep import NOTED, Sweep
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.typed_command import typed_command
from polyprobe.runs.record.provenance import provenance
from polyprobe.runs.results import COPIED
from polyprobe.runs.workspace import RUNS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MANY_ITEMS = 100  # of fewer an accuracy has a 95 % interval of some 10 points to either side
MOST_NAMED = 3  # tests in a title
EMBEDDINGS = "layer_0"
BASELINES = {"char_ngrams": "spelling alone", "length": "length alone", "random": "word identity alone"}  # encoders
UNDETERMINED = "und"  # the code of no language in particular
UNITS = {"type": "words", "token": "words in context", "sentence": "sentences"}  # by the level of a suite
NOT_PAIRED = "Not all of these runs keep predictions of items: nothing is tested item by item."
MUCH_OOV = 0.05  # of the test items


def write_reports(work: Path, runs: Sequence[str]) -> Iterator[Printable]:
    """Writes a page and says where it is; see `write_report`."""
    yield f"report    {short_path(write_report(work, runs))}"


def write_report(work: Path, runs: Sequence[str], path: Path | None = None) -> Path:
    """Writes a page, and returns its file.

    Args:
        runs: one: name or folder of a run, or of a sweep; several: compared with the first of them; none: all runs of
            the work folder, with pages for those that have none.
        path: of the file; None for its usual place.

    Raises:
        PolyprobeError: there is no such run or sweep, it is not finished, or runs cannot be compared.
    """
    if not runs:
        place, page = work / REPORT, page_of_work(work)
    elif len(runs) > 1:
        name = comparison_name(runs[::-1], AGAINST)
        folder = comparisons_folder(work, find_run(work, split_reference(runs[0])[0]))
        place, page = folder / f"{name}.html", page_of_runs(work, runs)
    elif sweep := _sweep(work, runs[0]):
        place, page = sweep / REPORT, page_of_sweep(sweep)
    else:
        run = RunDirectory(find_run(work, runs[0]))
        place, page = run.path / REPORT, page_of_run(run)
    return write_file(path or place, html_of(page))


def _sweep(work: Path, name: str) -> Path | None:
    """Finds the folder of a sweep, by itself or by its name; None where there is none."""
    folders = [Path(name), *(work / RUNS).glob(f"*/{Path(name).name}")] if name else []
    return next((folder for folder in folders if (folder / NOTED).is_file()), None)


def page_of_run(run: RunDirectory) -> Page:
    """Returns the page of a finished run.

    Raises:
        PolyprobeError: the run is not finished.
    """
    results = run_results(run.path)
    rows, record = results.rows, run.record()
    marks = _marks(rows, [record])
    panels = [*panels_of(results, marks), *(one for kind in kinds_of(results) for one in kind.panels(results))]
    columns = [name for name in dict.fromkeys(key for row in rows for key in row) if len(distinct(rows, name)) > 1]
    cells = [[str(row.get(name, "")) for name in columns] for row in rows]
    return Page(
        kind=f"polyprobe · {run.path.parent.name}",
        title=title_of_run(results),
        command=record.get("command", ""),
        made_of=_made_of(run),
        marks=marks,
        panels=panels or [Panel("Rows", [Table(columns, [], cells, "Rows")])],
        provenance=_provenance(run, record),
        citations=bibtex([run]),
        configuration=yaml.safe_dump(run.configuration_if_any(), allow_unicode=True, sort_keys=False),
    )


def panels_of(results: RunResults, marks: Sequence[str] = ()) -> list[Panel]:
    """Returns a panel for each kind of results, with the pictures of its run.

    What tables of scores say of language, suite and model behind a colon, the title of a page says in words, and notes
    that are `marks` of the page stand there.
    """
    panels = []
    for kind in kinds_of(results):
        tables = [
            table.titled(table.title, [note for note in table.notes if note not in marks])
            for table in kind.page_tables(results)
        ]
        if kind.scores is not None or kind.stage == TRAINED:
            tables = [table.titled(table.title.partition(": ")[0], table.notes) for table in tables]
        panels.append(Panel(kind.title, tables, partial(_pictures, kind, results)))
    return panels


def _pictures(kind: ResultKind, results: RunResults) -> list["Figure"]:
    """Draws what is in `pictures/` of a run; of several runs that were probed their accuracies in one picture."""
    several = len(distinct(results.rows, "run")) > 1
    if several and kind.scores is PROBING:
        return [encoders_figure(results.rows)]
    return [figure for _, figure in kind.pictures(results)]


def title_of_run(results: RunResults) -> str:
    """Names tests, model, probe and data of a run: "register: MiniLM-L6 by layer, probe mlp, 300 English sentences"."""
    rows = [row for row in whole_scores(results.rows) if row["split"] == "test"]
    rows = rows or [row for row in results.rows if row["stage"] not in (COPIED, "coverage")]
    if not rows:
        return shown(results.run.name)
    first, config = rows[0], results.run.configuration_if_any()
    tests = [test for (test,) in distinct(rows, "test") if test]
    named = ", ".join(tests) if len(tests) <= MOST_NAMED else f"{len(tests)} tests of {first['suite']}"
    model, _, commit = (first.get("model") or "").partition("@")
    model = model.rpartition("/")[2] if commit else model  # of a folder the last parts of its path
    model = model or first.get("encoder") or first.get("predictor") or (config.get("choices") or {}).get("model") or ""
    over = [noun for noun in ("layer", "epoch") if len(distinct(rows, noun)) > 1]
    sizes = sorted({row["n"] for row in rows})
    n = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    lang, suite = config.get("lang") or {}, config.get("suite") or {}
    unit = UNITS.get(str(suite.get("level"))) if first["stage"] == PROBING.stage else None
    name = "" if first["lang"] == UNDETERMINED else str(lang.get("name") or first["lang"])
    file = f"of {Path(suite['path']).name}" if isinstance(suite.get("path"), str) else ""
    data = " ".join(filter(None, (n, name, unit or "test items", file)))
    model = " by ".join([model, " and ".join(over)]) if over else model
    probe = f"probe {first['probe']}" if first.get("probe") else ""
    return shown(f"{named or first['suite']}: {', '.join(filter(None, (model, probe, data)))}")


def page_of_runs(work: Path, references: Sequence[str]) -> Page:
    """Returns the page of runs beside the first of them: what differs, tested item by item, and all scores.

    Of runs that keep no predictions of items, as trainings, each has its panels.

    Raises:
        PolyprobeError: see `compared_runs`.
    """
    runs = [RunDirectory(find_run(work, split_reference(one)[0])) for one in references]
    keys = keys_panels(runs[0], list(dict.fromkeys(runs[1:])))
    about = {
        "kind": "polyprobe · comparison",
        "command": typed_command() or "",
        "provenance": _provenance_of_runs(runs),
        "citations": bibtex(runs),
    }
    rows = [row for run in dict.fromkeys(runs) for row in run_results(run.path).rows]
    marks = _marks(rows, [run.record() for run in runs])
    if not all(any(kind.has_records(run) for kind in KINDS) for run in runs):
        results = [run_results(run.path) for run in runs]
        panels = [replace(panel, title=f"{panel.title}: {one.run.name}") for one in results for panel in panels_of(one)]
        title = ", ".join(run.name for run in runs)
        return Page(**about, title=title, marks=[NOT_PAIRED, *marks], panels=[*keys, *panels])
    pairs = compared_runs(work, references)
    differences = Panel("Differences from the first run", [*map(table_of_pair, pairs)])
    found = [row.difference > 0 for pair in pairs for row in pair.rows if row.p_holm < SIGNIFICANT]
    n_compared = sum(len(pair.rows) for pair in pairs)
    counts = f"above the first in {sum(found)} of {plural(n_compared, 'comparison')}, below in {found.count(False)}"
    return Page(
        **about,
        title=", ".join([pairs[0].first.name, *(pair.second.name for pair in pairs)]),
        sentence=f"Significantly {counts} (Holm over all of them, {100 * SIGNIFICANT:.0f} %).",
        marks=marks,
        panels=[*keys, differences, *panels_of(RunResults(pairs[0].first.run, rows))],
    )


def page_of_sweep(folder: Path) -> Page:
    """Returns the page of a sweep: its jobs with links to their pages, and scores over seeds."""
    sweep = Sweep(folder)
    lines = sweep_lines(sweep)
    tables = [one for one in written_tables(sweep, lines) if isinstance(one, Table)]
    jobs = Table(["run", "job", "status", "last lines"])
    links = {}
    for line in {tuple(line.values.items()): line for line in lines}.values():
        run = RunDirectory(line.run.resolve()) if line.run else None
        job = " ".join(f"{key}={value}" for key, value in line.values.items())
        jobs.add_row(run.name if run else "", job, line.status, line.reason)
        if run and written_page(run):
            links[run.name] = quote(Path(relpath(run.path / REPORT, folder.resolve())).as_posix())
    return Page(
        kind="polyprobe · sweep",
        title=folder.name,
        sentence=f"Jobs: {_counts_of_jobs(sweep)}.",
        made_of=_made_of_jobs(sweep),
        panels=[Panel("Sweep", tables), Panel("Jobs", [jobs])],
        links=links,
    )


def _counts_of_jobs(sweep: Sweep) -> str:
    statuses = [one.status if one else "not begun" for one in sweep.records()]
    return ", ".join(f"{statuses.count(one)} {one}" for one in dict.fromkeys(statuses))


def page_of_work(work: Path) -> Page:
    """Returns the index of a work folder: a line for each run and each sweep, which leads to its page.

    Pages that lack, or are of other results or of another version of the program, are written.
    """
    runs = [RunDirectory(file.parent) for file in results_files(work)]
    found = collect(work)
    sound = {row["run"] for row in found.rows}
    made = [run for run in runs if _has_no_rows(run)]
    made_sets = Table(["run", "made"])
    for run in made:
        made_sets.add_row(run.name, _made(run.record()))
    sweeps = [Sweep(file.parent) for file in sorted((work / RUNS).glob(f"*/*/{NOTED}"))]
    of_sweeps = Table(["sweep", "jobs"])
    for sweep in sweeps:
        of_sweeps.add_row(sweep.name, _counts_of_jobs(sweep))
    shown_runs = [run for run in runs if run.name in sound or run in made]
    pages = [run.path / REPORT for run in each(shown_runs, "writing", "pages") if written_page(run)]
    pages += [_written_page_of_sweep(sweep) for sweep in sweeps]
    tables = {
        "Runs": _runs_table(found.rows, runs),
        "Made sets": made_sets,
        "Sweeps": of_sweeps,
    }
    return Page(
        kind="polyprobe · work folder",
        title=f"Runs of {work.resolve().name}",
        sentence=f"{plural(len(shown_runs), 'finished run')}.",
        marks=found.lines(),
        panels=[Panel(name, [table.titled(name, table.notes)]) for name, table in tables.items() if table.rows],
        links={page.parent.name: quote(page.relative_to(work).as_posix()) for page in pages},
    )


def _runs_table(rows: Sequence[Row], runs: Sequence[RunDirectory]) -> Table:
    """Returns the table of runs with their days, and of those that probed the mean accuracy of the best layer.

    Where rows name no model or options, it has the encoder and the keys in which runs of the same command, language
    and suite or task differ.
    """
    summary = summary_table(rows)
    of_names = {run.name: run for run in runs}
    encoders = {row["run"]: row.get("encoder") or "" for row in whole_scores(rows)}
    lines = [dict(zip(summary.header, line, strict=True)) for line in summary.rows]
    groups: dict[tuple, list[RunDirectory]] = {}
    for line in lines:
        run = of_names[line["run"]]
        groups.setdefault((run.path.parent, line["lang"], line["suite"]), []).append(run)
    keys = {run.name: words for group in groups.values() for run, words in zip(group, keys_apart(group), strict=True)}
    best = _best_scores(rows)
    left = ["run", "lang", "suite or task", "model", "options", "summary"]
    table = Table(left, ["date", *(["accuracy"] if best else [])], last=["best layer"] if best else [])
    for line in lines:
        name, starts = line["run"], of_names[line["run"]].record().get("starts")
        date = starts[-1]["time"][:10] if starts else ""
        which = line.get("model") or encoders.get(name, ""), line.get("options") or keys[name]
        score = best.get(name, ("", "")) if best else ()
        table.add_row(name, line["lang"], line["suite"], *which, line["summary"], date, *score)
    note = "accuracy: mean over tests (%) at the best layer, selected on dev (the last, where dev is not recorded)."
    return table.titled("Runs", [note] if best else [])


def _best_scores(rows: Sequence[Row]) -> dict[str, tuple[str, str]]:
    """Returns of each run that probed the mean accuracy of its best layer, and which that is."""
    best = {}
    probed = PROBING.rows(rows)
    for (run,) in distinct(probed, "run"):
        of_run = [row for row in probed if row["run"] == run]
        layer, _ = best_layer(of_run)
        values = [row["value"] for row in of_run if layer_of_row(row) == layer and row["value"] is not None]
        best[run] = (percent(fmean(values) if values else None), layer)
    return best


def _made(record: Mapping[str, Any]) -> str:
    """Says how many sets or items a run of generate.py made."""
    if constructions := record.get("constructions"):
        n_sets = sum(one["n_sets"] for one in constructions.values())
        return f"{n_sets:,} minimal sets of {plural(len(constructions), 'construction')}."
    items = {name: sum(test["items"].values()) for name, test in record.get("tests", {}).items() if "items" in test}
    counts = ", ".join(f"{name} ({n:,} items)" for name, n in items.items())
    return f"{plural(len(items), 'test')}: {counts}." if items else ""


def _has_no_rows(run: RunDirectory) -> bool:
    """Says whether a run of generate.py is finished, whose results have no rows."""
    try:
        return run.results.stat().st_size == 0 and not run.rows()
    except (OSError, PolyprobeError):  # which `collect` says
        return False


def written_page(run: RunDirectory) -> bool:
    """Writes the page of a run that has none of its results and of this program; says whether there is one."""
    if run.results.is_file() and not is_made_of(run.path / REPORT, _made_of(run)):
        write_file(run.path / REPORT, html_of(page_of_run(run)))
    return (run.path / REPORT).is_file()


def _written_page_of_sweep(sweep: Sweep) -> Path:
    file = sweep.folder / REPORT
    if not is_made_of(file, _made_of_jobs(sweep)):
        write_file(file, html_of(page_of_sweep(sweep.folder)))
    return file


def _made_of(run: RunDirectory) -> str:
    return f"{_program()} {file_digest(run.results)}"


def _made_of_jobs(sweep: Sweep) -> str:
    """Returns program and digest of the outcomes of the jobs of a sweep."""
    return f"{_program()} {hashlib.sha256(repr(sweep.records()).encode()).hexdigest()}"


@cache
def _program() -> str:
    code = provenance()["polyprobe"]
    return f"{code['version']} {code['commit'] or ''}".strip()


def _marks(rows: Sequence[Row], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns what a reader must know before trusting the numbers."""
    stages = {kind.scores.stage for kind in RESULT_KINDS if kind.scores is not None}
    scored = [row for row in rows if row["stage"] in stages and row["value"] is not None]
    marks = []
    n_seeds = [row.get("n_seeds") for row in scored]
    if any(row["stage"] == TRAINED for row in rows) or 1 in n_seeds or (scored and not any(n_seeds)):
        marks.append(note_on_one_seed(scored))
    few = {row["test"]: row["n"] for row in scored if row["n"] < MANY_ITEMS}
    small = ", ".join(f"{test} (n={n})" for test, n in few.items())
    marks += [f"Fewer than {MANY_ITEMS} items, an interval of some 10 points to either side: {small}."] if few else []
    baselines = [name for (name,) in distinct(scored, "encoder") if name in BASELINES]
    marks += [f"{name}: a baseline, {BASELINES[name]}." for name in baselines]
    marks += [f"{EMBEDDINGS}: the input embeddings."] if any(row.get("layer") == EMBEDDINGS for row in scored) else []
    oov = {row["test"]: row["value"] for row in rows if row["stage"] == "coverage" and row["split"] == "test"}
    oov |= {row["test"]: row["oov"] for row in scored if row.get("oov") is not None}
    much = {test: rate for test, rate in oov.items() if (rate or 0.0) > MUCH_OOV}
    rates = ", ".join(f"{test} ({percent(rate)} %)" for test, rate in much.items())
    marks += [f"OOV rate above {100 * MUCH_OOV:.0f} %: {rates}."] if much else []
    skipped = {row["test"]: row["skipped"] for row in scored if row.get("skipped") and row["test"]}
    marks += [f"Skipped: {', '.join(f'{test} ({n:g})' for test, n in skipped.items())}."] if skipped else []
    failed = {row["test"]: None for row in rows if row["stage"] in stages and row["value"] is None}
    marks += [f"Without a result: {', '.join(failed)}."] if failed else []
    n_lines = sum(len(record.get("left_out") or ()) for record in records)
    return [*marks, *([f"Left out: {plural(n_lines, 'malformed line')} of the data."] if n_lines else [])]


def _provenance_of_runs(runs: Sequence[RunDirectory]) -> dict[str, str]:
    """Returns where runs come from, behind the name of each."""
    of_runs = {run.name: {"command": run.record().get("command", ""), **_provenance(run, run.record())} for run in runs}
    return {f"{name}: {key}": value for name, known in of_runs.items() for key, value in known.items() if key != "run"}


def _provenance(run: RunDirectory, record: Mapping[str, Any]) -> dict[str, str]:
    code = record.get("polyprobe") or {}
    commit = (code.get("commit") or "")[:12]
    state = {True: "", False: ", changed", None: ""}[code.get("clean")]
    versions = {"Python": record.get("python"), **(record.get("libraries") or {})}
    data = {f"data: {name}": digest for name, digest in (record.get("data") or {}).items()}
    known = {"run": run.name, "polyprobe": f"{code.get('version', '')} {commit}{state}".strip(), **versions, **data}
    return {name: str(value) for name, value in known.items() if value}
