"""docs/elsewhere.md: its commands and programs, one after the other, as on the page."""

import os
import subprocess
import sys

import pytest

from tests.commands.scripts import ROOT, only_run
from tests.pages import Page

PAGE = Page("elsewhere.md")
SMALL = ["trainer.threads=1", "probe.max_epochs=2"]


@pytest.fixture
def folder(tmp_path):
    return PAGE.write_files(tmp_path / "mine")


def program(folder, name):
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, name], cwd=folder, env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def command(part):
    return next(number for number, (_, arguments) in enumerate(PAGE.commands) if part in arguments)


def test_vectors_of_a_program_are_listed_written_and_probed(folder, small_data, tmp_path):
    probing = command("encoder.path=mine")
    refused = PAGE.type_command(probing, folder, small_data, *SMALL, work=tmp_path / "work", code=1)
    (said,) = [block for block in PAGE.text.split("```") if "lacks 12 of 12" in block]
    assert said.removeprefix("text\n").strip() in refused.stderr
    assert not (tmp_path / "work/runs").exists()
    program(folder, "encode.py")
    PAGE.type_command(probing, folder, small_data, *SMALL, work=tmp_path / "work")
    assert only_run(tmp_path / "work", "probe").is_dir()


def test_log_probabilities_of_a_program_are_listed_written_and_scored(folder, small_data, tmp_path):
    scoring = command("predictor=")
    refused = PAGE.type_command(scoring, folder, small_data, work=tmp_path / "work", code=1)
    assert "lacks 4 of 4 sentences" in refused.stderr
    program(folder, "score.py")
    done = PAGE.type_command(scoring, folder, small_data, "trainer.threads=1", work=tmp_path / "work")
    assert "100.0" in done.stdout  # "is" is shorter than "are"


def test_exported_vectors_are_probed(folder, small_data, tmp_path):
    PAGE.type_command(command("job=export"), folder, small_data, work=tmp_path / "work")
    assert not (tmp_path / "work/runs").exists()
    PAGE.type_command(command("encoder.path=exported"), folder, small_data, *SMALL, work=tmp_path / "work")
