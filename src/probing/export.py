"""Writes the vectors of all items of a command into a folder that `encoder=vectors` reads, and other programs too."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from polyprobe.encoders.base.build import make_encoder, needs_torch
from polyprobe.encoders.base.encoder import CountEncoder, path_of
from polyprobe.encoders.cache.store import check_room, encoded
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import NoRoom
from polyprobe.formats.vectors.vectors_folder import not_written, write_files
from polyprobe.probing.settings import ProbeSettings


def exported(asked: ProbeSettings, folder: object) -> Path:
    """Writes the vectors of the items of the tests or tasks that a command names: from the cache where it has them.

    The folder is there when all of it is written: the same command goes on where one was killed, or had no room.

    Returns:
        The folder.

    Raises:
        PolyprobeError: the folder is there and not empty, or cannot be written, the encoder counts, or something of
            what the command names is not what it should be.
    """
    folder = path_of("folder", folder).expanduser()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise PolyprobeError(f"folder={folder}: it is there and not empty. Expected the name of a new folder.")
    if needs_torch(asked.encoder.options):
        from polyprobe.models.base.torch_process import flush_denormals, set_threads

        flush_denormals()
        set_threads(asked.bank.threads)
    encoder = make_encoder(asked.encoder.options)
    if isinstance(encoder, CountEncoder):
        raise PolyprobeError(f"job=export: encoder={asked.encoder.name} counts, and has no vectors.")
    from polyprobe.probing.asked_items import items_to_encode  # what reads tests takes a while

    items, cache = items_to_encode(asked), asked.cache
    encoder.check_there(items)
    check_room([encoder], items, cache)
    unfinished = folder.absolute().with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    try:
        with _faults_of(folder):  # a place that cannot be written is told before hours of encoding
            unfinished.mkdir(parents=True)
        found = encoded(encoder, items, cache)
        rows = found.rows(items)
        layers = (((layer.name, layer.epoch), found.matrix(number)[rows]) for number, layer in enumerate(found.layers))
        with _faults_of(folder):
            write_files(unfinished, items, layers)
            os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


@contextmanager
def _faults_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, NoRoom, SafetensorError) as error:
        raise not_written(f"folder={folder}", error, "; vectors encoded so far are in the cache") from error
