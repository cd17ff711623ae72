"""The door of training: `python train.py` from its configuration to a finished run.

What a run is called, and what an earlier command found, is known without torch; only the work itself imports it.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from src.encoders.base.build import needs_torch
from src.encoders.before_torch import check_encoder
from src.runs.directory import RunDirectory
from src.runs.lifecycle import run_once
from src.training.chosen_inputs import chosen_inputs
from src.training.model_choice import check_model
from src.training.run_name import run_directory
from src.training.settings import TrainingSettings

if TYPE_CHECKING:
    from src.datamodules.base.word_inputs import Inputs
    from src.training.training_run import TrainingRun

# In one of these a launcher says which of several processes this is.
RANKS = ("RANK", "LOCAL_RANK", "SLURM_PROCID", "JSM_NAMESPACE_RANK")


def train(config: Mapping[str, Any]) -> RunDirectory | None:
    """Trains what a configuration says, or continues where an earlier start of the same run was cut off.

    Args:
        config: the resolved configuration of conf/train.yaml, as plain values.

    Returns:
        The directory of the finished run; None in processes of a distributed run that only help.

    Raises:
        PolyprobeError: the data, the configuration or the run directory is not what it should be.
    """
    settings = TrainingSettings.of(config)
    check_model(settings.task, settings.model)
    inputs = None if settings.inputs.is_learned else _inputs(settings)  # frozen ones are known by their vectors
    directory = run_directory(settings, settings.inputs.learned_identity if inputs is None else inputs.identity)
    if _only_helps():
        _help(settings, inputs, directory)
        return None
    return run_once(
        directory,
        settings.config,
        data=lambda: {**directory.data_now(settings.data.root), **_digests_of_sets(settings)},
        prepare=lambda: _training_run(settings, inputs, directory).complete,
    )


def _inputs(settings: TrainingSettings) -> "Inputs":
    """Builds what words are read with; torch, where an encoder needs it, is set up before that computes."""
    check_encoder(settings.inputs.options)
    if needs_torch(settings.inputs.options):
        from src.training.training_run import prepared_process

        prepared_process(settings.trainer.threads)
    return chosen_inputs(settings.inputs, settings.workspace.encodings)


def _training_run(settings: TrainingSettings, inputs: "Inputs | None", directory: RunDirectory) -> "TrainingRun":
    from src.training.training_run import TrainingRun, prepared_process

    prepared_process(settings.trainer.threads)
    return TrainingRun(settings, inputs or _inputs(settings), directory)


def _help(settings: TrainingSettings, inputs: "Inputs | None", directory: RunDirectory) -> None:
    from src.models.base.distributed_processes import work_is_done

    _training_run(settings, inputs, directory).fit(None)
    work_is_done()


def _only_helps() -> bool:
    """Returns whether this is another than the first process of a distributed run."""
    if not any(name in os.environ for name in RANKS):
        return False
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

    return rank_zero_only.rank != 0


def _digests_of_sets(settings: TrainingSettings) -> Mapping[str, str]:
    if not settings.probe_each_epoch:
        return {}
    from src.training.callbacks.score_minimal_sets_each_epoch import digests_of_sets

    return digests_of_sets(settings.config)
