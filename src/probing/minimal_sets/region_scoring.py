"""Scores models on SyntaxGym's items: surprisals of regions, and which of their predictions hold.

    items -> sentences -> distinct questions -> predictor -> answers -> surprisals of regions -> margins of predictions

A region's surprisal is the sum over the tokens of its words, in bits. A token that crosses a blank belongs to the word
in which it starts, so to the region of that word; the end of the sentence, where it counts, to the last region that has
words. Both are as in syntaxgym-core (suite.py, `tokenize_regions`). A word put after every sentence
(`suite.end_of_sentence`) belongs to no region.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.formats.minimal_sets.region_formulas import margin, references
from polyprobe.predictors.base.predictor import Answers, Keeper, Predictor
from polyprobe.probing.minimal_sets.findings import MinimalSetFindings
from polyprobe.probing.minimal_sets.outcome import UNKNOWN_REGION, Model, ScoredRegions, ScoringRules
from polyprobe.probing.minimal_sets.questions import Sentences, distinct_questions, last_words, tokens_of
from polyprobe.probing.minimal_sets.scoring import check_same_tokens, distinct_models, unknown_language
from polyprobe.probing.suites.minimal_sets import MinimalSuite, Preparation, RegionConstruction
from polyprobe.runs.array_records import RegionScores

NOT_SCORED = "a region that is predicted has no scored word"
INFINITE = "surprisals without a difference: infinite ones"
NO_REGION = -1


def sentences_of_suite(suite: MinimalSuite) -> list[Sentences]:
    """Returns the sentences of each of SyntaxGym's test suites, as they are scored."""
    return [_Layout.of(construction, suite.preparation).sentences for construction in suite.constructions]


def score_regions(
    suite: MinimalSuite, predictors: Sequence[Predictor], keepers: Sequence[Keeper], rules: ScoringRules
) -> MinimalSetFindings:
    """Asks each model all distinct sentences of SyntaxGym's items at once. Arguments as `scoring.score_suite`.

    An item that one model cannot score is left out for all.
    """
    models = distinct_models(predictors)
    if any(one.asks_focus for one in predictors):
        raise PolyprobeError(
            f"suite={suite.name} compares surprisals of regions, but predictor.score=focus only scores "
            "the critical words. Expected predictor.score=pll or pll_within_word: sums of pseudo-surprisals."
        )
    layouts = [_Layout.of(construction, suite.preparation) for construction in suite.constructions]
    sentences = [one.sentences for one in layouts]
    is_asked = [np.ones(len(one.texts), dtype=bool) for one in sentences]
    questions, numbers = distinct_questions(sentences, is_asked, asks_focus=False)
    scored: list[list[_RegionSums]] = [[] for _ in layouts]
    for predictor, keeper in zip(predictors, keepers, strict=True):
        answers = predictor.answer(questions, keeper)
        for of_models, number, one in zip(scored, numbers, layouts, strict=True):
            of_models.append(_region_sums(answers, number, one))
    return MinimalSetFindings(
        suite=suite.name,
        rules=rules,
        models=models,
        asks_focus=False,
        label=predictors[0].label,
        conventions="; ".join(dict.fromkeys(one.conventions for one in predictors)),
        unknown_language=unknown_language(predictors, rules.lang),
        constructions=[_scored(*pair, models, rules) for pair in zip(layouts, scored, strict=True)],
        model_names=[one.model_name for one in predictors],
        groups_of_sets=[one.groups for one in suite.constructions],
        means=suite.means,
    )


