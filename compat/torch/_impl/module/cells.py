"""Functions of torch's top level that layers are made of: steps of recurrences, weights by their norms."""

from . import functions as F
from .recurrences import gru_gates, lstm_gates, rnn_relu_step, rnn_tanh_step
from .weight_norms import norm_except_dim as norm_except_dim, weight_norm as _weight_norm


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """A step of an LSTM: `(h, c)` of an input `(N, I)` and of the state `hx = (h, c)`.

    >>> import covector.compat.torch as torch
    >>> h, c = torch.lstm_cell(torch.ones(2, 3), (torch.zeros(2, 1),) * 2, torch.ones(4, 3), torch.ones(4, 1))
    >>> h.shape
    torch.Size([2, 1])
    """
    return lstm_gates(F.linear(input, w_ih, b_ih), *hx, w_hh, b_hh)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """A step of a GRU."""
    return gru_gates(F.linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """A step of a recurrence with tanh."""
    return rnn_tanh_step(F.linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """A step of a recurrence with relu."""
    return rnn_relu_step(F.linear(input, w_ih, b_ih), hx, w_hh, b_hh)


__all__ = ["_weight_norm", "gru_cell", "lstm_cell", "norm_except_dim", "rnn_relu_cell", "rnn_tanh_cell"]
