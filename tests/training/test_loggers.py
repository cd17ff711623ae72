"""The loggers of training beside metrics.csv: what is shown, what is missing is told before any work."""

import csv
import re

import pytest
import pytorch_lightning.loggers as of_lightning
import yaml
from wandb.sdk.launch.sweeps.utils import create_sweep_command_args

from polyprobe.errors import PolyprobeError
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.foreign_names import ForeignName
from polyprobe.training import settings as training_settings
from polyprobe.training.loggers import make_logger
from polyprobe.training.settings import LoggerSettings
from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, only_run, small_training
from tests.offline_dashboards import offline_run

OWN = "wandb: null\nlightning:\n  _target_: tests.training.test_loggers.lines\n  folder: curves\n"


def lines(run, folder):
    """A logger of a user's own."""
    return of_lightning.CSVLogger(run, name=folder, version="")


def scores(path, column="dev/accuracy"):
    with open(path, encoding="utf-8", newline="") as file:
        return [float(row[column]) for row in csv.DictReader(file) if row[column]]


def test_a_users_own_logger_has_the_scores_of_metrics_csv_and_the_run_its_name(small_data, tmp_path, monkeypatch):
    (tmp_path / "conf" / "logger").mkdir(parents=True)
    (tmp_path / "conf" / "logger" / "mine.yaml").write_text(OWN)
    usual = small_training(small_data, tmp_path / "usual", "trainer.max_epochs=1", "logger=csv", task="pos")
    mine = small_training(small_data, tmp_path / "mine", "trainer.max_epochs=1", "logger=mine", task="pos")
    for arguments in (usual, [f"--config-dir={tmp_path / 'conf'}", *mine]):
        done = run_script("train", *arguments)
        assert done.returncode == 0, done.stderr
    run, in_usual = (only_run(tmp_path / work, "train") for work in ("mine", "usual"))
    assert run.name == in_usual.name
    assert scores(run / "curves" / "metrics.csv") == pytest.approx(scores(run / "metrics.csv"), abs=1e-6)
    assert len(scores(in_usual / "metrics.csv")) == 2
    assert (run / "metrics.csv").read_bytes() == (in_usual / "metrics.csv").read_bytes()


@pytest.mark.parametrize("name", ["mlflow", "wandb_offline"])
def test_a_logger_whose_package_is_missing_is_told_with_the_extra_that_adds_it(name, monkeypatch):
    found = choice_settings("logger", name)
    monkeypatch.setattr(training_settings, "find_spec", lambda package: None)
    package = name.partition("_")[0]
    with pytest.raises(
        PolyprobeError, match=rf"^{package} is not installed\. Expected `pip install 'polyprobe\[{package}"
    ):
        LoggerSettings.of(found)


@pytest.mark.parametrize("command", ["probe", "train"])
def test_without_a_login_nothing_is_begun(command, tmp_path, monkeypatch):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    done = run_script(command, f"paths.work={tmp_path / 'work'}", "logger=wandb")
    assert done.returncode == 1
    assert done.stderr.startswith("logger=wandb: nobody is logged in to Weights & Biases. Expected `wandb login`")
    assert not (tmp_path / "work").exists()


def test_a_key_is_a_login(monkeypatch):
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    logger = LoggerSettings.of(choice_settings("logger", "wandb"))
    assert logger.check_login() is None  # and raises nothing


@pytest.mark.parametrize("command", ["probe"])
def test_a_logger_of_training_is_refused_where_nothing_is_trained(command, tmp_path, monkeypatch):
    (tmp_path / "logger").mkdir()
    (tmp_path / "logger" / "mine.yaml").write_text(OWN)
    done = run_script(command, f"--config-dir={tmp_path}", f"paths.work={tmp_path / 'work'}", "logger=mine")
    assert done.returncode == 1
    assert "This logger only supports train.py. Expected logger=csv, wandb or wandb_offline." in done.stderr
    assert not (tmp_path / "work").exists()


def test_the_keys_of_the_logger_reach_weights_and_biases(tmp_path):
    keys = {"entity": "lab", "project": "cases", "group": "pilot", "tags": ["first", "fi"], "notes": "a try"}
    settings = LoggerSettings.of(
        choice_settings("logger", "wandb_offline") | keys | {"save_dir": str(tmp_path / "all")}
    )
    make_logger(settings, tmp_path / "run", {}, ["fi", "srl"]).experiment.finish()
    found = offline_run(tmp_path / "all")
    assert found.place == "lab/cases/run"
    assert (found.group, found.notes, found.tags) == ("pilot", "a try", ["fi", "srl", "first"])
    assert not (tmp_path / "run").exists()


def test_an_agent_of_weights_and_biases_types_the_documented_sweep(tmp_path):
    page = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    sweep = yaml.safe_load(re.search(r"```yaml\n(program: train\.py\n.*?)```", page, re.DOTALL)[1])
    drawn = {name: {"value": given.get("value", given.get("min"))} for name, given in sweep["parameters"].items()}
    command = [*sweep["command"][:-1], *create_sweep_command_args({"args": drawn})["args_no_hyphens"]]
    assert command[:3] == ["${env}", "${interpreter}", "${program}"]
    assert sweep["command"][-1] == "${args_no_hyphens}"
    done = run_script(sweep["program"].removesuffix(".py"), *command[3:], "--cfg", "job")
    assert done.returncode == 0, done.stderr
    assert f"monitor: {sweep['metric']['name']}" in done.stdout


def test_in_a_sweep_of_an_agent_its_id_counts_and_a_finished_training_is_sent_too(small_data, tmp_path, monkeypatch):
    arguments = small_training(small_data, tmp_path, "trainer.max_epochs=1", task="pos")
    assert run_script("train", *arguments).returncode == 0
    for name, value in {"SWEEP_ID": "s1", "RUN_ID": "r1", "ENTITY": "lab", "PROJECT": "cases"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    assert run_script("train", *arguments, "logger=wandb_offline").returncode == 0
    found = offline_run(only_run(tmp_path, "train"))
    assert found.place == "lab/cases/r1"
    assert "test/accuracy" in found.summary


def test_only_what_a_file_of_conf_names_is_called(tmp_path, monkeypatch):
    logger = LoggerSettings.of({"wandb": None, "lightning": {"_target_": "tests.training.test_loggers.lines"}})
    with pytest.raises(ForeignName, match=r"logger\.lightning\._target_"):
        make_logger(logger, tmp_path, {})
