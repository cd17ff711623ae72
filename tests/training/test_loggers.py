"""The loggers of training beside metrics.csv: what is shown, what is missing is told before any work."""

import csv

import pytest
import pytorch_lightning.loggers as of_lightning

from polyprobe.errors import PolyprobeError
from polyprobe.runs.names.conf_folders import choice_settings
from polyprobe.runs.names.foreign_names import ForeignName
from polyprobe.training import settings as training_settings
from polyprobe.training.loggers import make_logger
from polyprobe.training.settings import LoggerSettings
from tests.commands.forked import run_script
from tests.commands.scripts import only_run, small_training

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


def test_only_what_a_file_of_conf_names_is_called(tmp_path, monkeypatch):
    logger = LoggerSettings.of({"wandb": None, "lightning": {"_target_": "tests.training.test_loggers.lines"}})
    with pytest.raises(ForeignName, match=r"logger\.lightning\._target_"):
        make_logger(logger, tmp_path, {})
