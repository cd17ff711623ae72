import pytest

from polyprobe.formats.reading.malformed import Skipped
from polyprobe.formats.roles.conll2009 import conll2009_row_sentences
from polyprobe.formats.roles.universal_propbank import universal_propbank_sentences
from polyprobe.metrics.roles import count_roles, role_scores
from polyprobe.metrics.tallies import summed
from polyprobe.models.baselines.trivial import FrequentRole

pytestmark = pytest.mark.real_data

TURKISH = (conll2009_row_sentences, "srl/tr_propbank_imst/trpb_v1.0.{}.conll")
FINNISH = (universal_propbank_sentences, "srl/finnish_up/fi_tdt-up-{}.conllup")


@pytest.mark.parametrize(
    ("corpus", "split", "expected"),
    [
        (TURKISH, "dev", ("48.96", "24.04", "32.25", "61.49")),
        (TURKISH, "test", ("51.18", "25.25", "33.82", "61.96")),
        (FINNISH, "dev", ("43.26", "12.22", "19.06", "55.86")),
        (FINNISH, "test", ("38.96", "11.00", "17.15", "54.72")),
    ],
    ids=["Turkish dev", "Turkish test", "Finnish dev", "Finnish test"],
)
def test_the_baseline_has_the_scores_that_an_independent_count_gave(data_folder, corpus, split, expected):
    read, pattern = corpus
    train, asked = (read(data_folder / pattern.format(name), Skipped()) for name in ("train", split))
    baseline = FrequentRole.counted(train)
    counts = (count_roles(sentence.propositions, baseline.propositions(sentence)) for sentence in asked)
    whole, semantic, *_ = role_scores(summed(counts))
    found = whole.precision, whole.recall, whole.value, semantic.value
    assert tuple(f"{100 * score:.2f}" for score in found) == expected
