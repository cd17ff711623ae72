"""Probes an encoder: python probe.py lang=fi encoder=transformer (see --help).

Shells complete programs over @hydra.main.
"""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.probe import main  # noqa: E402

if __name__ == "__main__":
    main()
