import gc
import multiprocessing
import os
import shutil
import signal
import sys
from pathlib import Path

# One thread for each test process: two xdist workers on two cores, and the same rounding everywhere.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # where a test asks for two threads, none spins while the other has no core

import hypothesis
import pytest
from filelock import FileLock

from tests.kept_compositions import keep_compositions

hypothesis.settings.register_profile("house", deadline=None)  # no test is about time
hypothesis.settings.load_profile("house")

SENTENCES = {"train": 48, "dev": 16, "test": 16}
TEXT = 600  # sentences
PAIRS = {"train": 60, "dev": 30, "test": 30}
ROWS = {"train": 160, "dev": 60, "test": 60}


def pytest_collection():
    gc.disable()


def pytest_collection_finish():
    """Lets the collector pass over what is loaded, which stays: to visit it takes a tenth of the time of all tests."""
    gc.freeze()
    gc.set_threshold(5000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def mini_folder(tmp_path_factory) -> Path:
    """The generated corpora of lang=mini, made once for all test processes."""
    from polyprobe.resources.mini_corpora import ensure

    folder = _shared_folder(tmp_path_factory, "mini")
    with FileLock(folder / "lock"):
        return ensure(folder, 1)


@pytest.fixture(scope="session")
def small_data(mini_folder, tmp_path_factory) -> Path:
    """A data folder with the first few sentences and rows of lang=mini: enough to train on within a second or two."""
    folder = tmp_path_factory.mktemp("small")
    for split, count in SENTENCES.items():
        for name in (f"srl/mini/mini-up-{split}.conllup", f"ud/mini/{split}.conllu", f"ner/mini/{split}.txt"):
            sentences = (mini_folder / name).read_text(encoding="utf-8").split("\n\n")[:count]
            _write(folder / name, "\n\n".join(sentences) + "\n\n")
        pairs = (mini_folder / f"nli/mini/{split}.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        _write(folder / f"nli/mini/{split}.tsv", "".join(pairs[: 1 + PAIRS[split]]))
    for name in ("corpora/mini.txt", "corpora/mini_agreement.txt"):
        text = (mini_folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        _write(folder / name, "".join(text[:TEXT]))
    for source in (mini_folder / "linspector").glob("*/mini/*/*.txt"):
        lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
        _write(folder / source.relative_to(mini_folder), "".join(lines[: ROWS[source.stem]]))
    return folder


@pytest.fixture(scope="session", autouse=True)
def no_second_composition_and_no_waiting_for_disks(tmp_path_factory):
    """Composes choices of conf/ once for all test processes and their forks; files need not outlive a power cut."""
    folder = _shared_folder(tmp_path_factory, "compositions")
    with pytest.MonkeyPatch.context() as patch:
        keep_compositions(patch, folder)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True)
def subnormal_numbers():
    """Takes back what training and probing set for their process: hypothesis draws the smallest numbers, too."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)


@pytest.fixture(autouse=True)
def no_process_left():
    """Ends commands that a test leaves behind, as one whose time is over does; their stacks say where they wait.

    Python would wait for them when it ends.
    """
    before = multiprocessing.active_children()
    yield
    for process in set(multiprocessing.active_children()) - {*before}:
        os.kill(process.pid, signal.SIGABRT)


@pytest.fixture
def work(tmp_path) -> Path:
    """A work folder for runs and caches, cleared when a test ends."""
    yield tmp_path / "work"
    shutil.rmtree(tmp_path, ignore_errors=True)


def _shared_folder(tmp_path_factory, name: str) -> Path:
    """Returns a folder of all processes of these tests."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
