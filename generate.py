"""Makes minimal sets from grammars: python generate.py suite=clams lang=de (see --help)."""

from src.runs.command import command


@command("generate")
def main(config: dict) -> None:
    from src.analysis.generated import report_generated
    from src.datamodules.data_root import data_root
    from src.generation.evaluation_sets import generate

    report_generated(generate(config, lambda: data_root(config["lang"], config["paths"])))


if __name__ == "__main__":
    main()
