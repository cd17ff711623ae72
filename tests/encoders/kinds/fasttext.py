from pathlib import Path

from gensim.models import FastText
from gensim.models.fasttext import save_facebook_model

from polyprobe.encoders.fasttext import Fasttext
from tests.encoders.kind import Kind

SENTENCES = [["Talo", "paloi", "eilen", "."], ["pöly", "leijui", "taloissa", "."], ["w1", "w2", "paloi", "."]]


def build(folder: Path, seed: int = 1, **changes) -> Fasttext:
    path = folder / f"{seed}.bin"
    if not path.exists():
        options = {"vector_size": 6, "min_count": 1, "min_n": 3, "max_n": 5, "bucket": 500, "epochs": 2}
        save_facebook_model(FastText(SENTENCES, workers=1, seed=seed, **options), str(path))
    return Fasttext(**{"path": path, "lowercase": False, "dotless_i": False, **changes})


KIND = Kind(
    "fasttext",
    build,
    ({"seed": 2}, {"lowercase": True}, {"lowercase": True, "dotless_i": True}),
    nfc_equals_nfd=False,
)
