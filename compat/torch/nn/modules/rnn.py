"""torch.nn.modules.rnn: recurrent layers and their cells."""

import math
import numbers
import warnings

from ..._impl.module import initialization as init
from ..._impl.module.module import Module
from ..._impl.module.packed_sequences import PackedSequence
from ..._impl.module.recurrences import STEPS, run_layers
from ..._impl.public_names import F, torch
from ..._impl.types.parameter import Parameter


def apply_permutation(tensor, permutation, dim=1):
    """An old name of `tensor.index_select(dim, permutation)`."""
    warnings.warn("`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
                  FutureWarning, stacklevel=2)
    return tensor.index_select(dim, permutation)


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """The base class of recurrent layers: weights `weight_ih_l0`, `weight_hh_l0`, … of each layer and direction."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_arguments(dropout)
        width = proj_size or hidden_size
        gates = _GATES[mode] * hidden_size
        self._all_weights = []
        for layer in range(num_layers):
            taken = input_size if layer == 0 else width * (2 if bidirectional else 1)
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = {"weight_ih": (gates, taken), "weight_hh": (gates, width)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = {f"{name}_l{layer}{suffix}": shape for name, shape in shapes.items()}
                for name, shape in names.items():
                    self.register_parameter(name, Parameter(torch.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(list(names))
        self.reset_parameters()

    def _check_arguments(self, dropout):
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element "
                             "being zeroed")
        if dropout > 0 and self.num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                          f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                          stacklevel=4)
        for name, kind in (("input_size", int), ("hidden_size", int), ("bias", bool), ("batch_first", bool)):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(getattr(self, name)).__name__}")
        for name in ("input_size", "hidden_size"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def reset_parameters(self):
        """Draw all weights between ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """Do nothing: the weights need not lie together on the CPU."""

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name, None) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights):
        for name, weight in zip(self._flat_weights_names, weights, strict=True):
            if getattr(self, name, None) is not weight:
                setattr(self, name, weight)

    def _init_flat_weights(self):
        """Do nothing: the weights are looked up where they are used."""

    @property
    def all_weights(self):
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _weights(self):
        """The weights as the recurrences take them."""
        for names in self._all_weights:
            found = {name.partition("_l")[0]: getattr(self, name) for name in names}
            yield tuple([found.get(name) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")])

    def check_input(self, input, batch_sizes):
        """Raise where an input does not fit the layer."""
        wanted = 2 if batch_sizes is not None else 3
        if not input.is_floating_point() and not input.is_complex():
            raise ValueError(f"RNN input dtype must be floating point, but got {input.dtype}")
        weight = next(self.parameters())
        if input.dtype != weight.dtype:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert "
                             f"input: input.to({weight.dtype}), or convert model: model.to({input.dtype})")
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.size(-1)}")

    def get_expected_hidden_size(self, input, batch_sizes):
        """The shape of `hx`."""
        n = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return (self.num_layers * (2 if self.bidirectional else 1), n, self.proj_size or self.hidden_size)

    def get_expected_cell_size(self, input, batch_sizes):
        """The shape of the cells' state of an LSTM."""
        return (*self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """Raise where a state does not fit the layer."""
        if tuple(hx.size()) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Raise where an input or a state does not fit the layer."""
        self.check_input(input, batch_sizes)
        self._check_states(input, hidden if isinstance(hidden, tuple) else (hidden,), batch_sizes)

    def permute_hidden(self, hx, permutation):
        """The state with its sequences in another order."""
        if permutation is None:
            return hx
        if isinstance(hx, tuple):
            return tuple([h.index_select(1, permutation) for h in hx])
        return hx.index_select(1, permutation)

    def _run(self, input, hx, names):
        """Outputs and states, of tensors and of packed sequences; `names` are those of the state's parts."""
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            self.check_input(data, batch_sizes)
            states = self._states(data, hx, batch_sizes, order)
            out, last = self._layers(data, states, batch_sizes.tolist())
            return PackedSequence(out, batch_sizes, order, back), [self.permute_hidden(s, back) for s in last]
        kind = type(self).__name__
        if input.dim() not in (2, 3):
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D"
                             f"{' tensor' if kind == 'RNN' else ''} instead")
        single = input.dim() == 2
        if hx is not None and any(h.dim() != input.dim() for h in hx):
            dims = ", ".join(f"{h.dim()}-D" for h in hx)
            shown = f"{names} should also be {input.dim()}-D but got " + (f"({dims})" if len(hx) > 1 else dims)
            raise RuntimeError(f"For {'unbatched' if single else 'batched'} {input.dim()}-D input, {shown} tensor"
                               f"{'s' if len(hx) > 1 else ''}")
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else tuple([h.unsqueeze(1) for h in hx])
        self.check_input(input, None)
        states = self._states(input, hx, None, None)
        steps = input.transpose(0, 1) if self.batch_first else input
        out, last = self._layers(steps, states, None)
        out = out.transpose(0, 1) if self.batch_first else out
        if single:
            out, last = out.squeeze(0 if self.batch_first else 1), [s.squeeze(1) for s in last]
        return out, last

    def _shapes(self, input, batch_sizes):
        """The shapes of the parts of the state."""
        hidden = self.get_expected_hidden_size(input, batch_sizes)
        return [hidden, self.get_expected_cell_size(input, batch_sizes)] if self.mode == "LSTM" else [hidden]

    def _check_states(self, input, hx, batch_sizes):
        for i, (h, shape) in enumerate(zip(hx, self._shapes(input, batch_sizes))):
            which = f"hidden[{i}]" if self.mode == "LSTM" else "hidden"
            self.check_hidden_size(h, shape, f"Expected {which} size {{}}, got {{}}")

    def _states(self, input, hx, batch_sizes, order):
        if hx is None:
            return tuple([input.new_zeros(shape) for shape in self._shapes(input, batch_sizes)])
        self._check_states(input, hx, batch_sizes)
        return tuple([self.permute_hidden(h, order) for h in hx])

    def _layers(self, x, states, sizes):
        return run_layers(self.mode, x, states, list(self._weights()), bidirectional=self.bidirectional, sizes=sizes,
                          dropout=self.dropout if self.training else 0.0)

    def extra_repr(self):
        shown = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
                            ("dropout", 0), ("bidirectional", False)):
            value = getattr(self, name)
            if value != usual:
                shown += f", {name}={value}"
        return shown

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)


