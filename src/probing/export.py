"""Writes the vectors of all items of a command into a folder that `encoder=vectors` reads, and other programs too."""

import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from polyprobe.encoders.base.build import make_encoder, needs_torch
from polyprobe.encoders.base.encoder import CountEncoder, path_of
from polyprobe.encoders.cache.store import (
    EncodedItems,
    check_room,
    encoded,
)
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import NoRoom
from polyprobe.formats.vectors.vectors_folder import ENDING, ITEMS, not_written, write_files
from polyprobe.items import Item
from polyprobe.probing.settings import ProbeSettings

_UNFINISHED = ".export.*.tmp"


def exported(asked: ProbeSettings, folder: object) -> Path:
    """Writes the vectors of the items of the tests or tasks that a command names: from the cache where it has them.

    The same command goes on where one was killed, or had no room: nothing but whole exports bars a folder.

    Returns:
        The folder.

    Raises:
        PolyprobeError: the folder is there and not empty, or cannot be written, the encoder counts, or something of
            what the command names is not what it should be.
    """
    folder = path_of("folder", folder).expanduser()
    if folder.exists() and not (folder.is_dir() and {*folder.iterdir()} == {*_left_overs(folder)}):
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
    with _unfinished(folder) as unfinished:  # a place that cannot be written is told before hours of encoding
        found = encoded(encoder, items, cache)
        _write(folder, unfinished, items, found)
    return folder


def _left_overs(folder: Path) -> list[Path]:
    """Lists what killed commands left, in the order in which it may be removed.

    One that was killed while it moved its files had moved some layers, but not the items: they are in its own folder.
    """
    unfinished = [*folder.glob(_UNFINISHED)]
    has_moved = not (folder / ITEMS).exists() and any((one / ITEMS).is_file() for one in unfinished)
    return [*(folder.glob(f"*{ENDING}") if has_moved else ()), *unfinished]


@contextmanager
def _unfinished(folder: Path) -> Iterator[Path]:
    """Makes a folder within another, in place of those that killed commands left; removes it at the end."""
    own = folder / f".export.{uuid.uuid4().hex}.tmp"
    try:
        own.mkdir(parents=True)
    except OSError as error:
        raise _not_written(folder, error) from error
    try:
        for other in _left_overs(folder):
            if other.is_file():
                other.unlink()
            elif other != own:
                shutil.rmtree(other, ignore_errors=True)
        yield own
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _write(folder: Path, unfinished: Path, items: Sequence[Item], found: EncodedItems) -> None:
    """Writes all files, and moves them to where they are read when the last is whole."""
    rows = found.rows(items)
    layers = (((layer.name, layer.epoch), found.matrix(number)[rows]) for number, layer in enumerate(found.layers))
    try:
        write_files(unfinished, items, layers)
        for file in sorted(unfinished.iterdir(), key=lambda file: file.name == ITEMS):  # that of the items last
            os.replace(file, folder / file.name)
    except (OSError, NoRoom, SafetensorError) as error:
        raise _not_written(folder, error) from error


def _not_written(folder: Path, error: OSError | NoRoom | SafetensorError) -> PolyprobeError:
    return not_written(f"folder={folder}", error, "; vectors encoded so far are in the cache")
