"""Odd folders, clocks, locales and terminals: a run works as in plain ones, and its numbers are the same."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL

import pytest

import polyprobe.training.training_run  # noqa: F401  (loaded here, once for all that is forked)
from polyprobe.models.tagger import Tagger
from tests.commands.forked import ended, signal_at
from tests.commands.scripts import (
    MODULES_OF_SOMEBODY,
    ROOT,
    command_line,
    only_run,
    run_fresh_script,
    small_training,
)

YEAR = 365 * 24 * 3600  # seconds
MINE = """
import helper


class Length(helper.Encoder):
    accepts, reads_context = frozenset({helper.Form}), False

    def __init__(self):
        self.layers, self.fingerprint = (helper.Layer("length", 1),), "length"

    def encode(self, items):
        import later_helper

        yield (later_helper.lengths(items),)
"""
HELPER = """
import transformers
from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.items import Form
"""
LATER_HELPER = """
import numpy as np


def lengths(items):
    return np.array([[len(item.form)] for item in items], dtype=np.float32)
"""
OWN = ["encoder=own", "encoder._target_=mine.Length"]
IN_A_SWEEP = ["-m", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "seed=1"]


def results(work: Path) -> bytes:
    return (only_run(work, "train") / "results.jsonl").read_bytes()


@pytest.fixture(scope="module")
def plain(small_data, tmp_path_factory):
    work = tmp_path_factory.mktemp("plain") / "work"
    done = ended("train", small_training(small_data, work, task="pos"), work.with_suffix(".said"))
    assert done.exitcode == 0, done.said
    return results(work)


def test_a_python_without_the_packages_is_told_in_one_line():
    """`-S` leaves out the folder where they are installed."""
    done = subprocess.run([sys.executable, "-S", "train.py"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "Expected `make setup`" in done.stderr


@pytest.mark.parametrize(("name", "argument"), [("train", "--help"), ("analyze", "job=report")])
def test_a_command_whose_reader_has_gone_ends_without_a_word(name, argument, tmp_path):
    """As `--help | head -1`: nobody is left who reads the rest."""
    source, target = os.pipe()
    os.close(source)
    with open(target, "wb") as closed:
        command = [sys.executable, str(ROOT / f"{name}.py"), argument]
        done = subprocess.run(command, cwd=tmp_path, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["a 'b' \"c\" 100% #1, данные", "$HOME;ls={a}[b]"])
def test_a_work_folder_of_any_name_serves(name, plain, small_data, tmp_path, monkeypatch):
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / name)
    done = ended("train", small_training(small_data, ".", task="pos"), tmp_path / "said")
    assert done.exitcode == 0, done.said
    assert results(tmp_path / name) == plain


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("probe", ["tests=[Case]", "probe.max_epochs=1", *OWN, *IN_A_SWEEP]),
    ],
)
def test_nothing_beside_the_data_runs_but_a_users_own_modules_and_what_they_import(
    name, arguments, small_data, tmp_path
):
    for module in (*MODULES_OF_SOMEBODY, "triton/__init__"):
        (tmp_path / module).parent.mkdir(exist_ok=True)
        (tmp_path / f"{module}.py").write_text("open(f'{__name__} ran', 'w')")
    for module, text in {"mine": MINE, "helper": HELPER, "later_helper": LATER_HELPER}.items():
        (tmp_path / f"{module}.py").write_text(text)
    (tmp_path / "hens.avg").write_text("vary: V[]\nS[] the hen V[s]\nV[s] eats\nV[p] eat\n")
    data = ["trainer.threads=1", "lang.generator=null", f"paths.data={small_data}"]
    typed = [*arguments, *(data if name == "probe" else []), "paths.work=work"]
    done = run_fresh_script(name, *typed, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [*tmp_path.glob("* ran")]


def test_a_work_folder_behind_a_link_serves(plain, small_data, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    done = ended("train", small_training(small_data, tmp_path / "link", task="pos"), tmp_path / "said")
    assert done.exitcode == 0, done.said
    assert results(tmp_path / "there") == plain


def test_a_clock_that_was_set_back_a_year_changes_nothing(plain, small_data, tmp_path):
    """To a clock that was set back, all that is there comes from the future."""
    work = tmp_path / "work"
    arguments = small_training(small_data, work, task="pos")
    done = ended("train", arguments, tmp_path / "said", signal_at(Tagger, "training_step", 4, SIGKILL))
    assert done.exitcode == -SIGKILL, done.said
    for path in work.rglob("*"):
        written = path.lstat().st_mtime + YEAR
        os.utime(path, (written, written), follow_symlinks=False)
    done = ended("train", arguments, tmp_path / "said")
    assert done.exitcode == 0, done.said
    assert results(work) == plain


def test_locale_time_zone_and_hash_seed_change_no_number(plain, small_data, tmp_path):
    odd = {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    command = command_line("train", *small_training(small_data, tmp_path / "work", task="pos"))
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env={**os.environ, **odd}, check=False)
    assert done.returncode == 0, done.stderr
    assert results(tmp_path / "work") == plain


@pytest.mark.parametrize("encoding", ["ascii", "cp1251"])
def test_output_that_is_not_utf8_loses_no_result(encoding, plain, small_data, tmp_path):
    def other_encoding():
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding=encoding)

    for arguments in (small_training(small_data, tmp_path / "work", task="pos"), ["--help"]):
        done = ended("train", arguments, tmp_path / "said", other_encoding)
        assert done.exitcode == 0, (tmp_path / "said").read_bytes()
    assert results(tmp_path / "work") == plain


@pytest.mark.parametrize(("n_bytes", "file"), [(2000, "config.yaml"), (50_000, "resume/01.ckpt")])
def test_a_full_disk_is_one_line_and_once_there_is_room_the_run_ends_the_same(
    n_bytes, file, plain, small_data, tmp_path
):
    """No file can grow beyond so many bytes: first the configuration does not fit, then the states of an optimiser."""

    def without_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

    arguments = small_training(small_data, tmp_path / "work", task="pos")
    done = ended("train", arguments, tmp_path / "said", without_room)
    assert done.exitcode == 1, done.said
    assert f"{file} cannot be written" in done.said
    assert "Traceback" not in done.said
    done = ended("train", arguments, tmp_path / "said")
    assert done.exitcode == 0, done.said
    assert results(tmp_path / "work") == plain
