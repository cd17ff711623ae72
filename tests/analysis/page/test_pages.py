"""A page stands alone, shows what the rows say, and lets no text of theirs become part of it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from polyprobe.analysis.page.html_page import html_of, packed
from polyprobe.analysis.reports.run_pages import page_of_run, page_of_runs, page_of_work, write_reports
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import (
    HOSTILE,
    PROBING,
    TRAINING,
    as_read,
    predicted_run,
    predictions,
    probing,
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


def test_the_first_sentence_counts_tests_above_their_baselines(tmp_path):
    case = predictions("Case", {"0": [[1] * 40], "1": [[1, 0] * 20]})
    mood = predictions("Mood", {"0": [[1, 0, 0, 0] * 10], "1": [[1, 0] * 20]})
    said = page(predicted_run(tmp_path, "run", case, mood, memoriser=0.6)).text
    assert "Layer 1 (the last, since dev is not recorded): in 0 of 2 tests accuracy is above" in said
    case, mood = (predictions(one.test, {"0": [right]}) for one, right in ((case, [1] * 40), (mood, [1, 0, 0, 0] * 10)))
    said = page(predicted_run(tmp_path, "alone", case, mood, memoriser=0.6)).text
    assert "In 1 of 2 tests accuracy is above the majority and the lookup baseline" in said


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("train", TRAINING, "Role F1 61.0 on test (baseline 19.0), epoch 1, chosen on dev."),
        ("probe", PROBING, "Probing accuracy (%)"),
    ],
)
def test_training_and_probing_have_their_panels(work, kind, name, words):
    assert words in page(work / "runs" / kind / name).text


def test_minimal_sets_have_their_panel(tmp_path):
    folder = minimal_set_run(tmp_path, "clams", set_scores("agreement", {"s1": [1.0, -1.0, 2.0, 3.0]}))
    assert "Accuracy 75.0 % over 1 construction" in page(folder).text


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


def test_runs_stand_beside_the_first_of_them(tmp_path):
    right = {"one": [1, 0] * 60, "two": [1] * 120}
    for name, of_items in right.items():
        predicted_run(tmp_path, name, predictions("Case", {"0": [of_items]}))
    assert page_of_runs(tmp_path, ["one", "two"]).sentence == (
        "Significantly above the first in 1 of 1 comparison, below in 0 (Holm over all of them, 5 %)."
    )


def test_columns_hold_what_is_the_same_once():
    assert packed([{"a": 1, "b": 0.12345678}, {"a": 1}]) == {"a": 1, "b": [0.123457, None]}


def test_no_numbers_are_written_by_hand_in_the_script(work):
    script = page(work / "runs" / "probe" / PROBING).raw["script"][-1]
    assert not re.search(r"eval|innerHTML|document\.write|fetch|import\(", script)
