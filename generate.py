"""Generates minimal pairs and probing tests: python generate.py suite=clams lang=de (see --help).

Shells complete programs over @hydra.main.
"""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.generate import main  # noqa: E402

if __name__ == "__main__":
    main()
