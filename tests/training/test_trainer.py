"""The Trainer of a configuration: who starts the processes of a run on several devices."""

import pytest
from pytorch_lightning.callbacks import ProgressBar, RichProgressBar, TQDMProgressBar
from pytorch_lightning.plugins.environments import LightningEnvironment, SLURMEnvironment

from polyprobe.errors import PolyprobeError
from polyprobe.training.settings import TrainerSettings
from polyprobe.training.trainer import make_trainer

LENGTH = {"max_epochs": 1, "accumulate": 1, "early_stopping": None, "keep": "all"}
MACHINE = {"accelerator": "cpu", "devices": 2, "strategy": "ddp", "precision": "32-true", "threads": None}
TWO_PROCESSES = TrainerSettings.of({**MACHINE, **LENGTH})
ONE_TASK = {"NTASKS": 1, "NTASKS_PER_NODE": 1, "JOB_ID": 12345, "JOB_NAME": "x", "PROCID": 0, "LOCALID": 0, "NODEID": 0}


@pytest.mark.parametrize(("tasks", "expected"), [(1, LightningEnvironment), (2, SLURMEnvironment)])
def test_slurm_starts_the_processes_only_where_it_has_several_tasks(tasks, expected, tmp_path, monkeypatch):
    for name, value in {**ONE_TASK, "NTASKS": tasks, "NTASKS_PER_NODE": tasks}.items():
        monkeypatch.setenv(f"SLURM_{name}", str(value))
    trainer = make_trainer(TWO_PROCESSES, tmp_path, [])
    assert type(trainer.strategy.cluster_environment) is expected


@pytest.mark.parametrize(("is_shown", "n_bars"), [(True, 1), (False, 0)])
def test_the_first_progress_bar_is_shown_alone_or_none(is_shown, n_bars, tmp_path):
    one_process = TrainerSettings.of({**MACHINE, **LENGTH, "devices": 1, "enable_progress_bar": is_shown})
    bars = [TQDMProgressBar(), RichProgressBar()]
    trainer = make_trainer(one_process, tmp_path, bars)
    assert [one for one in trainer.callbacks if isinstance(one, ProgressBar)] == bars[:n_bars]


@pytest.mark.parametrize("number", [None, "NODE_RANK", "GROUP_RANK"])
def test_nodes_whose_processes_nobody_starts_are_refused_and_not_waited_for(number, tmp_path, monkeypatch):
    if number is not None:  # of a node alone: its process would take itself for the first of all
        monkeypatch.setenv(number, "1")
    two_nodes = TrainerSettings.of({**MACHINE, **LENGTH, "num_nodes": 2})
    with pytest.raises(PolyprobeError, match=r"trainer\.num_nodes=2: got one process.*srun --nodes=2"):
        make_trainer(two_nodes, tmp_path, [])
