"""Suites without published files: `python generate.py` makes their tests, `suite=own` probes what was made."""

from typing import NoReturn

from src.errors import PolyprobeError


def refuse_text(name: str, format: str, lowercase: bool) -> NoReturn:
    """Says how such a text is made and learned from.

    Args:
        name: of the suite.
        format: of what is made.
        lowercase: whether words lose their case.

    Raises:
        PolyprobeError: always.
    """
    case = "without capitals" if lowercase else "as it is written"
    raise PolyprobeError(
        f"suite={name} has no tests: it is {format} for language models, {case}. Make it: python generate.py "
        f"suite={name} lang=… made_from.texts=…, which says how python train.py task=lm learns from it."
    )


def refuse_to_probe(name: str, format: str, level: str, lowercase: bool) -> NoReturn:
    """Says how the tests of such a suite are made and probed.

    Args:
        name: of the suite.
        format, level: of the tests that are made.
        lowercase: what encoders of words would do with capitals, see `Suite`.

    Raises:
        PolyprobeError: always.
    """
    probed = f"suite=own suite.path=<folder of the tests> suite.format={format} suite.level={level}"
    raise PolyprobeError(
        f"suite={name} has no published tests. Make them: python generate.py suite={name} lang=…, and probe what was "
        f"made: python probe.py lang=… {probed}"
    )
