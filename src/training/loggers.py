"""Where the curves of a training run are shown beside its metrics.csv: Weights & Biases, or a logger of Lightning."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pytorch_lightning.loggers import Logger, MLFlowLogger, TensorBoardLogger, WandbLogger

from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError, briefly
from polyprobe.runs.names.foreign_names import LOGGER, known
from polyprobe.training.settings import LoggerSettings

TRAINING = "training"
EPOCH = "epoch"
LONGEST_TAG = 64  # that W&B takes, in characters


def make_logger(
    settings: LoggerSettings, run: Path, config: Mapping[str, Any], tags: Iterable[str] = ()
) -> Logger | None:
    """Starts the logger of a training run, says where it is, and returns it; None where there is none.

    For the first process of a run alone. That of W&B stays open until the finished run is shown.

    Args:
        config: the whole configuration, shown next to the curves.
        tags: as in `start_dashboard`.

    Raises:
        PolyprobeError: nobody is logged in to W&B.
        ForeignName: no file of conf/logger names the logger.
    """
    if settings.wandb is not None:
        dashboard = start_dashboard(settings, run, config, TRAINING, tags)
        dashboard.define_metric("trainer/global_step")  # as WandbLogger does in a run that it starts itself
        dashboard.define_metric("*", step_metric="trainer/global_step", step_sync=True)
        return EpochWandbLogger(experiment=dashboard, project=settings.project, save_dir=settings.save_dir or run)
    if settings.lightning is None:
        return None
    options = dict(settings.lightning)
    logger = known(LOGGER, options.pop("_target_", None), "logger.lightning._target_")(run, **options)
    logger.log_hyperparams(dict(config))
    return logger


class EpochWandbLogger(WandbLogger):
    """Lightning's logger of W&B; what is measured once an epoch is drawn over `epoch`."""

    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        define_axis(self.experiment, metrics, EPOCH)
        super().log_metrics(metrics, step)


def define_axis(dashboard: Any, point: Mapping[str, float], axis: str) -> None:
    """Tells W&B over what the metrics of a point are drawn, if the point has a value there.

    By their whole names: of several patterns such as `dev/*` and `*` W&B may take either.
    """
    for name in (name for name in point if name != axis and axis in point):
        dashboard.define_metric(name, step_metric=axis)


def start_dashboard(
    settings: LoggerSettings, run: Path, config: Mapping[str, Any], job_type: str, tags: Iterable[str]
) -> Any:
    """Starts the W&B run of a configuration, says where it is and returns it.

    The run's name is the W&B id: the same command writes to the same dashboard, unless an agent of W&B's has given
    the id. Runs of a sweep of Hydra's are a group.

    Args:
        run: the run's directory; W&B's files lie below its `wandb`, or that of `save_dir`.
        job_type: by which runs of one kind are found.
        tags: likewise: language, task or suite, model.

    Raises:
        PolyprobeError: nobody is logged in.
    """
    import wandb  # half a second that runs without it do not pay

    folder = Path(settings.save_dir or run)
    folder.mkdir(parents=True, exist_ok=True)  # else W&B takes one of its own
    try:
        dashboard = wandb.init(
            entity=settings.entity,
            project=settings.project,
            group=settings.group,
            notes=settings.notes,
            name=run.name,
            id=run.name,
            dir=str(folder),  # W&B of earlier versions takes no Path
            mode=settings.wandb,
            resume="allow",
            job_type=job_type,
            tags=list(dict.fromkeys(tag[:LONGEST_TAG] for tag in (*tags, *settings.tags))),
            config=dict(config),
            settings=wandb.Settings(silent=True),  # its summary repeats our tables
        )
    except wandb.errors.Error as error:
        raise PolyprobeError(
            f"logger=wandb cannot start: {error} logger=wandb_offline needs neither login nor network."
        ) from error
    say(f"dashboard {dashboard.url if settings.wandb == 'online' else Path(dashboard.dir).parent}")
    return dashboard


def tensorboard(run: Path) -> Logger:
    """Writes files for TensorBoard into a folder of the run."""
    say(f"dashboard tensorboard --logdir {run.parent}")
    return TensorBoardLogger(run, name="tensorboard", version="", default_hp_metric=False)


def mlflow(run: Path, experiment: str, tracking_uri: str | None) -> Logger:
    """Sends curves to MLflow.

    Args:
        experiment: in which the run is a run of the same name.
        tracking_uri: of the server; None: that of the variable MLFLOW_TRACKING_URI, or else a database in the work
            folder.

    Raises:
        PolyprobeError: there is no such server, or it takes no runs.
    """
    from mlflow.exceptions import MlflowException  # an extra

    in_work = f"sqlite:///{run.resolve().parents[2] / 'mlflow.db'}"
    address = tracking_uri or os.environ.get("MLFLOW_TRACKING_URI") or in_work
    try:
        logger = MLFlowLogger(experiment, run.name, address)
        assert logger.run_id is not None, "the server numbers runs"
    except MlflowException as error:
        raise PolyprobeError(f"logger=mlflow cannot start with {address}: {briefly(error)}") from error
    say(f"dashboard mlflow ui --backend-store-uri {address}")
    return logger
