"""How a sweep starts: every job is checked before the first one, then Hydra's launcher does them."""

import itertools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf, read_write

from polyprobe.display.shown import plural
from polyprobe.runs.command.compose import composed, composing
from polyprobe.runs.command.overrides import CommandLineError, parsed, typed_value
from polyprobe.runs.command.sweep import Sweep, key_of, sweep_name
from polyprobe.runs.names.conf_folders import PACKAGE, is_group

FOLDER = "hydra.sweep.dir="


def begin_sweep(name: str, arguments: Sequence[str]) -> tuple[Sweep, list[str]]:
    """Checks every job of a sweep, and notes them in its folder.

    Returns:
        The sweep, and the arguments by which Hydra does it.

    Raises:
        CommandLineError: an override names no key or choice.
        PolyprobeError: the folder cannot be written.
    """
    typed = [one for one in arguments if not one.startswith("-")]
    hydra = [one for one in typed if one.startswith("hydra")]
    overrides = [one for one in typed if one not in hydra]
    with suppress(ModuleNotFoundError):  # the extra `cluster` is not installed
        from polyprobe.runs.command.submitit_jobs import store_keys

        store_keys()
    with composing():
        overrides = [*swept_by_experiment(name, overrides), *overrides]
        jobs = list(dict.fromkeys(jobs_of(overrides)))
        keys = list(dict.fromkeys(one.key_or_group for one in parsed(overrides) if one.is_sweep_override()))
        # Jobs that differ in values alone compose alike.
        shapes = {tuple(one for one in job if is_group(key_of(one))): job for job in reversed(jobs)}
        configs = [composed(name, [*job, *hydra]) for job in shapes.values()]
    if name == "probe":
        _check_seeds(configs, jobs)
    sweep = Sweep(Path(configs[0].hydra.sweep.dir).absolute() / sweep_name(name, keys, jobs))
    sweep.begin(keys, jobs)
    os.environ["PYTHONSAFEPATH"] = "1"  # launchers start `python -m`: no module is to come from the current folder
    os.environ.setdefault("WANDB_RUN_GROUP", sweep.name)
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if PACKAGE.name != "polyprobe" and str(PACKAGE.parent) not in folders:  # a checkout: jobs start in any folder
        os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE.parent), *filter(None, folders)])
    settings = configs[0].hydra
    with read_write(settings):  # which the keys of a launcher may refer to
        settings.sweep.dir = str(sweep.folder)
        settings.job.name = name if settings.job.name == "app" else settings.job.name
    most = settings.sweeper.get("max_batch_size")
    sweep.launcher = {**OmegaConf.to_container(settings.launcher, resolve=True), "max_batch_size": most}
    print(f"sweep of {plural(len(jobs), 'job')}   {sweep.folder}", flush=True)
    return sweep, [*(one for one in arguments if not one.startswith(FOLDER)), f"{FOLDER}{typed_value(sweep.folder)}"]


def launch(name: str, sweep: Sweep, by_hydra: Callable[[], None]) -> None:
    """Does the jobs of a sweep that has begun: by submitit where its launcher is one of Hydra's plugin for that.

    Args:
        by_hydra: does them by any other launcher.

    Raises:
        PolyprobeError: SLURM refuses the jobs.
    """
    launcher = sweep.launcher["_target_"]
    if not launcher.startswith("hydra_plugins.hydra_submitit_launcher."):
        by_hydra()
        return
    from polyprobe.runs.command.submitit_jobs import do_locally, do_on_slurm

    do = do_on_slurm if launcher.endswith(".SlurmLauncher") else do_locally
    do(name, sweep, sweep.launcher)


def _check_seeds(configs: Iterable[Mapping[str, Any]], jobs: Iterable[Sequence[str]]) -> None:
    """Refuses jobs that share seeds: a mean over them would count the same results twice.

    Args:
        configs: compositions, one for each shape of jobs: an experiment may have its own `seeds`.
        jobs: what each job types.
    """
    typed = [dict(one.split("=", 1) for one in job if "=" in one) for job in jobs]
    seeds = sorted({int(one["seed"]) for one in typed if one.get("seed", "").isdecimal()})
    of_jobs = {*(one["seeds"] for one in typed if "seeds" in one), *(str(one["seeds"]) for one in configs)}
    n_seeds = max((int(one) for one in of_jobs if one.isdecimal()), default=1)
    if any(later - one < n_seeds for one, later in pairwise(seeds)):
        apart = ",".join(str(seeds[0] + number * n_seeds) for number in range(len(seeds)))
        raise CommandLineError(
            f"seed={','.join(map(str, seeds))} with seeds={n_seeds} share seeds: each job takes seed, seed+1, … "
            f"Expected seed={apart}, or one run with seed={seeds[0]} seeds={seeds[-1] + n_seeds - seeds[0]}."
        )


def jobs_of(overrides: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns the overrides of each job of a sweep, as Hydra's basic sweeper: all combinations, in order.

    Raises:
        CommandLineError: an override cannot be read.
    """
    values: dict[str, list[str]] = {}
    for one in parsed(overrides):
        if one.is_sweep_override() and not one.is_discrete_sweep():
            raise CommandLineError(f"{one.input_line}: Hydra's basic sweeper has no intervals.")
        swept = one.sweep_string_iterator() if one.is_sweep_override() else [one.get_value_element_as_str()]
        key = one.get_key_element()
        values[key] = [f"{key}={value}" for value in swept]
    return list(itertools.product(*values.values()))


def swept_by_experiment(name: str, overrides: Sequence[str]) -> list[str]:
    """Returns over what an experiment sweeps (`hydra.sweeper.params`) that is not typed. Call it inside `composing`.

    Of several experiments, over which a sweep goes itself, nothing.
    """
    read = parsed(overrides)
    chosen = [one for one in read if one.key_or_group == "experiment"]
    if len(chosen) != 1 or chosen[0].is_sweep_override():
        return []
    params = composed(name, [chosen[0].input_line]).hydra.sweeper.get("params") or {}
    typed = {one.key_or_group for one in read}
    return [f"{key}={values}" for key, values in params.items() if key not in typed]
