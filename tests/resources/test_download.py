"""Downloads from a server on 127.0.0.1 that behaves as it is told."""

import logging
import multiprocessing
import time
from pathlib import Path

import pytest

from polyprobe.resources import pinned_files
from polyprobe.resources.download import FailedDownload, MissingFile, base_url_of, blob_id, ensure
from tests.resources.server import CONTENT, blob_of, running, send, whole

BLOB = blob_of(CONTENT)
TARGET = "corpus/one two.txt"


@pytest.fixture
def server():
    with running() as server:
        yield server


@pytest.fixture(autouse=True)
def publish(tmp_path, monkeypatch):
    """Makes a table of one published file in place of the real one."""

    def table_with(n_bytes: str, dataset: str = "stories") -> None:
        row = (dataset, "owner/name", "c0ffee", "some/one two.txt", BLOB, n_bytes, TARGET, "CC BY-NC 4.0")
        path = tmp_path / f"files-{n_bytes}.tsv"
        path.write_text("header\n" + "\t".join(row) + "\n")
        monkeypatch.setattr(pinned_files, "TABLE", path)

    table_with("102400")
    return table_with


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Returns the seconds between attempts, which are not waited for."""
    seconds = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def fetch(server, data):
    return lambda: ensure(data, TARGET, server.base_url)


def left_in(data):
    """Returns the files of the data folder, and its empty folders."""
    return {str(path.relative_to(data)) for path in data.rglob("*") if path.is_file() or not any(path.iterdir())}


def cut_at(place: int):
    """Announces the whole and closes the connection after `place` bytes."""
    return lambda handler: send(handler, CONTENT[:place], announced=len(CONTENT))


def status(code: int):
    return lambda handler: send(handler, b"no such luck", status=code)


def wrong_byte(handler):
    send(handler, b"x" + CONTENT[1:])


def redirect(address: str):
    return lambda handler: send(handler, b"", status=302, Location=address)


def test_a_missing_file_is_fetched_once_from_its_pinned_revision(fetch, server, data, pauses):
    assert fetch() == fetch() == data / TARGET
    assert (data / TARGET).read_bytes() == CONTENT
    assert (data / TARGET).stat().st_mode & 0o444 == 0o444
    assert [path for path, _ in server.requests] == ["/owner/name/c0ffee/some/one%20two.txt"]
    assert pauses == []
    assert left_in(data) <= {TARGET, ".download.lock"}


@pytest.mark.parametrize("n_bytes", ["102400", "unknown"])
@pytest.mark.parametrize("first", [cut_at(0), cut_at(65_536), cut_at(102_399), status(503), status(429)])
def test_a_transfer_that_breaks_off_and_a_busy_server_are_tried_again(first, n_bytes, fetch, server, publish, pauses):
    publish(n_bytes)
    server.behaviours = [first, whole]
    assert fetch().read_bytes() == CONTENT
    assert pauses == [1]


def test_a_server_that_never_gets_through_is_tried_five_times(fetch, server, data):
    server.behaviours = [cut_at(500)]
    with pytest.raises(FailedDownload, match="could not be read in 5 attempts"):
        fetch()
    assert len(server.requests) == 5
    assert left_in(data) <= {".download.lock"}


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [(status(404), "refuses: 404 "), (wrong_byte, f"git blob id {blob_of(b'x' + CONTENT[1:])}, 102,400 bytes")],
)
def test_a_file_that_the_server_lacks_and_other_bytes_are_refused_at_once(behaviour, reason, fetch, server, data):
    server.behaviours = [behaviour]
    with pytest.raises(FailedDownload) as refusal:
        fetch()
    assert len(server.requests) == 1
    address = f"{server.base_url}/owner/name/c0ffee/some/one%20two.txt"
    for part in (reason, TARGET, address, BLOB, "102,400 bytes", str(data / TARGET), "paths.mirror"):
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert left_in(data) <= {".download.lock"}


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:text/plain,hello"])
def test_a_redirect_away_from_http_is_not_followed(fetch, server, data, address):
    server.behaviours = [redirect(address)]
    with pytest.raises(FailedDownload):
        fetch()
    assert not (data / TARGET).exists()


def test_a_redirect_within_http_is_followed(fetch, server):
    server.behaviours = [redirect("/elsewhere"), whole]
    assert fetch().read_bytes() == CONTENT


def test_without_network_the_message_says_what_to_put_where(fetch, server, data, pauses):
    server.shutdown()
    server.server_close()
    with pytest.raises(FailedDownload) as refusal:
        fetch()
    missing = f"{TARGET} is missing, and 127.0.0.1:{server.server_port} cannot be reached (offline?). "
    assert str(refusal.value).startswith(f"{missing}Put it at {data / TARGET}, or set paths.mirror=")
    assert pauses == []
    with pytest.raises(FailedDownload, match=r"nowhere\.invalid cannot be reached \(offline\?\)"):
        ensure(data, TARGET, "https://nowhere.invalid")
    assert pauses == []


def test_a_server_without_end_is_left_once_it_sends_more_than_the_file_has(fetch, server, data):
    server.behaviours = [lambda handler: send(handler, CONTENT + CONTENT, announced=1 << 40)]
    with pytest.raises(FailedDownload, match="sends more than 102,400 bytes"):
        fetch()
    assert len(server.requests) == 1
    assert left_in(data) <= {".download.lock"}


def test_two_processes_fetch_a_file_once(fetch, server):
    forked = multiprocessing.get_context("fork")
    both_ready = forked.Barrier(2)

    def together():
        both_ready.wait()
        assert fetch().read_bytes() == CONTENT

    processes = [forked.Process(target=together) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert len(server.requests) == 1


def test_an_own_version_of_a_file_is_used_with_one_warning(fetch, server, data, caplog):
    (data / "corpus").mkdir(parents=True)
    (data / TARGET).write_bytes(b"hello world\n")
    assert fetch().read_bytes() == b"hello world\n"
    fetch()
    assert server.requests == []
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert BLOB in warnings[0]
    assert "3b18e512dba79e4c8300dd08aeb37f8e728b8dad" in warnings[0]


def test_a_file_that_nobody_publishes_is_named_with_the_place_where_it_belongs(data):
    with pytest.raises(MissingFile) as refusal:
        ensure(data, "corpus/three.txt", None)
    assert str(data / "corpus/three.txt") in str(refusal.value)


def test_of_missing_data_folders_the_default_alone_is_made(server, tmp_path, monkeypatch):
    with pytest.raises(MissingFile, match=r"paths\.data=.*/nosuch: there is no such folder"):
        ensure(tmp_path / "nosuch", TARGET, server.base_url)
    assert not (tmp_path / "nosuch").exists()
    monkeypatch.chdir(tmp_path)
    assert ensure(Path("data"), TARGET, server.base_url).read_bytes() == CONTENT


def test_the_licence_is_told_with_the_download(server, data, capsys, publish):
    publish("102400", dataset="fables")
    ensure(data, TARGET, server.base_url)
    assert "for non-commercial use only" in capsys.readouterr().err


def test_the_mirror_of_the_configuration_comes_before_that_of_the_environment(monkeypatch):
    monkeypatch.delenv("POLYPROBE_MIRROR", raising=False)
    assert base_url_of(None) == "https://raw.githubusercontent.com"
    monkeypatch.setenv("POLYPROBE_MIRROR", "http://one.example")
    assert base_url_of(None) == "http://one.example"
    assert base_url_of("http://two.example") == "http://two.example"


def test_what_a_server_says_is_shown_escaped_and_short(fetch, server):
    def hostile(handler):
        handler.send_response(404, "gone \x1b[2J\x9b31m\x85" + "x" * 5000)
        handler.end_headers()

    server.behaviours = [hostile]
    with pytest.raises(FailedDownload, match=r"refuses: 404 gone \\x1b\[2J\\x9b31m\\x85x") as refused:
        fetch()
    assert len(str(refused.value)) < 1000
    assert str(refused.value).isprintable()


def test_blob_ids_are_those_of_git(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "hello").write_bytes(b"hello world\n")
    assert blob_id(tmp_path / "empty") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(tmp_path / "hello") == "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
