"""Eight sentences that a labeller must learn by heart, and models small enough for a test."""

from functools import partial

import torch

from polyprobe.datamodules.base.word_inputs import TrigramInputs
from polyprobe.datamodules.propositions import PropositionsDataModule
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.rate_decay import HalvedAfterSmallGains
from polyprobe.models.role_labeller import RoleLabeller
from tests.models.in_memory import in_memory


def sentence(number: int, words: str, *propositions: tuple[int, dict[int, str]]) -> LabelledSentence:
    found = tuple(
        Proposition(predicate, "x.01", tuple(Argument(word, role) for word, role in sorted(roles.items())))
        for predicate, roles in propositions
    )
    split = tuple(words.split())
    return LabelledSentence(str(number), number, split, ("_",) * len(split), found)


EIGHT = [
    sentence(1, "Liisa luki kirjan", (1, {0: "A0", 2: "A1"})),
    sentence(2, "Kirjan luki Liisa eilen", (1, {0: "A1", 2: "A0", 3: "AM-TMP"})),
    sentence(3, "Koira näki kissan ja juoksi", (1, {0: "A0", 2: "A1"}), (4, {0: "A0"})),
    sentence(4, "Kissa nukkui", (1, {0: "A1"})),
    sentence(5, "Eilen satoi"),
    sentence(6, "Sataa", (0, {})),
    sentence(7, "Liisa sanoi että koira nukkui eilen", (1, {0: "A0", 4: "A1"}), (4, {3: "A1", 5: "AM-TMP"})),
    sentence(8, "Å nukkui $ ja ^", (1, {0: "A1"})),
]


def datamodule(train=EIGHT, dev=EIGHT, test=(), batch_propositions=4, inputs=None, seed=1) -> PropositionsDataModule:
    trigrams = TrigramInputs(trigram_size=6, hidden_size=7, trigram_start="normal")
    sizes = {"batch_propositions": batch_propositions, "evaluation_propositions": 3}
    return in_memory(PropositionsDataModule, train, dev, test, inputs=inputs or trigrams, seed=seed, **sizes)


def labeller(data: PropositionsDataModule, **settings) -> RoleLabeller:
    small = {
        "_target_": "polyprobe.models.role_labeller.RoleLabeller",
        "word_size": 5,
        "hidden_size": 7,
        "n_layers": 1,
        "dropout": 0.0,
        "clip_norm": 2.0,
        "seed": 1,
        "optimizer": partial(torch.optim.SGD, lr=0.5),
        "rate_decay": HalvedAfterSmallGains(smallest_gain=0.01, patience=3, first_epoch=4, factor=0.5),
    }
    return build_model({**small, **settings}, data.model_inputs())
