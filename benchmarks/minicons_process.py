"""minicons in a process of its own, with the Python of another environment."""

import json
import subprocess
from pathlib import Path
from typing import Any


class MiniconsProcess:
    """Gives orders to one of the scripts minicons_*.py, which answers each with a line of JSON.

    Args:
        python: of an environment with minicons.
        script: name of the script, beside this file.
        settings: what it is started with.
    """

    def __init__(self, python: str, script: str, settings: dict[str, Any]):
        command = [python, "-W", "ignore", str(Path(__file__).with_name(script)), json.dumps(settings)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, text=True, **pipes)

    def __enter__(self) -> "MiniconsProcess":
        self._answer()
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait()

    def obey(self, order: str) -> dict[str, Any]:
        """Returns the answer to an order of one line."""
        print(order, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        """Reads up to the next line of JSON; what minicons prints of its own is passed over."""
        line = self._process.stdout.readline()
        while line and not line.startswith("{"):
            line = self._process.stdout.readline()
        return json.loads(line)
