"""What is typed for generate.py and would have no effect: refused, so that nobody takes a run for another one."""

from collections.abc import Mapping, Sequence
from typing import Any

from src.generation.suites import MAKERS
from src.runs.command.overrides import refuse_idle

OF_GRAMMARS = ("capitalise", "end_of_sentence", "format", "check_vocabulary")
OF_TESTS = ("rules", "seed", "tests", "on_malformed", "made_from")


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that the keys typed on the command line are about what is made.

    Groups of keys such as `type_level` may be those of another suite: a sweep over suites has several.

    Args:
        config: the resolved configuration of conf/generate.yaml.
        typed: as typed, "capitalise=true".

    Raises:
        PolyprobeError: a key has no effect.
    """
    suite = config["choices"]["suite"]
    keys, made = OF_TESTS, "minimal sets from grammars"
    if suite in MAKERS:
        keys, made = OF_GRAMMARS, "tests or text, without grammars"
    refuse_idle(typed, dict.fromkeys(keys, f": suite={suite} makes {made}. Leave it out."))
