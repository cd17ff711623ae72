"""Asks an encoder what it knows: python probe.py lang=fi encoder=checkpoint encoder.run=… (see --help)."""

from polyprobe.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from polyprobe.commands.probe import main  # noqa: E402

if __name__ == "__main__":
    main()
