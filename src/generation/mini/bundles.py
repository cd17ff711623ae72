"""UniMorph bundles (`N;LOC;PL;PSS1S`) of the miniature Turkish: their dimensions, the names of values, UD features.

The codes and the order within a bundle are those of UniMorph's Turkish (`V;IND;3;SG;PST;NEG;DECL`), the names those of
the UniMorph schema. Three converbs are distinguished by the language-specific codes LGSPEC1 to LGSPEC3.
"""

import functools
from collections.abc import Mapping

from src.generation.mini.data_files import table

_DIMENSION = {row["code"]: row["dimension"] for row in table("features")}
_VALUE = {row["code"]: row["value"] for row in table("features")}
_CASE_FEATURE = {"NOM": "Nom", "ACC": "Acc", "DAT": "Dat", "LOC": "Loc", "ABL": "Abl", "GEN": "Gen"}
NUMBER_FEATURE = {"SG": "Sing", "PL": "Plur"}


@functools.cache
def dimensions(bundle: str) -> Mapping[str, str]:
    """Returns the code of every dimension: `N;LOC;PL` is `{"Part of Speech": "N", "Case": "LOC", "Number": "PL"}`."""
    return {_DIMENSION[code]: code for code in bundle.split(";") if code}


def tag_count(bundle: str) -> int:
    """Counts the dimensions, part of speech included; 0 without an analysis (""), as for punctuation."""
    return len(dimensions(bundle))


@functools.cache
def label(bundle: str, dimension: str) -> str | None:
    """Names the value of a dimension as the published sets do; None where the bundle lacks it.

    Person is fused with number ("Third person Singular"); a person without number has no label.
    """
    codes = dimensions(bundle)
    if dimension not in codes or (dimension == "Person" and "Number" not in codes):
        return None
    value = _VALUE[codes[dimension]]
    return f"{value} {_VALUE[codes['Number']]}" if dimension == "Person" else value


def feats(**features: str) -> str:
    """Writes UD features, sorted as UD requires (case-insensitively); `psor_Number` means `Number[psor]`."""
    named = {_feature_name(name): value for name, value in features.items()}
    return "|".join(f"{name}={named[name]}" for name in sorted(named, key=str.lower)) or "_"


@functools.cache
def nominal_feats(case: str, number: str, possessor: str | None = None, **more: str) -> str:
    """Writes the UD features of a noun, name or pronoun from UniMorph codes (`possessor`: `PSS1S` or None)."""
    features = {"Case": _CASE_FEATURE[case], "Number": NUMBER_FEATURE[number], "Person": "3"} | more
    if possessor:
        features |= {"psor_Person": possessor[3], "psor_Number": {"S": "Sing", "P": "Plur"}[possessor[4]]}
    return feats(**features)


def _feature_name(name: str) -> str:
    return f"{name.removeprefix('psor_')}[psor]" if name.startswith("psor_") else name
