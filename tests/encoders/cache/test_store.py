"""The encoding cache: once, whole, equal to encoding anew, whatever happens in between."""

import hashlib
import logging
import multiprocessing
import os
import resource
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer, check_items
from polyprobe.encoders.cache import encoding_blocks, store
from polyprobe.encoders.cache.encoding_blocks import DamagedBlock, block_name, item_key, read_block, write_block
from polyprobe.encoders.cache.store import CacheNotWritten, VectorCache, encoded
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.locks import wait_until_free
from polyprobe.items import Form, Sentence, TokenInContext

FORMS = [Form(f"sana{number:03}") for number in range(100)]
LAYERS = (Layer("low", 3, epoch=0), Layer("high", 5, epoch=2))


class Diary(Encoder):
    """Vectors from a digest of the item, in parts of 7; every item is noted in a file when its vector is given."""

    layers = LAYERS
    accepts = frozenset({Form, TokenInContext, Sentence})
    fingerprint = "d1a2"

    def __init__(self, diary: Path, before_part=lambda: None):
        self.diary, self.before_part = diary, before_part

    def encode(self, items):
        check_items("diary", self.accepts, items)
        for start in range(0, len(items), 7):
            part = items[start : start + 7]
            self.before_part()
            with open(self.diary, "a") as file:
                file.write("".join(item_key(item) + "\n" for item in part))
            digests = [hashlib.sha256(item_key(item).encode()).digest()[:8] for item in part]
            numbers = np.frombuffer(b"".join(digests), np.uint8).astype(np.float32).reshape(-1, 8)
            yield numbers[:, :3], numbers[:, 3:]

    def noted(self) -> list[str]:
        return self.diary.read_text().splitlines() if self.diary.exists() else []


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(store, "BLOCK_ITEMS", 16)


@pytest.fixture
def diary(tmp_path):
    return Diary(tmp_path / "diary.txt")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "encodings"


def fresh(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def assert_whole(found, encoder, items):
    for layer, expected in enumerate(fresh(encoder, items)):
        np.testing.assert_array_equal(found.matrix(layer)[found.rows(items)], expected)


def block_paths(folder):
    return sorted((folder / Diary.fingerprint).glob("*.block"))


def files(folder):
    return {path.name: path.read_bytes() for path in block_paths(folder)}


def test_cached_vectors_equal_fresh_ones(diary, folder):
    items = [*FORMS, Sentence(("a", "b")), TokenInContext(("a", "b"), 1), Form("a b"), FORMS[3], Form("\ud800")]
    assert_whole(encoded(diary, items, VectorCache(folder=folder)), diary, items)
    assert_whole(encoded(diary, items, VectorCache(folder=folder)), diary, items)


def test_a_distinct_item_is_encoded_once(diary, folder):
    encoded(diary, FORMS[:50] * 2, VectorCache(folder=folder))
    encoded(diary, FORMS, VectorCache(folder=folder))
    encoded(diary, FORMS[20:60], VectorCache(folder=folder))
    assert sorted(diary.noted()) == sorted(map(item_key, FORMS))


def test_items_that_look_alike_have_different_keys():
    items = [Form("a"), Sentence(("a",)), TokenInContext(("a",), 0), Form('a", "b'), Sentence(("a", "b")), Form("a b")]
    assert len({item_key(item) for item in items}) == len(items)


def test_tokens_of_one_sentence_are_encoded_side_by_side(diary, folder):
    sentences = [tuple(f"w{number}" for number in range(8)), tuple(f"v{number}" for number in range(8))]
    encoded(
        diary, [TokenInContext(words, index) for index in range(8) for words in sentences], VectorCache(folder=folder)
    )
    first_half = [line.split(",")[1] for line in diary.noted()[:8]]
    assert len(set(first_half)) == 1


def test_matrices_are_mapped_and_read_only(diary, folder):
    found = encoded(diary, FORMS[:10], VectorCache(folder=folder))
    assert isinstance(found.matrix(0).base, np.memmap)
    assert found.matrix(1).dtype == np.float32
    several = encoded(diary, FORMS, VectorCache(folder=folder))
    assert len(several) == 100
    for matrix in (found.matrix(0), several.matrix(0)):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0] = 0


