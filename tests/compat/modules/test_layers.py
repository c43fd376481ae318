"""Every layer of torch.nn: outputs, gradients of inputs and parameters, tangents and batches; its repr and state."""

import functools

import numpy as np

import covector.compat.torch as compat
from harness import rounds_as

SEQUENCE, IMAGE, VOLUME = (2, 4, 5), (1, 4, 4, 3), (1, 4, 3, 2, 3)
ONCE = {"orders": 1}  # PyTorch has no second derivatives
UNMAPPED = {"vmap": False}  # PyTorch has no rule
PLAIN = {"vmap": False}  # running statistics are written in place, which no mapped input may
EVAL = {"eval": True}
# Class, arguments, shapes of inputs, and facts: how it is compared, `eval` and `extra`, more arguments of forward.
LAYERS = [
    ("Identity", (), [(2, 3)]), ("Linear", (3, 2), [(4, 3)]), ("Linear", (3, 2, False), [(2, 4, 3)]),
    ("Bilinear", (2, 3, 4), [(5, 2), (5, 3)]), ("Flatten", (), [(2, 3, 2)]), ("Unflatten", (1, (2, 3)), [(2, 6)]),
    ("Conv1d", (4, 6, 3, 2, 1, 1, 2), [SEQUENCE]), ("Conv2d", (4, 3, (3, 2)), [IMAGE]),
    ("Conv2d", (4, 4, 3, 1, "same", 2, 4, False), [IMAGE]),
    ("Conv2d", (4, 2, 3, 2, 1, 1, 1, True, "circular"), [IMAGE]),
    ("Conv2d", (4, 2, 3, 1, (1, 2), 1, 1, True, "reflect"), [IMAGE]), ("Conv3d", (4, 2, 2), [VOLUME]),
    ("Conv1d", (4, 2, 4, 1, "same", 1, 1, True, "replicate"), [SEQUENCE]),
    ("ConvTranspose1d", (4, 6, 3, 2, 1, 1, 2), [SEQUENCE]), ("ConvTranspose2d", (4, 3, 3, 2), [IMAGE]),
    ("ConvTranspose3d", (4, 2, 2), [(1, 4, 2, 1, 2)]),
    ("MaxPool1d", (3, 2, 1), [SEQUENCE]), ("MaxPool2d", (2,), [IMAGE]),
    ("MaxPool3d", (2, None, 0, 1, False, True), [VOLUME]),
    ("AvgPool1d", (3, 2, 1), [SEQUENCE]), ("AvgPool2d", (2, None, 1, True, False), [IMAGE]),
    ("AvgPool3d", (2,), [VOLUME]),
    ("LPPool1d", (2, 3), [SEQUENCE]), ("LPPool2d", (3, 2), [IMAGE]), ("LPPool3d", (2, 2), [VOLUME]),
    ("AdaptiveAvgPool1d", (3,), [SEQUENCE]), ("AdaptiveAvgPool2d", ((3, None),), [IMAGE]),
    ("AdaptiveAvgPool3d", (2,), [VOLUME]), ("AdaptiveMaxPool1d", (3,), [SEQUENCE]),
    ("AdaptiveMaxPool2d", ((3, 2),), [IMAGE]), ("AdaptiveMaxPool3d", (2,), [VOLUME]),
    ("BatchNorm1d", (4,), [(3, 4)], PLAIN), ("BatchNorm1d", (4,), [SEQUENCE], EVAL),
    ("BatchNorm2d", (4,), [IMAGE], PLAIN),
    ("BatchNorm2d", (4, 1e-3, None), [IMAGE], PLAIN), ("BatchNorm2d", (4, 1e-3, 0.1, False, False), [IMAGE]),
    ("BatchNorm3d", (4,), [VOLUME], PLAIN), ("InstanceNorm1d", (4,), [SEQUENCE]),
    ("InstanceNorm2d", (4, 1e-5, 0.1, True), [IMAGE]), ("InstanceNorm2d", (4, 1e-5, 0.2, True, True), [IMAGE], PLAIN),
    ("InstanceNorm3d", (4,), [VOLUME]), ("LayerNorm", ((3, 2),), [(4, 3, 2)]),
    ("LayerNorm", (3, 1e-3, True, False), [(4, 3)]),
    ("GroupNorm", (2, 4), [SEQUENCE]), ("GroupNorm", (2, 4, 1e-5, False), [IMAGE]), ("RMSNorm", (3,), [(4, 3)]),
    ("LocalResponseNorm", (3,), [IMAGE]),
    ("Dropout", (0.5,), [(3, 4)], EVAL), ("Dropout1d", (0.0,), [SEQUENCE]), ("Dropout2d", (0.5,), [IMAGE], EVAL),
    ("Dropout3d", (0.5,), [VOLUME], EVAL), ("AlphaDropout", (0.5,), [(3, 4)], EVAL),
    ("FeatureAlphaDropout", (0.5,), [IMAGE], EVAL),
    *[(name, (), [(3, 4)]) for name in """ReLU ReLU6 Sigmoid Hardswish Tanh SiLU Mish ELU CELU SELU GELU
      Hardshrink LeakyReLU LogSigmoid Softplus Softshrink Softsign Tanhshrink Hardtanh GLU PReLU""".split()],
    ("Hardsigmoid", (), [(3, 4)], ONCE | {"rounding": "float32"}), ("RReLU", (), [(3, 4)], EVAL | UNMAPPED),
    ("GELU", ("tanh",), [(3, 4)]), ("Threshold", (0.1, -2.0), [(3, 4)]),
    ("PReLU", (4,), [SEQUENCE]),
    ("Softmax", (1,), [(3, 4)]), ("Softmin", (0,), [(3, 4)]), ("LogSoftmax", (-1,), [(3, 4)]),
    ("Softmax2d", (), [IMAGE]),
    ("ReLU", (True,), [(3, 4)], {"inplace": True}), ("Softplus", (2.0, 1.0), [(3, 4)]),
    *[(f"{kind}Pad{n}d", (1,), [(SEQUENCE, IMAGE, VOLUME)[n - 1]]) for n in (1, 2, 3)
      for kind in ("Zero", "Reflection", "Replication", "Circular")],
    ("ConstantPad1d", ((1, 2), 3.5), [SEQUENCE]), ("ConstantPad2d", ((1, 0, -1, 2), 0.5), [IMAGE]),
    ("ConstantPad3d", (1, 2.0), [VOLUME]),
    ("PixelShuffle", (2,), [IMAGE]), ("PixelUnshuffle", (2,), [(1, 1, 4, 2)]), ("ChannelShuffle", (2,), [IMAGE]),
    ("Upsample", (None, 2), [SEQUENCE]), ("Upsample", (None, (1.5, 2.0), "bilinear"), [IMAGE]),
    ("Upsample", ((7, 9), None, "bicubic", True), [IMAGE]),
    ("UpsamplingNearest2d", (None, 2), [IMAGE]), ("UpsamplingBilinear2d", ((7, 9),), [IMAGE]),
    ("Fold", ((3, 4), (2, 2)), [(1, 8, 6)]), ("Unfold", (2, 1, 1, 2), [IMAGE]),
    ("CosineSimilarity", (), [(3, 4), (3, 4)]), ("PairwiseDistance", (), [(3, 4), (3, 4)]),
    ("PairwiseDistance", (1.0, 1e-6, True), [(3, 4), (3, 4)]),
    ("RNNCell", (3, 4), [(2, 3), (2, 4)]), ("RNNCell", (3, 4, False, "relu"), [(2, 3), (2, 4)]),
    ("GRUCell", (3, 4), [(2, 3), (2, 4)]),
    ("LSTMCell", (3, 4), [(2, 3)], UNMAPPED), ("RNN", (3, 4, 2), [(5, 2, 3)], UNMAPPED),
    ("GRU", (3, 2, 1), [(4, 2, 3)], UNMAPPED),
    ("LSTM", (3, 2, 1), [(4, 2, 3)], UNMAPPED),
    ("MultiheadAttention", (4, 2), [(3, 2, 4), (5, 2, 4), (5, 2, 4)]),
    ("TransformerEncoderLayer", (4, 2, 6, 0.0), [(3, 2, 4)], ONCE),
    ("TransformerDecoderLayer", (4, 2, 6, 0.0), [(3, 2, 4), (5, 2, 4)], ONCE),
]


