"""The manners in which a task is scored, and the settings of their fits."""

from src.probing.bank.probe_spec import ProbeSpec
from src.probing.downstream.fit_settings import FitSettings, ScoreSettings
from src.probing.probes.grid import GridProbe
from src.probing.suites.downstream_tasks import RELEASED, DownstreamSuite, TaskSettings

CLASSIFIER, REGRESSION, COSINE = "linear_grid", "score_regression", "cosine"


def manners_of(settings: TaskSettings, has_vectors: bool) -> tuple[str, ...]:
    """Returns how a task is scored, the manner of its headline first: STSB and SICK-R by regression and by cosines.

    Args:
        settings: of the task.
        has_vectors: whether the encoder gives vectors; no regression is fitted to counts.
    """
    if settings.fit == "regression":
        return (REGRESSION, COSINE) if has_vectors else (COSINE,)
    return (COSINE,) if settings.fit == "cosine" else (CLASSIFIER,)


def fit_settings(suite: DownstreamSuite, protocol: str, seed: int) -> FitSettings:
    """Returns how the classifiers of a suite are fitted.

    Raises:
        PolyprobeError: a value is out of its range.
    """
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
    """Returns how the regression of a task is fitted.

    Raises:
        PolyprobeError: a value is out of its range.
    """
    lowest, highest = settings.scores
    return ScoreSettings(
        spec=ProbeSpec(**suite.regression),
        lowest=lowest,
        highest=highest,
        outside="lost" if protocol == RELEASED else "refused",
        seed=seed,
    )
