"""Files that are whole or absent."""

import os

import pytest

from polyprobe.formats.files.atomic import write_text


def test_a_file_that_cannot_be_written_is_named_and_not_its_neighbour(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        write_text(tmp_path / "absent" / "rows.csv", "a")
    assert error.value.filename == str(tmp_path / "absent" / "rows.csv")
    assert os.listdir(tmp_path) == []
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        write_text(tmp_path / "folder", "a")
    assert str(error.value) == f"[Errno 21] Is a directory: '{tmp_path / 'folder'}'"
