"""Sets the numbers that four papers print beside those of the runs of a work folder: python -m published.compare [WORK]

Writes WORK/comparisons/published/<paper>.txt, each table in the paper's layout with ours behind each number,
<paper>.csv, a line a number with its mark, ours, what differs and runs, and counts.tsv, how many numbers have which
mark:

    =  equal as printed     ≈  within the tolerance     ?  within it, but so is a constant answer     ≠  outside
    †  other data or settings than the paper's, or data not known to be these (which, below the table)
    →  stands in no result row: printed, or in statistics.json     ×  no command computes it     (nothing: not run)

docs/published.md explains the files beside this one. Runs that differ by their seed alone are averaged.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.analysis.results.config_differences import with_pooling
from polyprobe.runs.command.own_choices import search_own_folder
from polyprobe.runs.names.identity import seedless_settings
from polyprobe.runs.results import COUNT_PROBES
from published.runs import Run, choice_or_setting, read_runs

HERE = Path(__file__).resolve().parent
CONF = HERE.parent / "conf"
PAPERS = {"linspector": "Şahin et al. 2020", "senteval": "Conneau et al. 2018"}
PAPERS |= {"rusenteval": "Mikhailov et al. 2021", "clams": "Mueller et al. 2020"}
MARKS = {"=": "equal", "≈": "within tolerance", "?": "inconclusive", "≠": "outside", "†": "other data or settings"}
MARKS |= {"": "not run", "→": "printed elsewhere", "×": "cannot be"}
KEYS = ["stage", "suite", "lang", "test", "encoder", "layer", "epoch", "probe", "split", "metric"]  # of a result row
PERCENT = ("percent", "bleu")  # units in which ours, a fraction, is multiplied by 100
SIZES = ["vocabulary", "width", "depth", "ngrams"]
COMPUTED = ["number", "slack", "decimals", "constant", "of_row", "of_column", "plain_mark"]  # of cells
ROUNDING, SHOWN = 1e-9, 5  # so many notes of a kind below a table; the CSV file has all
GIVEN = "<given>"  # what only the user knows
# A run with another choice of these is of another study.
OF_A_STUDY = ("lang", "suite", "task", "encoder", "predictor", "objective", "decoder")
# Rows say themselves which tests, layers and epochs they are of; where files lie, and types of numbers, no paper says.
NOT_COMPARED = re.compile(
    r"(lang|data\.corpora|made_from|paths|download)\..*|tests|seeds|baselines|data\.on_malformed|predictor\.epoch|encoder"
    r"\.(layers|epochs|path)|(.*\.)?(cache|device|token_budget|batch_words|evaluation_words|run|number_type|precision)"
)
KNOWN = pd.read_csv(HERE / "data.csv", dtype=str, keep_default_na=False)
KNOWN = {key: group.to_dict("records") for key, group in KNOWN.groupby(["paper", "what", "name"])}
OF_PROBING = re.compile(r"(suite|probe|minimal_sets)\..*|probe_each_epoch.*|probe_layers.*")  # no part of a training


def read_cells(paper: str) -> pd.DataFrame:
    """Reads the numbers of a paper; `constant` is what a constant answer has, where the paper prints or implies it."""
    cells = pd.read_csv(HERE / f"{paper}.csv", dtype=str, keep_default_na=False).assign(paper=paper)
    cells["of"] = cells["of"].replace("", "value")
    cells["number"], cells["slack"] = cells.value.astype(float), pd.to_numeric(cells.tolerance)
    cells["decimals"] = cells.value.str.partition(".")[2].str.len()
    of_row = cells[cells.column == "baseline"].set_index(["table", "row"]).number.rename("of_row")
    of_column = cells[cells.row.isin(["Majority vote", "Chance"])].set_index(["table", "column"]).number
    cells = cells.join(of_row, on=["table", "row"]).join(of_column.rename("of_column"), on=["table", "column"])
    is_pair = (cells.unit == "fraction") & cells.metric.str.startswith("accuracy") & (paper == "clams")
    constant = cells.of_row.fillna(cells.of_column).mask(lambda one: one.isna() & is_pair, 0.5)
    mark = np.select([cells.cannot != "", (cells.printed_by != "") | (cells.stage == "")], ["×", "→"], "")
    return cells.assign(constant=constant.where(cells["of"] == "value"), plain_mark=mark)


def matched(cells: pd.DataFrame, runs: list[Run]) -> Iterator[tuple[int, Run, dict[str, Any]]]:
    """Yields places of cells, runs, and the row that has the number: its keys are those that the cell gives."""
    rows = [(run, row) for run in runs for row in run.rows]
    texts = [{key: "" if row.get(key) is None else str(row[key]) for key in KEYS} for _, row in rows]
    table = pd.DataFrame(texts, columns=KEYS, dtype=str).assign(row=range(len(rows)), run=[run.name for run, _ in rows])
    own = cells[cells.plain_mark == ""].reset_index(names="cell")
    for given, group in own.groupby(own[KEYS].ne("").apply(tuple, axis=1)):
        on = [key for key, is_given in zip(KEYS, given, strict=True) if is_given or key == "test"]
        for (cell, _), pairs in group[["cell", *on]].merge(table, on=on).groupby(["cell", "run"], sort=False):
            found = [rows[place] for place in pairs["row"]]
            found = [one for one in found if one[1].get("seed") is None] or found
            values = {row.get(cells["of"][cell]) for _, row in found}  # a majority stands in the rows of all layers
            if len(values) == 1 and None not in values:
                yield cell, *found[0]


@cache
def study_of(words: str) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
    """Composes a study of conf/experiment with what is typed beside it: its command, choices, and settings."""
    experiment, *typed = words.split()
    text = (CONF / f"experiment/{experiment}.yaml").read_text(encoding="utf-8")
    command = re.findall(rf"python (\w+)\.py (?:-m )?experiment={experiment}\b", text)[0]
    search_own_folder()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose(command, [f"experiment={experiment}", *typed], return_hydra_config=True)
    choices = dict(config.hydra.runtime.choices)
    OmegaConf.set_struct(config, False)
    config.pop("hydra")
    for key in OmegaConf.missing_keys(config):
        OmegaConf.update(config, key, GIVEN)
    settings = seedless_settings(with_pooling(OmegaConf.to_container(config, resolve=True)))
    return command, choices, {key: one for key, one in settings.items() if GIVEN not in str(one)}


def other_settings(config: Mapping[str, Any], words: str, corpus: str) -> list[str] | None:
    """Names the settings in which a run differs from a study ("clams_lstm lang=de"); None if it is of another study."""
    typed = dict(one.split("=", 1) for one in words.split()[1:])
    for key, text in typed.items():
        wanted, found = yaml.safe_load(text), choice_or_setting(config, key)
        if isinstance(wanted, str) and isinstance(found, str):  # of a path the last part counts; the row has the corpus
            wanted, found = ("" if key == "data.corpus" else one.rpartition("/")[2] for one in (wanted, found))
        if found != wanted:
            return None
    command, choices, settings = study_of(words)
    made = config.get("choices", {})
    if any(made[group] != choices[group] for group in OF_A_STUDY if group in made and group in choices):
        return None
    has_own_probe = made.get("probe") in COUNT_PROBES and choices.get("probe") not in COUNT_PROBES
    met, found = {*typed, "data.corpus" if corpus else ""}, seedless_settings(config)
    return [
        f"{key} {found[key]}, not {value}"
        for key, value in settings.items()
        if key in found and found[key] != value and key not in met and not NOT_COMPARED.fullmatch(key)
        if not (command == "train" and OF_PROBING.fullmatch(key)) and not (has_own_probe and key.startswith("probe."))
    ]


def other_data(key: tuple[str, ...], lang: str, sizes: Mapping[str, Any], files: Mapping[str, Any]) -> list[str]:
    """Says in what data differ from the paper's (`key` as in data.csv); of several, from the most alike.

    `files` has the repository and commit of each file or test: "" for another file, None where that is not recorded.
    """
    answers = []
    for one in (one for one in KNOWN.get(key, ()) if one["lang"] in ("", lang)):
        if one["known"] == "revision":
            is_of = re.compile(f"({one['revision'].replace(' ', '|')})( |/|$)").match
            pairs = [(name, ours, one["revision"]) for name, ours in (files or {key[2]: None}).items()]
            pairs = [each for each in pairs if not all(map(is_of, (each[1] or "").split("; ")))]
        else:
            pairs = [(f"{key[2]} {size}", sizes.get(size), one[size]) for size in SIZES if one[size]]
            pairs = [each for each in pairs if str(each[1]) not in each[2].split()]
        said = {None: "not recorded", "": "another file"}
        answer = [f"{name}: {said.get(ours, ours)}, the paper's {text}" for name, ours, text in pairs]
        answers.append([*answer, *([f"{key[2]}: {one['note']}"] if one["known"] == "unknown" else [])])
    return min(answers, key=len, default=[f"{key[2]}: which the paper used is not known"])


def other_corpus(paper: str, run: Run, lang: str, corpus: str) -> list[str]:
    """Says in what a corpus differs from the paper's; further test sets beside it have no part in its numbers."""
    beside = choice_or_setting(run.config, f"data.corpora.{corpus}.beside") or {}
    further = [one.get("file") for one in beside.values() if isinstance(one, Mapping)]
    files = {name: one for name, one in run.sources.get("data", {}).items() if name not in further}
    return other_data((paper, "corpus", f"{choice_or_setting(run.config, 'task')}/{corpus}"), lang, {}, files)


