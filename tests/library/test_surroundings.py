"""A call leaves its process as it was, prints nothing where it is quiet, works in threads and beside another Hydra."""

import logging
import os
import random
import signal
import threading
import warnings

import hydra
import numpy as np
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.utils import JobRuntime
from hydra.version import VersionBase

import polyprobe as pp
from tests.commands.scripts import SMALL_MODELS

HANDLED = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)


@pytest.fixture
def options(small_data, tmp_path):
    return {"work": tmp_path, "overrides": ["lang.generator=null", f"paths.data={small_data}"], "quiet": True}


def probed(options, *overrides, **more):
    overrides = [*options["overrides"], "probe.max_epochs=1", *overrides]
    return pp.probe("char_ngrams", tests=["Case"], **{**options, "overrides": overrides, **more})


def trained(options, **more):
    return pp.train(
        "pos", max_epochs=1, **{**options, "overrides": [*options["overrides"], *SMALL_MODELS["pos"]], **more}
    )


def state():
    numbers = np.random.get_state()
    return {
        "generators": (
            random.getstate(),
            [numbers[0], numbers[1].tolist(), *numbers[2:]],
            torch.get_rng_state().tolist(),
        ),
        "warnings": list(warnings.filters),
        "records": logging.getLogRecordFactory(),
        "handlers": [signal.getsignal(one) for one in HANDLED],
        "folder": os.getcwd(),
        "environment": {key: value for key, value in os.environ.items() if key.startswith("POLYPROBE")},
        "hydra": (GlobalHydra.instance().hydra, VersionBase.instance().getbase()),
        "singletons": [id(one.instance()) for one in (GlobalHydra, JobRuntime, VersionBase)],
        "job": dict(JobRuntime.instance().conf),
        "languages": sorted(ConfigStore.instance().repo.get("lang", {})),
    }


@pytest.mark.parametrize("call", [probed, trained], ids=lambda call: call.__name__)
def test_nothing_is_left_behind(call, options):
    _ = pp.probe, pp.train  # packages may draw while they are imported
    before = state()
    call(options, threads=1)
    assert state() == before


def test_a_call_that_fails_leaves_nothing_behind(options):
    def breaks(texts):
        torch.manual_seed(3)
        raise KeyError("broken")

    before = state()
    with pytest.raises(
        pp.PolyprobeError, match=r"breaks failed in test_surroundings\.py, line \d+: KeyError: 'broken'"
    ):
        pp.probe(breaks, tests=["Case"], **options)
    assert state() == before


@pytest.mark.parametrize("call", [probed, trained], ids=lambda call: call.__name__)
def test_a_quiet_call_prints_nothing(call, options, capfd):
    for _ in range(2):  # the second time it is finished
        call(options)
        assert capfd.readouterr() == ("", "")


def test_a_call_that_is_not_quiet_says_what_it_does(options, capfd):
    run = probed(options, quiet=False)
    assert capfd.readouterr().out.startswith(f"starting {run.path}\n  tests: 1, layers: 1,")


def test_calls_in_threads_at_once_have_the_runs_that_they_have_alone(options, tmp_path):
    before, found = state(), {}

    def probe(seed):
        found[seed] = probed(options, seed=seed)

    threads = [threading.Thread(target=probe, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state() == before
    for seed, run in found.items():
        alone = probed(options, seed=seed, work=tmp_path / "alone")
        assert alone == run
        assert (alone.path / "results.jsonl").read_bytes() == (run.path / "results.jsonl").read_bytes()


def test_the_callers_own_hydra_goes_on(options, tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "mine.yaml").write_text("answer: 42\n")
    other = "1.2" if hydra.__version__.startswith("1.3.") else "1.3"  # than that of the commands
    with initialize_config_dir(str(tmp_path / "conf"), job_name="mine", version_base=other):
        before = state()
        probed(options)
        assert state() == before
        assert compose("mine").answer == 42


def test_a_language_without_a_file_is_of_one_call(options, tmp_path):
    (tmp_path / "words.txt").write_text(
        "".join(
            f"{split}\t{label}\t{label}{number}\n"
            for split in ("tr", "va", "te")
            for label in "xy"
            for number in range(6)
        )
    )
    before = state()
    own = ["suite.path=" + str(tmp_path / "words.txt")]
    run = pp.probe(suite="own", lang="xqq", work=tmp_path, overrides=own, quiet=True)
    assert state() == before
    assert run.rows[0]["lang"] == "xqq"
