"""100 steps of training of every module, here and in PyTorch: losses, parameters, inputs and buffers to 1e-6."""

import warnings

import numpy as np
import pytest
from module_table import RANDOM, built, classes, moved, names, table, tensors

import covector.compat.torch as compat
from harness import pytorch

pytestmark = [pytest.mark.reference, pytest.mark.slow]
STEPS = 100
BASES = {"Module", "Container", "RNNBase", "RNNCellBase"}


def wave(torch, *shape, k=1.0, to=None):
    """Numbers without a pattern, or indices below `to`."""
    x = torch.sin(k + torch.arange(1.0, 1.0 + int(np.prod(shape)), dtype=torch.float64) ** 2).reshape(shape)
    return x if to is None else (x.abs() * to).long().clamp(max=to - 1)


def unpooled(T, n):
    """Inputs of `MaxUnpool{n}d`."""
    pooled, places = getattr(T.nn.functional, f"max_pool{n}d")(wave(T, 1, 2, *[4] * n), 2, return_indices=True)
    return pooled.detach(), places


def holder(T, name):
    """A module around a container of modules or of parameters."""

    class Holder(T.nn.Module):
        def __init__(self):
            super().__init__()
            weights = [T.nn.Parameter(wave(T, 2, 2, k=k)) for k in (1.0, 2.0)]
            layers = [T.nn.Linear(2, 2), T.nn.Linear(2, 2)]
            given = weights if "Parameter" in name else layers
            self.held = getattr(T.nn, name)(dict(zip("ab", given)) if name.endswith("Dict") else given)

        def forward(self, x):
            for part in self.held.values() if name.endswith("Dict") else self.held:
                x = T.tanh(part(x) if isinstance(part, T.nn.Module) else x @ part)
            return x

    return Holder()


# Modules without rows of use in PyTorch's table, each with its inputs.
OTHERS = {
    "AdaptiveLogSoftmaxWithLoss": lambda T, m: (m(4, 10, [3, 6]), wave(T, 5, 4), wave(T, 5, to=10)),
    "AlphaDropout": lambda T, m: (m(), wave(T, 2, 3)),
    "ChannelShuffle": lambda T, m: (m(2), wave(T, 1, 4, 2, 2)),
    "CosineSimilarity": lambda T, m: (m(), wave(T, 3, 4), wave(T, 3, 4, k=2.0)),
    "CrossMapLRN2d": lambda T, m: (m(5, 1e-2), wave(T, 1, 2, 3, 3)),  # windows of all channels, as in the gaps
    **{f"Dropout{n}": lambda T, m: (m(), wave(T, 2, 3, 4)) for n in ("", "1d")},
    "Dropout2d": lambda T, m: (m(), wave(T, 2, 3, 4, 4)),
    "Dropout3d": lambda T, m: (m(), wave(T, 2, 3, 2, 2, 2)),
    "EmbeddingBag": lambda T, m: (m(10, 3, mode="mean"), wave(T, 4, 5, to=10)),
    "FeatureAlphaDropout": lambda T, m: (m(), wave(T, 2, 3, 4)),
    "Flatten": lambda T, m: (m(), wave(T, 2, 3, 4)),
    "Fold": lambda T, m: (m((4, 5), (2, 2)), wave(T, 1, 8, 12)),
    "Hardsigmoid": lambda T, m: (m(), 4 * wave(T, 3, 4)),
    "Identity": lambda T, m: (m(), wave(T, 3)),
    **{f"LazyBatchNorm{n}d": lambda T, m, n=n: (m(), wave(T, 3, 2, *[2] * n)) for n in (1, 2, 3)},
    **{f"LazyInstanceNorm{n}d": lambda T, m, n=n: (m(affine=True), wave(T, 3, 2, *[2] * n)) for n in (1, 2, 3)},
    "KLDivLoss": lambda T, m: (m(), wave(T, 3, 4), wave(T, 3, 4).exp()),  # the table's inputs are NaN
    "LazyLinear": lambda T, m: (m(3), wave(T, 2, 4)),
    **{f"MaxUnpool{n}d": lambda T, m, n=n: (m(2), *unpooled(T, n)) for n in (1, 2, 3)},
    "NLLLoss2d": lambda T, m: (m(), wave(T, 2, 3, 2, 2), wave(T, 2, 2, 2, to=3)),
    "PairwiseDistance": lambda T, m: (m(), wave(T, 3, 4), wave(T, 3, 4, k=2.0)),
    "PixelShuffle": lambda T, m: (m(2), wave(T, 1, 8, 2, 3)),
    "PixelUnshuffle": lambda T, m: (m(2), wave(T, 1, 2, 4, 6)),
    **{name: lambda T, m: (m, wave(T, 3, 2)) for name in ("ModuleList", "ModuleDict", "ParameterList",
                                                           "ParameterDict")},
    "RReLU": lambda T, m: (m(), wave(T, 3, 4)),
    "Sequential": lambda T, m: (m(T.nn.Linear(3, 4), T.nn.GELU(), T.nn.Linear(4, 2)), wave(T, 5, 3)),
    "SyncBatchNorm": lambda T, m: (m(3), wave(T, 4, 3, 2)),
    "TransformerDecoder": lambda T, m: (m(T.nn.TransformerDecoderLayer(4, 2, 8, 0.0), 2), wave(T, 3, 2, 4),
                                        wave(T, 5, 2, 4)),
    "TripletMarginLoss": lambda T, m: (m(), *[wave(T, 3, 4, k=k) for k in (1.0, 2.0, 3.0)]),
    "TripletMarginWithDistanceLoss": lambda T, m: (m(), *[wave(T, 3, 4, k=k) for k in (1.0, 2.0, 3.0)]),
    "Unflatten": lambda T, m: (m(1, (2, 3)), wave(T, 2, 6)),
    "Unfold": lambda T, m: (m((2, 2)), wave(T, 1, 2, 4, 5)),
    "Upsample": lambda T, m: (m(scale_factor=2, mode="bilinear"), wave(T, 1, 2, 3, 4)),
    "UpsamplingBilinear2d": lambda T, m: (m(scale_factor=2), wave(T, 1, 2, 3, 4)),
    "UpsamplingNearest2d": lambda T, m: (m(scale_factor=2), wave(T, 1, 2, 3, 4)),
}
# Functions of the first input, where values have to stay in its domain, or where only those are said to agree.
BEFORE = {"BCELoss": lambda x: x.sigmoid(), "PoissonNLLLoss": lambda x: x.abs() + 0.1,
          "CTCLoss": lambda x: x.log_softmax(-1), "LPPool1d": lambda x: x.abs() + 0.1,
          "LPPool2d": lambda x: x.abs() + 0.1, "LPPool3d": lambda x: x.abs() + 0.1}


