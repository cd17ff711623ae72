import random
from pathlib import Path

import pytest

from polyprobe.resources.assembled import joined_inflections, joined_trees
from polyprobe.resources.pinned_files import source_of

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


@pytest.mark.parametrize("target", ["trees/gum/dev.tsv", "trees/craft/dev.tsv"])
def test_trees_in_a_file_for_each_document_of_the_table_join_to_the_same_bytes(data_folder, tmp_path, target):
    documents = {Path(part.path).name: [] for part in source_of(target).parts}
    by_stem = {Path(name).stem: trees for name, trees in documents.items()}
    for row in (data_folder / target).read_bytes().decode().splitlines():
        document, tree = row.split("\t")
        by_stem[document].append(tree.replace(" (", "\n    (", 3))
    for name, trees in documents.items():
        (tmp_path / name).write_text("\n\n".join(trees) + "\n", encoding="utf-8", newline="\n")
    joined = "\n".join(joined_trees([tmp_path / name for name in documents])) + "\n"
    assert joined.encode() == (data_folder / target).read_bytes()
