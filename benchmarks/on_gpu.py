"""What one GPU does: words a second and peak memory of encoders, probes a second, an epoch of each training.

All weights, texts and vectors are random and made in memory; a word is one piece. Encoding is the encoder's own: a word
of each sentence is pooled in every layer asked for, and its vectors come back to the host; the rival is a padded loop
of 32 unsorted sentences that holds all hidden states. Probes have the sizes of conf/probe/mlp.yaml, on made-up tests of
LINSPECTOR's sizes. An epoch is a number of measured steps times its number of batches, at published sizes.

Each line of the table is printed as soon as it is measured, with the card's name above. On an H100 or H200 all is meant
to take under ten minutes; `--seconds` is for how long each line is measured.

Run: python -m benchmarks.on_gpu
     python -m benchmarks.on_gpu --small      (tiny sizes, on a CPU as well: shows that it works)

It needs torch, transformers, pytorch-lightning, numpy, filelock, PyYAML and pydantic; neither Hydra,
gensim nor W&B.
"""

import argparse
import platform
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import yaml
from torch import Tensor
from transformers import AutoConfig, AutoModel, PreTrainedConfig

from benchmarks import lstm_language_model, sentence_training
from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.base.word_inputs import LearnedInputs, TrigramInputs
from polyprobe.datamodules.dependencies import DependenciesDataModule
from polyprobe.datamodules.propositions import PropositionsDataModule
from polyprobe.encoders.base.device import device_of, token_budget_of
from polyprobe.encoders.transformer.model import NUMBER_TYPES, FrozenTransformer
from polyprobe.encoders.transformer.sequences import NO_ROW, PieceSequence, PooledRows, batches
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.models.base import torch_process
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.base.task_model import TaskModel
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from tests.models.in_memory import InMemory

