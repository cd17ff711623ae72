"""Times the extraction of all layers by NeuroX; transformer_encoding runs it in NeuroX's own environment."""

import contextlib
import io
import json
import sys
import time

import torch
from neurox.data.extraction import transformers_extractor


def main() -> None:
    model, corpus, output, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    loaded = transformers_extractor.get_model_and_tokenizer(model)
    transformers_extractor.get_model_and_tokenizer = lambda *_, **__: loaded
    start = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # it prints every sentence
        transformers_extractor.extract_representations(model, corpus, output, aggregation="average", output_type="hdf5")
    print(json.dumps({"wall": time.perf_counter() - start[0], "cpu": time.process_time() - start[1]}))


if __name__ == "__main__":
    main()
