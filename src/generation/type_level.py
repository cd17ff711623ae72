"""Type-level probing tests from a UniMorph table and a frequency list, as LINSPECTOR's (Şahin et al. 2020)."""

from pathlib import Path

from src.errors import UnknownChoice
from src.formats.reading.malformed import refuse
from src.generation.type_tests.ambiguity import labelled_forms
from src.generation.unimorph.decoding import RELEASED, Decisions, known_feature
from src.generation.unimorph.inflections import DecodedInflections, read_inflections


def kept_forms(unimorph: Path, feature: str, rules: str) -> dict[str, str]:
    """Returns the forms that a test of one feature can have, before any other rule.

    Forms with a blank are left out. Labels are read by the whole schema, spellings in NFC; by the released rules as the
    released program reads them, spellings as they stand. A label need not be frequent here.

    Args:
        unimorph: a UniMorph table.
        feature: a dimension of UniMorph ("Case", "Part of Speech"; a person is labelled with its number).
        rules: "article": forms with one label of the feature; "released": forms that occur once among the triples that
            have it.

    Returns:
        From each form to its label, in the order of the file; empty where no triple has the feature.

    Raises:
        MalformedLine: at a row that is no triple.
        UnknownChoice: no such feature or rules.
    """
    if rules not in _RULES:
        raise UnknownChoice("rules", rules, _RULES)
    ambiguity, decisions, normalization = _RULES[rules]
    name = known_feature(feature, decisions)
    lexicon = DecodedInflections(read_inflections([Path(unimorph)], normalization, refuse), decisions)
    kept = labelled_forms(lexicon, name, ambiguity, least_of_label=1)
    form_ids = lexicon.inflections.form_ids[kept.triples]
    pairs = zip(form_ids.tolist(), kept.label_ids.tolist(), strict=True)
    return {lexicon.inflections.forms[form]: kept.labels[label] for form, label in pairs}


_RULES = {"article": ("values", Decisions(), "nfc"), "released": ("occurrences", RELEASED, "kept")}
