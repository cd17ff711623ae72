"""Finished runs as objects: rows, tables, pictures, and what the command prints at its end."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyprobe.analysis.output.tables import Table, html_text, latex_texts
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS, RunResults, run_results, tables_of
from polyprobe.analysis.results.collection import find_run, results_files
from polyprobe.analysis.results.kinds import CONSTRUCTIONS
from polyprobe.analysis.results.paired_runs import ERROR_COLUMNS, error_rows, predictions_of
from polyprobe.analysis.results.rows import Row, layer_of_row, row_of_layer
from polyprobe.display.shown import quietly
from polyprobe.errors import PolyprobeError, UnknownChoice
from polyprobe.runs.array_records import Predictions, SetScores
from polyprobe.runs.directory import RunDirectory

if TYPE_CHECKING:
    from pandas import DataFrame

    from polyprobe.probing.kept_probe import KeptProbe

PNG = ".png"


class Picture:
    """A picture of a run: a notebook shows it."""

    def __init__(self, path: Path):
        self.path = path

    def _repr_png_(self) -> bytes:
        return self.path.read_bytes()

    def __repr__(self) -> str:
        return f"<polyprobe picture {self.path}>"


class Run:
    """A finished run of any command. Two are equal if they have the same name.

    A layer is named 2, "2" or "layer_2", or as the encoder calls it; where none is named, it is the one that does best
    on dev.
    """

    def __init__(self, path: str | PathLike[str]):
        self._directory = RunDirectory(Path(path))

    @property
    def path(self) -> Path:
        """The folder of the run."""
        return self._directory.path

    @property
    def name(self) -> str:
        """What was done in words, the seed, and the identity of the configuration."""
        return self._directory.name

    @property
    def command(self) -> str | None:
        """The command line that does the same; None where an earlier version did not keep it."""
        return self._directory.record().get("command")

    @property
    def config(self) -> dict[str, Any]:
        """The configuration, as plain values."""
        return self._directory.configuration()

    @cached_property
    def _results(self) -> RunResults:
        return run_results(self.path)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of results.jsonl."""
        return [dict(row) for row in self._results.rows]

    def frame(self) -> "DataFrame":
        """Returns the rows as a data frame of pandas, which is to be installed."""
        try:
            import pandas
        except ImportError as error:
            raise PolyprobeError("pandas is not installed. Expected `pip install pandas`; .rows needs none.") from error
        return pandas.DataFrame(self.rows)

    @property
    def tables(self) -> list[Table]:
        """The tables that the command prints at its end."""
        return [table for tables in tables_of(self._results).values() for table in tables]

    def latex(self) -> str:
        """Returns the tables as LaTeX, for the package booktabs."""
        return latex_texts(self.tables)

    def score(self, test: str | None = None, layer: str | int | None = None, epoch: int | None = None) -> float:
        """Returns the score of a test, as the first table has it: averaged over seeds.

        Args:
            test: a test, a downstream task or a construction; of a training run a metric. None for the only one.
            layer, epoch: of the encoder; None for those that do best on dev. Of minimal sets an epoch must be given
                where there are several.

        Raises:
            UnknownChoice: the run has no such test, layer or epoch.
            PolyprobeError: several scores are meant.
        """
        return self._row(test, layer, epoch)["value"]

    def best_layer(self, test: str | None = None, epoch: int | None = None) -> str:
        """Returns the layer of a test whose probes do best on dev, as predictions name it: "layer_2", "encoding/8".

        Where dev is not recorded (downstream tasks, runs of early versions) it is the last layer.
        """
        return layer_of_row(self._row(test, None, epoch))

    def _row(self, test: str | None, layer: str | int | None, epoch: int | None) -> Row:
        headlines = [row for kind in RESULT_KINDS for row in kind.headlines(self._results.rows)]
        names = [row.get("test") or row["metric"] for row in headlines]
        if test is None and len(set(names)) == 1:
            test = names[0]
        if test not in names:
            raise UnknownChoice(f"test of {self.name}", str(test), dict.fromkeys(names))
        rows = [row for name, row in zip(names, headlines, strict=True) if name == test]
        return row_of_layer(rows, layer, epoch, self.name)

    def predictions(self, test: str) -> Predictions:
        """Returns what the probes predicted for every item of a test: arrays, see `Predictions`.

        Raises:
            UnknownChoice: the run has no predictions for such a test.
        """
        found = predictions_of(self._directory)
        if test not in found:
            raise UnknownChoice(f"test of {self.name}", test, found)
        return found[test]

    def sets(self, construction: str) -> SetScores:
        """Returns the scores of every sentence of the minimal sets of a construction: arrays, see `SetScores`.

        Raises:
            UnknownChoice: the run has no scores of such a construction.
        """
        found = {one.test: one for one in CONSTRUCTIONS.records_of(self._directory) if isinstance(one, SetScores)}
        if construction not in found:
            raise UnknownChoice(f"construction of {self.name}", construction, found)
        return found[construction]

    def errors(self, test: str, layer: str | int | None = None, epoch: int | None = None) -> list[dict[str, Any]]:
        """Returns a row for every item and every wrong label that some seed predicted for it.

        Args:
            layer, epoch: see `score`.
        """
        predictions = self.predictions(test)
        of_layer = error_rows(predictions, layer_of_row(self._row(test, layer, epoch)))
        return [dict(zip(ERROR_COLUMNS, row, strict=True)) for row in of_layer]

    def probe(
        self, test: str, layer: str | int | None = None, epoch: int | None = None, seed: int | None = None
    ) -> "KeptProbe":
        """Returns a probe that the run has kept (`probe.keep=true`), see `KeptProbe`.

        Args:
            layer, epoch: see `score`.
            seed: of the probe; None for the one that does best on dev.

        Raises:
            UnknownChoice: the run has no such test, layer, epoch or seed.
            PolyprobeError: it kept no probes, or the file cannot be read.
        """
        from polyprobe.probing.earlier_run import kept_probe
        from polyprobe.probing.kept_probe import load_probe

        return load_probe(kept_probe(self._directory, test, layer_of_row(self._row(test, layer, epoch)), seed))

    def predict(self, sentences: Sequence[Any]) -> list[Any]:
        """Returns the predictions of the best checkpoint of a training run, one for each sentence.

        Args:
            sentences: of task=pos and task=ner lists of words; of task=nli pairs of such lists; of task=dep and
                task=srl, which read parts of speech and predicates, what their readers yield
                (`polyprobe.formats.treebanks.dependencies.dependency_sentences`, for example).

        Returns:
            Tags of words, spans, labels, heads and relations, or propositions.

        Raises:
            PolyprobeError: the run trained no such model, its checkpoint or vectors cannot be read, or a sentence is no
                list of words.
        """
        from polyprobe.training.predicting import predicted

        with quietly():
            return predicted(self._directory, sentences)

    def cite(self) -> str:
        """Returns BibTeX of what the run used, see the function of this name."""
        return cite(self)

    def report(self) -> list[Path]:
        """Writes what the command writes at its end: tables, pictures, errors, labels.

        Returns:
            The files.
        """
        with quietly():
            for _ in report_run(self.path):
                pass
        run = self._directory
        files = [*run.path.glob("*.csv"), *run.pictures.rglob("*"), *run.errors.rglob("*")]
        return sorted(file for file in files if file.is_file())

    def figure(self, name: str) -> Picture:
        """Returns a picture by its name ("probing", "heat_map", "training"), drawn anew.

        Raises:
            UnknownChoice: there is no such picture.
        """
        pictures = {file.stem: file for file in self.report() if file.suffix == PNG}
        if name not in pictures:
            raise UnknownChoice(f"picture of {self.name}", name, pictures)
        return Picture(pictures[name])

    def compare(self, *others: "Reference", tests: Sequence[str] | None = None) -> "Comparison":
        """Compares other runs with this one item by item, see `compare`."""
        return compare(self, *others, tests=tests)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<polyprobe.Run {self.path}>"

    def _repr_html_(self) -> str:
        return "\n".join(map(html_text, self.tables))