def differing(cell: Any, run: Run, row: Mapping[str, Any]) -> str | None:
    """Says in which data and settings a run differs from the study of a number; None if it is of another study."""
    typed = dict(one.split("=", 1) for one in cell.choices.split())
    lang, read, others, settings = row.get("lang") or "", run.sources.get("data", {}), [], []
    trainings = (run.trainings or []) if cell.training else []
    hangs_on_settings = cell.of in ("value", "sd", "n") and cell.stage != "baseline"  # others on the data alone
    if hangs_on_settings:
        studies = [(run, f"{cell.experiment} {cell.choices}"), *((one, cell.training) for one in trainings)]
        settings = [other_settings(one.config, words, cell.corpus) for one, words in studies]
        if None in settings or (cell.training and not trainings):
            return None
    if cell.corpus and row.get("corpus") != cell.corpus:
        others.append(f"corpus {row.get('corpus')}, not {cell.corpus}")
    elif row.get("corpus"):
        others += other_corpus(cell.paper, run, lang, row["corpus"])
    else:  # a test has its own entry, sets of constructions one for each file
        files = {row["test"]: read.get(row["test"])} if row["test"] in read or not read else read
        others += other_data((cell.paper, "tests", row["suite"]), lang, {}, files)
    if cell.n and row["n"] != int(cell.n):
        others.append(f"{row['n']:,} items, not {int(cell.n):,}")
    if hangs_on_settings or cell.stage == "coverage" or cell.metric == "encoder_oov":
        model = typed.get("encoder.model", typed.get("predictor.model")) if "encoder" not in typed else None
        models = [(run, ("model", model.rpartition("/")[2]))] if model else []
        with_vectors = [*([] if model or run.config.get("predictor") else [run]), *trainings]
        models += [(one, ("encoder", one.config.get("choices", {}).get("encoder"))) for one in with_vectors]
        for one, named in models:
            others += other_data((cell.paper, *named), lang, one.sources.get("vectors", {}), {}) if named[1] else []
    for one in trainings:
        others += other_corpus(cell.paper, one, lang, one.sources["corpus"])
    return "; ".join(dict.fromkeys([*others, *(one for part in settings for one in part)]))


