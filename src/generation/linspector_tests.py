"""What the two levels of LINSPECTOR's tests share (Şahin et al. 2020): rules of languages, and how labels are read."""

from collections.abc import Mapping
from typing import Any

from polyprobe.generation.made_tests.language_rules import set_by_language
from polyprobe.generation.maker import Maker, MakingSettings, set_ones


class LinspectorTests(Maker):
    """Tests whose labels are those of UniMorph."""

    def known_by(self, settings: MakingSettings) -> dict[str, Any]:
        of_language = set_by_language(settings.lang, settings.dotless_i)
        return {**super().known_by(settings), "set_by_language": of_language}


def changes_of(settings: MakingSettings, section: str) -> Mapping[str, Any]:
    """Returns what is changed of the rules, its decoding, too."""
    changes = settings.changes(section)
    return {**changes, "decoding": set_ones(changes["decoding"])}
