"""A page stands alone, shows what the rows say, and lets no text of theirs become part of it."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import numpy as np
import pytest

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page.html_page import Page as HtmlPage
from polyprobe.analysis.page.html_page import html_of, packed
from polyprobe.analysis.page.marks import heat_map, histogram
from polyprobe.analysis.page.page_panels import Figure, Panel, training_panels
from polyprobe.analysis.page.single_items import made_panels
from polyprobe.analysis.reports import run_pages
from polyprobe.analysis.reports.run_pages import (
    page_of_run,
    page_of_runs,
    page_of_sweep,
    page_of_work,
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

VOID = {"meta", "input", "line", "circle", "rect", "path", "polygon", "polyline", "br"}


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


def test_every_score_is_on_the_page_and_stands_once_in_its_data(work):
    folder = layers(work, 3, 4, 2)
    found = page(folder)
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    shown = {f"{100 * row['value']:.1f}" for row in rows if "seed" not in row}
    assert {one for one in shown if one not in found.text} == set()
    data = json.loads(found.raw["script"][-2])
    assert data["columns"]["value"] == [float(f"{row['value']:.6g}") for row in rows]
    assert data["columns"]["lang"] == "fi"


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
    assert not attributes & {"src", "href", "style", "onclick", "onload", "onerror"}


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
    assert "\u2028" not in found.raw["script"][-2]
    assert json.loads(found.raw["script"][-2])["columns"]["model"] == HOSTILE


def test_twenty_tests_of_25_layers_and_five_seeds_are_less_than_a_megabyte(work):
    assert len(html_of(page_of_run(RunDirectory(layers(work, 20, 25, 5)))).encode()) < 1_000_000


def test_lists_of_errors_and_confusions_of_twenty_tests_fit_in_too(work):
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


def test_a_training_has_its_labels_its_loss_and_further_commands(work):
    run = RunDirectory(work / "runs" / "train" / TRAINING)
    run.metrics.write_text("epoch,dev/role_f1,train/loss\n0,0.01,\n1,0.64,2.5\n2,0.6,1.25\n")
    (panel,) = training_panels(run, run.rows())
    assert panel.tables[0].rows == [["test", "A0", "role F1", "40", "90.0", "-", "-", "-"]]
    ((drawing,),) = [figure.drawings for figure in panel.figures()]
    assert "loss: train 1 2.5, 2 1.2" in drawing
    (commands,) = panel.folds
    assert commands.tables[0].rows == [
        [f"python probe.py lang=fi encoder=checkpoint encoder.run=runs/train/{TRAINING}"]
    ]


def test_minimal_sets_have_their_panel(tmp_path):
    folder = minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -1.0, 2.0, 3.0]}))
    assert "75.0" in page(folder).text


def test_an_unfinished_and_an_unknown_run_are_refused(work):
    (work / "runs" / "probe" / PROBING / "results.jsonl").unlink()
    for reference in (PROBING, "probing"):
        with pytest.raises(PolyprobeError):
            list(write_reports(work, reference))


def test_the_index_leads_to_the_page_of_each_run(work):
    (said,) = write_reports(work, "work")
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


def test_runs_stand_beside_the_first_of_them(tmp_path):
    right = {"one": [1, 0] * 60, "two": [1] * 120}
    for name, of_items in right.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": [of_items]}))
    assert page_of_runs(tmp_path, ["one", "two"]).sentence == (
        "Significantly above the first in 1 of 1 comparison, below in 0 (Holm over all of them, 5 %)."
    )


def test_keys_that_differ_come_first_and_items_of_one_run_alone_are_shown(tmp_path):
    for name, of_items in {"one": [1, 1, 0, 0], "two": [1, 0, 1, 1]}.items():
        folder = predicted_run(tmp_path, name, predictions("Case", {"0": [of_items]}))
        (folder / "config.yaml").write_text(f"probe:\n  max_epochs: {len(name) + of_items[1]}\n")
    keys, differences, *_ = page_of_runs(tmp_path, ["one", "two"]).panels
    assert keys.tables[0].rows == [["two", "probe.max_epochs", "4", "3"]]
    (fold,) = differences.folds
    assert fold.title == "Case: 1 that the first alone has right, 2 that the second alone has"
    assert fold.tables[0].rows == [["w1", "b", "first"], ["w2", "a", "second"], ["w3", "b", "second"]]
    ((drawing,),) = [figure.drawings for figure in differences.figures()]
    assert "Case 25.0" in drawing


def test_an_item_that_two_seeds_of_three_have_right_is_not_right_in_one_run_alone(tmp_path):
    for name, right in {"one": [[0, 0, 1]] * 3, "two": [[1, 1, 0], [1, 1, 0], [0, 1, 1]]}.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": right}))
    panel = page_of_runs(tmp_path, ["one", "two"]).panels[0]
    assert panel.title_of_folds.startswith("Items that one run alone has right, in all seeds, ")
    assert [fold.tables[0].rows for fold in panel.folds] == [[["w1", "b", "second"]]]


def test_the_score_of_the_task_is_dashed_beside_curves_over_epochs(tmp_path):
    rows = [probing("Case", 0.5 + epoch / 10, layer="encoding", epoch=epoch) for epoch in range(3)]
    rows += [score("downstream", "role_f1", value, epoch=epoch) for epoch, value in enumerate((0.1, 0.2, 0.3))]
    as_read(rows, tmp_path / "run")
    found = page(tmp_path / "run")
    beside = [one["points"] for tag, one in found.tags if tag == "polyline" and one["class"] == "beside"]
    assert len(beside) == 1
    assert len(beside[0].split()) == 3
    assert "task = role F1 on dev, axis at the right" in found.text


def drawings(tmp_path, rows):
    as_read(rows, tmp_path / "run")
    panel = page_of_run(RunDirectory(tmp_path / "run")).panels[0]
    return [(figure, Page(drawing).tags) for figure in panel.figures() for drawing in figure.drawings]


def places(points):
    numbers = [*map(float, re.findall(r"[\d.]+", points))]
    return [*zip(numbers[::2], numbers[1::2], strict=True)]


@pytest.mark.parametrize("name", ["random", "control"])
def test_what_a_layer_without_training_reaches_is_drawn_at_its_layer(tmp_path, name):
    rows = [probing("Case", 0.6, layer=f"layer_{layer}", **{name: 0.2 + layer / 10}) for layer in range(4)]
    figure, tags = drawings(tmp_path, rows)[1]
    (line,) = [one for tag, one in tags if tag == "path" and one["class"] == "base s0" and "stroke-dasharray" in one]
    heights = [height for _, height in places(line["d"])]
    assert np.diff(heights) == pytest.approx([heights[1] - heights[0]] * 3, abs=0.2)
    assert heights[1] < heights[0]
    assert {"random": "random encoder", "control": "control task"}[name] in figure.key
    assert len([one for tag, one in tags if tag == "line" and one["class"] == "base"]) == 2  # majority and memoriser


def test_points_have_the_baselines_of_their_columns(tmp_path):
    columns = [{"random": 0.4, "majority": 0.1}, {"random": 0.5, "majority": 0.2}]
    rows = [probing("Case", 0.6, layer=f"layer_{place}", **of_layer) for place, of_layer in enumerate(columns)]
    ((figure, tags),) = drawings(tmp_path, rows)
    for said in (
        "random encoder, Case, layer_0: 40.0",
        "random encoder, Case, layer_1: 50.0",
        "majority, Case, layer_1: 20.0",
    ):
        assert f"<title>{said}</title>" in figure.drawings[0]
    assert [one["stroke-dasharray"] for tag, one in tags if tag == "line" and one["class"] == "base"] == ["6 3"]


def test_epochs_stand_where_their_numbers_are_beside_all_scores_of_the_task(tmp_path):
    rows = [probing("Case", 0.5, layer="encoding", epoch=epoch) for epoch in (0, 1, 4)]
    rows += [score("downstream", "role_f1", epoch / 10, epoch=epoch) for epoch in range(9)]
    _, tags = drawings(tmp_path, rows)[1]
    lines = {one["class"]: [x for x, _ in places(one["points"])] for tag, one in tags if tag == "polyline"}
    probed, of_task = lines["line s0"], lines["beside"]
    assert len(of_task) == 9
    assert probed == [of_task[epoch] for epoch in (0, 1, 4)]
    assert probed[2] - probed[1] == pytest.approx(3 * (probed[1] - probed[0]), abs=0.2)


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ((0.3, 0.34), "22.0 to 42.0"),
        ((0.3, 0.9), "30.0 to 90.0"),
        ((0.97, 0.99), "80.0 to 100.0"),
        ((0, 0.02), "0.0 to 20.0"),
    ],
)
def test_colours_of_percentages_are_explained_and_span_twenty_points(tmp_path, values, ends):
    rows = [probing("Case", value, layer=f"layer_{layer}") for layer, value in enumerate((*values, values[1]))]
    (figure, _), *_ = drawings(tmp_path, rows)
    assert f"colours: {ends}<" in figure.drawings[0]


def test_the_index_names_the_best_run_of_what_several_scored(tmp_path):
    for name, of_items in {"one": [1, 0, 1, 0], "two": [1, 1, 1, 0]}.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": [of_items]}))
    predicted_run(tmp_path, "three", predictions("Mood", {"0": [[1]]}))
    best = page_of_work(tmp_path).panels[1].tables[0]
    assert best.rows == [["linspector_type", "fi", "Case", "accuracy", "2", "75.0", "two", "0"]]


def test_a_sweep_leads_to_the_pages_of_its_jobs_and_maps_two_keys(tmp_path):
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
    ((drawing,),) = [figure.drawings for figure in shown.panels[0].figures()]
    assert next(cell.split("</text>")[0] for cell in drawing.split('class="cell')[1:]).endswith(">5.0")


def test_made_sets_have_labels_filters_and_lines_that_stay_the_same(tmp_path):
    filters = [{"filter": "short", "unit": "words", "taken": 3, "left": 7, "share": 0.3}]
    tests = {"Case": {"labels": {"train": {"a": 3, "b": 1}, "dev": {"a": 2}}, "filters": filters}}
    folder = tmp_path / "runs" / "generate" / "made"
    as_read([], folder, "made", tests=tests)
    (folder / "sets" / "Case").mkdir(parents=True)
    (folder / "sets" / "Case" / "train.txt").write_text("".join(f"w{number}\ta\n" for number in range(30)))
    first, second = (made_panels(RunDirectory(folder)) for _ in range(2))
    assert first[0].folds == second[0].folds
    lines = [line for (line,) in first[0].folds[0].tables[0].rows]
    assert len(lines) == 10
    assert lines == sorted(lines, key=lambda line: int(line[1:].split(" ")[0]))
    labels, removed = first[0].figures()
    assert "train, b: 1" in labels.drawings[0]
    assert "short (7), left: 7" in removed.drawings[0]
    assert "short (7), removed: 3" in removed.drawings[0]


def test_labels_beyond_the_colours_are_one_part(tmp_path):
    folder = tmp_path / "runs" / "generate" / "made"
    as_read([], folder, "made", tests={"Count": {"labels": {"train": {str(n): 10 for n in range(19)}}}})
    (folder / "sets").mkdir(parents=True)
    (folder / "sets" / "train.txt").write_text("w\t1\n")
    ((figure,),) = [one.figures() for one in made_panels(RunDirectory(folder))]
    assert "train, 7 other labels: 70" in figure.drawings[0]


def test_a_map_of_permuted_values_has_the_colours_of_the_other(tmp_path):
    alone = heat_map("cka", ["0"], ["0", "1"], [[0.0, 0.1]])
    beside = heat_map("cka", ["0"], ["0", "1"], [[-0.2, 0.1]], like=[[0.0, 1.0]])
    assert 'class="cell c8"' in alone
    assert 'class="cell c8"' not in beside
    assert beside.count('class="cell c0"') == 2


def test_a_long_title_of_a_panel_keeps_its_end():
    drawing = histogram("long_vp_coord_with_a_very_long_name (n=280, 1 tie)", [0.0, 1.0], [3])
    assert ">long_vp_coord…n=280, 1 tie)</text>" in drawing


def test_nothing_turns_the_reading_order_of_a_page(tmp_path):
    name, turning = "a\u202eb" + "c" * 300, "\u202e"
    table = Table([name], [name], [[name, "1"]], name, [name])
    panel = Panel(name, [table], lambda: [Figure(name, [])])
    made = HtmlPage(kind=name, title=name, command=name, panels=[panel], configuration=name, provenance={name: name})
    text = html_of(made).split('id="data"')[0]
    assert turning not in text
    found = Page(html_of(made))
    assert any(one.get("title", "").endswith("c" * 300) for tag, one in found.tags if tag == "th")
    assert found.text.count("c…") == 3  # two headers and a cell


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


@pytest.mark.parametrize("references", [[], ["one"], ["one", "one"]])
def test_a_list_that_is_no_comparison_is_refused_by_the_key_that_was_typed(tmp_path, references):
    predicted_run(tmp_path, "one", predictions("Case", {"0": [[1, 0]]}))
    with pytest.raises(PolyprobeError, match=r"^report must be a list of at least two runs"):
        list(write_reports(tmp_path, references))


def test_what_a_number_rests_on_is_marked(tmp_path):
    rows = [
        probing("Case", 0.5, n=10, oov=0.25),
        probing("Mood", 0.5, oov=0.01),
        probing("Tense", None, note="the probe diverged"),
    ]
    as_read(rows, tmp_path / "run", left_out=["a line", "another"])
    marks = page_of_run(RunDirectory(tmp_path / "run")).marks
    assert marks[-4:] == [
        "Fewer than 30 test items: Case.",
        "OOV rate above 5 %: Case (25.0 %).",
        "Without a result: Tense.",
        "Left out: 2 malformed lines of the data.",
    ]


def test_the_title_of_a_training_is_of_no_test_that_it_probed(tmp_path):
    probed = [probing("Case", epoch / 10, layer="all", epoch=epoch, encoder="checkpoint") for epoch in (1, 4)]
    as_read([score("test", "role_f1", 0.5, split="test", epoch=4), *probed], tmp_path / "run")
    shown = page_of_run(RunDirectory(tmp_path / "run"))
    assert "checkpoint" not in shown.title
    assert "linspector" not in shown.title


def test_a_baseline_of_tasks_is_called_as_in_their_table(tmp_path):
    tasks = [score("downstream_task", "accuracy", 0.7, split="test", test="MR", encoder="glove", majority=0.5)]
    as_read([replace(one, seed=None, corpus=None) for one in tasks], tmp_path / "run")
    found = page(tmp_path / "run")
    assert "majority" not in found.text


def test_rows_of_a_kind_without_tables_are_a_table(tmp_path):
    as_read(
        [score("intrinsic", "pearson", value, split=name) for name, value in (("a", 0.5), ("b", 0.25))],
        tmp_path / "run",
    )
    (panel,) = page_of_run(RunDirectory(tmp_path / "run")).panels
    assert panel.tables[0].header == ["value", "split"]
    assert panel.tables[0].rows == [["0.5", "a"], ["0.25", "b"]]


def test_columns_hold_what_is_the_same_once():
    assert packed([{"a": 1, "b": 0.12345678}, {"a": 1}]) == {"a": 1, "b": [0.123457, None]}


def test_no_numbers_are_written_by_hand_in_the_script(work):
    script = page(work / "runs" / "probe" / PROBING).raw["script"][-1]
    assert not re.search(r"eval|innerHTML|document\.write|fetch|import\(", script)
