"""One row of the contract table: a file of `kinds/` holds one, as KIND."""

from collections.abc import Callable
from dataclasses import dataclass

from polyprobe.encoders.base.encoder import Encoder


@dataclass(frozen=True)
class Kind:
    """One kind of encoder, small.

    Attributes:
        name: of the encoder, and of the file in `kinds/`.
        build: makes it in a folder of its own, which may be empty or hold what an earlier call left; further
            arguments are changes of its options.
        options: changes of options that matter: each must change the fingerprint.
        nfc_equals_nfd: whether two spellings of the same characters have the same vector, as its docstring says.
    """

    name: str
    build: Callable[..., Encoder]
    options: tuple[dict[str, object], ...]
    nfc_equals_nfd: bool
