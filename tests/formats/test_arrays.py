"""Files of arrays: what was written is read again, and damage anywhere is noticed."""

from dataclasses import dataclass

import numpy as np
import pytest

from src.formats.arrays import UnreadableArrays, read_arrays, read_fields, write_arrays, write_fields

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
    found = read_fields(path, Named)
    assert found.test == "Case"
    np.testing.assert_array_equal(found.values, ARRAYS["values"])
    write_arrays(path, ARRAYS)
    with pytest.raises(UnreadableArrays, match="it has no test"):
        read_fields(path, Named)
