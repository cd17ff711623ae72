"""The functions of the library that compute something about finished runs, as analyze.py does."""

from collections.abc import Sequence
from os import PathLike

from polyprobe.library.calls import finished_run
from polyprobe.library.command_work import NEURONS, SIMILARITY
from polyprobe.library.finished import Reference, Run, references


def similarity(
    *runs: Reference,
    measures: Sequence[str] | None = None,
    tests: Sequence[str] | None = None,
    work: str | PathLike[str] | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Compares all layers of runs, as `analyze.py similarity=[…]` does.

    Args:
        runs: of `probe` or `train`.
        measures: `of_similarity.measures`, such as ["cka"].
        tests: of whose items the vectors are; None for the first that all runs have.
        work: the folder of runs and caches.
        overrides: what else a user would type.
        quiet: whether nothing is printed.

    Raises:
        PolyprobeError: what the command would end with.
    """
    keys = {"similarity": references(runs), "of_similarity.measures": measures, "tests": tests, "paths.work": work}
    return finished_run(SIMILARITY, keys, overrides, quiet)


def neurons(
    run: Reference,
    *,
    rankings: Sequence[str] | None = None,
    tests: Sequence[str] | None = None,
    work: str | PathLike[str] | None = None,
    overrides: Sequence[str] = (),
    quiet: bool = False,
) -> Run:
    """Ranks the neurons of a run of `probe(probe="neurons")`, as `analyze.py neurons=…` does.

    Args:
        rankings: `of_neurons.rankings`, such as ["weights"].
        tests: names of tests; None for all of the run.
        work, overrides, quiet: see `similarity`.

    Raises:
        PolyprobeError: what the command would end with.
    """
    keys = {"neurons": references([run])[0], "of_neurons.rankings": rankings, "tests": tests, "paths.work": work}
    return finished_run(NEURONS, keys, overrides, quiet)