@dataclass(frozen=True, eq=False)
class _Layout:
    """A test suite before a model is asked."""

    construction: RegionConstruction
    sentences: Sentences
    """Theirs; an item is a set."""
    conditions: Sequence[str]
    """Of each sentence."""
    region_of_word: np.ndarray
    """The region of every word of every sentence, and of its end: int64 `[words and ends]`."""
    first_word: np.ndarray
    """Where the words of each sentence start in that: int64 `[sentences]`."""
    sentence_of_region: np.ndarray
    numbers: np.ndarray
    """Of each region: int64 `[regions]`."""
    place_of: Mapping[tuple[int, str, int], int]
    """Of each region, by item, condition and number."""
    places_of_all: Mapping[tuple[int, str], Sequence[int]]
    """Of the regions of a condition, by item and condition."""
    is_predicted: np.ndarray
    """Whether a prediction refers to the region: bool `[regions]`."""

    @classmethod
    def of(cls, construction: RegionConstruction, preparation: Preparation) -> "_Layout":
        """Lays the items of a test suite out."""
        texts, items, conditions, region_of_word, first_word = [], [], [], [], []
        sentence_of_region, numbers = [], []
        place_of: dict[tuple[int, str, int], int] = {}
        conditions_of_items = (
            (number, *named) for number, item in enumerate(construction.items) for named in item.conditions.items()
        )
        for item, name, one in conditions_of_items:
            text = preparation.sentence(" ".join(one.words))
            of_words = np.full(text.count(" ") + 2, NO_REGION)
            for number, (start, end) in one.regions.items():
                place_of[item, name, number] = len(numbers)
                of_words[start:end] = len(numbers)
                sentence_of_region.append(len(texts))
                numbers.append(number)
            of_words[-1] = of_words[len(one.words) - 1]
            first_word.append(len(region_of_word))
            region_of_word += of_words.tolist()
            texts.append(text)
            items.append(item)
            conditions.append(name)
        places_of_all: dict[tuple[int, str], list[int]] = {}
        for (item, name, _), place in place_of.items():
            places_of_all.setdefault((item, name), []).append(place)
        is_predicted = np.zeros(len(numbers), dtype=bool)
        for item, condition, region in _predicted(construction):
            is_predicted[_places(place_of, places_of_all, item, condition, region)] = True
        sentences = Sentences(
            texts=texts,
            words=[tuple(text.split(" ")) for text in texts],
            set_of_sentence=np.array(items, dtype=np.int64),
            spans=np.zeros((len(texts), 2), dtype=np.int64),
            lemmas=[str(item.number) for item in construction.items],
        )
        arrays = [np.array(one, np.int64) for one in (region_of_word, first_word, sentence_of_region, numbers)]
        return cls(construction, sentences, conditions, *arrays, place_of, places_of_all, is_predicted)

    @property
    def is_word(self) -> np.ndarray:
        """Says of the words and ends which are words of a region: bool `[words and ends]`."""
        is_word = self.region_of_word != NO_REGION
        is_word[self.first_word - 1] = False  # the ends; that of the last sentence is the last of all
        return is_word

    @property
    def item_of_region(self) -> np.ndarray:
        """int64 `[regions]`."""
        return self.sentences.set_of_sentence[self.sentence_of_region]

    def any_of_item(self, of_region: np.ndarray) -> np.ndarray:
        """Says of each item whether something is true of one of its regions: bool `[items]`."""
        return np.bincount(self.item_of_region[of_region], minlength=self.sentences.n_sets) > 0

    def sums(self, surprisals: np.ndarray, item: int, condition: str, region: int | None) -> np.ndarray:
        """Returns the surprisal of a region of an item, or of all of a condition: float64 `[models]`."""
        places = _places(self.place_of, self.places_of_all, item, condition, region)
        return surprisals[:, places].sum(axis=1)


@dataclass(frozen=True, eq=False)
class _RegionSums:
    """What one model makes of the regions of a test suite."""

    surprisals: np.ndarray
    """In bits, NaN where a region has no token and a word that no token covers: float64 `[regions]`."""
    n_tokens: np.ndarray
    """int64 `[regions]`."""
    has_unknown: np.ndarray
    """Whether a word is unknown, or no token covers it: bool `[regions]`."""
    refusals: np.ndarray
    """Why a sentence has no answer, "" where it has one: object `[sentences]`."""


def _predicted(construction: RegionConstruction) -> Iterator[tuple[int, str, int | None]]:
    for prediction in construction.predictions:
        for one in references(prediction.claim):
            for item in range(len(construction.items)):
                yield item, one.condition, one.region


def _places(place_of: Mapping, places_of_all: Mapping, item: int, condition: str, region: int | None) -> Sequence[int]:
    return places_of_all[item, condition] if region is None else [place_of[item, condition, region]]


