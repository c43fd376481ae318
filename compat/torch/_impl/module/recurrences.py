"""Recurrent layers as loops over time, of one step of each kind."""

from . import functions as F, torch_names as torch


def linear_steps(x, weight, bias):
    """What the inputs of all steps add to the gates, as one product."""
    return F.linear(x, weight, bias)


def rnn_step(act):
    """A step of a plain recurrence: `act(x + h @ W.T + b)`."""

    def step(gates, state, weight, bias, proj):
        h = act(gates + F.linear(state[0], weight, bias))
        return (h,)

    return step


def lstm_step(gates, state, weight, bias, proj):
    """A step of an LSTM; Hochreiter, Schmidhuber (1997). The gates are: input, forget, cell, output."""
    h, c = state
    i, f, g, o = (gates + F.linear(h, weight, bias)).chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h if proj is None else F.linear(h, proj), c


def gru_step(gates, state, weight, bias, proj):
    """A step of a GRU; Cho et al. (2014). The gates are: reset, update, new."""
    (h,) = state
    xr, xz, xn = gates.chunk(3, -1)
    hr, hz, hn = F.linear(h, weight, bias).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return (n + z * (h - n),)


STEPS = {"RNN_TANH": rnn_step(torch.tanh), "RNN_RELU": rnn_step(torch.relu), "LSTM": lstm_step, "GRU": gru_step}


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
    step = STEPS[mode]
    gates = linear_steps(x, w_ih, b_ih)
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
