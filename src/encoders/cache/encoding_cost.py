"""What it costs to encode items, said before it is paid: positions, bytes of vectors and weights, measured minutes."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from polyprobe.display.progress import span
from polyprobe.display.shown import size_shown
from polyprobe.encoders.base.encoder import Encoder
from polyprobe.encoders.cache.encoding_blocks import item_key
from polyprobe.encoders.cache.store import (
    VectorCache,
    bytes_of_items,
    encoded_parts,
    free_bytes,
    keys_to_encode,
    keys_to_write,
)
from polyprobe.items import Item

MEASURED_ITEMS = 64


@dataclass(frozen=True, slots=True)
class EncodingCost:
    """What encoding the items of a run by one encoder, or by it and its random counterpart, will take."""

    encoder: Encoder
    """The one that is named."""
    n_items: int
    """Distinct ones."""
    new: Sequence[Item]
    """Those of them whose vectors the named encoder has to compute, neighbours side by side."""
    n_words: int
    """Further words of the sentences of the new ones whose vectors are kept, too."""
    n_positions: int | None
    """Of all encoders, about; None where none has any."""
    n_bytes: int
    """Of the vectors to be written."""
    free: int
    """Bytes of the cache's file system."""

    @classmethod
    def of(cls, encoders: Sequence[Encoder], items: Iterable[Item], cache: VectorCache) -> "EncodingCost":
        """Looks at what the cache lacks; the weights of no model are loaded.

        Args:
            encoders: the one that is named first.
        """
        wanted = {item_key(item): item for item in items}
        missing = [sorted(keys_to_encode(encoder, wanted, cache)) for encoder in encoders]
        new = [[wanted[key] for key in keys] for keys in missing]
        positions = [one.n_positions(of_one) for one, of_one in zip(encoders, new, strict=True) if of_one]
        kept = [keys_to_write(encoder, wanted, cache) for encoder in encoders]
        n_bytes = sum(bytes_of_items(one, keys, cache.number) for one, keys in zip(encoders, kept, strict=True))
        known = [n for n in positions if n is not None]
        n_words, n_positions = len(kept[0]) - len(new[0]), sum(known) if known else None
        return cls(encoders[0], len(wanted), new[0], n_words, n_positions, n_bytes, free_bytes(cache.folder))

    def line(self) -> str:
        """Returns "distinct items: 9,000, to encode: 7,800, positions: about 61,000, vectors: 1 GB, weights: 91 MB"."""
        said = [f"distinct items: {self.n_items:,}, to encode: {len(self.new):,}"]
        if self.n_words:
            said.append(f"kept with them: {self.n_words:,} other words of their sentences")
        if self.n_positions is not None:
            said.append(f"positions: about {self.n_positions:,}")
        if self.n_bytes:
            is_too_much = f" (free: {size_shown(self.free)})" if self.n_bytes > self.free else ""
            said.append(f"vectors: {size_shown(self.n_bytes)}{is_too_much}")
        if self.new and self.encoder.weight_bytes:
            said.append(f"weights: {size_shown(self.encoder.weight_bytes)}")
        return ", ".join(said)

    def seconds(self, clock: Callable[[], float] = time.monotonic) -> float:
        """Estimates how long the named encoder takes, by encoding some of the items, spread evenly; keeps nothing.

        The first is encoded before, so that loading the model does not count.
        """
        n_some = min(MEASURED_ITEMS, len(self.new))
        some = [self.new[place * len(self.new) // n_some] for place in range(n_some)]
        list(encoded_parts(self.encoder, some[:1]))
        began = clock()
        list(encoded_parts(self.encoder, some))
        return (clock() - began) / len(some) * len(self.new)

    def measured_line(self) -> str:
        """Returns the line with the expected time, see `seconds`."""
        if not self.new:
            return self.line()
        n_measured = min(MEASURED_ITEMS, len(self.new))
        return f"{self.line()}; {span(self.seconds())}, extrapolated from {n_measured} of them"
