"""docs/add_encoder.md: the encoder that it writes is probed, swept over, and read by a model."""

import json
import shutil

import pytest

from tests.commands.scripts import only_run
from tests.pages import Page

FASTER = ["probe.max_epochs=2"]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page("add_encoder.md")


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory):
    return page.write_files(tmp_path_factory.mktemp("mine"))


def probed_layers(run):
    rows = map(json.loads, (run / "results.jsonl").read_text(encoding="utf-8").splitlines())
    return {(row["encoder"], row["layer"], row["test"]) for row in rows if row["stage"] == "probing"}


def test_the_page_names_every_file_that_it_writes(page):
    assert page.listed_files() == [*page.files]


def test_the_class_alone_is_probed(page, folder, small_data):
    page.type_command(0, folder, small_data, *FASTER)
    run = only_run(folder / "work", "probe")
    assert probed_layers(run) == {("own", "endings", test) for test in ("Case", "Tense")}
    shutil.rmtree(folder / "work")


def test_its_file_makes_it_a_choice_that_is_swept_over(page, folder, small_data):
    page.type_command(1, folder, small_data, *FASTER)
    runs = [*(folder / "work/runs/probe").iterdir()]
    assert len(runs) == 2
    for run in runs:
        assert probed_layers(run) == {("endings", "endings", test) for test in ("Case", "Tense")}
    shutil.rmtree(folder / "work")


def test_a_model_reads_it_and_is_probed(page, folder, small_data):
    page.type_command(2, folder, small_data, "model.hidden_size=12", "trainer.threads=1", "trainer.max_epochs=1")
    page.type_command(3, folder, small_data, *FASTER)
    assert {layer for _, layer, _ in probed_layers(only_run(folder / "work", "probe"))} >= {"words"}
