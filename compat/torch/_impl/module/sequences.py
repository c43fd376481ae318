"""torch.lstm, gru, rnn_tanh and rnn_relu: recurrences over whole sequences, with the weights in one list."""

from ..public_names import F
from ..types.tensor_type import TensorBase
from .composed_functions import norm_except_dim as norm_except_dim, weight_norm as _weight_norm
from .recurrences import gru_gates, lstm_gates, rnn_relu_step, rnn_tanh_step, run_layers

_OF_STEPS = "input hx params has_biases num_layers dropout train bidirectional batch_first".split()
_OF_PACKED = "data batch_sizes hx params has_biases num_layers dropout train bidirectional".split()


def lstm(*args, **named):
    """An LSTM of several layers over a sequence.

    Args:
        input: `(L, N, I)`, with `batch_first` `(N, L, I)`.
        hx: the state `(h, c)` before the first step.
        params: `w_ih, w_hh` of each layer and direction, with `has_biases` followed by `b_ih, b_hh`, and by `w_hr`
            where outputs are projected.
        has_biases, num_layers, dropout, train, bidirectional, batch_first: as of torch.nn.LSTM; dropout in training.

        Of packed steps: `data`, `batch_sizes`, and the others without `batch_first`.
    Returns:
        the outputs of the last layer, `h` and `c` behind the last step.

    >>> import covector.compat.torch as torch
    >>> w = [torch.ones(4, 3), torch.ones(4, 1)]
    >>> out, h, c = torch.lstm(torch.ones(5, 2, 3), (torch.zeros(1, 2, 1),) * 2, w, False, 1, 0.0, False, False, False)
    >>> out.shape, h.shape, c.shape
    (torch.Size([5, 2, 1]), torch.Size([1, 2, 1]), torch.Size([1, 2, 1]))
    """
    return run("LSTM", "lstm", args, named)


def gru(*args, **named):
    """A GRU over a sequence: the outputs, and the state behind the last step. Arguments as of `torch.lstm`."""
    return run("GRU", "gru", args, named)


def rnn_tanh(*args, **named):
    """A recurrence with tanh over a sequence: the outputs, and the state behind the last step, as `torch.gru`."""
    return run("RNN_TANH", "rnn_tanh", args, named)


def rnn_relu(*args, **named):
    """A recurrence with relu over a sequence: the outputs, and the state behind the last step, as `torch.gru`."""
    return run("RNN_RELU", "rnn_relu", args, named)


def run(mode, name, args, named):
    """A recurrence by the arguments of PyTorch's function."""
    packed = "batch_sizes" in named or len(args) > 2 and isinstance(args[1], TensorBase) and not (
        mode != "LSTM" and isinstance(args[2], list | tuple))
    words = _OF_PACKED if packed else _OF_STEPS
    given = dict(zip(words, args)) | named
    if len(args) > len(words) or len(given) < len(args) + len(named) or given.keys() != set(words):
        raise TypeError(f"{name}() received an invalid combination of arguments - got {len(args)} by place and "
                        f"{sorted(named)} by name, but expected one of:\n * ({', '.join(_OF_STEPS)})\n * "
                        f"({', '.join(_OF_PACKED)})")
    states = tuple(given["hx"]) if mode == "LSTM" else (given["hx"],)
    wanted = 2 if mode == "LSTM" else 1
    if len(states) != wanted:
        raise RuntimeError(f"{name} expects two hidden states")
    weights = grouped(name, given)
    first = bool(given.get("batch_first"))
    x = given["data"] if packed else given["input"].transpose(0, 1) if first else given["input"]
    out, last = run_layers(mode, x, states, weights, bidirectional=given["bidirectional"],
                           dropout=given["dropout"] if given["train"] else 0.0,
                           sizes=given["batch_sizes"].tolist() if packed else None)
    return (out.transpose(0, 1) if first else out, *last)


def grouped(name, given):
    """The weights of each layer and direction as `run_layers` takes them."""
    params, biases = list(given["params"]), given["has_biases"]
    count = given["num_layers"] * (2 if given["bidirectional"] else 1)
    width, rest = divmod(len(params), count) if count else (0, 1)
    plain = 4 if biases else 2
    if rest or width not in ((plain, plain + 1) if name == "lstm" else (plain,)):
        raise RuntimeError(f"{name}() got {len(params)} weights for {count} layers and directions, of which each has "
                           f"{plain}{' (one more with a projection)' if name == 'lstm' else ''}; give w_ih and w_hh"
                           f"{', b_ih and b_hh' if biases else ''} of each in one list")
    parts = [params[k:k + width] for k in range(0, len(params), width)]
    return [(*p[:2], *(p[2:4] if biases else (None, None)), p[plain] if width > plain else None) for p in parts]


# Functions of torch's top level that layers are made of: steps of recurrences, weights by their norms.


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