class RNN(RNNBase):
    """`h = tanh(W_ih x + b_ih + W_hh h + b_hh)` along a sequence.

    Args:
        input_size, hidden_size, num_layers: of the layers.
        nonlinearity: "tanh" or "relu".
        batch_first: whether inputs are `(N, L, input_size)`, not `(L, N, input_size)`.
        dropout: between layers, in training.
        bidirectional: whether there is a second direction, from the end.

    >>> import covector.compat.torch as torch
    >>> out, h = torch.nn.RNN(3, 4, batch_first=True)(torch.ones(2, 5, 3))
    >>> out.shape, h.shape
    (torch.Size([2, 5, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)

    def forward(self, input, hx=None):
        """The outputs of the last layer, and `hx` behind the last step, `(num_layers * directions, N, hidden_size)`."""
        out, (h,) = self._run(input, None if hx is None else (hx,), "hx")
        return out, h


class LSTM(RNNBase):
    """Long short-term memory; Hochreiter, Schmidhuber (1997). Arguments as of RNN.

    Args:
        proj_size: the length of outputs that are projected, 0 for none.

    >>> import covector.compat.torch as torch
    >>> out, (h, c) = torch.nn.LSTM(3, 4, num_layers=2)(torch.ones(5, 2, 3))
    >>> out.shape, h.shape, c.shape
    (torch.Size([5, 2, 4]), torch.Size([2, 2, 4]), torch.Size([2, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input, hx=None):
        """The outputs of the last layer, and `(h, c)` behind the last step."""
        out, (h, c) = self._run(input, hx, "hx and cx")
        return out, (h, c)


class GRU(RNNBase):
    """Gated recurrent units; Cho et al. (2014). Arguments as of RNN."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        """The outputs of the last layer, and `hx` behind the last step."""
        out, (h,) = self._run(input, None if hx is None else (hx,), "hx")
        return out, h


class RNNCellBase(Module):
    """The base class of recurrent cells: `weight_ih`, `weight_hh`, `bias_ih`, `bias_hh`."""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(torch.empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(torch.empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(torch.empty(rows, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw all weights between ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, mode, input, hx, parts=1):
        kind = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{kind}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for i, h in enumerate(hx or ()):
            if h.dim() not in (1, 2):
                name = f"hx[{i}]" if parts > 1 else "hidden"
                raise ValueError(f"{kind}: Expected {name} to be 1D or 2D, got {h.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.size(-1)} expected {self.input_size}")
        single = input.dim() == 1
        input = input.unsqueeze(0) if single else input
        if hx is None:
            hx = (input.new_zeros(input.size(0), self.hidden_size),) * parts
        elif single:
            hx = tuple([h.unsqueeze(0) for h in hx])
        for i, h in enumerate(hx):
            if h.size(0) != input.size(0):
                raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{i} "
                                   f"batch size {h.size(0)}")
            if h.size(-1) != self.hidden_size:
                raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {h.size(-1)}, "
                                   f"expected {self.hidden_size}")
        state = STEPS[mode](F.linear(input, self.weight_ih, self.bias_ih), hx, self.weight_hh, self.bias_hh, None)
        return tuple([s.squeeze(0) for s in state]) if single else state

    def extra_repr(self):
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            shown += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return shown + (f", nonlinearity={nonlinearity}" if nonlinearity != "tanh" else "")


class RNNCell(RNNCellBase):
    """One step of an RNN: `(N, input_size)` and `(N, hidden_size)` give `(N, hidden_size)`."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step("RNN_" + self.nonlinearity.upper(), input, None if hx is None else (hx,))[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM: an input and `(h, c)` give `(h, c)`."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        return self._step("LSTM", input, hx, parts=2)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input, hx=None):
        return self._step("GRU", input, None if hx is None else (hx,))[0]
