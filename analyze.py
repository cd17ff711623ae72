"""Collects, compares and draws what runs left behind. `--help` lists every key."""

from src.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from src.runs.command.script import command  # noqa: E402


@command("analyze")
def main(config):
    from src.analysis.analyze import analyze

    analyze(config)


if __name__ == "__main__":
    main()
