"""What is compared, and how, as a configuration says: read and checked once, before anything is imported for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.analysis.similarity.measures import MEASURES
from src.errors import BadValue, check_at_least, check_choice
from src.runs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SimilaritySettings:
    """The sections `similarity`, `tests` and `of_similarity`.

    Attributes:
        references: of the runs: "run", "run:8", "run:encoding", "run:encoding/8".
        measures: names of `src.analysis.similarity.measures.MEASURES`.
        tests: whose items are taken; None: the first that all runs have.
        text: a file of sentences whose lines are the items; None for those of tests.
        suite: of the tests, by its choice; None: that of the runs.
        sample: so many items, drawn by label; None for all.
        epochs: of trained models that are compared; None for all that are there.
        permutations: shuffles of one side behind the value by chance.
        resamples: of the items behind an interval.
        seed: of the sample, the shuffles and the resamples.
        workspace: of the command.
    """

    references: Sequence[str]
    measures: Sequence[str]
    tests: Sequence[str] | None
    text: Path | None
    suite: str | None
    sample: int | None
    epochs: Sequence[int] | None
    permutations: int
    resamples: int
    seed: int
    workspace: Workspace

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "SimilaritySettings":
        """Reads the configuration of analyze.py.

        Raises:
            BadValue: a value is not of its kind, or out of range.
            UnknownChoice: there is no such measure.
        """
        section = config["of_similarity"]
        references = config["similarity"]
        references = [references] if isinstance(references, str) else references
        _check_list("similarity", references, "runs such as [runA,runB] or [runA:8,runB:encoding/8]")
        _check_list("of_similarity.measures", section["measures"], "measures such as [cka,maxcorr]")
        for measure in section["measures"]:
            check_choice("of_similarity.measures", measure, MEASURES)
        if config["tests"] is not None:
            _check_list("tests", config["tests"], "tests such as [Case,Tense], or null")
        if section["items"] is not None and not isinstance(section["items"], str):
            raise BadValue("of_similarity.items", section["items"], "a file with a sentence a line, or null")
        if section["items"] is not None and config["tests"] is not None:
            raise BadValue("tests", config["tests"], "null where of_similarity.items names a file")
        if section["sample"] is not None:
            check_at_least("of_similarity.sample", section["sample"], 1)
        _check_epochs(section["epochs"])
        for key, smallest in {"permutations": 1, "resamples": 2, "seed": 0}.items():
            check_at_least(f"of_similarity.{key}", section[key], smallest)
        return cls(
            references=[str(one) for one in references],
            measures=list(dict.fromkeys(section["measures"])),
            tests=config["tests"],
            text=None if section["items"] is None else Path(section["items"]),
            suite=section["suite"],
            sample=section["sample"],
            epochs=section["epochs"],
            permutations=section["permutations"],
            resamples=section["resamples"],
            seed=section["seed"],
            workspace=Workspace.of(config["paths"]),
        )


def _check_list(key: str, value: object, expected: str) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(one, str | int) for one in value):
        raise BadValue(key, value, f"a list of {expected}")


def _check_epochs(epochs: object) -> None:
    is_list = isinstance(epochs, list) and epochs
    if epochs is not None and not (is_list and all(type(epoch) is int and epoch >= 0 for epoch in epochs)):
        raise BadValue("of_similarity.epochs", epochs, "a list such as [0,8], or null")
