"""Collects, compares and draws what runs left behind. `--help` lists every key."""

from src.runs.command import command


@command("analyze")
def main(config):
    from src.analysis.analyze import analyze

    analyze(config)


if __name__ == "__main__":
    main()