Reference = Run | str
"""A run, or what is typed for one: its name, its folder, "run:layer"."""


@dataclass(frozen=True)
class Comparison:
    """How runs differ from the first of them on every test."""

    tables: list[Table]
    """One for each other run."""

    def latex(self) -> str:
        """Returns the tables as LaTeX, for the package booktabs."""
        return latex_texts(self.tables)

    def _repr_html_(self) -> str:
        return "\n".join(map(html_text, self.tables))


def compare(
    *runs: Reference,
    tests: Sequence[str] | None = None,
    rule: str | None = None,
    work: str | PathLike[str] = ".",
) -> Comparison:
    """Compares runs with the first of them item by item, as the command `analyze.py` does.

    Args:
        runs: two or more; "run:2" for layer 2 alone. Runs of the same layers are compared layer by layer, others at
            the layer that does best on dev.
        tests: names of tests; None for all that the runs share.
        rule: by which minimal sets are compared: "sum", "per_token", "per_character" or "focus".
        work: the folder of runs that are given by name. A table is written to `comparisons/` beside them.

    Raises:
        PolyprobeError: what the command would end with.
    """
    from polyprobe.analysis.comparisons.compare import compare as compared

    names = None if tests is None else list(tests)
    with quietly():
        found = list(compared(Path(work), references(runs), names, rule))
    return Comparison([one for one in found if isinstance(one, Table)])


def report(*runs: Reference, path: str | PathLike[str] | None = None, work: str | PathLike[str] = ".") -> Path:
    """Writes the page of a run, or of runs beside the first: one file of HTML that needs no network; returns it.

    Args:
        path: of the file; None for report.html in the folder of the run, of several for a file in `comparisons/` of
            their work folder.

    Raises:
        PolyprobeError: a run is not finished, or several cannot be compared.
    """
    from polyprobe.analysis.reports.run_pages import write_report

    named = references(runs)
    with quietly():
        return write_report(Path(work), named, None if path is None else Path(path))


def cite(*runs: Reference) -> str:
    """Returns BibTeX of the suites, encoders, models, probes and methods that runs used.

    Raises:
        PolyprobeError: a run is not finished.
    """
    from polyprobe.analysis.citations import bibtex

    return bibtex([RunDirectory(Path(one)) for one in references(runs)])


def references(runs: Sequence[Reference]) -> list[str]:
    """Returns what is typed for runs."""
    return [str(run.path) if isinstance(run, Run) else str(run) for run in runs]


def open_run(reference: str | PathLike[str], work: str | PathLike[str] = ".") -> Run:
    """Opens a finished run by its folder, or by its name in a work folder.

    Raises:
        PolyprobeError: there is none, or it is not finished; names the nearest.
    """
    return Run(find_run(Path(work), str(reference)))


def list_runs(work: str | PathLike[str] = ".") -> list[Run]:
    """Returns the finished runs below a work folder, in the order of their folders."""
    return [Run(file.parent) for file in results_files(Path(work)) if RunDirectory(file.parent).is_finished]
