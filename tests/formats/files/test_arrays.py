"""Files of arrays: what was written is read again, and damage anywhere is noticed."""

import zipfile
from dataclasses import dataclass

import numpy as np
import pytest

from polyprobe.formats.files.arrays import UnreadableArrays, read_arrays, read_fields, write_arrays, write_fields

ARRAYS = {"values": np.arange(6, dtype=np.float32), "names": np.array(["talo", "öljy"])}


@dataclass(frozen=True, eq=False)
class Named:
    test: str
    values: np.ndarray


@pytest.mark.parametrize("flip", [0x01, 0x06])  # 0x06: of one kind of compression to another
def test_a_flipped_byte_is_noticed_or_does_no_harm(tmp_path, flip):
    path = tmp_path / "arrays.npz"
    write_arrays(path, ARRAYS)
    content = path.read_bytes()
    n_noticed = 0
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :])
        try:
            found = read_arrays(path)
        except UnreadableArrays:
            n_noticed += 1
            continue
        assert found.keys() == ARRAYS.keys(), place
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(found[name], array)
    assert 2 * n_noticed > len(content)


def test_an_absent_file_is_unreadable(tmp_path):
    with pytest.raises(UnreadableArrays, match="No such file"):
        read_arrays(tmp_path / "none.npz")


def test_a_record_is_read_again_and_one_that_lacks_a_field_is_unreadable(tmp_path):
    path = tmp_path / "record.npz"
    write_fields(path, Named("Case", ARRAYS["values"]))
    found = read_fields(path, Named, {"values": ("f", "values")})
    assert found.test == "Case"
    np.testing.assert_array_equal(found.values, ARRAYS["values"])
    write_arrays(path, ARRAYS)
    with pytest.raises(UnreadableArrays, match="it has no test"):
        read_fields(path, Named, {"values": ("f", "values")})


def with_header(path, header: str, content: bytes = b"\0" * 48) -> None:
    """Makes a file of one array, `values`, with any header."""
    text = header.encode() + b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("values.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, -2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (50,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}",
        "(" * 5000,
    ],
)
def test_a_header_that_cannot_be_true_is_refused_without_advice_to_trust_it(tmp_path, header):
    with_header(tmp_path / "arrays.npz", header)
    with pytest.raises(UnreadableArrays) as refused:
        read_arrays(tmp_path / "arrays.npz")
    assert "pickle" not in str(refused.value)


def test_an_archive_that_claims_more_than_memory_holds_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "arrays.npz"
    write_arrays(path, ARRAYS)
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    second = content.index(b"PK\x01\x02", entry + 4)
    content[second + 24 : second + 28] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(bytes(content))
    with pytest.raises(UnreadableArrays, match="claims arrays of 8,589,934,944 bytes"):
        read_arrays(path)


@dataclass(frozen=True, eq=False)
class Labelled:
    name: str
    gold: np.ndarray
    inputs: np.ndarray


LABELLED = {"gold": ("i", "items"), "inputs": ("U", "items")}


@pytest.mark.parametrize(
    ("arrays", "found"),
    [
        ({"gold": np.zeros(3, np.int64)}, r"inputs has shape \[2\], <U1, and does not go with the other"),
        ({"gold": np.zeros(2)}, "gold has shape"),
        ({"name": np.zeros((2, 3), "U1")}, "name has shape"),
    ],
)
def test_arrays_that_are_not_of_the_items_are_refused(arrays, found, tmp_path):
    path = tmp_path / "x.npz"
    write_arrays(path, {"name": np.array("x"), "gold": np.zeros(2, np.int64), "inputs": np.array(["a", "b"]), **arrays})
    with pytest.raises(UnreadableArrays, match=found):
        read_fields(path, Labelled, LABELLED)
