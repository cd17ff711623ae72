"""Sites inside of the layers of a transformer, as its layers in analyses of neurons and of similarity."""

import csv
from itertools import product

import pytest

import polyprobe as pp
from tests.encoders.tiny_transformers import write_transformer

NOUNS = [f"{first}{middle}{last}" for first, middle, last in product("tkps", "aoie", "nlrs")]
WIDTHS = {"layer_1.attention": 8, "layer_1.mlp": 8, "layer_1": 8, "encoder.layer.0.intermediate.dense": 16}


@pytest.fixture
def probed(tmp_path):
    """Probes layer 1 and the sites in it, by some probe."""
    (tmp_path / "nouns.tsv").write_text("".join(f"{noun}\tSing\n{noun}t\tPlur\n" for noun in NOUNS))
    folder = str(write_transformer(tmp_path / "model", "bert"))

    def run(probe, *overrides, sites=("residual", "attention", "mlp", "encoder.layer.*.intermediate.dense")):
        encoder = pp.encoder("transformer", model=folder, layers=[1], sites=list(sites))
        more = ["probe.max_epochs=1", *overrides]
        own = {"data": tmp_path / "nouns.tsv", "work": tmp_path / "work"}
        return pp.probe(encoder, probe=probe, **own, threads=1, overrides=more, quiet=True)

    return run


def test_neurons_of_sites_are_numbered_in_their_site(probed, tmp_path):
    run = probed("neurons", "probe.l1=[0,0.001]", "probe.l2=[0.0001]")
    few = ["shares=[0.5]"]
    ranked = pp.neurons(run, rankings=["weights"], work=tmp_path / "work", overrides=few, quiet=True)
    with open(ranked.path / "neurons.csv", encoding="utf-8", newline="") as file:
        places = {(row["layer"], int(row["place"])) for row in csv.DictReader(file)}
    assert places == {(site, place) for site, width in WIDTHS.items() for place in range(width)}


def test_the_similarity_of_sites_is_that_of_runs_with_each_alone(probed, tmp_path):
    work, few = tmp_path / "work", ["resamples=5"]
    together = pp.similarity(probed("mlp"), measures=["cka"], work=work, overrides=few, quiet=True)
    values = {(row["layer"], row["other_layer"]): row["value"] for row in together.rows}
    assert {layer for pair in values for layer in pair} == {*WIDTHS}  # of layer 1 alone, as the encoder says
    alone = [probed("mlp", sites=[site]) for site in ("attention", "residual")]
    apart = pp.similarity(*alone, measures=["cka"], work=work, overrides=few, quiet=True)
    (value,) = (row["value"] for row in apart.rows if row["other_layer"] != row["layer"])
    assert value == pytest.approx(values["layer_1.attention", "layer_1"], abs=1e-6)
