"""The sections `trainer` and `callbacks`: on what a command computes, how long and with what a model is trained."""

import re
from collections.abc import Collection, Mapping
from dataclasses import field, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

from polyprobe.errors import BadValue, PolyprobeError, check_at_least
from polyprobe.section import Count, Section

# Arguments of Lightning's Trainer that change no number; all others are part of a run's name.
ARGUMENTS_WITHOUT_NUMBERS = (
    "detect_anomaly",
    "enable_autolog_hparams",
    "enable_model_summary",
    "enable_progress_bar",
    "limit_predict_batches",
    "log_every_n_steps",
    "model_registry",
    "num_sanity_val_steps",
    "profiler",
)
# Lightning's callbacks that only watch or keep a copy; all others are part of a run's name.
CALLBACKS_WITHOUT_NUMBERS = (
    "DeviceStatsMonitor",
    "LearningRateMonitor",
    "ModelCheckpoint",
    "ModelSummary",
    "RichModelSummary",
    "RichProgressBar",
    "TQDMProgressBar",
)


class TrainerSettings(Section, key="trainer"):
    """Devices, how long a model is trained, and any other argument of Lightning's Trainer.

    Raises:
        PolyprobeError: weights would be kept in half precision.
        BadValue: a value is out of its range.
    """

    accelerator: str
    """Device, as in Lightning: cpu, gpu or auto."""
    devices: int | str | list[int]
    """Number of processes (one GPU each, if any), or list of GPUs, such as [0,1]."""
    strategy: str
    """Distributed strategy, as in Lightning: auto or ddp."""
    precision: str | int
    """Numerical precision: 32-true; bf16-mixed: half precision except for weights, arc scores, attention, CRF chains
    and losses.
    """
    threads: Count | None
    """Threads per process; null: torch's default."""
    max_epochs: Count
    """Maximum number of epochs."""
    accumulate: Count
    """Gradient accumulation: batches per step, equivalent to one batch of their total size: 2 needs half the memory."""
    early_stopping: Count | None
    """Patience: epochs without improvement after which training stops; null: no early stopping."""
    keep: Any
    """Checkpoints to keep: all; best (and the last); [0,2,8,20]: these, the best and the last."""
    num_nodes: Count = 1
    """Number of machines of a cluster, with `devices` processes on each."""
    arguments: Any = field(default_factory=dict)
    """Further arguments of Lightning's Trainer by their names."""

    @classmethod
    def own_keys(cls) -> set[str]:
        """Returns the keys that have a meaning here; the others are arguments of Lightning's Trainer."""
        return {one.name for one in fields(cls)} - {"arguments"}

    @classmethod
    def of(cls, values: Mapping[str, Any], **further: Any) -> Self:
        own = {key: value for key, value in values.items() if key in cls.own_keys()}
        return super().of(own, arguments={key: values[key] for key in values if key not in own}, **further)

    def __post_init__(self):
        super().__post_init__()
        self._check_keep()
        self._check_precision()

    @property
    def several_processes(self) -> bool:
        """Whether Lightning is to start processes."""
        return runs_several_processes(vars(self))

    @property
    def is_fast_dev_run(self) -> bool:
        """Whether a few batches are to show that everything works, and nothing is kept."""
        return bool(self.arguments.get("fast_dev_run"))

    @property
    def kept_epochs(self) -> Collection[int] | None:
        """The epochs whose checkpoints stay in addition to the best and the last; None: all."""
        if self.keep == "all":
            return None
        return () if self.keep == "best" else tuple(self.keep)

    def _check_keep(self) -> None:
        if self.keep in ("all", "best"):
            return
        is_list = isinstance(self.keep, list)
        if not is_list or not all(type(one) is int and 0 <= one <= self.max_epochs for one in self.keep):
            expected = f"all, best, or a list of epochs from 0 to {self.max_epochs} such as [0,2]"
            raise BadValue("trainer.keep", self.keep, expected)

    def _check_precision(self) -> None:
        precision = str(self.precision)
        if precision.endswith("-true") and precision.startswith(("bf16", "16", "transformer-engine")):
            raise PolyprobeError(
                f"trainer.precision={precision} keeps the weights in half precision, where small steps of an optimiser "
                "vanish. Choose bf16-mixed, or 32-true."
            )
        if precision.startswith("64"):
            raise BadValue("trainer.precision", precision, "32-true or bf16-mixed (on a GPU also 16-mixed)")


def counted_callbacks(callbacks: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the chosen callbacks that may change a number: all but `CALLBACKS_WITHOUT_NUMBERS` of Lightning."""
    return {name: one for name, one in (callbacks or {}).items() if one is not None and not _only_watches(one)}


def _only_watches(settings: Any) -> bool:
    package, _, name = str(settings.get("_target_") if isinstance(settings, Mapping) else settings).rpartition(".")
    return package.startswith("pytorch_lightning.callbacks") and name in CALLBACKS_WITHOUT_NUMBERS


def runs_several_processes(trainer: Mapping[str, Any] | None) -> bool:
    """Says whether Lightning starts processes by this section, which may lack keys, or not be there."""
    return trainer is not None and (n_devices(trainer) != "1" or trainer.get("num_nodes", 1) != 1)


def n_devices(trainer: Mapping[str, Any]) -> str:
    """Returns how many processes a machine has by this section, which may lack keys, as it is typed: 4, auto."""
    devices = trainer.get("devices", 1)
    return str(len(devices) if isinstance(devices, list) else devices)


_NUMBER = "auto|[1-9][0-9]*"
_WHICH = "-1|([0-9]+,)+[0-9]*"  # all; "0,1"
_WITHOUT_GPU = "+cpu"  # ends the version of torch's build for processors


def check_machine(trainer: Mapping[str, Any]) -> None:
    """Checks threads and devices, and that no GPU is asked for where the installed torch cannot use any.

    Whether another build of torch finds a GPU, it says itself.

    Raises:
        BadValue: `trainer.threads` is below 1, or not an integer; `trainer.devices` is not what Lightning reads.
        PolyprobeError: the installed torch is its build for processors.
    """
    if trainer["threads"] is not None:
        check_at_least("trainer.threads", trainer["threads"], 1)
    _check_devices(trainer["accelerator"], trainer["devices"])
    if trainer["accelerator"] in ("gpu", "cuda") and (installed := _torch()).endswith(_WITHOUT_GPU):
        raise PolyprobeError(
            f"trainer.accelerator={trainer['accelerator']}: torch {installed} is the build without GPUs. Leave out "
            "trainer=gpu, or install the CUDA build of the same version."
        )


def _check_devices(accelerator: str, devices: object) -> None:
    written = "".join(f"{one}," for one in devices) if isinstance(devices, list) else str(devices)
    if not re.fullmatch(_NUMBER if accelerator == "cpu" else f"{_NUMBER}|{_WHICH}", written):
        which = "" if accelerator == "cpu" else ", or a list of GPUs such as [0,1]"
        raise BadValue("trainer.devices", devices, f"a number of devices such as 2{which}")


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:  # it was built elsewhere
        return ""
