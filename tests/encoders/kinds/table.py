from pathlib import Path

import numpy as np

from polyprobe.encoders.table import Table
from polyprobe.formats.vectors.vector_table import line_start
from polyprobe.items import Form
from tests.encoders.contract_items import ITEMS, NFD
from tests.encoders.kind import Kind


def build(folder: Path, seed: int = 1) -> Table:
    """Every item that the contract asks for has a line: a table has no unknown words."""
    extra = [Form(form) for form in ("talo", "auto", "ζζζζ", "\U0001f600", NFD)]
    starts = dict.fromkeys(line_start(item) for item in [*ITEMS, *extra])
    vectors = np.random.default_rng(seed).normal(size=(len(starts), 5)).round(6).tolist()
    path = folder / f"table{seed}.tsv"
    lines = [f"{start}\t{' '.join(map(str, vector))}\n" for start, vector in zip(starts, vectors, strict=True)]
    path.write_text("".join(lines))
    return Table(path)


KIND = Kind("table", build, ({"seed": 2},), nfc_equals_nfd=False)
