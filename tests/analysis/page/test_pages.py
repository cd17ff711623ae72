"""A page stands alone, shows what the rows say, and lets no text of theirs become part of it."""

import base64
import hashlib
import json
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

from polyprobe.analysis.output.tables import Table, show
from polyprobe.analysis.page.html_page import Page as HtmlPage
from polyprobe.analysis.page.html_page import html_of
from polyprobe.analysis.page.panel import Panel
from polyprobe.analysis.reports import run_pages
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.analysis.reports.run_pages import (
    page_of_run,
    page_of_runs,
    page_of_sweep,
    page_of_work,
    write_report,
    write_reports,
)
from polyprobe.errors import PolyprobeError
from polyprobe.runs.array_records import Predictions
from polyprobe.runs.command.sweep import FINISHED, Sweep, write_job_record
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import (
    HOSTILE,
    PROBING,
    TRAINING,
    as_read,
    predicted_run,
    predictions,
    probing,
    score,
    work_folder,
)
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores

VOID = {"meta", "input"}


class Page(HTMLParser):
    """The elements and texts of a page; complains where an element is not closed."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def page(folder) -> Page:
    return Page(html_of(page_of_run(RunDirectory(folder))))


@pytest.fixture
def work(tmp_path):
    return work_folder(tmp_path)


def layers(work, n_tests: int, n_layers: int, n_seeds: int):
    rows = [
        probing(f"Test{test}", 0.5 + (7 * test + 3 * layer + seed) % 49 / 100, layer=f"layer_{layer}", **seeds)
        for test in range(n_tests)
        for layer in range(n_layers)
        for seed in range(n_seeds + 1)
        for seeds in [{"seed": seed} if seed else {"interval_low": 0.48, "interval_high": 0.99}]
    ]
    as_read(rows, work / "runs" / "probe" / PROBING)
    return work / "runs" / "probe" / PROBING


def test_every_score_is_on_the_page(work):
    folder = layers(work, 3, 4, 2)
    found = page(folder)
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    shown = {f"{100 * row['value']:.1f}" for row in rows if "seed" not in row}
    assert {one for one in shown if one not in found.text} == set()


def test_the_same_run_has_the_same_page(work):
    first, second = (html_of(page_of_run(RunDirectory(work / "runs" / "probe" / PROBING))) for _ in range(2))
    assert first == second


def test_nothing_is_loaded_and_the_policy_allows_what_is_there_alone(work):
    found = page(work / "runs" / "probe" / PROBING)
    policy = next(one["content"] for tag, one in found.tags if tag == "meta" and one.get("http-equiv"))
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(found.raw[kind][-1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    attributes = {name for _, one in found.tags for name in one}
    assert not attributes & {"src", "style", "onclick", "onload", "onerror"}
    loaded = [one["href"] for _, one in found.tags if "href" in one]
    assert [one for one in loaded if not one.startswith(("#", "data:image/png;base64,"))] == []


def test_text_of_a_run_stays_text(tmp_path):
    hostile = {"inputs": np.full(4, HOSTILE), "labels": np.array([HOSTILE, "b"])}
    folder = predicted_run(tmp_path, "hostile", predictions("Case", {"0": [[1, 0, 1, 1]]}, **hostile), model=HOSTILE)
    harmless, found = (
        page(predicted_run(tmp_path / "b", "plain", predictions("Case", {"0": [[1, 0, 1, 1]]}))),
        page(folder),
    )
    assert [tag for tag, _ in found.tags].count("script") == [tag for tag, _ in harmless.tags].count("script")
    assert "img" not in {tag for tag, _ in found.tags}
    assert "{{7*7}}" in found.text
    assert "\u2028" not in found.text
    assert "<script>alert(1)" in found.text


def test_twenty_tests_of_25_layers_and_five_seeds_with_their_errors_are_less_than_a_megabyte(work):
    folder = layers(work, 20, 25, 5)
    predicted = np.arange(20 * 5 * 300).reshape(20, 5, 300) % 13 % 12
    for test in range(20):
        labels, items = np.array([f"Label{number:02}" for number in range(12)]), np.full(300, "word " * 15)
        usual = {"inputs": items, "lines": np.arange(1, 301), "labels": labels, "gold": np.arange(300) % 12}
        of_layers = {"layers": np.array([f"layer_{layer}" for layer in range(20)]), "seeds": np.arange(1, 6)}
        Predictions(f"Test{test}", **usual, **of_layers, predicted=predicted).write(folder / "predictions")
    text = html_of(page_of_run(RunDirectory(folder)))
    assert text.count("the first 50") == 20
    assert len(text.encode()) < 1_000_000


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("train", TRAINING, "Test scores: best epoch on dev by role F1 (1/2)."),
        ("probe", PROBING, "Probing accuracy (%)"),
    ],
)
def test_training_and_probing_have_their_panels(work, kind, name, words):
    assert words in page(work / "runs" / kind / name).text


def test_fewer_tests_than_layers_are_one_table_with_a_line_for_each_layer(tmp_path):
    known = {"macro_f1": 0.45, "random": 0.4, "control": 0.3, "selectivity": 0.25, "interval_low": 0.5}
    rows = [
        probing("Case", value, layer=f"layer_{layer}", interval_high=value, dev=0.7 - value, **known)
        for layer, value in enumerate((0.5, 0.6))
    ]
    as_read(rows, tmp_path / "run")
    (panel,) = page_of_run(RunDirectory(tmp_path / "run")).panels
    (table,) = panel.tables
    of_layer = ["accuracy", "macro-F1", "random encoder", "control task", "selectivity"]
    assert table.header == ["layer", *of_layer, "majority", "memoriser", "n"]
    assert table.notes[0] == "• best layer, selected on dev."
    assert table.rows[1] == ["layer_1", "60.0 ±5.0", "45.0", "40.0", "30.0", "25.0", "30.0", "35.0", "200"]
    several = [replace(row, test=test) for row in rows for test in ("Case", "Mood", "Tense")]
    as_read(several, tmp_path / "several")
    (panel,) = page_of_run(RunDirectory(tmp_path / "several")).panels
    assert panel.tables[0].header[:5] == ["test", "n", "majority", "memoriser", "layer_0"]


def test_minimal_sets_have_their_panel(tmp_path):
    folder = minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -1.0, 2.0, 3.0]}))
    assert "75.0" in page(folder).text


def test_an_unfinished_and_an_unknown_run_are_refused(work):
    (work / "runs" / "probe" / PROBING / "results.jsonl").unlink()
    for reference in (PROBING, "probing"):
        with pytest.raises(PolyprobeError):
            list(write_reports(work, [reference]))


def test_the_index_leads_to_the_page_of_each_run(work):
    (said,) = write_reports(work, [])
    assert said.endswith("report.html")
    found = Page((work / "report.html").read_text(encoding="utf-8"))
    links = [one["href"] for tag, one in found.tags if tag == "a"]
    assert links == [f"runs/probe/{PROBING}/report.html", f"runs/train/{TRAINING}/report.html"]
    assert all((work / link).is_file() for link in links)
    assert page_of_work(work).sentence == "2 finished runs."


def test_a_page_is_written_again_where_the_results_or_the_program_are_other(work, monkeypatch):
    file = work / "runs" / "probe" / PROBING / "report.html"
    page_of_work(work)
    as_written = file.read_text(encoding="utf-8")
    file.write_text(as_written + "marked", encoding="utf-8")
    page_of_work(work)
    assert file.read_text(encoding="utf-8").endswith("marked")
    monkeypatch.setattr(run_pages, "_program", lambda: "another")
    page_of_work(work)
    assert not file.read_text(encoding="utf-8").endswith("marked")
    as_read([probing("Mood", 0.5)], file.parent)
    page_of_work(work)
    assert "Mood" in file.read_text(encoding="utf-8")
    assert "Mood" not in as_written


def test_the_index_has_made_sets_and_sweeps(tmp_path):
    made = tmp_path / "runs" / "generate" / "clams-de"
    counts = {"n_sets": 12, "n_templates": 3, "n_sentences": 24, "n_alone": 0, "n_identical": 0}
    as_read([], made, made.name, constructions={"subj_rel": counts})
    sweep = Sweep(tmp_path / "runs" / "sweeps" / "swept")
    sweep.begin(["seed"], [["seed=1"]])
    shown = page_of_work(tmp_path)
    lines = [(one.title, one.tables[0].rows) for one in shown.panels]
    assert lines == [
        ("Made sets", [["clams-de", "12 minimal sets of 1 construction."]]),
        ("Sweeps", [["swept", "1 not begun"]]),
    ]
    assert shown.sentence == "1 finished run."
    assert all((tmp_path / shown.links[name]).is_file() for name in ("clams-de", "swept"))
    assert write_report(tmp_path, ["swept"]) == sweep.folder / "report.html"


def test_runs_stand_beside_the_first_of_them(tmp_path):
    right = {"one": [1, 0] * 60, "two": [1] * 120}
    for name, of_items in right.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": [of_items]}))
    assert page_of_runs(tmp_path, ["one", "two"]).sentence == (
        "Significantly above the first in 1 of 1 comparison, below in 0 (Holm over all of them, 5 %)."
    )


def test_the_first_of_the_best_layers_is_named(tmp_path):
    for name, size in {"one": 4, "two": 4, "three": 8}.items():
        layers = {f"layer_{number}": [[1] * size] for number in (2, 9, 10)}
        predicted_run(tmp_path, name, predictions("Case", layers))
    (runs,) = (panel.tables[0] for panel in page_of_work(tmp_path).panels)
    assert {tuple(line[-2:]) for line in runs.rows} == {("100.0", "layer_2")}


def test_the_index_tells_trainings_apart_by_day_encoder_and_keys(tmp_path):
    for name, size in {"one": 8, "two": 16}.items():
        folder = tmp_path / "runs" / "train" / name
        rows = [score("test", "las", 0.5, split="test", encoder="learned")]
        as_read(rows, folder, name, starts=[{"time": "2026-11-28T19:25:17+00:00"}])
        (folder / "config.yaml").write_text(f"model: {{hidden_size: {size}, word_size: 6}}\nseed: 1\n")
    shown = page_of_work(tmp_path)
    runs = shown.panels[0].tables[0]
    assert shown.title == f"Runs of {tmp_path.name}"
    cells = [dict(zip(runs.header, line, strict=True)) for line in runs.rows]
    assert [[line[name] for name in ("date", "model", "options")] for line in cells] == [
        ["2026-11-28", "learned", f"model.hidden_size={size}"] for size in (8, 16)
    ]


def test_a_sweep_leads_to_the_pages_of_its_jobs(tmp_path):
    jobs = [[f"task={task}", f"lang={lang}", f"seed={seed}"] for task in "ab" for lang in "xy" for seed in (1, 2)]
    sweep = Sweep(tmp_path / "sweeps" / "s")
    sweep.begin(["task", "lang", "seed"], jobs)
    for number, job in enumerate(jobs):
        run = tmp_path / "runs" / "-".join(job)
        as_read([score("test", "las", number / 10, split="test")], run, run.name)
        (run / "config.yaml").write_text("monitor: dev/las\n")
        write_job_record(sweep.record_path(job), job, FINISHED, run=run)
    shown = page_of_sweep(sweep.folder)
    links = [one["href"] for tag, one in Page(html_of(shown)).tags if tag == "a"]
    assert len(links) == 8
    assert all((sweep.folder / unquote(link)).is_file() for link in links)


def test_nothing_turns_the_reading_order_of_a_page(tmp_path):
    name, turning = "a\u202eb" + "c" * 300, "\u202e"
    table = Table([name], [name], [[name, "1"]], name, [name])
    panel = Panel(name, [table])
    made = HtmlPage(kind=name, title=name, command=name, panels=[panel], configuration=name, provenance={name: name})
    assert turning not in html_of(made)


def test_the_figures_of_a_page_are_the_pictures_of_its_run(work):
    folder = work / "runs" / "probe" / PROBING
    values = {(test, layer): 0.5 + layer / 10 for test in ("Case", "Mood") for layer in range(4)}
    as_read([probing(test, value, layer=f"layer_{layer}") for (test, layer), value in values.items()], folder)
    (panel,) = page_of_run(RunDirectory(folder)).panels
    drawn = [figure.get_suptitle().partition(":")[0] for figure in panel.figures()]
    assert drawn == ["Probing by layer", "Probing accuracy"]
    show(report_run(folder))
    assert {file.stem for file in (folder / "pictures").glob("*.png")} == {"probing", "heat_map"}


def test_no_page_has_an_absolute_path(tmp_path):
    rows = [probing("Case", 0.5, layer=f"layer_{layer}", options="path=/home/me/data/words.tsv") for layer in range(4)]
    as_read(rows, tmp_path / "run", command="python probe.py data=/home/me/data/words.tsv")
    (tmp_path / "run" / "config.yaml").write_text("suite: {path: /home/me/data/words.tsv}\n")
    html = html_of(page_of_run(RunDirectory(tmp_path / "run")))
    assert "/home" not in html
    assert html.count("…/words.tsv") >= 3


def test_trainings_stand_side_by_side_with_the_keys_that_differ(tmp_path):
    for number, name in enumerate(("one", "two"), start=1):
        folder = tmp_path / "runs" / "train" / name
        as_read(
            [score("test", "role_f1", number / 10, split="test", epoch=number)], folder, name, command=f"train {number}"
        )
        (folder / "config.yaml").write_text(f"trainer: {{max_epochs: {number}, bar: {number == 1}}}\n")
    shown = page_of_runs(tmp_path, ["one", "two"])
    assert [panel.title for panel in shown.panels] == ["Keys that differ", "Training: one", "Training: two"]
    assert shown.panels[0].tables[0].rows == [
        ["two", "trainer.max_epochs", "1", "2"],
        ["two", "trainer.bar", "true", "false"],
    ]
    assert shown.provenance == {"one: command": "train 1", "two: command": "train 2"}


def test_what_a_number_rests_on_is_marked(tmp_path):
    rows = [
        probing("Case", 0.5, n=10, oov=0.25),
        probing("Mood", 0.5, oov=0.01),
        probing("Tense", None, note="the probe diverged"),
    ]
    as_read(rows, tmp_path / "run", left_out=["a line", "another"])
    marks = page_of_run(RunDirectory(tmp_path / "run")).marks
    assert marks[-4:] == [
        "Fewer than 100 items, an interval of some 10 points to either side: Case (n=10).",
        "OOV rate above 5 %: Case (25.0 %).",
        "Without a result: Tense.",
        "Left out: 2 malformed lines of the data.",
    ]


def test_the_title_names_test_model_and_data(tmp_path):
    model = "sentence-transformers/MiniLM-L6@0123456789ab"
    as_read([probing("register", 0.5, layer=f"layer_{n}", model=model, n=300) for n in range(3)], tmp_path / "run")
    (tmp_path / "run" / "config.yaml").write_text("lang: {code: en, name: English}\nsuite: {level: sentence}\n")
    shown = page_of_run(RunDirectory(tmp_path / "run"))
    assert shown.title == "register: MiniLM-L6 by layer, probe mlp, 300 English sentences"
    assert "layer_0: the input embeddings." in shown.marks


def test_a_folder_is_named_with_its_parent_and_a_table_by_its_file(tmp_path):
    rows = [probing("label", 0.5, encoder="char_ngrams", model="minilm/model", options="suite.path=my/nouns.tsv", n=20)]
    as_read(rows, tmp_path / "run")
    (tmp_path / "run" / "config.yaml").write_text("suite: {level: type, path: /my/nouns.tsv}\n")
    shown = page_of_run(RunDirectory(tmp_path / "run"))
    assert shown.title == "label: minilm/model, probe mlp, 20 fi words of nouns.tsv"
    assert "char_ngrams: a baseline, spelling alone." in shown.marks
    (panel,) = shown.panels
    assert not {*shown.marks} & {note for table in panel.tables for note in table.notes}
    assert [figure.get_suptitle().splitlines()[1] for figure in panel.figures()] == ["minilm/model"]


def test_rows_of_a_kind_without_tables_are_a_table(tmp_path):
    as_read(
        [score("intrinsic", "pearson", value, split=name) for name, value in (("a", 0.5), ("b", 0.25))],
        tmp_path / "run",
    )
    (panel,) = page_of_run(RunDirectory(tmp_path / "run")).panels
    assert panel.tables[0].header == ["value", "split"]
    assert panel.tables[0].rows == [["0.5", "a"], ["0.25", "b"]]