CONF = Path(__file__).resolve().parents[1] / "conf"
LOOP = 32  # sentences of a batch of the padded loop
BYTES = 2**30


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is measured; small: of everything a little, to show that it works."""

    models: dict[str, tuple[str, str, dict]]
    """Name: model type, number type, its configuration."""
    n_sentences: int
    """In a block of items."""
    probed: tuple[int, int, int, int, int]
    """Tests, layers, seeds, train items, width."""
    chunk_sizes: tuple[int, ...]
    training: dict[str, int]
    """Of the trainings: hidden width, words of the language model, units of the decoder, sentences of a corpus."""


LLAMA_8B = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128_256,
}
GPT2 = {"n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50_257}
BERT_BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
BERT_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
TINY = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 2, "vocab_size": 99}
WHOLE = Sizes(
    models={
        "Llama 8B": ("llama", "bfloat16", LLAMA_8B),
        "GPT-2": ("gpt2", "float32", GPT2),
        "BERT-base": ("bert", "float32", BERT_BASE),
        "BERT-large": ("bert", "float32", BERT_LARGE),
    },
    n_sentences=1000,
    probed=(12, 13, 5, 7000, 768),
    chunk_sizes=(8, 60, 260, 780),
    training={"width": 200, "parser": 250, "lm": 800, "words": 50_000, "units": 40_000, "sentences": 4000},
)
SMALL = Sizes(
    models={
        "Llama, tiny": ("llama", "bfloat16", {**TINY, "num_key_value_heads": 1}),
        "BERT, tiny": ("bert", "float32", TINY),
    },
    n_sentences=8,
    probed=(1, 2, 2, 64, 16),
    chunk_sizes=(1, 4),
    training={"width": 8, "parser": 8, "lm": 8, "words": 50, "units": 40, "sentences": 24},
)
FINNISH_PROPOSITIONS, TURKISH_SENTENCES = 19_562, 3_685  # of train: UD_Finnish-TDT's PropBank, UD_Turkish-IMST
ARTICLE_WORDS, NEWS_PAIRS = 80_000_000, 1_000_000  # train of a language of CLAMS; a million pairs for the decoder


class InMemoryTransformer(FrozenTransformer):
    """A transformer with random weights that are drawn on its device, in its number type: no files, no second copy."""

    def __init__(self, config: PreTrainedConfig, number_type: str, device: torch.device):
        self.folder, self.device, self.config = Path("random"), device, config
        with device:
            self.model = AutoModel.from_config(config, dtype=NUMBER_TYPES[number_type]).eval()
        self.model.config.use_cache = False
        self._places = self._layer_places()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="tiny sizes, a second each")
    parser.add_argument("--device", default=None, help="cpu, cuda; the default is a GPU where there is one")
    parser.add_argument("--seconds", type=float, default=10.0, help="for which each line is measured")
    arguments = parser.parse_args()
    device = device_of(arguments.device, "benchmark")
    card = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.processor() or "CPU"
    measuring = Measuring(SMALL if arguments.small else WHOLE, device, 0.0 if arguments.small else arguments.seconds)
    print(f"{card}, torch {torch.__version__}\n\n| what | rate | beside | peak, GB |\n|---|---|---|---|", flush=True)
    for line in measuring.lines():
        print(f"| {' | '.join(line)} |", flush=True)


class Measuring:
    """Measures one thing after the other.

    Args:
        seconds: for each, at least one repetition after a first that does not count.
    """

    def __init__(self, sizes: Sizes, device: torch.device, seconds: float):
        self.sizes, self.device, self.seconds = sizes, device, seconds
        self.random = np.random.default_rng(1)

    def lines(self) -> Iterator[tuple[str, str, str, str]]:
        """Yields what was measured, its rate, what it compares with, and the peak of the device's memory."""
        for name, (kind, number_type, settings) in self.sizes.models.items():
            yield from self._encoding(name, kind, number_type, settings)
        yield from self._probes()
        yield from self._trainings()

    def _encoding(self, name: str, kind: str, number_type: str, settings: dict) -> Iterator[tuple[str, ...]]:
        model = InMemoryTransformer(AutoConfig.for_model(kind, **settings), number_type, self.device)
        n_layers = model.config.num_hidden_layers
        lengths = np.maximum(3, self.random.gamma(3.5, 7.0, self.sizes.n_sentences)).astype(int)
        ids = [self.random.integers(0, model.config.vocab_size, length) for length in lengths]
        own = sum(one.numel() for one in model.model.parameters()) - model.model.get_input_embeddings().weight.numel()
        for layers in (range(n_layers + 1), (0, n_layers // 4, n_layers // 2)):
            seconds = self._seconds(lambda layers=layers: encoded(model, ids, layers))
            n_run = max(layers) / n_layers
            rate, tera = lengths.sum() / seconds, 2 * own * n_run * lengths.sum() / seconds / 1e12
            what = f"{name}, {number_type}: {len(layers)} layers, up to layer {max(layers)}"
            yield what, f"{rate:,.0f} words/s", f"{tera:.1f} TFLOP/s", self._peak()
        seconds = self._seconds(lambda: looped(model, ids))
        yield f"{name}: padded loop of {LOOP}", f"{lengths.sum() / seconds:,.0f} words/s", "", self._peak()

    def _probes(self) -> Iterator[tuple[str, ...]]:
        n_tests, n_layers, n_seeds, n_train, width = self.sizes.probed
        jobs = self.jobs(n_tests, n_layers, n_seeds, n_train, width)
        for chunk_size in (*self.sizes.chunk_sizes, 1):
            measured = jobs if chunk_size > 1 else jobs[:4]
            trainer = "gpu" if self.device.type == "cuda" else "cpu"
            start = time.perf_counter()
            train_bank(measured, chunk_size, torch_process.device_of(trainer), lambda done, due: None)
            steps = len(measured) * measured[0].spec.max_epochs * -(-n_train // measured[0].spec.batch_size)
            seconds = time.perf_counter() - start
            what = f"{len(measured)} probes of {width} inputs, {chunk_size} at a time"
            epochs = len(measured) * measured[0].spec.max_epochs / seconds
            yield what, f"{epochs:,.2f} probe epochs/s", f"{seconds / steps * 1e6:.1f} µs a step", self._peak()

    def jobs(self, n_tests: int, n_layers: int, n_seeds: int, n_train: int, width: int) -> list[ProbeJob]:
        """Returns probes of one epoch on made-up tests; those of a layer share its vectors."""
        settings = {**_yaml("probe/mlp"), "max_epochs": 1, "stopping": "none"}
        spec = ProbeSpec(**{key: value for key, value in settings.items() if key in ProbeSpec.__dataclass_fields__})
        data = []
        for _ in range(n_layers):
            vectors = torch.randn(2 * n_train, width)
            data += [_made_up_test(vectors, n_train) for _ in range(n_tests)]
        return [ProbeJob(one, spec, seed, str(number)) for number, one in enumerate(data) for seed in range(n_seeds)]

    def _trainings(self) -> Iterator[tuple[str, ...]]:
        sizes = self.sizes.training
        for name, data, settings, n_published in (self._labeller(sizes), self._parser(sizes)):
            data.setup()
            model = build_model({**settings, "seed": 1}, data.model_inputs()).train().to(self.device)
            batches_of = [data.transfer_batch_to_device(one, self.device, 0) for one in data.train_dataloader()]
            seconds = self._seconds(lambda model=model, some=batches_of: learn(model, some)) / len(batches_of)
            n_batches = n_published / 32
            yield self._of_epoch(name, seconds, n_batches, 32 / seconds, "examples/s")
        yield self._language_model(sizes)
        yield self._sentence_encoder(sizes)

    def _labeller(self, sizes: dict[str, int]) -> tuple[str, TaskDataModule, dict, int]:
        width = sizes["width"]
        source = InMemory.of([_labelled(self.random, number) for number in range(sizes["sentences"] // 4)], [])
        inputs = TrigramInputs(trigram_size=width, trigram_start="normal", hidden_size=width)
        data = PropositionsDataModule(source, inputs, seed=1, batch_propositions=32, evaluation_propositions=256)
        settings = {**_yaml("model/role_labeller"), "word_size": width, "hidden_size": width, "n_layers": 1}
        return "labeller, bi-LSTM over trigrams", data, settings, FINNISH_PROPOSITIONS

    def _parser(self, sizes: dict[str, int]) -> tuple[str, TaskDataModule, dict, int]:
        source = InMemory.of([_parsed(self.random, number) for number in range(sizes["sentences"] // 4)], [])
        inputs = LearnedInputs(word_size=100, least_word_count=2, ngram_lengths=[2, 5], least_ngram_words=3)
        settings = {key: value for key, value in _yaml("task/dep")["task"]["datamodule"].items() if key != "_target_"}
        data = DependenciesDataModule(source, seed=1, **{**settings, "batch_sentences": 32, "inputs": inputs})
        return (
            "parser, biaffine",
            data,
            {**_yaml("model/biaffine_parser"), "hidden_size": sizes["parser"]},
            TURKISH_SENTENCES,
        )

    def _language_model(self, sizes: dict[str, int]) -> tuple[str, ...]:
        chosen = Namespace(
            words=sizes["words"], width=sizes["lm"], columns=20, steps=35, device=str(self.device), bf16=False
        )
        seconds = self._seconds(lstm_language_model.ours(chosen))
        n_words = chosen.columns * chosen.steps
        name = f"language model, 2 x {chosen.width}, {chosen.words:,} words"
        return self._of_epoch(name, seconds, ARTICLE_WORDS / n_words, n_words / seconds, "words/s")

    def _sentence_encoder(self, sizes: dict[str, int]) -> tuple[str, ...]:
        chosen = Namespace(network="bilstm_max", alone=False, units=sizes["units"], bf16=False)
        vectors = torch.randn(sentence_training.N_WORDS, sentence_training.INPUT_SIZE)
        some = [_moved(one, self.device) for one in sentence_training.random_batches(2, 64, chosen.units, vectors)]
        step = sentence_training.ours(chosen, vectors, self.device)
        seconds = self._seconds(lambda: [step(one) for one in some]) / len(some)
        name = f"sentence encoder, 2 x 512, {chosen.units:,} units"
        return self._of_epoch(name, seconds, NEWS_PAIRS / 64, 64 / seconds, "sentences/s")

    def _of_epoch(self, name: str, seconds: float, n_batches: float, rate: float, unit: str) -> tuple[str, ...]:
        return name, f"{rate:,.0f} {unit}", f"epoch: {seconds * n_batches / 60:,.1f} minutes", self._peak()

    def _seconds(self, work: Callable[[], object]) -> float:
        """Returns the mean time of the repetitions after the first one."""
        work()
        self._wait()
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)
        start, n = time.perf_counter(), 0
        while n == 0 or time.perf_counter() - start < self.seconds:
            work()
            self._wait()
            n += 1
        return (time.perf_counter() - start) / n

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def _peak(self) -> str:
        if self.device.type != "cuda":
            return "-"
        return f"{torch.cuda.max_memory_allocated(self.device) / BYTES:.1f}"


def encoded(model: FrozenTransformer, sentences: Sequence[np.ndarray], layers: Sequence[int]) -> list[np.ndarray]:
    """Returns the vectors of the middle word of each sentence, `[sentences, width]`, in each layer."""
    layer_of = dict(enumerate(layers))
    pooled = PooledRows(len(sentences), [model.config.hidden_size] * len(layers), False, model.device)
    sequences = []
    for row, ids in enumerate(sentences):
        rows = np.full(len(ids), NO_ROW)
        rows[len(ids) // 2] = row
        sequences.append(PieceSequence(ids, rows, np.full(len(ids), NO_ROW)))
    for batch in batches(sequences, token_budget_of(None, model.device), model.padding_id):
        pooled.begin(batch.word_rows)
        model.hidden_states(batch.ids, batch.is_real, layer_of, pooled.add)
    return pooled.vectors()


@torch.inference_mode()
def looped(model: FrozenTransformer, sentences: Sequence[np.ndarray]) -> list[Tensor]:
    """Returns what `encoded` does in all layers, as one would write it: unsorted batches, all hidden states."""
    vectors = []
    for start in range(0, len(sentences), LOOP):
        some = [torch.from_numpy(ids) for ids in sentences[start : start + LOOP]]
        ids = torch.nn.utils.rnn.pad_sequence(some, batch_first=True).to(model.device)
        lengths = torch.tensor([len(one) for one in some], device=model.device)
        is_real = (torch.arange(ids.shape[1], device=model.device) < lengths[:, None]).long()
        states = model.model(input_ids=ids, attention_mask=is_real, output_hidden_states=True).hidden_states
        rows = torch.arange(len(some), device=model.device)
        vectors.append(torch.stack([state[rows, lengths // 2] for state in states]).float().cpu())
    return vectors


def learn(model: TaskModel, some: Sequence[object]) -> None:
    """Takes a step by each batch."""
    optimizer = model.configure_optimizers()
    for batch in some:
        optimizer.zero_grad()
        model.loss(batch).backward()
        model.configure_gradient_clipping(optimizer)
        optimizer.step()


def _yaml(name: str) -> dict:
    return yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8"))


def _moved(batch: sentence_training.Batch, device: torch.device) -> sentence_training.Batch:
    values = (batch.words, batch.padded, batch.lengths, batch.previous_ids, batch.next_ids)
    return sentence_training.Batch(*(value.to(device) for value in values))


def _made_up_test(vectors: Tensor, n_train: int) -> ProbeData:
    """Returns a test of ten labels with splits of the shares of LINSPECTOR: 7, 2 and 1 of 10."""
    sizes = {"train": n_train, "dev": n_train * 2 // 7, "test": n_train // 7}
    rows = {f"{split}_rows": torch.randint(len(vectors), (size, 1)) for split, size in sizes.items()}
    labels = {f"{split}_labels": torch.randint(10, (size,)) for split, size in sizes.items()}
    return ProbeData(vectors, **rows, **labels, n_labels=10)


def _words(random: np.random.Generator) -> tuple[str, ...]:
    """Returns a sentence of a length as in treebanks, with words by Zipf's law."""
    length = max(3, int(random.gamma(3.0, 5.0)))
    return tuple(f"w{number:x}" for number in sentence_training.zipf(length, 30_000, random))


def _labelled(random: np.random.Generator, number: int) -> LabelledSentence:
    words = _words(random)
    arguments = (Argument(0, "A0"), Argument(len(words) - 1, "A1"))
    proposition = Proposition(1, "01", arguments)
    return LabelledSentence(str(number), number + 1, words, ("X",) * len(words), (proposition,))


def _parsed(random: np.random.Generator, number: int) -> DependencySentence:
    words = _words(random)
    relations = ("root", *("dep",) * (len(words) - 1))
    return DependencySentence(str(number), number + 1, words, ("X",) * len(words), tuple(range(len(words))), relations)


if __name__ == "__main__":
    main()
