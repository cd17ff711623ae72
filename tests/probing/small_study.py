"""A study of one toy test with hashed character n-grams: trained in a second."""

from pathlib import Path

import torch
import yaml

from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.encoders.char_ngrams import CharNgrams
from polyprobe.named import built
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.design import Design
from polyprobe.probing.item_vectors import LayerVectors
from polyprobe.probing.stages import MAIN, EncodedTests
from tests.probing.small_tests import forms_test

MLP = Path(__file__).parents[2] / "conf/probe/mlp.yaml"
SEEDS = (1, 2)


def train(jobs):
    return train_bank(jobs, 8, torch.device("cpu"), lambda done, due: None)


def study(**changes) -> Design:
    def forms(prefix, count):
        return {f"{prefix}{number}{'lla' if number % 3 else 'ssa'}": int(number % 3 > 0) for number in range(count)}

    probe = built({**yaml.safe_load(MLP.read_text()), "max_epochs": 3, "hidden_size": 8}, "probe")
    tests = [forms_test(forms("talo", 60), forms("auto", 40), forms("katu", 40))]
    names = {"lang": "fi", "suite": "toy", "encoder": "char_ngrams", "probe_name": "mlp"}
    return Design(**{**names, "probe": probe, "tests": tests, "seeds": SEEDS, **changes})


def ngrams() -> CharNgrams:
    return CharNgrams(width=30, min_n=3, max_n=5, lowercase=True, dotless_i=False, seed=1)


def encoded_tests(one: Design, folder: Path) -> list[EncodedTests]:
    return [
        EncodedTests(
            MAIN, one.tests, LayerVectors(encoded(ngrams(), one.items(), VectorCache(folder=folder)), "ngrams")
        )
    ]
