import hashlib
import itertools
import logging
import threading

import pytest

from polyprobe.errors import BadValue, PolyprobeError
from polyprobe.resources import pinned_files
from polyprobe.resources.download import FailedDownload, MissingFile, base_url_of, blob_id, ensure
from polyprobe.resources.pace import limit_downloads
from tests.resources.server import CONTENT, running, send, whole

BLOB = hashlib.sha1(b"blob 102400\0" + CONTENT).hexdigest()
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


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def fetch(server, data, pauses):
    return lambda: ensure(data, TARGET, server.base_url, pauses.append)


def only_the_file_is_left(data):
    return {path.name for path in (data / "corpus").iterdir()} == {"one two.txt"}


def cut_at(place: int):
    """Announces the whole and closes the connection after `place` bytes."""

    def behave(handler):
        send(handler, CONTENT[:place], announced=len(CONTENT))

    return behave


def status(code: int):
    def behave(handler):
        send(handler, b"no such luck", status=code)

    return behave


def wrong_byte(handler):
    send(handler, b"x" + CONTENT[1:])


def without_ranges(handler):
    send(handler, CONTENT)


def dribbling(handler):
    send(handler, b"", announced=len(CONTENT))
    for start in range(0, len(CONTENT), 1000):
        handler.wfile.write(CONTENT[start : start + 1000])
        handler.wfile.flush()


def endless(handler):
    send(handler, CONTENT, announced=1 << 40)
    try:
        while True:
            handler.wfile.write(CONTENT)
    except OSError:
        handler.server.hung_up.set()


def redirect(address: str):
    def behave(handler):
        send(handler, b"", status=302, Location=address)

    return behave


def test_a_missing_file_is_fetched_from_its_pinned_revision(fetch, server, data, pauses):
    assert fetch() == data / TARGET
    assert (data / TARGET).read_bytes() == CONTENT
    assert server.requests == [("/owner/name/c0ffee/some/one%20two.txt", None)]
    assert pauses == []
    assert only_the_file_is_left(data)


def test_a_file_that_is_there_is_not_fetched_again(fetch, server):
    fetch()
    fetch()
    assert len(server.requests) == 1


def test_a_slow_server_is_read_to_the_end(fetch, server):
    server.behaviours = [dribbling]
    assert fetch().read_bytes() == CONTENT


@pytest.mark.parametrize("place", [1, 65_536, 102_399])
def test_a_transfer_that_breaks_off_goes_on_where_it_stopped(fetch, server, pauses, place):
    server.behaviours = [cut_at(place), whole]
    assert fetch().read_bytes() == CONTENT
    assert [asked for _, asked in server.requests] == [None, f"bytes={place}-"]
    assert pauses == [0.5]


def test_a_part_of_an_earlier_process_is_completed(fetch, server, data):
    (data / "corpus").mkdir(parents=True)
    (data / "corpus" / "one two.txt.part").write_bytes(CONTENT[:5000])
    assert fetch().read_bytes() == CONTENT
    assert server.requests[0][1] == "bytes=5000-"


def test_a_server_that_pays_no_heed_to_ranges_sends_the_whole_again(fetch, server):
    server.behaviours = [cut_at(5000), without_ranges]
    assert fetch().read_bytes() == CONTENT


def test_a_server_that_never_gets_through_is_tried_five_times(fetch, server, pauses, data):
    server.behaviours = [cut_at(0)]
    with pytest.raises(FailedDownload, match="could not be read in 5 attempts"):
        fetch()
    assert len(server.requests) == 5
    assert pauses == [0.5, 1.0, 2.0, 4.0]
    assert not (data / TARGET).exists()


def test_a_busy_server_is_asked_again(fetch, server):
    server.behaviours = [status(503), status(429), whole]
    assert fetch().read_bytes() == CONTENT


def test_a_file_that_the_server_lacks_is_refused_at_once(fetch, server, data):
    server.behaviours = [status(404)]
    with pytest.raises(FailedDownload) as refusal:
        fetch()
    assert len(server.requests) == 1
    for part in ("404", f"{server.base_url}/owner/name/c0ffee/some/one%20two.txt", BLOB, str(data / TARGET)):
        assert part in str(refusal.value)


def test_a_download_that_fails_leaves_no_folder(fetch, server, data):
    server.behaviours = [status(404)]
    with pytest.raises(FailedDownload):
        fetch()
    assert not (data / "corpus").exists()


def test_a_wrong_byte_is_thrown_away_and_the_file_fetched_once_more(fetch, server, data):
    server.behaviours = [wrong_byte, whole]
    assert fetch().read_bytes() == CONTENT
    assert server.requests[1][1] is None
    assert only_the_file_is_left(data)


def test_a_wrong_byte_twice_is_refused_with_both_blob_ids(fetch, server, data):
    server.behaviours = [wrong_byte]
    with pytest.raises(FailedDownload) as refusal:
        fetch()
    found = hashlib.sha1(b"blob 102400\0x" + CONTENT[1:]).hexdigest()
    for part in (BLOB, found, "102,400 bytes", str(data / TARGET)):
        assert part in str(refusal.value)
    assert len(server.requests) == 2
    assert not (data / "corpus").exists()


