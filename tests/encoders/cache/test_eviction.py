"""The limit of the encoding cache: what was not used for longest goes, what is in use stays."""

import logging
import multiprocessing
import os
import re

import filelock
import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.encoders.cache.store import CacheNotWritten, VectorCache, check_room, encoded
from polyprobe.errors import BadValue
from polyprobe.items import Form

FORMS = [Form("talo"), Form("auto")]
BLOCK = 2 * 250 * 4  # bytes of the vectors of one encoder, without the header
LIMIT = 2.5 * BLOCK / 1e9  # room for two encoders


class Named(Encoder):
    """Ones, under a fingerprint of one's choice; counts the items that it encodes."""

    layers = (Layer("ones", 250),)
    accepts = frozenset({Form})

    def __init__(self, name: str):
        self.fingerprint, self.n_encoded = name, 0

    def encode(self, items):
        self.n_encoded += len(items)
        yield (np.ones((len(items), 250), np.float32),)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "encodings"


def used_at(folder, name, seconds):
    os.utime(folder / name / "used", (seconds, seconds))


def kept(folder):
    return {path.parent.name for path in folder.glob("*/*.block")}


def filled(folder):
    for seconds, name in enumerate("ab"):
        encoded(Named(name), FORMS, VectorCache(folder=folder))
        used_at(folder, name, seconds)


def test_the_least_recently_used_encoder_goes(folder):
    filled(folder)
    encoded(Named("c"), FORMS, VectorCache(folder=folder, max_gb=LIMIT))
    assert kept(folder) == {"b", "c"}


def test_a_use_without_encoding_counts(folder):
    filled(folder)
    encoded(Named("a"), FORMS, VectorCache(folder=folder))
    encoded(Named("c"), FORMS, VectorCache(folder=folder, max_gb=LIMIT))
    assert kept(folder) == {"a", "c"}


def test_without_a_limit_nothing_goes(folder):
    filled(folder)
    encoded(Named("c"), FORMS, VectorCache(folder=folder))
    assert kept(folder) == {"a", "b", "c"}


def test_an_encoder_that_another_process_fills_stays(folder):
    filled(folder)
    with filelock.FileLock(folder / "a" / "lock"):
        encoded(Named("c"), FORMS, VectorCache(folder=folder, max_gb=LIMIT))
    assert kept(folder) == {"a", "c"}


def test_a_limit_below_what_is_needed_is_refused_with_the_number_before_anything_is_encoded(folder):
    filled(folder)
    encoder = Named("c")
    with pytest.raises(BadValue, match=r"max_gb must be at least (\S+), or null: .* for 2 items, got 1e-06") as refused:
        encoded(encoder, FORMS, VectorCache(folder=folder, max_gb=BLOCK / 2e9))
    assert (kept(folder), encoder.n_encoded) == ({"a", "b"}, 0)
    enough = float(re.search(r"at least (\S+),", str(refused.value))[1])
    assert BLOCK / 1e9 < enough < 1.1 * BLOCK / 1e9
    encoded(encoder, FORMS, VectorCache(folder=folder, max_gb=enough))


def test_a_disk_without_room_for_all_encoders_of_a_run_is_refused_before_anything_is_encoded(folder, monkeypatch):
    encoded(Named("a"), FORMS, VectorCache(folder=folder))
    monkeypatch.setattr("polyprobe.encoders.cache.store.free_bytes", lambda folder: 1.5 * BLOCK)
    check_room([Named("a"), Named("b")], FORMS, VectorCache(folder=folder))  # of a nothing is written
    check_room([Named("b"), Named("c")], FORMS, VectorCache(folder=folder, number="float16"))
    with pytest.raises(CacheNotWritten, match=r"2 items take 4\.\d+ kB, 3 kB are free\. Nothing.* cache\.max_gb="):
        check_room([Named("b"), Named("c")], FORMS, VectorCache(folder=folder))


def test_the_encoder_asked_for_stays_and_others_in_use_are_told(folder, caplog):
    filled(folder)
    with filelock.FileLock(folder / "b" / "lock"), caplog.at_level(logging.WARNING):
        encoded(Named("a"), FORMS, VectorCache(folder=folder, max_gb=1.5 * BLOCK / 1e9))
    assert kept(folder) == {"a", "b"}
    assert "more than cache.max_gb" in caplog.text


def test_a_slow_reader_keeps_its_vectors_while_another_process_evicts_them(folder):
    """The reader has mapped two layers, reads one row, and the rest after its files are gone."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    reader = context.Process(target=read_slowly, args=(theirs, folder))
    reader.start()
    assert ours.recv() == 250.0
    used_at(folder, "a", 0)
    encoded(Named("b"), FORMS, VectorCache(folder=folder, max_gb=1.5 * BLOCK / 1e9))
    assert kept(folder) == {"b"}
    ours.send("removed")
    assert ours.recv() == [250.0, 250.0]
    reader.join()
    assert reader.exitcode == 0


def read_slowly(pipe, folder):
    matrix = encoded(Named("a"), FORMS, VectorCache(folder=folder)).matrix(0)
    pipe.send(float(matrix[0].sum()))
    pipe.recv()
    pipe.send([float(row.sum()) for row in matrix])
