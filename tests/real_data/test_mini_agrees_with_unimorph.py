"""The miniature Turkish beside the Turkish of UniMorph."""

from collections import defaultdict
from pathlib import Path

import pytest

from polyprobe.generation.mini.lexicon import inventory

pytestmark = pytest.mark.real_data

# Where UniMorph is wrong or has a variant: polisde, hızlıdı, omuzumda, seyretecek, temizliyeceksiniz.
N_KNOWN_DIFFERENCES = 20


def test_forms_are_those_of_unimorph(data_folder: Path):
    """Singular nouns with the possessor 3.pl are left out: UniMorph gives them the forms of 1.sg (ayım for ayıları)."""
    ours = {(entry.lemma, entry.bundle): entry.form for entry in inventory()}
    theirs = defaultdict(set)
    for line in (data_folder / "unimorph/tur/tur.txt").read_text(encoding="utf-8").splitlines():
        lemma, form, bundle = line.split("\t")
        if (lemma, bundle) in ours and not bundle.endswith("SG;PSS3P"):
            theirs[lemma, bundle].add(form)
    different = [slot for slot, forms in theirs.items() if ours[slot] not in forms]
    assert len(theirs) > 4_500
    assert len(different) <= N_KNOWN_DIFFERENCES, different
