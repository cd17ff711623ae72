"""Hours of a study from rates: what is added up, what is shared, and what rests on assumptions."""

import pytest

from benchmarks.what_a_study_costs import Part, Rate, Study, cells_of, read_rates

RATES = {
    ("2 cores", "pieces, BERT-base"): Rate(100, is_measured=True),
    ("2 cores", "starts of jobs"): Rate(10, is_measured=True),
    ("H200", "pieces, BERT-base"): Rate(1000, is_measured=False),
    ("H200", "starts of jobs"): Rate(10, is_measured=True),
}


@pytest.fixture
def study():
    parts = (Part(2000, "pieces, BERT-base"),)
    return Study("one", jobs=20, parts=parts, vectors=1e9, rows=1500, weights=0, longest=0.25)


def test_hours_add_up_and_say_whether_a_rate_is_assumed(study):
    cells = cells_of(study, RATES)
    assert cells["2 cores"] == "22 h m"  # 2000 pieces at 100 an hour, 20 starts at 10
    assert cells["one H200"] == "4 h a"
    assert (cells["cache, GB"], cells["rows"], cells["kept probes, GB"]) == ("4", "1,500", "-")


def test_many_gpus_share_a_study_no_further_than_its_longest_job(study):
    assert cells_of(study, RATES)["64 GPUs"] == "1 h a"


def test_each_rate_of_the_documents_is_measured_or_assumed():
    assert {(rate.value > 0) for rate in read_rates().values()} == {True}
