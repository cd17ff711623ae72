"""Which suites of probing tests can be made, and what makes each."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.generation import linspector_token, linspector_type, pseudoword_tests, sentences
from src.generation.tests_run import Making

MAKERS: Mapping[str, Callable[[Mapping[str, Any], Callable[[], Path]], Making]] = {
    "linspector_type": linspector_type.making,
    "sentences": sentences.making,
    "linspector_token": linspector_token.making,
    "pseudowords": pseudoword_tests.making,
}