def _region_sums(answers: Answers, numbers: np.ndarray, one: _Layout) -> _RegionSums:
    """Sums the answers up region by region; `numbers` are the questions of the sentences: int64 `[sentences]`."""
    n_regions = len(one.numbers)
    sentence, token = tokens_of(answers, numbers)
    word, last = (one.first_word[sentence] + of[token] for of in (answers.word_of_token, last_words(answers)))
    is_unknown = answers.is_unknown[token]
    is_uncovered = one.is_word & (_n_covering(word, last, len(one.region_of_word)) == 0)
    is_unknown = one.is_word & (_n_covering(word[is_unknown], last[is_unknown], len(one.region_of_word)) > 0)
    has_uncovered, has_unknown = (
        np.bincount(one.region_of_word[which], minlength=n_regions) > 0 for which in (is_uncovered, is_unknown)
    )
    region = one.region_of_word[word]
    token, region = token[region != NO_REGION], region[region != NO_REGION]
    bits = answers.log_probabilities[token].astype(np.float64) / -np.log(2)
    n_tokens = np.bincount(region, minlength=n_regions)
    sums = np.bincount(region, bits, minlength=n_regions)
    return _RegionSums(
        surprisals=np.where((n_tokens == 0) & has_uncovered, np.nan, sums),
        n_tokens=n_tokens,
        has_unknown=has_unknown | has_uncovered,
        refusals=np.array([*answers.refusals, ""], dtype=object)[numbers],
    )


def _n_covering(firsts: np.ndarray, lasts: np.ndarray, n_words: int) -> np.ndarray:
    """Returns how many tokens cover each word: int64 `[words]`.

    Args:
        firsts, lasts: the first and the last word of each token: int64 `[tokens]`.
    """
    begin, end = (np.bincount(of, minlength=n_words + 1) for of in (firsts, lasts + 1))
    return np.cumsum(begin - end)[:n_words]


def _scored(
    one: _Layout, of_models: Sequence[_RegionSums], models: Sequence[Model], rules: ScoringRules
) -> ScoredRegions:
    left_out = np.full(one.sentences.n_sets, "", dtype=object)
    for scores in of_models:
        for place in np.flatnonzero(scores.refusals != "")[::-1].tolist():  # so that of an item the first one counts
            left_out[one.sentences.set_of_sentence[place]] = scores.refusals[place]
    for scores in of_models:
        is_unscored = one.any_of_item(one.is_predicted & np.isnan(scores.surprisals))
        left_out[is_unscored & (left_out == "")] = NOT_SCORED
    has_unknown = np.any([one.any_of_item(one.is_predicted & scores.has_unknown) for scores in of_models], axis=0)
    has_unknown &= left_out == ""
    if rules.unknown_focus == "skipped":
        left_out[has_unknown] = UNKNOWN_REGION
    is_scored = (left_out == "")[one.item_of_region]
    check_same_tokens(one.construction.name, [scores.n_tokens[is_scored] for scores in of_models], models)
    surprisals = np.stack([scores.surprisals for scores in of_models])
    margins = _margins(one, surprisals, left_out == "")
    left_out[np.isnan(margins).any(axis=(0, 1)) & (left_out == "")] = INFINITE
    margins[:, :, left_out != ""] = np.nan
    return ScoredRegions(
        _region_scores(one, left_out, models, surprisals, margins), has_unknown, one.construction.n_bad_lines
    )


def _margins(one: _Layout, surprisals: np.ndarray, is_left: np.ndarray) -> np.ndarray:
    """Returns the margin of each prediction: float64 `[models, predictions, items]`, NaN where an item is left out."""
    predictions = one.construction.predictions
    margins = np.full((len(surprisals), len(predictions), len(is_left)), np.nan)
    for item in np.flatnonzero(is_left).tolist():
        sums = partial(one.sums, surprisals, item)
        for number, prediction in enumerate(predictions):
            margins[:, number, item] = margin(prediction.claim, sums)
    return margins


def _region_scores(
    one: _Layout, left_out: np.ndarray, models: Sequence[Model], surprisals: np.ndarray, margins: np.ndarray
) -> RegionScores:
    construction = one.construction
    return RegionScores(
        test=construction.name,
        numbers=np.array([item.number for item in construction.items], dtype=np.int64),
        left_out=left_out.astype(str),
        sentences=np.array(one.sentences.texts, dtype=str),
        conditions=np.array(one.conditions, dtype=str),
        set_of_sentence=one.sentences.set_of_sentence,
        sentence_of_region=one.sentence_of_region,
        region_numbers=one.numbers,
        models=np.array([model.name for model in models]),
        surprisals=surprisals,
        predictions=np.array([prediction.text for prediction in construction.predictions], dtype=str),
        margins=margins,
    )
