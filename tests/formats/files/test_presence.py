"""A link to a device and a pipe, as an archive from elsewhere may hold, are neither read without end nor waited for."""

import json
import os

import pytest

from polyprobe.formats.files.digest import DamagedJson, file_digest, read_sealed
from polyprobe.formats.files.file_names import text_of_file
from polyprobe.runs.record.configuration_file import read_configuration
from polyprobe.runs.results import read_rows


@pytest.mark.parametrize("read", [file_digest, read_sealed, read_configuration, read_rows])
@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/dev/zero"), os.mkfifo], ids=["device", "pipe"])
def test_what_is_no_file_is_refused_at_once(read, make, tmp_path):
    path = tmp_path / "run.json"
    make(path)
    with pytest.raises(OSError, match="it is a device or a pipe, no file"):
        read(path)


def test_more_than_is_read_of_a_json_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"status": "finished"}))
    os.truncate(path, 10**12)  # a sparse file, as an archive of a few bytes may hold
    with pytest.raises(DamagedJson, match="it has more than the 50,000,000 bytes"):
        read_sealed(path)


def test_line_ends_become_line_feeds(tmp_path):
    (tmp_path / "a.txt").write_bytes("ä\r\nb\rc\n".encode())
    assert text_of_file(tmp_path / "a.txt") == "ä\nb\nc\n"
