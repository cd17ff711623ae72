"""Writes the vectors of all items of a command into a folder that `encoder=vectors` reads, and other programs too."""

from pathlib import Path

from polyprobe.encoders.base.build import make_encoder, needs_torch
from polyprobe.encoders.base.encoder import CountEncoder, path_of
from polyprobe.encoders.before_torch import check_encoder
from polyprobe.encoders.cache.store import check_room, encoded
from polyprobe.errors import PolyprobeError
from polyprobe.formats.vectors.vectors_folder import write_files
from polyprobe.probing.settings import ProbeSettings


def exported(asked: ProbeSettings) -> Path:
    """Writes the vectors of the items of the tests or tasks that a command names: from the cache where it has them.

    Returns:
        The folder, `export`.

    Raises:
        PolyprobeError: the folder is there and not empty, the encoder counts, or something of what the command names is
            not what it should be.
    """
    folder = path_of("export", asked.export).expanduser()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise PolyprobeError(f"export={folder}: it is there and not empty. Expected the name of a new folder.")
    check_encoder(asked.encoder.options, asked.workspace.runs("train"))
    if needs_torch(asked.encoder.options):
        from polyprobe.models.base.lightning_process import flush_denormals, set_threads

        flush_denormals()
        set_threads(asked.bank.threads)
    encoder = make_encoder(asked.encoder.options)
    if isinstance(encoder, CountEncoder):
        raise PolyprobeError(f"export: encoder={asked.encoder.name} counts, and has no vectors. Expected another one.")
    from polyprobe.probing.asked_items import items_to_encode  # what reads tests takes a while

    items, cache = items_to_encode(asked), asked.cache
    encoder.check_there(items)
    check_room([encoder], items, cache.folder, cache.number, cache.max_gb)
    found = encoded(encoder, items, cache.folder, cache.number, cache.max_gb)
    rows = found.rows(items)
    layers = (((layer.name, layer.epoch), found.matrix(number)[rows]) for number, layer in enumerate(found.layers))
    write_files(folder, items, layers)
    return folder
