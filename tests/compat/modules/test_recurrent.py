"""Recurrent layers: directions, layers, packed sequences, projections, states and messages."""

import warnings

import pytest

import covector.compat.torch as compat
from harness import message, normal

KINDS = ("RNN", "LSTM", "GRU")


def made(torch, kind, *args, **named):
    m = getattr(torch.nn, kind)(*args, **named).double()
    with torch.no_grad():
        for k, p in enumerate(m.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k) * 0.5)
    return m


def run(torch, m, x, hx=None):
    """Outputs, states, and gradients of input and parameters behind fixed weights."""
    packed = torch.nn.utils.rnn.PackedSequence
    leaf = (x.data if isinstance(x, packed) else x).detach().clone().requires_grad_()
    out, h = m(packed(leaf, *x[1:]) if isinstance(x, packed) else leaf, hx)
    data = out.data if isinstance(out, packed) else out
    states = list(h) if isinstance(h, tuple) else [h]
    total = sum((torch.cos(torch.arange(t.numel()).double() + k).reshape(t.shape) * t).sum()
                for k, t in enumerate([data, *states]))
    grads = torch.autograd.grad(total, [leaf, *m.parameters()])
    shown = [data.detach(), *[s.detach() for s in states], grads[0], grads[-1]]
    return [float(sum(g.abs().sum() for g in grads)), *[t.contiguous() for t in shown]]


def script_directions_and_layers(torch):
    x = normal(torch, 4, 2, 3)
    return [run(torch, made(torch, kind, 3, 2, layers, bias=bias, batch_first=first, bidirectional=both), x)
            for kind in KINDS for layers, bias, first, both in (
                (1, True, False, False), (2, True, False, True), (1, False, True, True), (3, True, True, False))]


def script_packed_sequences(torch):
    rnn = torch.nn.utils.rnn
    x = normal(torch, 4, 3, 3)
    found = []
    for kind in KINDS:
        m = made(torch, kind, 3, 2, 2, bidirectional=True)
        h = normal(torch, 4, 3, 2)
        for packed in (rnn.pack_padded_sequence(x, [4, 2, 1]), rnn.pack_padded_sequence(x, [1, 4, 3], False, False)):
            found.append(run(torch, m, packed))
            found.append(run(torch, m, packed, (h, h * 0.5) if kind == "LSTM" else h))
        out, _ = m(rnn.pack_sequence([normal(torch, 3, 3), normal(torch, 1, 3)]))
        padded, lengths = rnn.pad_packed_sequence(out)
        found.append([type(out).__name__, padded.detach(), lengths])
    return found


def script_projections_and_relu(torch):
    x = normal(torch, 4, 2, 3)
    m = made(torch, "LSTM", 3, 4, 2, bidirectional=True, proj_size=2)
    return [run(torch, m, x), run(torch, m, torch.nn.utils.rnn.pack_padded_sequence(x, [4, 2])), repr(m),
            run(torch, made(torch, "RNN", 3, 2, 1, "relu"), x), run(torch, made(torch, "RNN", 3, 2,
            nonlinearity="relu"), x)]


def script_single_sequences_and_states(torch):
    found = []
    for kind in KINDS:
        m = made(torch, kind, 3, 2)
        h = normal(torch, 1, 2)
        found += [run(torch, m, normal(torch, 4, 3)), run(torch, m, normal(torch, 4, 3), (h,
        h) if kind == "LSTM" else h)]
        m.eval()
        found.append([[tuple(w.shape) for w in group] for group in m.all_weights])
    return found


def script_cells(torch):
    x, h = normal(torch, 2, 3), normal(torch, 2, 4)
    found = []
    for kind in ("RNNCell", "GRUCell"):
        m = made(torch, kind, 3, 4)
        found += [m(x), m(x, h), m(x[0]), m(x[0], h[0]), repr(m)]
    m = made(torch, "LSTMCell", 3, 4, False)
    return [*found, *m(x), *m(x, (h, h * 2)), *m(x[0], (h[0], h[1])), repr(m)]


