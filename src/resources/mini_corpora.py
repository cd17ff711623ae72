"""Lays out the corpora of the miniature Turkish where published data of other languages would lie.

    mini-<digest>/
      srl/mini/mini-up-{train,dev,test}.conllup               Universal PropBank 2.0, joined, with spans
      ud/mini/{train,dev,test}.conllu                         the same sentences as a treebank
      ner/mini/{train,dev,test}.txt                           the same sentences with names of persons and places
      nli/mini/{train,dev,test}.tsv                           pairs of sentences, in a table with a header
      unimorph/mini/mini.txt                                  the inventory: lemma, form, bundle
      frequency/mini.txt                                      the words of corpora/mini.txt with their counts
      wuggy/mini.txt                                          the forms with their syllables
      um/mini/{train,dev,test}.conllu                         the treebank, and more, with UniMorph bundles in FEATS
      linspector/{type,token}/mini/<Test>/{train,dev,test}.txt    and statistics.json, origin.jsonl
      corpora/mini.txt                                        plain text, one sentence a line, words apart
      corpora/mini_agreement.txt                              such a text that teaches the agreement of minimal sets
      senteval/mini/<test>.txt                                all splits in one file; about/ says more of some
      trees/mini/{train,dev,test}.tsv                         stories: a story's name and a constituency tree a line
      parallel/mini/{train,dev,test}.{mini,ana}               stories and their translation, a sentence a line
      ordered/mini/{train,dev,test}/stories.txt               stories with a blank line between two, words apart
      trees/mini_sentences/sentences.tsv                      further sentences, which tests in senteval/ are made from
      clams/grammars/mini/<construction>.avg                  grammars of minimal sets; common.avg is part of each
      clams/eval/mini/<construction>.txt                      their sets
      manifest.tsv                                            SHA-256 and path of every file above

All of them lie packed in `mini/mini.tar.xz`; `mini/README.md` says by which commit they were generated. The folder is
named for a digest of that archive.
"""

import hashlib
import os
import shutil
import tarfile
import uuid
from pathlib import Path

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import NoRoom, remove_left_overs

ARCHIVE = Path(__file__).parent / "mini" / "mini.tar.xz"
MANIFEST = "manifest.tsv"


def ensure(root: Path, seed: int) -> Path:
    """Returns the folder with the corpora, and unpacks it first if it is missing or damaged.

    Args:
        root: the folder in which `mini-<digest>` lies or will lie.
        seed: of the draws of sentences and probing sets; the archive holds those of seed 1.

    Returns:
        The folder; two processes that unpack it at once end with one complete folder.

    Raises:
        PolyprobeError: another seed than 1.
        NoRoom: they cannot be written there.
    """
    if seed != 1:
        raise PolyprobeError(
            f"lang.generator.seed must be 1, got {seed!r}: the corpora of lang=mini come as drawn by it."
        )
    folder = Path(root) / f"mini-{hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()[:12]}"
    if is_whole(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_left_overs(folder.parent)
    neighbour = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.tmp")
    try:
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(neighbour, filter="data")
        _move(neighbour, folder)
    except OSError as error:
        raise NoRoom(folder, error.strerror, 0) from error
    finally:
        shutil.rmtree(neighbour, ignore_errors=True)
    return folder


def is_whole(folder: Path) -> bool:
    """Says whether every file of the manifest is there with the content it had when packed."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
        return all(_content_digest(folder / path) == known for known, path in (line.split("\t") for line in lines))
    except (OSError, ValueError):
        return False


def _move(neighbour: Path, folder: Path) -> None:
    """Renames the finished neighbour; a damaged folder in its place goes first, another process's whole one stays."""
    if folder.exists() and not is_whole(folder):
        damaged = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.damaged")
        os.replace(folder, damaged)
        shutil.rmtree(damaged, ignore_errors=True)
    try:
        os.rename(neighbour, folder)
    except OSError:
        if not is_whole(folder):
            raise


def _content_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
