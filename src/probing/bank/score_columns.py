"""How the scores of probes lie in the columns of a product."""

from dataclasses import dataclass

from src.probing.bank.probe_spec import ProbeSpec

# Columns are padded to these (then doubled on), whatever the company: a padding that depended on the company would
# change the last bits. Below 16 nothing is gained: products of 4 columns took longer than products of 16.
SMALLEST_PADDING = 16


@dataclass(frozen=True, slots=True)
class Columns:
    """Scores of the labels of one probe, or of several linear probes side by side.

    Attributes:
        n_labels: that a softmax goes over; with one member the absent ones too, up to `width`.
        n_members: places for probes.
        width: of the product.
    """

    n_labels: int
    n_members: int
    width: int


def columns_of(n_labels: int, spec: ProbeSpec) -> Columns:
    """Returns the columns of probes with so many labels; a probe with a hidden layer has all columns alone."""
    width = padded_label_count(n_labels)
    n_members = width // n_labels if spec.hidden_size is None else 1
    return Columns(n_labels if n_members > 1 else width, n_members, width)


def padded_label_count(n_labels: int) -> int:
    """Returns the smallest of 16, 32, 64, … that holds the labels."""
    padded = SMALLEST_PADDING
    while padded < n_labels:
        padded *= 2
    return padded
