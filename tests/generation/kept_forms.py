"""Which forms of a table a test of one feature can have, before any other rule."""

from pathlib import Path

from polyprobe.formats.reading.malformed import raised
from polyprobe.generation.type_tests.single_forms import labelled_forms
from polyprobe.generation.unimorph.decoding import PART_OF_SPEECH, RELEASED, Decisions
from polyprobe.generation.unimorph.inflections import DecodedInflections, read_inflections

_RULES = {"article": ("values", Decisions(), "nfc"), "released": ("occurrences", RELEASED, "kept")}


def kept_forms(unimorph: Path, feature: str, rules: str) -> dict[str, str]:
    """Returns from each form to its label, in the order of the file; empty where no triple has the feature."""
    ambiguity, decisions, normalization = _RULES[rules]
    name = PART_OF_SPEECH if feature == "POS" else feature
    lexicon = DecodedInflections(read_inflections([unimorph], normalization, raised), decisions)
    kept = labelled_forms(lexicon, name, ambiguity, least_of_label=1)
    form_ids = lexicon.inflections.form_ids[kept.triples]
    pairs = zip(form_ids.tolist(), kept.label_ids.tolist(), strict=True)
    return {lexicon.inflections.forms[form]: kept.labels[label] for form, label in pairs}
