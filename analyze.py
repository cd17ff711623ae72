"""Collects, compares and draws what runs left behind: python analyze.py (see --help)."""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.analyze import main  # noqa: E402

if __name__ == "__main__":
    main()
