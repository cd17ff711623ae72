"""The manners in which a task is scored, and the settings of their fits."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Lt

from polyprobe.errors import BadValue, check_at_least
from polyprobe.probing.bank.jobs import ProbeJob, ProbeOutcome
from polyprobe.probing.bank.probe_spec import ProbeSpec
from polyprobe.probing.probes.grid import GridProbe
from polyprobe.probing.suites.downstream_tasks import RELEASED, DownstreamSuite, TaskSettings
from polyprobe.section import Expected, Number, Section

Train = Callable[[Sequence[ProbeJob]], list[ProbeOutcome]]


class FitSettings(Section):
    """How a classifier is fitted and its L2 chosen."""

    probe: GridProbe
    """The cells of the grid, usually of L2 (weight decay) alone, and how their dev accuracies are compared."""
    folds: Annotated[int, Ge(2)]
    """Into which all examples are dealt, or the train part of a task that has a test part."""
    inner_folds: Annotated[int, Ge(2)]
    """Into which the train part of each of `folds` is dealt to choose L2; idle without nested folds."""
    dev_share: Annotated[Number, Gt(0), Lt(1), Expected("above 0 and below 1")]
    """Of the train part, drawn at random, that stops the fit with the chosen L2 (SentEval: 0.05)."""
    folds_seed: int
    """Of the dealing into folds (SentEval: 1111)."""
    seed: int
    """Of dev parts, initial weights and orders (SentEval: 1111, too)."""
    chance: Literal["of_each_fit", "of_all_fits"]
    """of_each_fit: each fold draws its own initial weights, order and dev part; the cells of a grid share them.
    of_all_fits: they are the same wherever the sizes are, as in the released toolkit, which seeds anew with the same
    number at each fit."""

    def key_of(self, fit: str) -> str:
        """Returns the key of a fit's chance; with `seed` it fixes what is drawn."""
        return fit if self.chance == "of_each_fit" else "all fits"


class ScoreSettings(Section):
    """How scores of relatedness are predicted by a distribution over grades (Tai et al. 2015, section 4.3)."""

    spec: ProbeSpec
    """A linear probe; its accuracy on dev is Pearson's correlation here, its weights those of the best dev."""
    lowest: int
    """Of the grades, 1 to 5 for SICK, 0 to 5 for STSB. The released toolkit has 1 to 5 for both."""
    highest: int
    """Of the grades."""
    outside: Literal["refused", "lost"]
    """What becomes of a score of train beyond the grades: "refused", or "lost": the share of its mass that lies there
    is left out, as in the released toolkit."""
    seed: int
    """Of initial weights and orders."""

    def __post_init__(self):
        super().__post_init__()
        check_at_least("highest", self.highest, self.lowest + 1)
        if self.spec.hidden_size is not None or self.spec.stopping != "tenacity_never_reset":
            raise BadValue("spec", self.spec, "a linear probe that stops by tenacity_never_reset")


CLASSIFIER, REGRESSION, COSINE = "linear_grid", "score_regression", "cosine"


def manners_of(settings: TaskSettings, has_vectors: bool) -> tuple[str, ...]:
    """Returns how a task is scored, the manner of its headline first: STSB and SICK-R by regression and by cosines.

    Args:
        has_vectors: whether the encoder gives vectors; no regression is fitted to counts.
    """
    if settings.fit == "regression":
        return (REGRESSION, COSINE) if has_vectors else (COSINE,)
    return (COSINE,) if settings.fit == "cosine" else (CLASSIFIER,)


def fit_settings(suite: DownstreamSuite, protocol: str, seed: int) -> FitSettings:
    """Returns how the classifiers of a suite are fitted."""
    return FitSettings(
        probe=GridProbe(**suite.classifier),
        folds=suite.folds,
        inner_folds=suite.inner_folds,
        dev_share=suite.dev_share,
        folds_seed=suite.folds_seed,
        seed=seed,
        chance="of_all_fits" if protocol == RELEASED else "of_each_fit",
    )


def score_settings(suite: DownstreamSuite, settings: TaskSettings, protocol: str, seed: int) -> ScoreSettings:
    """Returns how the regression of a task is fitted."""
    lowest, highest = settings.scores
    return ScoreSettings(
        spec=ProbeSpec(**suite.regression),
        lowest=lowest,
        highest=highest,
        outside="lost" if protocol == RELEASED else "refused",
        seed=seed,
    )
