"""Files whose publishers say no digest: that of the first download counts."""

import pytest

from polyprobe.errors import MalformedLine
from polyprobe.resources import pinned_files
from polyprobe.resources.download import FailedDownload, ensure
from polyprobe.resources.pinned_files import FETCHED
from tests.resources.server import blob_of, files, running

TARGET, PATH = "lm/xx/train.txt", "/example.org/record/1/files/xx%20train.txt"
FIRST, OTHER = b"a b c\n" * 1000, b"a b d\n" * 1000


@pytest.fixture
def server():
    with running() as server:
        server.behaviours = [files({PATH: FIRST})]
        yield server


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    path = tmp_path / "table.tsv"
    row = ("stories", "example.org/record/1/files", "xx train.txt", TARGET, "unknown")
    path.write_text("header\n" + "\t".join(row) + "\n")
    monkeypatch.setattr(pinned_files, "FIRST_FETCHED", path)


@pytest.fixture
def fetch(server, tmp_path):
    (tmp_path / "data").mkdir()
    return lambda: ensure(tmp_path / "data", TARGET, server.base_url)


def test_the_first_download_is_printed_and_kept_with_its_digest(fetch, tmp_path, capsys):
    assert fetch().read_bytes() == FIRST
    said = capsys.readouterr().err
    assert "Fetching stories from example.org/record/1/files." in said
    assert f"{TARGET}: 6,000 bytes, git blob id {blob_of(FIRST)}; its publishers say neither" in said
    kept = (tmp_path / "data" / FETCHED).read_text()
    assert kept == f"target\tblob\tbytes\n{TARGET}\t{blob_of(FIRST)}\t6000\n"


def test_the_same_bytes_are_taken_again_and_others_refused(fetch, server):
    fetch().unlink()
    assert fetch().read_bytes() == FIRST
    fetch().unlink()
    server.behaviours = [files({PATH: OTHER})]
    with pytest.raises(
        FailedDownload, match=r"other bytes than those that were fetched first \(fetched\.tsv, "
    ) as error:
        fetch()
    assert f"git blob id {blob_of(OTHER)}, 6,000 bytes. Expected git blob id {blob_of(FIRST)}, 6,000" in str(
        error.value
    )


def test_a_file_that_was_laid_there_is_used_and_not_recorded(tmp_path):
    (tmp_path / "data/lm/xx").mkdir(parents=True)
    (tmp_path / "data" / TARGET).write_bytes(OTHER)
    assert ensure(tmp_path / "data", TARGET, "http://127.0.0.1:1").read_bytes() == OTHER
    assert not (tmp_path / "data" / FETCHED).exists()


def test_a_file_other_than_the_first_download_is_used_with_a_warning(fetch, caplog):
    fetch().write_bytes(OTHER)
    assert fetch().read_bytes() == OTHER
    assert f"git blob id {blob_of(OTHER)}, published {blob_of(FIRST)}" in caplog.text


@pytest.mark.parametrize("line", ["lm/xx/train.txt\tabc\t5", "lm/xx/train.txt", f"x\t{'a' * 40}\tmany"])
def test_a_damaged_record_is_told_with_its_line(line, fetch, tmp_path):
    (tmp_path / "data" / FETCHED).write_text(f"target\tblob\tbytes\n{line}\n")
    with pytest.raises(MalformedLine, match=r"line 2: .* remove the line to fetch the file anew"):
        fetch()