def facts_of(row):
    return row[3] if len(row) > 3 else {}


@functools.cache
def made(torch, k):
    """The module of the row `k`, in float64, in the mode that the row says."""
    row = LAYERS[k]
    module = getattr(torch.nn, row[0])(*row[1]).double()
    return module.eval() if "eval" in facts_of(row) else module


def call_of(k):
    """A row of `CALLS`: the module called on inputs and parameters, both random."""
    row = LAYERS[k]
    facts = dict(facts_of(row))
    facts.pop("eval", None)
    changes = facts.pop("inplace", False)
    rng = np.random.default_rng(0)
    names = [name for name, _ in made(compat, k).named_parameters()]
    arrays = [rng.normal(size=shape) for shape in row[2]]
    arrays += [rng.normal(size=tuple(p.shape)) for p in made(compat, k).parameters()]
    count = len(row[2])

    def f(torch, *tensors):
        inputs = [t * 1 for t in tensors[:count]] if changes else list(tensors[:count])
        buffers = {name: b.clone().to(inputs[0].device) for name, b in made(torch, k).named_buffers()}
        return torch.func.functional_call(made(torch, k), [dict(zip(names, tensors[count:])), buffers], tuple(inputs))

    label = f"{row[0]}{row[1]}{' eval' if 'eval' in facts_of(row) else ''} {'x'.join(map(str, row[2][0]))}"
    return (label, f, *arrays, {"single": False} | facts)


CALLS = [call_of(k) for k in range(len(LAYERS))]


def script_reprs_and_state_of_layers(torch):
    return [[repr(m), [(k, tuple(v.shape), str(v.dtype)) for k, v in m.state_dict().items()],
             [n for n, _ in m.named_parameters()]] for m in (made(torch, k) for k in range(len(LAYERS)))]


@rounds_as("float32", "the weights are drawn in float32")
def script_layers_begin_within_pytorchs_bounds(torch):
    """The bounds of initial values: those of a large layer are nearly reached."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(200, 200), torch.nn.Conv2d(20, 20, 3), torch.nn.Bilinear(20, 20, 20),
              torch.nn.LSTM(100, 100), torch.nn.GRUCell(100, 100), torch.nn.ConvTranspose1d(50, 50, 3),
              torch.nn.MultiheadAttention(96, 2)]
    return [[name, tuple(p.shape), round(float(p.detach().std()), 2),
             round(float((p.abs().max() / p.std()).detach()), 1)]
            for layer in layers for name, p in layer.named_parameters() if p.dim() > 1 and "bias" not in name]
