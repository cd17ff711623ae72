"""Collects the results of all runs in one table, or draws the curves of a run again. `--help` lists every key."""

from src.runs.command import command


@command("analyze")
def main(config):
    from src.analysis.analyze import analyze

    analyze(config["curves"], config["paths"]["work"])


if __name__ == "__main__":
    main()
