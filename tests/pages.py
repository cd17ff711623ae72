"""Pages of docs/ that write files and type commands: what they say is done."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess

from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, on_small_data, only_run

_FILE = re.compile(
    r"^### `(?P<name>[\w./]+)`\n.*?^```(?:python|yaml|text)\n(?P<content>.*?)^```", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"^python (\w+)\.py (.*)$", re.MULTILINE)

_MARKED = re.compile(r"^<!-- run by a test -->\n\n?```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def marked_commands(page: Path) -> list[list[str]]:
    """Returns the marked commands of a page, in words; comments and line ends that are escaped are none."""
    fences = "".join(_MARKED.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ")
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in fences.splitlines()]
    return [words for words in lines if words]


class Page:
    """A page of docs/, its files by their names and its commands in their order."""

    def __init__(self, name: str):
        self.text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        self.files: Mapping[str, str] = {file["name"]: file["content"] for file in _FILE.finditer(self.text)}
        self.commands = _COMMAND.findall(self.text)

    def listed_files(self) -> list[str]:
        """Returns the names in the list of files at the top of the page."""
        return [line.split()[0] for line in re.search(r"```\n(.*?)```", self.text, re.DOTALL)[1].splitlines()]

    def write_files(self, folder: Path) -> Path:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return folder

    def type_command(
        self, number: int, folder: Path, data: Path, *more: str, work: Path | None = None, code: int = 0
    ) -> CompletedProcess[str]:
        """Types a command of the page in a folder with its files, on a small data folder; it has to end with a code.

        Runs are in `work`, or else in the folder of this name beside the files.
        """
        work = work or folder / "work"
        script, arguments = self.commands[number]
        words = [
            word.replace("<run>", str(only_run(work, "train"))) if "<run>" in word else word
            for word in shlex.split(arguments)
        ]
        done = run_script(script, *words, *on_small_data(data, work), *more, cwd=folder)
        assert done.returncode == code, done.stdout + done.stderr
        return done
