"""The scripts, started as a user starts them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What torch, transformers and others look for, and use where it is there.
MODULES_OF_SOMEBODY = ("psutil", "pandas", "wcwidth", "dill", "pynvml", "opt_einsum")
SMALL_MODELS = {
    "srl": ["model.hidden_size=12", "model.word_size=12", "encoder.trigram_size=12", "encoder.hidden_size=12"],
    "pos": ["model.hidden_size=12", "encoder.word_size=12"],
    "dep": ["model.hidden_size=12", "encoder.word_size=12", "model.tag_size=6", "model.projection_size=12"],
    "ner": ["model.hidden_size=12", "encoder.word_size=12", "model.optimizer.lr=0.01"],
    "nli": ["model.hidden_size=8", "encoder.word_size=12"],
}


def command_line(script: str, *arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / f"{script}.py"), *arguments]


def run_fresh_script(script: str, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs a script to its end in a Python of its own, which loads all libraries; its output is in the answer."""
    return subprocess.run(command_line(script, *arguments), capture_output=True, text=True, cwd=cwd, check=False)


def on_small_data(data: Path, work: Path) -> list[str]:
    """Points lang=mini at a small data folder in place of the generated one."""
    return ["lang.generator=null", f"paths.data={data}", f"paths.work={work}"]


def small_training(data: Path, work: Path, *more: str, task: str = "srl") -> list[str]:
    """A training run of a second or two."""
    model = [f"task={task}", *SMALL_MODELS[task], "trainer.threads=1"]
    return [*on_small_data(data, work), *model, "trainer.max_epochs=4", *more]


def with_mini(mini_folder: Path, work: Path) -> Path:
    """Puts the corpora of lang=mini into a work folder, in which a command finds them whole; returns the folder."""
    (work / "cache").mkdir(parents=True)
    (work / "cache" / mini_folder.name).symlink_to(mini_folder)
    return work


def only_run(work: Path, kind: str) -> Path:
    (run,) = (work / "runs" / kind).iterdir()
    return run