def marks(one: pd.DataFrame) -> np.ndarray:
    """Compares ours with the published number and with what a constant answer has, all in the unit of the cell."""
    rounding, far = 0.5 * 10.0**-one.decimals + ROUNDING, (one.ours - one.number).abs()
    limit, far_of_constant = np.fmax(rounding, one.slack + ROUNDING), (one.constant - one.number).abs()
    is_equal = (far <= rounding) & ~(far_of_constant <= rounding)
    is_no_nearer = far >= (one.ours - one.constant).abs()
    conditions = [one.differs != "", far > limit, is_equal, far_of_constant <= limit, is_no_nearer]
    return np.select(conditions, ["†", "≠", "=", "?", "≠"], "≈")


def compared(cells: pd.DataFrame, runs: list[Run]) -> pd.DataFrame:
    """Adds mark, ours, what differs and runs: of those that agree with the study the most that differ by seed alone."""
    found = []
    for place, run, row in matched(cells, runs):
        cell, differs = cells.loc[place], differing(cells.loc[place], run, row)
        scale = 100 if cell.unit in PERCENT else 1
        has_majority = cell.of == "value" and row["metric"] == "accuracy" and row.get("majority") is not None
        constant = scale * row["majority"] if has_majority and np.isnan(cell.constant) else cell.constant
        found.append((place, differs, run.study(), run.name, scale * row[cell.of], constant))
    ours = pd.DataFrame(found, columns=["place", "differs", "study", "runs", "ours", "constant"])
    groups = ours.dropna(subset="differs").groupby(["place", "differs", "study"], sort=False)
    ours = groups.agg({"ours": "mean", "constant": "first", "runs": " ".join}).assign(n=groups.size()).reset_index()
    ours = ours.join(cells[COMPUTED[:3]], on="place")
    ours = ours.assign(mark=marks(ours), agrees=ours.differs == "")
    ours["ours"] = [f"{one.ours:.{one.decimals}f}" for one in ours.itertuples()]
    ours = ours.astype({"ours": str, "mark": str}).sort_values(["agrees", "n", "runs"], ascending=False)
    ours["other_runs"] = ours.ours + " " + ours["mark"] + " " + ours.runs
    others = ours[ours.duplicated("place")].groupby("place").other_runs.agg("; ".join)
    best = ours.drop_duplicates("place").set_index("place")[["mark", "ours", "differs", "runs"]]
    joined = cells.join(best).join(others)
    joined["mark"] = joined["mark"].fillna(joined.plain_mark)
    return joined.drop(columns=COMPUTED).fillna(dict.fromkeys(("ours", "differs", "runs", "other_runs"), ""))


