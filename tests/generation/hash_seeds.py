"""Code that makes tests, run in a process with another order of sets."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def made_with(hash_seed: str, code: str, sources: Path, folder: Path) -> dict[Path, bytes]:
    """Runs code whose arguments are the folder of the sources and that of the tests; returns what it wrote."""
    command = [sys.executable, "-c", code, str(sources), str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": hash_seed})
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