def test_no_items_give_empty_matrices(diary, folder):
    assert encoded(diary, [], VectorCache(folder=folder)).matrix(1).shape == (0, 5)


def test_an_interrupted_encoding_goes_on_after_its_last_block(diary, folder, tmp_path):
    """42 items are given in six parts: two blocks of 16 are whole, ten items are lost."""
    calls = iter(range(100))

    def interrupt_the_seventh():
        if next(calls) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoded(Diary(tmp_path / "first.txt", interrupt_the_seventh), FORMS, VectorCache(folder=folder))
    assert_whole(encoded(diary, FORMS, VectorCache(folder=folder)), Diary(tmp_path / "other.txt"), FORMS)
    assert sorted(diary.noted()) == sorted(map(item_key, FORMS))[32:]


def test_a_killed_process_leaves_whole_blocks_and_no_lock(diary, folder, tmp_path):
    """Killed while it gives items 43 to 49: two blocks of 16 are whole, and nothing in them is encoded again."""
    process = multiprocessing.get_context("spawn").Process(target=encode_and_die, args=(tmp_path / "1st.txt", folder))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    written = {key for path in block_paths(folder) for key in read_block(path).keys}
    assert len(written) == 32
    assert_whole(encoded(diary, FORMS, VectorCache(folder=folder)), Diary(tmp_path / "other.txt"), FORMS)
    assert sorted(diary.noted()) == sorted(set(map(item_key, FORMS)) - written)


def encode_and_die(diary, folder):
    calls = iter(range(100))

    def die_at_the_seventh():
        if next(calls) == 6:
            os.kill(os.getpid(), signal.SIGKILL)

    store.BLOCK_ITEMS = 16
    encoded(Diary(diary, die_at_the_seventh), FORMS, VectorCache(folder=folder))


@pytest.mark.parametrize("part_size", [1, 3, 16, 40, 100])
def test_parts_of_any_size_make_the_same_blocks(diary, folder, tmp_path, part_size):
    class Parts(Diary):
        def encode(self, items):
            low, high = fresh(diary, items)
            for start in range(0, len(items), part_size):
                yield low[start : start + part_size], high[start : start + part_size]

    encoded(diary, FORMS, VectorCache(folder=folder))
    encoded(Parts(diary.diary), FORMS, VectorCache(folder=tmp_path / "parts"))
    assert files(tmp_path / "parts") == files(folder)


def test_a_block_is_written_before_the_next_one_is_encoded(folder, tmp_path):
    seen = []
    encoded(
        Diary(tmp_path / "diary.txt", lambda: seen.append(len(block_paths(folder)))),
        FORMS[:42],
        VectorCache(folder=folder),
    )
    assert seen == [0, 0, 0, 1, 1, 2]


class Counting(Diary):
    """Notes for how many items it is called."""

    calls = ()

    def encode(self, items):
        self.calls += (len(items),)
        return super().encode(items)


class Announced(logging.Handler):
    """Knows whether a process has said that it waits."""

    def __init__(self):
        super().__init__()
        self.is_said = threading.Event()

    def emit(self, record):
        if "Waiting for another process" in record.getMessage():
            self.is_said.set()


def test_the_encoder_is_not_called_for_what_another_process_encodes_in_the_meantime(folder, tmp_path):
    waiting = Announced()
    logging.getLogger(store.__name__).addHandler(waiting)
    is_locked = threading.Event()
    first = Counting(tmp_path / "1.txt", lambda: (is_locked.set(), waiting.is_said.wait(60)))
    second = Counting(tmp_path / "2.txt")
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(encoded, first, FORMS, VectorCache(folder=folder))]
        is_locked.wait(60)
        found.append(pool.submit(encoded, second, FORMS, VectorCache(folder=folder)))
    logging.getLogger(store.__name__).removeHandler(waiting)
    assert [len(one.result()) for one in found] == [len(FORMS)] * 2
    assert (first.calls, second.calls) == ((len(FORMS),), ())


