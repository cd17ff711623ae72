"""ELMo once more, slow and plain: a word, a step, a window at a time, in float64, from the arrays of the files."""

import numpy as np


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def clipped(values, limit):
    return values if limit is None else np.clip(values, -limit, limit)


class PlainAllenNLP:
    """Reads the arrays of weights.hdf5 as TensorFlow used them."""

    def __init__(self, arrays, lstm, longest):
        self.arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
        self.lstm, self.longest = lstm, longest

    def sentence(self, words):
        """Returns the layers, each `[words, width]`: token, every LSTM layer, their average."""
        return sentence_layers(self, [self.token(256), *(self.word(word) for word in words), self.token(257)])

    def word(self, word):
        return self.token(*word.encode()[: self.longest])

    def token(self, *characters):
        ids = [258, *characters, 259]
        ids += [260] * (self.longest + 2 - len(ids))
        features = []
        for number in range(3):
            kernel, bias = self.arrays[f"CNN/W_cnn_{number}"][0], self.arrays[f"CNN/b_cnn_{number}"]
            vectors = self.arrays["char_embed"][ids]
            windows = [vectors[start : start + len(kernel)] for start in range(len(ids) - len(kernel) + 1)]
            products = [np.einsum("wc,wcn->n", window, kernel) + bias for window in windows]
            features.extend(np.maximum(np.max(products, axis=0), 0))
        x = np.array(features)
        for number in range(2):
            layer = f"CNN_high_{number}"
            carry = sigmoid(x @ self.arrays[f"{layer}/W_carry"] + self.arrays[f"{layer}/b_carry"])
            transformed = x @ self.arrays[f"{layer}/W_transform"] + self.arrays[f"{layer}/b_transform"]
            x = carry * np.maximum(transformed, 0) + (1 - carry) * x
        return x @ self.arrays["CNN_proj/W_proj"] + self.arrays["CNN_proj/b_proj"]

    def step(self, direction, layer, x, cell, state):
        name = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        gates = np.concatenate([x, state]) @ self.arrays[f"{name}/W_0"] + self.arrays[f"{name}/B"]
        i, j, f, o = np.split(gates, 4)
        cell = clipped(sigmoid(i) * np.tanh(j) + sigmoid(f + 1.0) * cell, self.lstm["cell_clip"])
        state = (sigmoid(o) * np.tanh(cell)) @ self.arrays[f"{name}/W_P_0"]
        return cell, clipped(state, self.lstm["proj_clip"])


class PlainManyLanguages:
    """Reads the tensors of ELMoForManyLangs as PyTorch used them."""

    def __init__(self, arrays, lstm, longest, characters, words):
        self.arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
        self.lstm, self.longest, self.characters, self.words = lstm, longest, characters, words

    def sentence(self, words):
        begin, end = self.token("<bos>", ["<bos>"]), self.token("<eos>", ["<eos>"])
        return sentence_layers(self, [begin, *(self.token(word, word) for word in words), end])

    def token(self, word, characters):
        word, characters = word[: self.longest], characters[: self.longest]
        known = [character if character in self.characters else "<oov>" for character in characters]
        symbols = ["<eow>", *known, "<bow>"]
        symbols += ["<pad>"] * (self.longest + 2 - len(symbols))
        vectors = self.arrays["char_emb_layer.embedding.weight"][[self.characters.index(one) for one in symbols]]
        features = []
        for number in range(3):
            kernel, bias = (self.arrays[f"convolutions.{number}.{kind}"] for kind in ("weight", "bias"))
            width = kernel.shape[2]
            windows = [vectors[start : start + width] for start in range(len(symbols) - width + 1)]
            features.extend(np.maximum(np.max([np.einsum("wc,ncw->n", w, kernel) + bias for w in windows], axis=0), 0))
        x = np.array(features)
        for number in range(2):
            layer = f"highways._layers.{number}"
            candidate, gate = np.split(self.arrays[f"{layer}.weight"] @ x + self.arrays[f"{layer}.bias"], 2)
            x = sigmoid(gate) * x + (1 - sigmoid(gate)) * np.maximum(candidate, 0)
        row = self.words.index(word if word in self.words else "<oov>")
        x = np.concatenate([self.arrays["word_emb_layer.embedding.weight"][row], x])
        return self.arrays["projection.weight"] @ x + self.arrays["projection.bias"]

    def step(self, direction, layer, x, cell, state):
        name = f"{('forward', 'backward')[direction]}_layer_{layer}"
        gates = self.arrays[f"{name}.input_linearity.weight"] @ x
        gates += self.arrays[f"{name}.state_linearity.weight"] @ state + self.arrays[f"{name}.state_linearity.bias"]
        i, f, g, o = np.split(gates, 4)
        cell = clipped(sigmoid(i) * np.tanh(g) + sigmoid(f) * cell, self.lstm["cell_clip"])
        state = self.arrays[f"{name}.state_projection.weight"] @ (sigmoid(o) * np.tanh(cell))
        return cell, clipped(state, self.lstm["proj_clip"])


def sentence_layers(model, tokens):
    """Runs both directions over the tokens of a sentence with its marks, and takes the marks off."""
    layers = [np.array([np.concatenate([token, token]) for token in tokens])]
    inputs = [tokens, tokens[::-1]]
    for layer in range(model.lstm["n_layers"]):
        outputs = []
        for direction in (0, 1):
            cell, state = np.zeros(model.lstm["dim"]), np.zeros(model.lstm["projection_dim"])
            outputs.append([])
            for x in inputs[direction]:
                cell, state = model.step(direction, layer, x, cell, state)
                is_residual = layer > 0 and model.lstm.get("use_skip_connections", True)
                outputs[direction].append(state + x if is_residual else state)
        layers.append(np.concatenate([outputs[0], outputs[1][::-1]], axis=1))
        inputs = outputs
    layers.append(np.mean(layers, axis=0))
    return [layer[1:-1] for layer in layers]
