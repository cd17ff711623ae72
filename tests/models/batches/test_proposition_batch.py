"""How role ids are read back."""

from polyprobe.formats.roles.propositions import Argument, Proposition
from polyprobe.models.role_labeller import propositions_of
from tests.models.corpus import EIGHT, sentence


def test_role_ids_are_read_back_proposition_after_proposition():
    talk = sentence(1, "a b c", (0, {}), (2, {}))
    found = list(propositions_of([talk, EIGHT[4]], [0, 1, 0, 2, 0, 0], ("_", "A1", "A0")))
    first, second = Argument(1, "A1"), Argument(0, "A0")
    assert found == [(Proposition(0, "x.01", (first,)), Proposition(2, "x.01", (second,))), ()]
