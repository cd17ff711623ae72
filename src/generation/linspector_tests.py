"""What the two levels of LINSPECTOR's tests share (Şahin et al. 2020): rules of languages, and how labels are read."""

from typing import Any

from polyprobe.generation.made_tests.language_rules import set_by_language
from polyprobe.generation.maker import Maker, MakingSettings, set_ones


class LinspectorTests(Maker):
    """Tests whose labels are those of UniMorph."""

    @classmethod
    def arguments_of(cls, settings: MakingSettings) -> dict[str, Any]:
        """Returns what the options of a level are made of: rules, language, seed, and what differs from the rules."""
        changes = settings.changes(cls.section)
        return {
            **{**changes, "decoding": set_ones(changes["decoding"])},
            **{name: getattr(settings, name) for name in ("rules", "language", "seed")},
            "set_by_language": set_by_language(settings.lang, settings.dotless_i),
        }

    def known_by(self, settings: MakingSettings) -> dict[str, Any]:
        of_language = set_by_language(settings.lang, settings.dotless_i)
        return {**super().known_by(settings), "set_by_language": of_language}
