"""The UD features of the miniature Turkish, beside its UniMorph bundles (`N;LOC;PL;PSS1S`).

The codes and the order within a bundle are those of UniMorph's Turkish (`V;IND;3;SG;PST;NEG;DECL`). Three converbs are
distinguished by the language-specific codes LGSPEC1 to LGSPEC3.
"""

import functools

_CASE_FEATURE = {"NOM": "Nom", "ACC": "Acc", "DAT": "Dat", "LOC": "Loc", "ABL": "Abl", "GEN": "Gen"}
NUMBER_FEATURE = {"SG": "Sing", "PL": "Plur"}


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
