"""The four commands by one name, in any folder: polyprobe train task=srl lang=fi, python -m polyprobe probe --help."""

import polyprobe.commands  # noqa: F401  (takes the current folder off `sys.path`)
from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

import os  # noqa: E402
import runpy  # noqa: E402
import sys  # noqa: E402

from polyprobe import __version__  # noqa: E402
from polyprobe.errors import nearest  # noqa: E402
from polyprobe.runs.command.overrides import COMMANDS  # noqa: E402

USAGE = f"""Usage: polyprobe {{{",".join(COMMANDS)}}} [key=value | group=choice ...]

  polyprobe train      trains a model or word vectors
  polyprobe probe      probes an encoder; evaluates it on downstream tasks, or a language model on minimal sets
  polyprobe generate   generates minimal sets and probing tests
  polyprobe analyze    collects, compares and plots the results of runs

polyprobe COMMAND --help shows examples and keys; polyprobe --version prints the version."""


def main() -> None:
    """Starts the command that is named first.

    It runs as the module `polyprobe.commands.<name>`: by that name Lightning starts its other processes.
    """
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-sc", "--shell-completion"):
        _complete()
    elif name in ("--help", "-h"):
        print(USAGE)
    elif name == "--version":
        print(__version__)
    elif name not in COMMANDS:
        print(f"polyprobe has no command {name!r}. {nearest(name, COMMANDS)}\n\n{USAGE}", file=sys.stderr)
        sys.exit(2)
    else:
        del sys.argv[1]
        _run(name)


def _run(name: str) -> None:
    runpy.run_module(f"polyprobe.commands.{name}", run_name="__main__", alter_sys=True)


def _complete() -> None:
    """Completes `polyprobe probe …` as Hydra does `python probe.py …`; the shell asks for the whole line."""
    _, *words = os.environ.get("COMP_LINE", "polyprobe").split(" ")
    if "query=" not in sys.argv[-1]:  # install or uninstall
        _run(COMMANDS[0])
    elif len(words) > 1 and words[0] in COMMANDS:
        os.environ["COMP_LINE"] = " ".join(["polyprobe", *words[1:]])
        _run(words[0])
    else:
        print("\n".join(one for one in COMMANDS if one.startswith("".join(words))))


if __name__ == "__main__":
    main()
