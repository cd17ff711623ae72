"""Fingerprints: hashes of all that can change a vector."""

import hashlib
import json


def fingerprint(kind: str, version: int, **options: object) -> str:
    """Returns 32 hexadecimal digits that depend on these values alone.

    Args:
        kind: the encoder's name.
        version: of its code; to be raised whenever the same options yield other vectors.
        options: everything else that can change a vector: plain values and digests of files, never a path or a time.
    """
    content = json.dumps({"kind": kind, "version": version, **options}, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]
