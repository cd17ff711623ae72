"""Tags of a finished tagger in place of those of a treebank: what a parser reads of text that nobody has tagged.

The tagger tags train, dev and test alike. It has seen train: where the counts of a run say that fewer of its tags are
wrong there than on dev, the parser learns to trust them more than it should. Ten taggers, each of nine tenths of
train, would mend that (jackknifing), at ten times the cost; here it is said, not mended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.encoders.inputs.trained_models import open_model, source_of
from polyprobe.errors import PolyprobeError
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.models.base.checkpoint_file import weights_digest
from polyprobe.models.tagger import Tagger
from polyprobe.runs.directory import RunDirectory
from polyprobe.splits import SPLITS
from polyprobe.training.callbacks.checkpoints import best_checkpoint

EXPECTED = "the directory of a finished run of task=pos"


@dataclass(frozen=True)
class TaggedCorpus:
    """A corpus of trees as its source returns it, with the tags of a finished tagger.

    Attributes:
        source: of the trees.
        run, encodings: see `with_predicted_upos`.
    """

    source: CorpusSource
    run: str
    encodings: Path

    def prepare(self) -> None:
        """See `CorpusSource`."""
        self.source.prepare()

    def read(self) -> Corpus:
        """Reads and tags the corpus; see `with_predicted_upos`."""
        return with_predicted_upos(self.source.read(), self.run, self.encodings)


def with_predicted_upos(corpus: Corpus, run: str, encodings: Path) -> Corpus:
    """Returns a corpus of trees with other tags in every split; those of the treebank are kept, for scores.

    Args:
        corpus: of `DependencySentence`.
        run: the directory of a finished run of task=pos.
        encodings: the folder of encodings, for a tagger that reads frozen vectors.
    """
    tagger = opened_tagger(run, encodings)
    splits = {split: tagged(tagger, getattr(corpus, split)) for split in SPLITS}
    beside = {name: tagged(tagger, sentences) for name, sentences in corpus.beside.items()}
    return replace(corpus, **splits, beside=beside)


def opened_tagger(run: str, encodings: Path) -> Tagger:
    """Opens the best epoch of a run; arguments and errors as for `with_predicted_upos`."""
    path = _best_checkpoint(run)
    model = open_model(path, source_of(path, {}, encodings))
    if type(model) is not Tagger:
        raise PolyprobeError(f"data.upos_run={run} has a {type(model).__name__}. Expected {EXPECTED}.")
    return model


def tagger_digest(run: str) -> str:
    """Returns a digest of all that the tags of a run's best epoch depend on, wherever the run lies."""
    return weights_digest(_best_checkpoint(run))


def tagged(tagger: Tagger, sentences: Sequence[DependencySentence]) -> list[DependencySentence]:
    """Returns the sentences with the tags of a tagger."""
    tags = tagger.tags([one.words for one in sentences])
    return [one.with_upos(found) for one, found in zip(sentences, tags, strict=True)]


def _best_checkpoint(run: str) -> Path:
    directory = RunDirectory(Path(run))
    if not directory.is_finished:
        raise PolyprobeError(f"data.upos_run={run} is not a finished run. Expected {EXPECTED}.")
    return best_checkpoint(directory)
