"""Recurrent layers as loops over time, of one step of each kind."""

from ..... import nn
from .....extend import REGISTRY
from ..dispatch.call import operation
from ..ops.array_functions import cnp
from ..public_names import F, torch


def projected(h, weight, bias):
    """The contribution of a state to the gates."""
    out = cnp.matmul(h, weight.T)
    return out if bias is None else out + bias


@operation("rnn_tanh_step", register=False, method=False, node=None)
def rnn_tanh_step(gates, h, weight, bias):
    """A step of a recurrence: `tanh(x + h @ W.T + b)`."""
    return cnp.tanh(gates + projected(h, weight, bias))


@operation("rnn_relu_step", register=False, method=False, node=None)
def rnn_relu_step(gates, h, weight, bias):
    """A step of a recurrence: `relu(x + h @ W.T + b)`."""
    return nn.relu(gates + projected(h, weight, bias))


@operation("lstm_step", register=False, method=False, node=None)
def lstm_gates(gates, h, c, weight, bias):
    """A step of an LSTM; Hochreiter, Schmidhuber (1997). The gates are: input, forget, cell, output."""
    z = gates + projected(h, weight, bias)
    n = c.shape[-1]
    c = nn.sigmoid(z[..., n:2 * n]) * c + nn.sigmoid(z[..., :n]) * cnp.tanh(z[..., 2 * n:3 * n])
    return nn.sigmoid(z[..., 3 * n:]) * cnp.tanh(c), c


@operation("gru_step", register=False, method=False, node=None)
def gru_gates(gates, h, weight, bias):
    """A step of a GRU; Cho et al. (2014). The gates are: reset, update, new."""
    z, n = projected(h, weight, bias), h.shape[-1]
    reset, update = nn.sigmoid(gates[..., :n] + z[..., :n]), nn.sigmoid(gates[..., n:2 * n] + z[..., n:2 * n])
    new = cnp.tanh(gates[..., 2 * n:] + reset * z[..., 2 * n:])
    return new + update * (h - new)


def single(fun):
    """A step whose state is one tensor."""

    def step(gates, state, weight, bias, proj):
        return (fun(gates, state[0], weight, bias),)

    return step


def lstm_step(gates, state, weight, bias, proj):
    """A step of an LSTM, its output projected where there is a projection."""
    h, c = lstm_gates(gates, *state, weight, bias)
    return h if proj is None else F.linear(h, proj), c


@operation("lstm_sequence", register=False, method=False, node=None)
def lstm_sequence(gates, h, c, weight):
    """All steps of an LSTM at once: the outputs, and the cells of each step."""
    return LSTM(gates, h, c, weight)[:2]


def whole_lstm(x, state, weights, reverse):
    """One direction of one layer of an LSTM over sequences of one length."""
    w_ih, w_hh, b_ih, b_hh, _ = weights
    gates = F.linear(x, w_ih, None if b_ih is None else b_ih + b_hh)
    outs, cells = lstm_sequence(gates.flip(0) if reverse else gates, *state, w_hh)
    return outs.flip(0) if reverse else outs, (outs[-1], cells[-1])


LSTM = REGISTRY["lstm_sequence"].fun
STEPS = {"RNN_TANH": single(rnn_tanh_step), "RNN_RELU": single(rnn_relu_step), "LSTM": lstm_step,
         "GRU": single(gru_gates)}


def run_direction(mode, x, state, weights, reverse, sizes=None):
    """One direction of one layer.

    Args:
        x: the steps, `(T, N, *)`; packed ones `(sum of sizes, *)`.
        state: `(N, H)` for each part of the state.
        weights: `(w_ih, w_hh, b_ih, b_hh, w_hr)`, None for what there is not.
        sizes: how many sequences each step of packed ones has.
    Returns:
        the outputs, like `x`, and the state behind the last step.
    """
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    if mode == "LSTM" and sizes is None and w_hr is None and x.shape[0]:
        return whole_lstm(x, state, weights, reverse)
    step = STEPS[mode]
    gates = F.linear(x, w_ih, b_ih)
    if sizes is None:
        outs = []
        parts = gates.unbind(0)
        for part in reversed(parts) if reverse else parts:
            state = step(part, state, w_hh, b_hh, w_hr)
            outs.append(state[0])
        return torch.stack(outs[::-1] if reverse else outs), state
    parts = gates.split(sizes)
    return grown(step, parts, state, w_hh, b_hh, w_hr) if reverse else shrunk(step, parts, state, w_hh, b_hh, w_hr)


def shrunk(step, parts, state, *weights):
    """Packed steps in order: the state of a sequence that ends is kept."""
    outs, ended = [], []
    for part in parts:
        n = part.shape[0]
        if n < state[0].shape[0]:
            ended.append(tuple([s[n:] for s in state]))
            state = tuple([s[:n] for s in state])
        state = step(part, state, *weights)
        outs.append(state[0])
    ended.append(state)
    return torch.cat(outs), tuple([torch.cat(pieces) for pieces in zip(*ended[::-1])])


def grown(step, parts, state, *weights):
    """Packed steps from the last: a sequence joins where it ends, with its state at the beginning."""
    outs, first = [], state
    state = tuple([s[:parts[-1].shape[0]] for s in first])
    for part in reversed(parts):
        n, before = part.shape[0], state[0].shape[0]
        if n > before:
            state = tuple([torch.cat([s, f[before:n]]) for s, f in zip(state, first)])
        state = step(part, state, *weights)
        outs.append(state[0])
    return torch.cat(outs[::-1]), state


def run_layers(mode, x, states, weights, *, bidirectional, dropout=0.0, sizes=None):
    """All layers, each with one or two directions.

    Args:
        states: `(layers * directions, N, H)` for each part of the state.
        weights: of each layer and direction, as `run_direction` takes them.
        dropout: between layers.
    Returns:
        the outputs of the last layer, and the states behind the last step, like `states`.
    """
    directions = 2 if bidirectional else 1
    last = []
    for k in range(0, len(weights), directions):
        outs = []
        for d in range(directions):
            out, state = run_direction(mode, x, tuple([s[k + d] for s in states]), weights[k + d], d == 1, sizes)
            outs.append(out)
            last.append(state)
        x = torch.cat(outs, -1) if bidirectional else outs[0]
        if dropout and k + directions < len(weights):
            x = F.dropout(x, dropout, True)
    return x, tuple([torch.stack(parts) for parts in zip(*last)])
