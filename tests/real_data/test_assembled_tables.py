import random

import pytest

from src.formats.lexica.joined_inflections import joined_inflections
from src.resources.pinned_files import source_of

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize("target", ["unimorph/tur/tur.txt", "unimorph/eng/eng.txt"])
def test_a_table_in_overlapping_pieces_without_order_joins_to_the_same_bytes(data_folder, tmp_path, target):
    rows = (data_folder / target).read_bytes().decode().splitlines()
    draw = random.Random(1)
    draw.shuffle(rows)
    pieces = [
        rows[number :: len(source_of(target).parts)] + rows[:1000] for number in range(len(source_of(target).parts))
    ]
    for number, piece in enumerate(pieces):
        (tmp_path / str(number)).write_text("\n".join([*piece, "lemma\tform", ""]), encoding="utf-8", newline="\n")
    joined = "\n".join(joined_inflections([tmp_path / str(number) for number in range(len(pieces))])) + "\n"
    assert joined.encode() == (data_folder / target).read_bytes()
