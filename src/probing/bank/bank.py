"""The probe bank: trains many probes together, each exactly as it would be trained alone."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from polyprobe.errors import PolyprobeError
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import columns_of
from polyprobe.probing.bank.chunk import Chunk
from polyprobe.probing.bank.family import Family, family_key, kin_key
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.probing.bank.scaling import Scaling

# Products of fewer columns or rows round by where they lie in memory: there a probe's numbers would
# depend on its place in the stack, so that such probes are trained one at a time. Found by trying.
ROUNDS_EVERYWHERE_THE_SAME = 16
# Probes with an elastic net and so many inputs share a chunk only where they see the same examples, which are gathered
# once for all.
GATHERED_ONCE = 1024
# A step lets each chunk train so long, at least a block of mini-batches: its own cost, in which no other thread has
# Python, is spread over that.
SECONDS_PER_STEP = 0.5
# Of the probes in training together. The thousand labels of word content with 150,000 features take 4.3 GB.
MOST_BYTES = 8_000_000_000
# Of a family's weights: themselves, their gradients, both moments of Adam, the pull of weight decay, and the weights at
# the end of an epoch; beside them each member may keep those of its best one.
COPIES_OF_WEIGHTS = 6
BYTES_OF_A_WEIGHT = 4

# Of `ProbeData`, those that are put on the device.
TENSORS = ("vectors", "train_rows", "dev_rows", "train_labels", "dev_labels", "test_rows", "test_labels")
# Probes of a chunk: few enough for the cache of a CPU's core, many enough to fill a GPU.
CHUNK_SIZES = {"cpu": 4, "gpu": 256}

Progress = Callable[[int, int], None]


class ProbeBank:
    """Trains probes of equal shape in chunks, by a loop of its own.

    On a CPU as many chunks are trained side by side as there are threads, each by a thread of its own: threads that
    share the operations of one chunk, which are small, mostly wait for each other. Of chunks too large for that all
    threads train one.

    Args:
        jobs: the probes; `outcomes` keeps their order.
        chunk_size: probes in a chunk at most, a family of linear ones counting as one. On a CPU small enough for the
            cache, on a GPU large.
        side_by_side: chunks trained at a time at most.
        device: on which they are trained.
        progress: called after each block with the probe epochs that are over and those due at most; a probe that stops
            early has all of its epochs behind it.

    Attributes:
        outcomes: one per job, in the order of the jobs; None for a probe that is not trained yet.
    """

    def __init__(
        self,
        jobs: Sequence[ProbeJob],
        chunk_size: int,
        side_by_side: int,
        device: torch.device,
        progress: Progress,
    ):
        self._jobs, self._device, self._progress = list(jobs), device, progress
        self._side_by_side, self._n_threads = side_by_side, torch.get_num_threads()
        self._pool = ThreadPoolExecutor(side_by_side)
        self._waiting = list(reversed(_chunks_of(self._jobs, chunk_size, side_by_side)))
        self._in_training: dict[Future, Chunk] = {}
        self._on_device: dict[int, Tensor] = {}
        self._scalings: dict[tuple[int, int], Scaling] = {}
        self._standardised: WeakValueDictionary[int, ProbeData] = WeakValueDictionary()
        self.outcomes: list[ProbeOutcome | None] = [None] * len(self._jobs)

    @torch.inference_mode()
    def train(self) -> None:
        """Trains all probes."""
        while self._in_training or self._waiting:
            self._step()
            self._tell_progress()

    def _step(self) -> None:
        """Starts chunks on the threads that are free, and takes what the first block to end has brought."""
        free = self._n_threads - sum(chunk.n_threads for chunk in self._in_training.values())
        while self._waiting and (n_threads := self._threads_of_next()) <= free:
            self._go_on(Chunk([self._family(positions) for positions in self._waiting.pop()], n_threads))
            free -= n_threads
        for future in self._trained(FIRST_COMPLETED):
            chunk = self._in_training.pop(future)
            future.result()  # raises what the thread raised
            for position, outcome in chunk.outcomes.items():
                self.outcomes[position] = outcome
            if not chunk.is_finished:
                self._go_on(chunk)

    def close(self) -> None:
        """Ends the threads, and waits for the blocks that they still train.

        It does not join them: Python forgets a thread whose join an exception interrupts, such as that of a second
        signal, and one that outlives the interpreter aborts the process (bpo-45274).
        """
        self._pool.shutdown(wait=False)
        self._trained(ALL_COMPLETED)

    def _trained(self, return_when: str) -> set[Future]:
        """Waits for the first of the blocks in training, or for all, and returns those that are over.

        It looks up now and then: a signal that comes as Python begins to wait does not end that wait.
        """
        while True:
            over, still_trained = wait(self._in_training, SECONDS_PER_STEP, return_when)
            if not still_trained or (over and return_when == FIRST_COMPLETED):
                return over

    def _threads_of_next(self) -> int:
        first = self._jobs[self._waiting[-1][0][0]]
        return self._n_threads // (self._side_by_side if _fits_beside_others(first, self._side_by_side) else 1)

    def _go_on(self, chunk: Chunk) -> None:
        self._in_training[self._pool.submit(_advance, chunk)] = chunk

    def _family(self, positions: list[int]) -> Family:
        jobs = [self._jobs[position] for position in positions]
        return Family(positions, jobs, self._data_of(jobs[0]))

    def _data_of(self, job: ProbeJob) -> ProbeData:
        """Returns the data of a job on the device, measured, and standardised where its probe asks for that.

        A standardised copy is held while a family in training has it: memory may not hold those of all jobs.
        """
        if job.data.is_sparse:
            return self._moved(job.data)
        if not job.is_standardised:
            return self._moved(self._measured(job.data))
        found = self._standardised.get(id(job.data))
        if found is None:
            copied = self._measured(job.data).standardised()
            found = replace(copied, **{name: getattr(copied, name).to(self._device) for name in TENSORS})
            self._standardised[id(job.data)] = found
        return found

    def _measured(self, data: ProbeData) -> ProbeData:
        rows = data.train_rows if data.scale_rows is None else data.scale_rows
        key = id(data.vectors), id(rows)
        if key not in self._scalings:
            self._scalings[key] = Scaling.of(data.vectors, rows)
        return replace(data, scaling=self._scalings[key])

    def _tell_progress(self) -> None:
        waiting = (position for families in self._waiting for positions in families for position in positions)
        left = sum(self._jobs[position].spec.max_epochs for position in waiting)
        left += sum(chunk.epochs_left for chunk in self._in_training.values())
        due = sum(job.spec.max_epochs for job in self._jobs)
        self._progress(due - left, due)

    def _moved(self, data: ProbeData) -> ProbeData:
        """Puts the tensors on the device, each tensor once however many tests share it."""
        tensors = {name: getattr(data, name) for name in TENSORS}
        for tensor in tensors.values():
            if id(tensor) not in self._on_device:
                self._on_device[id(tensor)] = tensor.to(self._device)
        return replace(data, **{name: self._on_device[id(tensor)] for name, tensor in tensors.items()})


def train_bank(
    jobs: Sequence[ProbeJob], chunk_size: int | None, device: torch.device, progress: Progress
) -> list[ProbeOutcome]:
    """Trains every probe and gives their outcomes, outcome i for job i.

    On one machine a probe comes out the same, bit for bit, alone and in any company, order and chunk size. On a CPU
    this holds for any number of threads, but for probes too large to train side by side: where more than two threads
    share a product, some hidden sizes (not 250 or 300) were seen to round by the size of the stack, in the last bits.

    Args:
        chunk_size: see `ProbeBank`; None: what suits the device.
        device, progress: see `ProbeBank`.
    """
    if not jobs:
        return []
    is_on_gpu = device.type == "cuda"
    chunk_size = chunk_size or CHUNK_SIZES["gpu" if is_on_gpu else "cpu"]
    bank = ProbeBank(jobs, chunk_size, 1 if is_on_gpu else torch.get_num_threads(), device, progress)
    try:
        bank.train()
    finally:
        bank.close()
        torch.set_num_threads(torch.get_num_threads())  # MKL has one number for all threads of a process
    assert all(outcome is not None for outcome in bank.outcomes)
    return bank.outcomes


def stacked_with(spec: ProbeSpec) -> ProbeSpec:
    """Returns what all probes of a stack have in common: dropout, weight decay, l1 and l2 may differ in it."""
    net = spec.elastic_net
    return replace(spec, dropout=0.0, weight_decay=0.0, elastic_net=net and replace(net, l1=0.0, l2=0.0))


def _chunks_of(jobs: Sequence[ProbeJob], chunk_size: int, side_by_side: int) -> list[list[list[int]]]:
    """Groups the positions of jobs into families, those of equal shape, and cuts each group into chunks.

    The chunks of a group are of nearly equal size; their elements are families, of positions. Those with an elastic net
    are probes of neurons, mostly of wide inputs: such a chunk sees the same examples. The longest training comes first.
    """

    def work_of(chunk: list[list[int]]) -> int:
        job = jobs[chunk[0][0]]
        return len(chunk) * _copy_bytes(job) * job.data.n_train * job.spec.max_epochs // job.spec.batch_size

    groups = defaultdict(list)
    for positions in _families_of(jobs, side_by_side):
        job = jobs[positions[0]]
        shape = job.data.input_width, columns_of(job.data.n_labels, job.spec), job.data.n_train, job.data.is_sparse
        kin = kin_key(job) if job.spec.elastic_net and job.data.input_width >= GATHERED_ONCE else None
        groups[shape, stacked_with(job.spec), kin].append(positions)
    chunks = []
    for (shape, spec, _), families in groups.items():
        job, n_copies = jobs[families[0][0]], COPIES_OF_WEIGHTS + max(map(len, families))
        room = _bytes_for(job, side_by_side) // (n_copies * _copy_bytes(job) + BYTES_OF_A_WEIGHT * job.n_copied)
        chunks += _cut(families, min(chunk_size if _can_be_stacked(shape[0], spec) else 1, max(1, room)), side_by_side)
    return sorted(chunks, key=work_of, reverse=True)


def _bytes_for(job: ProbeJob, side_by_side: int) -> int:
    """Returns how much memory the chunk of a probe may take."""
    return MOST_BYTES // (side_by_side if _fits_beside_others(job, side_by_side) else 1)


def _fits_beside_others(job: ProbeJob, side_by_side: int) -> bool:
    """Says whether memory holds so many such probes, alone in their chunks: not by company, which would change bits."""
    return side_by_side * (COPIES_OF_WEIGHTS + 1) * _copy_bytes(job) <= MOST_BYTES


def _copy_bytes(job: ProbeJob) -> int:
    """Returns the bytes of one copy of the weights of a probe, or of the linear probes of its family."""
    n_inputs, n_hidden = job.data.input_width, job.spec.hidden_size
    columns = columns_of(job.data.n_labels, job.spec).width
    n_weights = n_inputs * columns if n_hidden is None else n_hidden * (n_inputs + columns)
    return n_weights * BYTES_OF_A_WEIGHT


def _families_of(jobs: Sequence[ProbeJob], side_by_side: int) -> list[list[int]]:
    """Returns the positions of each family: of jobs that may be side by side, as many as there is room for."""
    kin = defaultdict(list)
    for position, job in enumerate(jobs):
        kin[family_key(position, job), stacked_with(job.spec)].append(position)
    families = []
    for positions in kin.values():
        size = _most_members(jobs[positions[0]], side_by_side)
        families += [positions[start : start + size] for start in range(0, len(positions), size)]
    return families


def _most_members(job: ProbeJob, side_by_side: int) -> int:
    """Returns how many probes may be side by side, by their columns and by the memory that they take."""
    size, columns = _copy_bytes(job), columns_of(job.data.n_labels, job.spec)
    if size * (COPIES_OF_WEIGHTS + 1) > MOST_BYTES:
        raise PolyprobeError(
            f"{job.key}: a probe with {job.data.input_width:,} inputs and {job.spec.hidden_size or columns.width:,} "
            f"columns of weights takes {size * (COPIES_OF_WEIGHTS + 1) / 1e9:.1f} GB in training. Expected at most "
            f"{MOST_BYTES / 1e9:.1f} GB: fewer inputs (of counts: encoder.max_features)."
        )
    return min(columns.n_members, _bytes_for(job, side_by_side) // size - COPIES_OF_WEIGHTS)


def _can_be_stacked(input_width: int, spec: ProbeSpec) -> bool:
    narrowest = min(input_width, spec.hidden_size or input_width)
    return narrowest >= ROUNDS_EVERYWHERE_THE_SAME and spec.batch_size % ROUNDS_EVERYWHERE_THE_SAME == 0


def _cut(families: list[list[int]], chunk_size: int, side_by_side: int) -> list[list[list[int]]]:
    """Cuts families into chunks, as many for each of those that train side by side, as far as there are families."""
    n_chunks = min(len(families), -(-len(families) // (chunk_size * side_by_side)) * side_by_side)
    bounds = [len(families) * number // n_chunks for number in range(n_chunks + 1)]
    return [families[start:stop] for start, stop in pairwise(bounds)]


def _advance(chunk: Chunk) -> None:
    """Trains blocks of a chunk for a while, in a thread of its own."""
    torch.set_num_threads(chunk.n_threads)
    end = time.monotonic() + SECONDS_PER_STEP
    with torch.inference_mode():
        chunk.advance()
        while not chunk.is_finished and time.monotonic() < end:
            chunk.advance()
