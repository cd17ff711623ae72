"""The tokens that a test can have, and what each filter took of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import length_bins
from polyprobe.generation.made_tests.row_statistics import share
from polyprobe.generation.token_tests.token_level_options import TokenLevelOptions
from polyprobe.generation.token_tests.treebank_tokens import NO_ITEM, TreebankTokens
from polyprobe.generation.unimorph.decoding import LANGUAGE_SPECIFIC, PART_OF_SPEECH
from polyprobe.generation.unimorph.inflections import ABSENT, DecodedInflections

TOKEN_BOUNDS = (2, 4, 6, 8, 10)  # the longest form of each bin of CharacterBin but the last (released program)


@dataclass(frozen=True)
class TokenCandidates:
    """Tokens that a test may have."""

    labels: Sequence[str]
    tokens: np.ndarray
    """Places in the treebank, ascending, `[candidates]`."""
    label_ids: np.ndarray
    """Places in `labels`, `[candidates]`."""
    ambiguity: Mapping[str, float]
    """Shares of what has a label of the feature. "several_labels": of the forms, those that have several; "repeated":
    of the forms, those of several tokens, which the article seems to call ambiguous (its Table 5);
    "tokens_of_several_labels": of the tokens, those with a form of several labels. Empty where something is counted.
    """
    steps: tuple[Step, ...]
    """What the filters so far did."""

    def __len__(self) -> int:
        return len(self.tokens)

    def chosen(self, places: np.ndarray) -> "TokenCandidates":
        """Returns the candidates at these places, in this order."""
        return replace(self, tokens=self.tokens[places], label_ids=self.label_ids[places])

    def filtered(self, name: str, is_kept: np.ndarray) -> "TokenCandidates":
        """Leaves candidates out and says so."""
        left = int(np.count_nonzero(is_kept))
        step = Step(name, "tokens", len(self) - left, left)
        return replace(self.chosen(np.flatnonzero(is_kept)), steps=(*self.steps, step))


def possible_token_tests(treebank: TreebankTokens) -> tuple[str, ...]:
    """Returns the names of the tests that treebanks may have, those of features first."""
    return (*feature_tests(treebank), *_COUNTED)


def feature_tests(treebank: TreebankTokens) -> tuple[str, ...]:
    """Returns the names of the tests of a feature, and POS."""
    found = treebank.decoded.features()
    names = [_test_of(feature) for feature in found if feature not in (PART_OF_SPEECH, LANGUAGE_SPECIFIC)]
    return (*names, *(_test_of(feature) for feature in found if feature == PART_OF_SPEECH))


def _test_of(feature: str) -> str:
    return "POS" if feature == PART_OF_SPEECH else feature.replace(" ", "")


def candidates_of(treebank: TreebankTokens, test: str, options: TokenLevelOptions) -> TokenCandidates:
    """Finds the tokens that one of `possible_token_tests` can have."""
    if test in _COUNTED:
        values, label_ids = np.unique(_COUNTED[test](treebank.decoded), return_inverse=True)
        labels = tuple(map(str, values.tolist()))
        found = TokenCandidates(labels, np.arange(len(treebank)), label_ids.astype(np.int32), {}, ())
    else:
        found = _labelled(treebank, test, options)
    found = found.filtered("a blank inside", treebank.places[found.tokens] != NO_ITEM)
    if test not in _BINNED or options.character_bin_lengths == "as_others":
        is_near = _has_usual_length(treebank, options)
        found = found.filtered("sentences too short or too long", is_near[treebank.sentence_ids[found.tokens]])
    is_rare = np.bincount(found.label_ids, minlength=len(found.labels)) < options.least_of_label
    found = found.filtered("labels that are too rare", ~is_rare[found.label_ids])
    return found if test in _COUNTED else replace(found, ambiguity=_ambiguity(treebank, found))


def _labelled(treebank: TreebankTokens, test: str, options: TokenLevelOptions) -> TokenCandidates:
    decoded = treebank.decoded
    feature = next(one for one in decoded.features() if _test_of(one) == test)
    values = decoded.values(feature)
    tokens = np.flatnonzero(decoded.presence(feature))
    found = TokenCandidates(values.labels, tokens, values.of_triples[tokens], {}, ())
    ignored = options.ignored.get(feature, ())
    if ignored:
        parts = decoded.values(PART_OF_SPEECH)
        is_ignored = np.isin(parts.of_triples[tokens], [n for n, name in enumerate(parts.labels) if name in ignored])
        found = found.filtered("parts of speech passed over", ~is_ignored)
    return found.filtered("a person without a number", found.label_ids != ABSENT)


_BINNED = ("CharacterBin", "CharacterBin2")
_COUNTED: Mapping[str, Callable[[DecodedInflections], np.ndarray]] = {  # what is counted of each token
    "TagCount": lambda decoded: decoded.tag_counts()[decoded.inflections.bundle_ids],
    "CharacterBin": lambda decoded: length_bins(decoded.inflections.forms, TOKEN_BOUNDS)[decoded.inflections.form_ids],
    "CharacterBin2": lambda decoded: length_bins(decoded.inflections.forms)[decoded.inflections.form_ids],
}


def _has_usual_length(treebank: TreebankTokens, options: TokenLevelOptions) -> np.ndarray:
    """Says which sentences are neither too short nor too long, `[sentences]`."""
    n_tokens = treebank.n_tokens
    if options.sentence_lengths == "all" or not len(n_tokens):
        return np.ones(len(n_tokens), bool)
    return np.abs(n_tokens - n_tokens.mean()) <= options.deviations * n_tokens.std()


def _ambiguity(treebank: TreebankTokens, found: TokenCandidates) -> dict[str, float]:
    forms = treebank.decoded.inflections.form_ids[found.tokens]
    order = np.lexsort((found.label_ids, forms))
    forms, labels = forms[order], found.label_ids[order]
    is_new_form = np.diff(forms, prepend=-1) != 0
    is_new_label = is_new_form | (np.diff(labels, prepend=-1) != 0)
    starts = np.flatnonzero(is_new_form)
    n_tokens = np.diff(starts, append=len(forms))
    n_labels = np.add.reduceat(is_new_label.astype(np.int32), starts) if len(starts) else starts
    return {
        "several_labels": share(np.count_nonzero(n_labels > 1), len(starts)),
        "repeated": share(np.count_nonzero(n_tokens > 1), len(starts)),
        "tokens_of_several_labels": share(n_tokens[n_labels > 1].sum(), len(forms)),
    }
