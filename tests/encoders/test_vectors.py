"""Vectors that the library kept; the promises of every encoder stand in test_contract.py."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.vectors import Vectors
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.file_names import file_name
from polyprobe.formats.vectors.vectors_folder import VectorsFolder, write, write_files
from polyprobe.items import Form, Sentence, TokenInContext

WORDS = ("Talo", "paloi", ".")
ITEMS = [Form("talo"), TokenInContext(WORDS, 1), Sentence(WORDS)]
LAYERS = {"low": np.array([[1], [2], [3]], np.float32), "top": np.array([[1, 0], [2, 0], [3, 0]], np.float32)}


def written(folder):
    return write(folder, "mine", ITEMS, LAYERS)


def test_forms_tokens_and_sentences_are_found_at_every_layer(tmp_path):
    encoder = Vectors(written(tmp_path), None)
    assert encoder.layers == (Layer("low", 1), Layer("top", 2))
    ((low, top),) = encoder.encode(ITEMS[::-1])
    assert (low.tolist(), top.tolist()) == ([[3], [2], [1]], [[3, 0], [2, 0], [1, 0]])


def test_the_same_vectors_lie_in_the_same_folder_and_others_in_another(tmp_path):
    first, again = written(tmp_path), written(tmp_path)
    other = write(tmp_path, "mine", ITEMS, {**LAYERS, "low": LAYERS["low"] + 1})
    assert first == again != other
    assert Vectors(first, None).fingerprint != Vectors(other, None).fingerprint


def test_items_that_are_not_there_are_counted_and_named(tmp_path):
    folder = written(tmp_path)
    absent = [Form(form) for form in ("Talo", "yö", "c", "d")]
    with pytest.raises(PolyprobeError) as refused:
        Vectors(folder, None).check_there([Form("talo"), *absent])
    first = '{"form": "Talo"}, {"form": "yö"}, {"form": "c"} …'
    assert f"{folder} lacks 4 of 5 items: {first}. All are listed in {folder / 'missing.jsonl'}:" in str(refused.value)
    assert (folder / "missing.jsonl").read_text() == "".join(f'{{"form": "{one.form}"}}\n' for one in absent)


def test_nothing_is_written_where_another_run_may_have_named_the_folder(tmp_path):
    folder = written(tmp_path)
    with pytest.raises(PolyprobeError, match=r'lacks 1 of 1 items: {"form": "yö"}\. Compute and add them'):
        list(Vectors(folder, None).encode([Form("yö")]))
    assert not (folder / "missing.jsonl").exists()


@pytest.mark.parametrize("name", ["state@1", "@1", "a@b"])
def test_a_name_with_an_at_sign_is_no_epoch(tmp_path, name):
    folder = write(tmp_path, "mine", ITEMS, {name: LAYERS["low"], "state": LAYERS["top"]})
    assert [*VectorsFolder.of(folder).layers] == [(file_name(name), None), ("state", None)]


@pytest.mark.parametrize("name", ["state", "state@1", "state@"])
def test_an_epoch_is_read_as_it_was_written(tmp_path, name):
    write_files(tmp_path / "there", ITEMS, [((name, 8), LAYERS["low"])])
    assert [*VectorsFolder.of(tmp_path / "there").layers] == [(name, 8)]


def test_a_layer_whose_file_has_no_number_is_told(tmp_path):
    folder = written(tmp_path)
    (folder / "1-top.safetensors").rename(folder / "top.safetensors")
    with pytest.raises(
        PolyprobeError, match=r"has top\.safetensors, whose name begins with no number\. Expected items"
    ):
        Vectors(folder, None)


def test_layers_with_and_without_an_epoch_are_not_put_together(tmp_path):
    write_files(tmp_path, ITEMS, [(("encoding", 8), LAYERS["top"]), (("low", None), LAYERS["low"])])
    said = r"layers of epochs \(encoding\) beside layers without an epoch \(low\)\. .*encoder\.layers=\["
    with pytest.raises(PolyprobeError, match=said):
        Vectors(tmp_path, None)
    assert Vectors(tmp_path, ["low"]).layers == (Layer("low", 1),)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", r"line 4: got '\{', which is no item\. Expected \{\"form\""),
        ('{"form": 3}', "line 4: got"),
        (
            '{"words": ["a", "b"], "index": 2}',
            r"line 4: the index is 2, .* 2 words\. Expected the number of one of them",
        ),
        ('{"form": "talo"}', "line 4: the item is also in line 1"),
        ('{"form": "auto"}', "has 4 items, and 3 vectors of layer low"),
    ],
)
def test_items_of_another_kind_are_refused(tmp_path, line, words):
    folder = written(tmp_path)
    with open(folder / "items.jsonl", "a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    with pytest.raises(PolyprobeError, match=words):
        list(Vectors(folder, None).encode(ITEMS))


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        (None, "cannot be read"),
        ({"other": LAYERS["low"]}, "has nothing as `vectors`"),
        ({"vectors": LAYERS["low"].astype(np.float64)}, r"has float64 \[3, 1\]"),
        ({"vectors": np.float32([[1, 2], [3, np.nan]])}, r"has nan as number 2 of the vector of item 2 \(line 2 of"),
    ],
)
def test_a_file_that_is_no_layer_is_refused(tmp_path, tensors, words):
    folder = written(tmp_path)
    if tensors is None:
        (folder / "0-low.safetensors").write_bytes(b"\xff" * 20)
    else:
        save_file(tensors, folder / "0-low.safetensors")
    with pytest.raises(PolyprobeError, match=f"0-low.safetensors .*{words}"):
        Vectors(folder, None)


@pytest.mark.parametrize(("name", "layer"), [("2-low", "low")])
def test_two_files_of_one_layer_are_refused(tmp_path, name, layer):
    folder = written(tmp_path)
    save_file({"vectors": LAYERS["low"]}, folder / f"{name}.safetensors")
    with pytest.raises(PolyprobeError, match=f"{name}.safetensors, two files of the layer {name.partition('-')[2]}"):
        Vectors(folder, None)


def test_layers_of_checkpoints_have_their_epochs(tmp_path):
    layers = [(("encoding", epoch), np.full((3, 2), epoch, np.float32)) for epoch in (0, 8)]
    write_files(tmp_path, ITEMS, [*layers, (("e@x", None), LAYERS["low"])])
    assert sorted(file.name for file in tmp_path.glob("*s")) == [
        "0-encoding@0.safetensors", "1-encoding@8.safetensors", "2-e@x.safetensors",
    ]  # fmt: skip
    encoder = Vectors(tmp_path, ["encoding"])
    assert encoder.layers == (Layer("encoding", 2, 0), Layer("encoding", 2, 8))
    assert [matrix[0, 0] for matrix in next(encoder.encode(ITEMS))] == [0, 8]


@pytest.mark.parametrize("name", ["items.jsonl", "*.safetensors"])
def test_a_folder_without_its_files_is_refused(tmp_path, name):
    folder = written(tmp_path)
    for file in folder.glob(name):
        file.unlink()
    with pytest.raises(PolyprobeError, match=r"Expected (a folder with )?items\.jsonl, and for each layer"):
        Vectors(folder, None)
