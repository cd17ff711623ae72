"""examples/plugin/: installed as its users would, then probed with, from a terminal and from Python."""

import json
import shutil
import subprocess
import sys

import pytest

import polyprobe as pp
from polyprobe.analysis.door import analyze
from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, only_run
from tests.runs.composed import composed
from tests.runs.names.plugin_caches import forgotten


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Installs a copy of the example into a folder of its own; without a network: hatchling is here."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "examples/plugin", folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--no-index"]
    made = subprocess.run(
        [*pip, "--target", folder / "site", folder / "source"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return folder / "site"


@pytest.fixture
def environment(site, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(site)
    with forgotten():
        yield


def test_encoder_suite_and_metric_of_an_installed_package_are_used(environment, tmp_path):
    typed = ["suite=vowels", "lang=en", "encoder=letters", "probe=linear", "probe.keep=true", f"paths.work={tmp_path}"]
    done = run_script("probe", *typed, "trainer.threads=1")
    assert done.returncode == 0, done.stderr
    assert " MCC " in done.stdout
    path = only_run(tmp_path, "probe")
    record = json.loads((path / "run.json").read_text(encoding="utf-8"))
    assert record["starts"][0]["plugins"] == {"polyprobe-example": "0.1"}

    run = pp.probe("letters", suite="vowels", lang="en", probe="linear", work=tmp_path, threads=1, quiet=True)
    assert run.path == path
    assert all(0 < row["matthews"] <= 1 for row in run.rows if row["stage"] == "probing")

    text = tmp_path / "text.txt"
    text.write_text("aeiou aia\nbdrk tst\n", encoding="utf-8")
    typed = ["job=apply", f"run={path}", f"text={text}", f"paths.work={tmp_path}", "trainer.threads=1"]
    *_, said = analyze(composed("analyze", *typed))
    answers = (path / "labelled" / str(text)[1:] / "MoreVowels-letters-s1.tsv").read_text(encoding="utf-8")
    assert [line.split("\t")[1] for line in answers.splitlines()] == ["more", "fewer"]
    assert "MoreVowels-letters-s1.tsv" in said
