"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.generate import main  # noqa: E402

if __name__ == "__main__":
    main()
