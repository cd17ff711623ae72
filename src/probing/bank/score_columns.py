"""How the scores of probes lie in the columns of a product."""

from dataclasses import dataclass

from src.probing.bank.probe_spec import ProbeSpec

# Columns are padded to these (then doubled on), whatever the company: a padding that depended on the company would
# change the last bits. Below 16 nothing is gained: products of 4 columns took longer than products of 16. Over the wide
# inputs of probes with an elastic net, which come in grids, 32 columns took less than twice 16.
SMALLEST_PADDING = 16
SMALLEST_PADDING_OF_WIDE = 32


@dataclass(frozen=True, slots=True)
class Columns:
    """Scores of the labels of one probe, or of several linear probes side by side."""

    n_labels: int
    """That a softmax goes over; with one member the absent ones too, up to `width`."""
    n_members: int
    """Places for probes."""
    width: int
    """Of the product."""


def columns_of(n_labels: int, spec: ProbeSpec) -> Columns:
    """Returns the columns of probes with so many labels; a probe with a hidden layer has all columns alone."""
    smallest = SMALLEST_PADDING if spec.elastic_net is None else SMALLEST_PADDING_OF_WIDE
    width = padded_label_count(n_labels, smallest)
    n_members = width // n_labels if spec.hidden_size is None else 1
    return Columns(n_labels if n_members > 1 else width, n_members, width)


def padded_label_count(n_labels: int, smallest: int) -> int:
    """Returns the first of `smallest`, twice that, four times that, … that holds the labels."""
    padded = smallest
    while padded < n_labels:
        padded *= 2
    return padded
