"""Which suites of probing tests, and which text, can be made, and what makes each."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.generation import linspector_tests, lm_corpora, pseudoword_tests, sentences
from src.generation.tests_run import Making

MAKERS: Mapping[str, Callable[[Mapping[str, Any], Callable[[], Path]], Making]] = {
    "linspector_type": linspector_tests.type_level,
    "sentences": sentences.making,
    "linspector_token": linspector_tests.token_level,
    "pseudowords": pseudoword_tests.making,
    "lm_corpus": lm_corpora.making,
}
