"""The minimal set of neurons: the fewest on which a new probe does as well as the probe of all."""

from collections.abc import Sequence

from src.analysis.neurons.ablations import AblationPoint
from src.analysis.neurons.row_names import BOTTOM, RETRAINED


def minimal_point(
    points: Sequence[AblationPoint], full: AblationPoint, ranking: str, tolerance: float
) -> AblationPoint | None:
    """Returns the smallest tried top of a ranking whose new probe is within the tolerance of the probe of all, on dev.

    Sizes are tried as they grow, and the first that is good enough counts (Dalvi et al. 2019, section 3.4), whatever
    the larger ones do.

    Args:
        points: of one test at one epoch.
        full: the probe of all neurons.
        ranking: its name.
        tolerance: of the accuracy on dev, 0 to 1.

    Returns:
        The point; None where no size is good enough: all neurons are the minimal set.
    """
    tops = [point for point in points if (point.ranking, point.manner) == (ranking, RETRAINED) and point.kept != BOTTOM]
    enough = [point for point in tops if point.dev_accuracy >= full.dev_accuracy - tolerance]
    return min(enough, key=lambda point: point.n_neurons, default=None)