def test_no_more_is_read_than_one_byte_beyond_the_expected_ones(fetch, server):
    server.hung_up = threading.Event()
    server.behaviours = [endless]
    with pytest.raises(FailedDownload, match="102,401 bytes read"):
        fetch()
    assert server.hung_up.wait(timeout=10)


@pytest.mark.parametrize("address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:text/plain,hello"])
def test_a_redirect_away_from_http_is_not_followed(fetch, server, data, address):
    server.behaviours = [redirect(address)]
    with pytest.raises(FailedDownload):
        fetch()
    assert not (data / TARGET).exists()


def test_a_redirect_within_http_is_followed(fetch, server):
    server.behaviours = [redirect("/elsewhere"), whole]
    assert fetch().read_bytes() == CONTENT


def test_without_network_the_message_says_what_to_put_where(server, data, pauses):
    server.server_close()
    with pytest.raises(FailedDownload) as refusal:
        ensure(data, TARGET, server.base_url, pauses.append)
    for part in (server.base_url, BLOB, "102,400 bytes", str(data / TARGET), "paths.mirror"):
        assert part in str(refusal.value)
    assert len(pauses) == 4


@pytest.mark.parametrize("first", [whole, cut_at(5000), wrong_byte])
def test_a_file_of_unknown_size_is_checked_by_its_blob_id(fetch, server, publish, first):
    publish("unknown")
    server.behaviours = [first, whole]
    assert fetch().read_bytes() == CONTENT


def test_two_at_once_fetch_a_file_once(fetch, server):
    both_ready = threading.Barrier(2)

    def together():
        both_ready.wait()
        fetch()

    threads = [threading.Thread(target=together) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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


def test_a_data_folder_that_is_made_is_told(fetch, data, caplog):
    caplog.set_level(logging.INFO)
    fetch()
    said = [record.getMessage() for record in caplog.records if "Making" in record.getMessage()]
    assert said == [f"Making the data folder {data}: there is none (paths.data, or POLYPROBE_DATA)."]


def test_a_folder_that_cannot_be_made_is_named(tmp_path, server):
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(FailedDownload, match="cannot be written"):
        ensure(tmp_path / "data", TARGET, server.base_url)


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


def test_a_mirror_that_is_no_web_address_is_refused():
    with pytest.raises(PolyprobeError, match=r"paths\.mirror"):
        base_url_of("file:///srv/corpora")


def test_what_a_server_says_is_shown_escaped_and_short(fetch, server):
    def hostile(handler):
        handler.send_response(404, "gone \x1b[2J\x9b31m\x85" + "x" * 5000)
        handler.end_headers()

    server.behaviours = [hostile]
    with pytest.raises(FailedDownload, match=r"refuses: 404 gone \\x1b\[2J\\x9b31m\\x85x") as refused:
        fetch()
    assert len(str(refused.value)) < 1000
    assert str(refused.value).isprintable()


def dripping(handler):
    """Sends byte after byte, as long as somebody listens."""
    send(handler, b"", announced=len(CONTENT))
    try:
        for byte in CONTENT:
            handler.wfile.write(bytes([byte]))
    except OSError:
        handler.server.hung_up.set()


@pytest.fixture
def limited():
    """Sets what is asked of servers, until the test ends."""
    before = {"least_speed": 1000, "window": 60, "longest": None}
    yield lambda **limits: limit_downloads({**before, **limits})
    limit_downloads(before)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"least_speed": 100_000, "window": 5}, r"bytes came in 5 s, less than download\.least_speed=100000 bytes a"),
        ({"least_speed": 0.1, "longest": 7}, r"more than download\.longest=7 s"),
    ],
)
def test_a_server_that_drips_is_given_up_and_what_came_is_kept(limits, words, limited, server, data, pauses):
    limited(**limits)
    server.behaviours, server.hung_up = [dripping, whole], threading.Event()
    seconds = itertools.count().__next__  # a second passes with every piece that comes
    with pytest.raises(FailedDownload, match=words):
        ensure(data, TARGET, server.base_url, pauses.append, seconds)
    assert (len(server.requests), pauses) == (1, [])
    assert server.hung_up.wait(timeout=10)
    n_kept = (data / "corpus" / "one two.txt.part").stat().st_size
    assert 0 < n_kept < len(CONTENT)
    assert ensure(data, TARGET, server.base_url, pauses.append).read_bytes() == CONTENT
    assert server.requests[1][1] == f"bytes={n_kept}-"


def test_a_server_that_keeps_to_the_speed_may_take_long(limited, server, data):
    limited(least_speed=0.1, window=5)
    server.behaviours = [dribbling]
    seconds = itertools.count().__next__
    assert ensure(data, TARGET, server.base_url, clock=seconds).read_bytes() == CONTENT


@pytest.mark.parametrize("wrong", [{"least_speed": 0}, {"window": -1}, {"longest": 0}, {"window": "60"}])
def test_limits_that_are_no_numbers_above_zero_are_refused(wrong, limited):
    with pytest.raises(BadValue, match=f"download.{next(iter(wrong))} must be"):
        limited(**wrong)


def test_blob_ids_are_those_of_git(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "hello").write_bytes(b"hello world\n")
    assert blob_id(tmp_path / "empty") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(tmp_path / "hello") == "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
