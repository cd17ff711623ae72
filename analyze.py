"""Collects, compares and draws finished runs: python analyze.py job=… (see --help).

Shells complete programs over @hydra.main.
"""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.analyze import main  # noqa: E402

if __name__ == "__main__":
    main()
