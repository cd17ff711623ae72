"""What is set for single languages: for many in `languages.yaml`, for any in its own file, which is laid over it.

    # my_conf/lang/xx.yaml
    dotless_i: true
    made_with:
      sizes: scaled                 # a default of conf/generate.yaml, read there
      odd_feat: {Case: 0.5}

Every key of `languages.yaml` may stand there; `frequent_words` is one number, whatever the rules.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Le

from polyprobe.errors import check_choice
from polyprobe.generation.rule_files import rules_named, rules_of
from polyprobe.generation.unimorph.decoding import Decisions, dimensions
from polyprobe.section import Count, Expected, Number, Section, check_options

_KEY = "lang.made_with"
_OF_THE_COMMAND = "sizes"
_ANY_OTHER, _LEMMA = "other", "lemma"  # in place of a feature

_Value = TypeVar("_Value")
OfFeatures = Annotated[Mapping[str, _Value], Expected("a value for each feature, such as {Case: …}")]
Share = Annotated[Number, Ge(0), Le(1), Expected("a share from 0 to 1")]
Names = Annotated[Sequence[str], Expected("a list of names", of_parts=True)]
NamesOfFeatures = Annotated[
    Mapping[str, Names], Expected("a list of names for each feature, such as {Case: [Participle]}")
]


class LanguageRules(Section, key=_KEY):
    """What is set for a language; `languages.yaml` says what each is."""

    frequent_words: Count
    dotless_i: bool
    """Whether I is the capital of ı."""
    intr: str
    ignored: NamesOfFeatures
    not_none: NamesOfFeatures
    group_size: OfFeatures[Count]
    not_compared: Names
    untagged: Names
    odd_feat: OfFeatures[Share]
    same_feat: OfFeatures[Share]


def set_by_language(lang: Mapping[str, Any], dotless_i: bool) -> dict[str, Any]:
    """Returns what the file of a language sets, for `language_rules`.

    Args:
        lang: the settings of `lang=<code>`.
        dotless_i: whether I is the capital of ı.
    """
    made_with = lang.get("made_with") or {}
    keys = [field.name for field in dataclasses.fields(LanguageRules) if field.name != "dotless_i"]
    for key in made_with:
        check_choice(_KEY, key, [_OF_THE_COMMAND, *keys])
    own = {key: value for key, value in made_with.items() if key != _OF_THE_COMMAND and value is not None}
    return {"dotless_i": dotless_i, **own}


def language_rules(language: str, rules: str, own: Mapping[str, Any] | None) -> LanguageRules:
    """Returns what is set for a language, with what is set for all others where nothing else says it.

    Args:
        language: ISO 639-1; one that `languages.yaml` lacks has what stands there under "other".
        rules: "article" or "released".
        own: laid over that, entry by entry, as `set_by_language` returns it.
    """
    known = rules_of(Path(__file__).with_name("languages.yaml"))
    chosen = {"dotless_i": False, **known[_ANY_OTHER], **known.get(language, {})}
    chosen["frequent_words"] = chosen["frequent_words"][rules]
    for key, value in (own or {}).items():
        is_group = isinstance(value, Mapping) and isinstance(chosen[key], Mapping)
        chosen[key] = {**chosen[key], **value} if is_group else value
    return LanguageRules(**chosen)


def linspector_rules(
    section: type[Section], path: Path, rules: str, language: str, own: Mapping[str, Any] | None, changes: Mapping
) -> tuple[dict[str, Any], LanguageRules]:
    """Returns the options of a set of rules, decoding included, and what is set for the language.

    Args:
        section: of the options.
        path: of the rules.
        rules, language, own: as `language_rules` takes them.
        changes: options that differ from the rules; `decoding` as a mapping of what differs.

    Raises:
        UnknownChoice: of rules, an option or its value, or a feature that the language's file names.
        BadValue: a number out of its range.
    """
    of_rules = rules_named(path, rules)
    check_options(section, changes)
    of_language = language_rules(language, rules, own)
    decided = {"intr": of_language.intr, **of_rules["decoding"], **changes.get("decoding", {})}
    decoding = Decisions.of(decided)
    _check_features(own or {}, dimensions(decoding))
    return {**of_rules, **changes, "decoding": decoding}, of_language


def _check_features(own: Mapping[str, Any], known: Collection[str]) -> None:
    """Checks that what a language's file sets is set for dimensions of the schema."""
    besides = {"group_size": (_ANY_OTHER,), "odd_feat": (_LEMMA,), "same_feat": (_LEMMA,)}
    for key in ("ignored", "not_none", "group_size", "not_compared", "untagged", "odd_feat", "same_feat"):
        for feature in own.get(key, ()):
            check_choice(f"{_KEY}.{key}", feature, [*known, *besides.get(key, ())])
