"""What is counted of a treebank."""

import numpy as np

from polyprobe.generation.token_level import share_of_several_bundles


def test_a_form_is_ambiguous_whose_tokens_have_several_bundles():
    forms, bundles = np.array([4, 4, 4, 2, 2, 7]), np.array([0, 1, 0, 3, 3, 0])
    assert share_of_several_bundles(forms, bundles) == 0.333333