def test_processes_on_an_empty_cache_encode_each_item_once(tmp_path):
    """Four processes, ten empty caches; the files are those of a single process."""
    encoded(Diary(tmp_path / "alone.txt"), FORMS, VectorCache(folder=tmp_path / "alone"))
    context = multiprocessing.get_context("spawn")
    together, root = context.Barrier(4), tmp_path / "four"
    root.mkdir()
    processes = [context.Process(target=encode_ten_times, args=(root, together)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    for number in range(10):
        assert sorted((root / f"{number}.txt").read_text().splitlines()) == sorted(map(item_key, FORMS))
        assert files(root / str(number)) == files(tmp_path / "alone")


def encode_ten_times(root, together):
    store.BLOCK_ITEMS = 16
    for number in range(10):
        together.wait()
        assert len(encoded(Diary(root / f"{number}.txt"), FORMS, VectorCache(folder=root / str(number)))) == len(FORMS)


def test_a_lock_that_always_succeeds_damages_nothing(monkeypatch, tmp_path):
    """Four threads meet before each part, so that all of them encode and write all of it."""
    for module in (store, encoding_blocks):
        monkeypatch.setattr(module, "FileLock", AlwaysFree)
    for number in range(20):
        folder = tmp_path / str(number)
        together = threading.Barrier(4, timeout=60)
        readers = [Diary(tmp_path / f"{number}.txt", together.wait) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(encoded, readers, [FORMS[:40]] * 4, [VectorCache(folder=folder)] * 4))
        for one in found:
            assert_whole(one, Diary(tmp_path / "other.txt"), FORMS[:40])
        assert [path.name for path in (folder / Diary.fingerprint).iterdir() if ".tmp" in path.name] == []


class AlwaysFree:
    def __init__(self, path):
        pass

    def acquire(self, timeout=None):
        return ExitStack()

    def release(self):
        pass


def test_a_flipped_byte_is_noticed_wherever_it_is(tmp_path):
    path = small_block(tmp_path)
    whole = path.read_bytes()
    for position in np.random.default_rng(3).permutation(len(whole))[:200]:
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        with pytest.raises(DamagedBlock, match=path.name):
            read_block(path)


def small_block(folder, number="float32"):
    keys = [item_key(form) for form in FORMS[:4]]
    path = folder / block_name(keys, number)
    write_block(path, keys, [np.ones((4, 2), np.float32), np.zeros((4, 7), np.float32)])
    return path


def test_a_block_reads_back_what_was_written(tmp_path):
    block = read_block(small_block(tmp_path))
    assert block.keys == tuple(item_key(form) for form in FORMS[:4])
    assert [(layer.shape, layer.sum()) for layer in block.vectors] == [((4, 2), 8), ((4, 7), 0)]


def test_a_damaged_block_is_logged_by_name_and_rebuilt(diary, folder, caplog):
    encoded(diary, FORMS, VectorCache(folder=folder))
    before = files(folder)
    victim = block_paths(folder)[3]
    victim.write_bytes(victim.read_bytes()[:-5])
    with caplog.at_level(logging.WARNING):
        assert_whole(
            encoded(diary, FORMS, VectorCache(folder=folder)), Diary(diary.diary.with_name("other.txt")), FORMS
        )
        encoded(diary, FORMS, VectorCache(folder=folder))
    assert [victim.name in record.message for record in caplog.records] == [True]
    assert files(folder) == before
    assert len(diary.noted()) in (len(FORMS) + 16, len(FORMS) + 4)


def test_half_of_the_precision_takes_half_of_the_disk_and_is_kept_apart(diary, folder):
    whole = encoded(diary, FORMS, VectorCache(folder=folder))
    half = encoded(diary, FORMS, VectorCache(folder=folder, number="float16"))
    np.testing.assert_array_equal(half.matrix(1), whole.matrix(1))  # whole numbers below 256: exact in both
    assert half.matrix(0).dtype == np.float32
    assert not half.matrix(0).flags.writeable
    assert len(diary.noted()) == 2 * len(FORMS)
    vectors = {
        suffix: sum(b.nbytes for one in found.blocks for b in one.vectors)
        for suffix, found in ((".block", whole), (".half", half))
    }
    assert vectors == {".block": 100 * 8 * 4, ".half": 100 * 8 * 2}
    encoded(diary, FORMS, VectorCache(folder=folder, number="float16"))
    assert len(diary.noted()) == 2 * len(FORMS)


def test_rounded_vectors_are_the_same_from_a_fresh_and_from_a_full_cache(folder):
    class Thirds(Diary):
        def encode(self, items):
            yield np.full((len(items), 3), 1 / 3, np.float32), np.full((len(items), 5), 2 / 3, np.float32)

    for _ in range(2):
        found = encoded(Thirds(folder), FORMS[:5], VectorCache(folder=folder, number="float16"))
        assert set(found.matrix(0).ravel()) == {np.float32(np.float16(1 / 3))}


def test_a_number_beyond_float16_is_refused(folder):
    class Large(Diary):
        def encode(self, items):
            yield np.zeros((len(items), 3), np.float32), np.full((len(items), 5), 7e4, np.float32)

    with pytest.raises(PolyprobeError, match=r'layer "high": 70000 is beyond float16\. Use cache\.number=float32'):
        encoded(Large(folder), FORMS, VectorCache(folder=folder, number="float16"))
    assert encoded(Large(folder), FORMS, VectorCache(folder=folder)).matrix(1)[0, 0] == 7e4


@contextmanager
def files_at_most(n_bytes):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_with_the_bytes_and_leaves_no_file(tmp_path, folder):
    encoder = Diary(tmp_path / "diary.txt")
    with files_at_most(512), pytest.raises(CacheNotWritten, match=r"\.block cannot be written.* 512 bytes are needed"):
        encoded(encoder, FORMS[:16], VectorCache(folder=folder))
    assert {path.name for path in (folder / Diary.fingerprint).iterdir()} <= {"lock"}
    assert_whole(encoded(encoder, FORMS[:16], VectorCache(folder=folder)), encoder, FORMS[:16])


def test_vectors_that_are_not_finite_are_refused(folder):
    class Broken(Diary):
        def encode(self, items):
            yield np.zeros((len(items), 3), np.float32), np.full((len(items), 5), np.nan, np.float32)

    with pytest.raises(PolyprobeError, match=r'layer "high" \(epoch 2\) has vectors that are not finite'):
        encoded(Broken(folder), FORMS, VectorCache(folder=folder))


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([(100, 3), (100, 4)], r"returned arrays of shape \[\(100, 3\), \(100, 4\)\]\. Expected"),
        ([(100, 3)], "Expected"),
        ([(99, 3), (99, 5)], "returned 99 vectors for 100 items"),
    ],
)
def test_vectors_that_are_not_as_declared_are_refused(folder, shapes, words):
    class Broken(Diary):
        def encode(self, items):
            yield tuple(np.zeros(shape, np.float32) for shape in shapes)

    with pytest.raises(PolyprobeError, match=words):
        encoded(Broken(folder), FORMS, VectorCache(folder=folder))


def test_a_claim_that_was_given_up_meanwhile_leaves_no_lock(tmp_path):
    held = encoding_blocks.claim(tmp_path, ["key"])
    ((_, lock),) = encoding_blocks.claims(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_until_free, lock)
        held.close()
        waiting.result()
    wait_until_free(lock)
    assert not list(tmp_path.iterdir())
