"""Pairs two runs: finds the tests that both have, and checks that their items are the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from src.errors import PolyprobeError
from src.runs.directory import RunDirectory


class TestedRun(Protocol):
    """A run with the items of its tests.

    Attributes:
        run: the run's folder.
        suite, lang: of its rows.
    """

    run: RunDirectory
    suite: str
    lang: str

    @property
    def names(self) -> list[str]:
        """The names of its tests, in the order of the run."""

    def items(self, test: str) -> list[tuple]:
        """Returns what identifies the items of a test, in their order."""


@dataclass(frozen=True)
class PairingWords:
    """How errors speak of runs that cannot be paired.

    Attributes:
        tests: what a suite has, such as "tests".
        test: one of them.
        items: what scores must have in common, such as "on the same items".
        difference: says how two unequal lists of items differ.
    """

    tests: str
    test: str
    items: str
    difference: Callable[[Sequence[Any], Sequence[Any]], str]


def common_names(first: TestedRun, second: TestedRun, words: PairingWords) -> list[str]:
    """Names the tests that both runs have, after checking that they have the same items.

    Raises:
        PolyprobeError: the runs have other suites, other languages or no test in common, or a test has other items.
    """
    if (first.suite, first.lang) != (second.suite, second.lang):
        raise PolyprobeError(
            f"{first.run.name} has suite={first.suite} of lang={first.lang}, {second.run.name} suite={second.suite} "
            f"of lang={second.lang}. Only runs on the same {words.tests} can be compared."
        )
    common = [name for name in first.names if name in second.names]
    if not common:
        raise PolyprobeError(
            f"{first.run.name} has {', '.join(first.names)}, {second.run.name} has {', '.join(second.names)}: "
            f"no {words.test} in common."
        )
    for name in common:
        one, other = first.items(name), second.items(name)
        if one != other:
            raise PolyprobeError(
                f"{name}: {first.run.name} and {second.run.name} have {words.difference(one, other)}. "
                f"Only scores {words.items} can be compared."
            )
    return common


def first_difference(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    """Returns the first place at which two lists differ; None where the longer one only has more."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (item, counterpart) in pairs if item != counterpart), None)