def tables(found: pd.DataFrame) -> Iterator[str]:
    """Yields the tables of a paper in its layout; below each what differs, and what is typed for what is not run."""
    found = found.assign(text=(found.value + " " + found.ours + " " + found["mark"]).str.split().str.join(" "))
    for table, cells in found.groupby("table", sort=False):
        grid = cells.pivot_table(index="row", columns="column", values="text", aggfunc="first", sort=False).fillna("-")
        yield f"{PAPERS[cells.paper.iloc[0]]}, {table} ({'; '.join(cells.unit.unique())})\n\n{grid.to_string()}\n\n"
        typed = ("experiment=" + cells.experiment + " " + cells.choices).where(cells["mark"] == "", "")
        notes = {"†": cells.differs, "Tolerance": cells.why, "Further runs": cells.other_runs, "Not run": typed}
        for what, texts in {**notes, "→": cells.printed_by, "×": cells.cannot}.items():
            texts = [f"{what}: {one}\n" for one in texts.unique() if one]
            yield "".join([*texts[:SHOWN], f"{what}: all in the CSV file\n" if len(texts) > SHOWN else ""])
        yield "\n"


def counts(cells: pd.DataFrame) -> pd.DataFrame:
    """Counts the marks of each table of a paper, and of all."""
    table = pd.crosstab(cells.table, cells["mark"]).reindex(cells.table.unique(), columns=[*MARKS], fill_value=0)
    table.loc["all"] = table.sum()
    table = table.rename(columns=MARKS).assign(all=table.sum(axis=1)).reset_index(names="table")
    return pd.concat({PAPERS[cells.paper.iloc[0]]: table}, names=["paper"]).reset_index("paper")


def main(work: Path) -> None:
    runs, folder, totals = read_runs(work), work / "comparisons/published", []
    folder.mkdir(parents=True, exist_ok=True)
    for paper in PAPERS:
        cells = compared(read_cells(paper), runs)
        cells.to_csv(folder / f"{paper}.csv", index=False)
        (folder / f"{paper}.txt").write_text("".join(tables(cells)), encoding="utf-8")
        totals.append(counts(cells))
    totals = pd.concat(totals)
    totals.replace(0, "").to_csv(folder / "counts.tsv", sep="\t", index=False)
    print(f"{totals.to_string(index=False)}\n\n{len(runs)} runs; see {folder}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]))
