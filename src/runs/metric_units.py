"""In which unit the metrics of result rows are: what is written in percent, which of two values is better. What each
means is said in docs/results.md.

A further metric of a model, task or suite is a line of `METRICS`, and one there.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number is."""

    name: str
    is_in_percent: bool = False
    """Whether tables, pictures and dashboards write it times 100."""


FRACTION = Unit("fraction", is_in_percent=True)
SIGNED = Unit("correlation, similarity, difference of fractions", is_in_percent=True)
BITS = Unit("bits")
FACTOR = Unit("number")


@dataclass(frozen=True, slots=True)
class Metric:
    """What the value of a row can be."""

    name: str
    unit: Unit = FRACTION
    header: str = ""
    """In tables, where it is not the name itself."""
    is_lower_better: bool = False


_OF_TASKS = ("accuracy", "accuracy_all_items", "majority", "confusion", "f1", "span_f1", "role_f1", "semantic_f1")
_OF_TREES = (
    *("las", "uas", "clas", "las_without_punctuation", "uas_without_punctuation"),
    "upos",  # of earlier versions
)
_OF_TARGETS = ("bleu", "bleu_beam", "unit_accuracy", "exact", "tree_accuracy", "bracket_f1")
_OF_VOCABULARIES = ("oov", "encoder_oov", "token_coverage", "type_coverage")
_PERPLEXITIES = ("perplexity", "perplexity_of_known_words", "perplexity_per_word")
_CORRELATIONS = (
    *("pearson", "pearson_weighted_mean", "pearson_of_joined_rows"),
    *("spearman", "spearman_weighted_mean", "spearman_of_joined_rows"),
)
_SIMILARITIES = (
    *("cka", "lincka", "maxcorr", "mincorr"),
    *("rbf_cka", "rsa", "procrustes", "linreg", "svcca", "pwcca", "rbfcka"),  # of earlier versions
)
METRICS = {
    metric.name: metric
    for metric in (
        *map(Metric, (*_OF_TASKS, *_OF_TREES, *_OF_TARGETS, *_OF_VOCABULARIES)),
        Metric("accuracy_focus", header="focus"),
        Metric("accuracy_per_token", header="per token"),
        Metric("accuracy_per_character", header="per character"),
        Metric("ill_formed", is_lower_better=True),
        Metric("mse", FACTOR, header="squared error", is_lower_better=True),
        *(Metric(name, FACTOR, is_lower_better=True) for name in _PERPLEXITIES),
        *(Metric(name, SIGNED) for name in (*_CORRELATIONS, *_SIMILARITIES)),
        Metric("neurons_of_mass", FACTOR),
        Metric("neurons_of_number", FACTOR),
    )
}
_OTHER = Metric("", SIGNED)  # a metric of another version


def metric_of(name: str) -> Metric:
    """Returns what is known of a metric, by its name, perhaps with its split ("dev/perplexity")."""
    return METRICS.get(name.rpartition("/")[2], _OTHER)


def is_in_percent(metric: str) -> bool:
    """Says whether the values of a metric are written as percentages; perplexities and squared errors are not."""
    return metric_of(metric).unit.is_in_percent


def is_lower_better(metric: str) -> bool:
    """Says whether a smaller value is a better one."""
    return metric_of(metric).is_lower_better


def is_worse(metric: str, value: float, other: float) -> bool:
    """Says whether a value is worse than another one of its metric; one that is not a number is not."""
    return value > other if is_lower_better(metric) else value < other


def with_direction(metric: str) -> str:
    """Writes the name of a metric in a heading, with what a reader may not expect: "perplexity (lower is better)"."""
    return metric_in_words(metric) + (" (lower is better)" if is_lower_better(metric) else "")


def metric_in_words(name: str) -> str:
    """Writes the name of a metric or column as people say it: "role_f1" is "role F1"."""
    return metric_of(name).header or name.replace("_", " ").replace("f1", "F1")