def script_refused_recurrences(torch):
    nn, x = torch.nn, torch.ones(4, 2, 3)
    rnn, lstm, cell, pair = nn.RNN(3, 2), nn.LSTM(3, 2), nn.GRUCell(3, 2), nn.LSTMCell(3, 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nn.GRU(3, 2, dropout=0.5)
    return [str(caught[0].message), *[message(f) for f in (
        lambda: nn.RNN(3, 0), lambda: nn.RNN(3, 2, 0), lambda: nn.LSTM(3, 2, proj_size=2), lambda: nn.GRU(3, 2,
        proj_size=1),
        lambda: nn.RNN(3, 2, nonlinearity="gelu"), lambda: nn.RNN(3, 2, dropout=2), lambda: nn.RNN(3, 2.0),
        lambda: nn.LSTM(3, 2, proj_size=-1), lambda: rnn(torch.ones(4)), lambda: lstm(torch.ones(4)),
        lambda: rnn(torch.ones(4, 2, 5)),
        lambda: rnn(x, torch.ones(1, 2)), lambda: rnn(x, torch.ones(1, 3, 2)), lambda: rnn(x[0], torch.ones(1, 3, 2)),
        lambda: lstm(x, (torch.ones(1, 2), torch.ones(1, 2))), lambda: lstm(x, (torch.ones(1, 3, 2), torch.ones(1, 2,
        2))),
        lambda: lstm(x, (torch.ones(1, 2, 2), torch.ones(1, 3, 2))), lambda: lstm(x[0], (torch.ones(1, 3, 2),
        torch.ones(1, 3, 2))),
        lambda: cell(torch.ones(2, 5)), lambda: cell(torch.ones(2, 3), torch.ones(2, 5)), lambda: cell(torch.ones(1,
        1, 1)),
        lambda: cell(torch.ones(2, 3), torch.ones(3, 2)), lambda: pair(torch.ones(2, 3), (torch.ones(2, 2),
        torch.ones(2, 5))),
        lambda: cell(torch.ones(2, 3), torch.ones(1, 1, 1)))]]


def script_recurrences_as_functions(torch):
    found = []
    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        for directions, biases, first in ((1, True, False), (2, False, True)):
            weights = []
            for k in range(2 * directions):
                taken = 2 if k < directions else 3 * directions
                weights += [normal(torch, 3 * gates, taken, seed=k), normal(torch, 3 * gates, 3, seed=k + 9)]
                weights += [normal(torch, 3 * gates, seed=k + j) for j in (20, 30)] if biases else []
            weights = [w.requires_grad_() for w in weights]
            x, h = normal(torch, 4, 4, 2, seed=40), normal(torch, 2 * directions, 4, 3, seed=41)
            state = (h, h + 1) if name == "lstm" else h
            fun = getattr(torch._VF, name)
            out = fun(x, state, weights, biases, 2, 0.0, True, directions == 2, first)
            slopes = torch.autograd.grad(sum(t.square().sum() for t in out), weights)
            packed = fun(x.reshape(16, 2)[:7], torch.tensor([4, 2, 1]), state, weights, biases, 2, 0.0, False,
                         directions == 2)
            found.append([[t.tolist() for t in part] for part in (out, slopes, packed)])
    return found


def script_weights_in_a_row(torch):
    m = torch.nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    found = [m._flat_weights_names, [tuple(w.shape) for w in m._flat_weights], m._init_flat_weights()]
    m._flat_weights = m._flat_weights
    del m._parameters["weight_hh_l0"]  # as weights are dropped
    m.weight_hh_l0 = torch.zeros(16, 2)
    return found, m._flat_weights[1] is m.weight_hh_l0, m._flat_weights[0] is m.weight_ih_l0


def test_packed_sequences_have_sizes():
    with pytest.raises(AssertionError, match="batch_sizes was not given"):
        compat.nn.utils.rnn.PackedSequence(compat.ones(2))