def trained(torch, module, args, kwargs, before):
    """Losses of the steps, then parameters, inputs and buffers."""
    inputs = [t for t in tensors([args, kwargs]) if t.requires_grad and t.is_leaf]
    moving = [*module.parameters(), *inputs]
    optimizer = torch.optim.Adam(moving, lr=3e-3)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        given = [before(args[0]), *args[1:]] if before else args
        outputs = tensors(module(*given, **kwargs))
        loss = sum((torch.cos(torch.arange(y.numel(), dtype=torch.float64)).reshape(y.shape) * y * (y + 1)).real.sum()
                   for y in outputs if y.requires_grad)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [np.array(losses), *[np.array(t.detach().tolist()) for t in (*moving, *module.buffers())]]


def fresh(x):
    """The tensors of a nest, as leaves of their own."""
    if hasattr(x, "requires_grad"):
        return x.detach().clone().requires_grad_(x.requires_grad)
    if isinstance(x, dict):
        return {k: fresh(v) for k, v in x.items()}
    return type(x)(map(fresh, x)) if isinstance(x, list | tuple) and not hasattr(x, "_fields") else x


def of_table(name):
    """Modules and inputs of PyTorch's table, in training, or in evaluation where training is random."""
    torch, count = pytorch(), 0
    for info in [info for info in table() if info.module_cls.__name__ == name]:
        for training in (True, False):
            given = [g for g in info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True,
                                                        training=training) if g.forward_input is not None]
            for g in given[:1] if name == "CTCLoss" else given[:2]:
                pair = built(info, g, training)
                if pair is not None and count < 2:
                    count += 1
                    yield pair, list(g.forward_input.args), g.forward_input.kwargs


def of_others(name):
    """A module that the table has not, with weights alike on both sides."""
    made = []
    for torch in (compat, pytorch()):
        make = getattr(torch.nn, name) if "List" not in name and "Dict" not in name else holder(torch, name)
        module, *args = OTHERS[name](torch, make)
        module = module.double().train(name not in RANDOM)
        if "Lazy" in name:
            module(*args)
            module = module.double()
        made.append((module, [a.requires_grad_() if a.is_floating_point() else a for a in args]))
    (ours, _), (theirs, args) = made
    ours.load_state_dict({k: moved(v) for k, v in theirs.state_dict().items()})
    yield (ours, theirs), args, {}


@pytest.mark.parametrize("name", sorted({*names(), *OTHERS}))
def test_training_gives_what_it_gives_in_pytorch(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        count = 0
        for (ours, theirs), args, kwargs in of_others(name) if name in OTHERS else of_table(name):
            args, kwargs = fresh(args), fresh(kwargs)
            mine = trained(compat, ours, moved(args), moved(kwargs), BEFORE.get(name))
            for a, b in zip(mine, trained(pytorch(), theirs, args, kwargs, BEFORE.get(name)), strict=True):
                assert np.isfinite(b).all()
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
            count += 1
        assert count


def test_every_module_is_trained():
    assert set(classes()) - {*names(), *OTHERS} == BASES
