"""torch.nn.utils and torch.nn.init: clipping, vectors, packed sequences, other forms of weights, pruning, fusion."""

import copy
import importlib
import sys

import pytest

import covector.compat.torch as compat
from covector._engine import LazyModule
from covector.compat.torch.utils.tensorboard import writer
from harness import attempt, message, normal, rounds_as


def linear(torch, inputs=3, outputs=2):
    m = torch.nn.Linear(inputs, outputs).double()
    with torch.no_grad():
        for k, p in enumerate(m.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k + 1))
    return m


def script_clipped_gradients(torch):
    utils, m = torch.nn.utils, linear(torch)
    m(normal(torch, 4, 3)).pow(2).sum().backward()
    norm = utils.clip_grad_norm_(m.parameters(), 0.5)
    grads = [p.grad.clone() for p in m.parameters()]
    utils.clip_grad_value_(m.parameters(), 0.1)
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.tensor([float("nan"), 1.0])
    utils.clip_grads_with_norm_(m.weight, 0.1, torch.tensor(1.0).double())
    return [norm, grads, [p.grad for p in m.parameters()], utils.get_total_norm([p.grad for p in m.parameters()],
        float("inf")),
            utils.clip_grad_norm_([], 1.0), utils.clip_grad_norm_(m.weight, 0.01, 1.0), m.weight.grad,
            attempt(lambda: utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True))]


def script_parameters_as_one_vector(torch):
    m = linear(torch)
    vector = torch.nn.utils.parameters_to_vector(m.parameters())
    torch.nn.utils.vector_to_parameters(vector.detach() * 2, m.parameters())
    return [vector.detach(), m.weight, m.bias, message(lambda: torch.nn.utils.vector_to_parameters([1],
        m.parameters()))]


def script_packing(torch):
    rnn = torch.nn.utils.rnn
    s = [normal(torch, n, 2, seed=n) for n in (3, 2, 1)]
    p, q = rnn.pack_sequence(s), rnn.pack_sequence(s[::-1], enforce_sorted=False)
    x = normal(torch, 3, 2, 1)
    return [list(p), list(q), *rnn.pad_packed_sequence(q, True, 7.0, 5),
            [t * 1 for t in rnn.unpack_sequence(q)],
            rnn.pad_sequence(s, padding_side="left"), rnn.pad_sequence(s, True, -1.0),
            [t * 1 for t in rnn.unpad_sequence(rnn.pad_sequence(s), torch.tensor([3, 2, 1]))],
            type(q).__name__, q.is_cuda,
            str(q.to(torch.float32).data.dtype), rnn.invert_permutation(torch.tensor([2, 0, 1])),
            *[message(f) for f in (
                lambda: rnn.pack_padded_sequence(x, [2, 3]), lambda: rnn.pack_padded_sequence(x, [2, 0]),
                lambda: rnn.pack_padded_sequence(x, [2]),
                lambda: rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [3, 2]), total_length=2))]]


def script_gradients_through_packing(torch):
    rnn = torch.nn.utils.rnn
    x = normal(torch, 3, 2, 2).requires_grad_()
    out, lengths = rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [1, 3], enforce_sorted=False))
    (out * normal(torch, *out.shape, seed=1)).sum().backward()
    return [x.grad, lengths]


def script_weights_by_their_norms(torch):
    found = []
    for args in ({}, {"dim": 1}, {"dim": None}):
        m = torch.nn.utils.weight_norm(linear(torch), **args)
        m(normal(torch, 4, 3)).sum().backward()
        found += [m.weight.detach(), list(m.state_dict()), [p.grad for p in m.parameters()]]
    again = message(lambda: torch.nn.utils.weight_norm(m))
    torch.nn.utils.remove_weight_norm(m)
    n = torch.nn.utils.parametrizations.weight_norm(linear(torch))
    n.load_state_dict({"weight_g": torch.ones(2, 1), "weight_v": torch.ones(2, 3), "bias": torch.ones(2)})
    return [*found, again, m.weight, list(m.state_dict()), message(lambda: torch.nn.utils.remove_weight_norm(m)),
        n.weight.detach(),
            list(n.state_dict()), repr(n), type(n).__name__]


def script_weights_by_their_largest_singular_value(torch):
    m, n = linear(torch), linear(torch)
    torch.nn.utils.spectral_norm(m)
    torch.nn.utils.parametrizations.spectral_norm(n)
    held = n.parametrizations.weight[0]
    with torch.no_grad():
        for u, v in ((m.weight_u, m.weight_v), (held._u, held._v)):
            u.copy_(torch.tensor([0.6, 0.8]))
            v.copy_(torch.tensor([1.0, 0, 0]))
    found = []
    for module, original in ((m, m.weight_orig), (n, n.parametrizations.weight.original)):
        module(normal(torch, 4, 3)).sum().backward()
        module.eval()
        found += [module(normal(torch, 4, 3)).detach(), original.grad, list(module.state_dict())]
    torch.nn.utils.remove_spectral_norm(m)
    conv = torch.nn.utils.spectral_norm(torch.nn.ConvTranspose1d(2, 3, 2))
    return [*found, m.weight, list(m.state_dict()), held._u, tuple(conv.weight_u.shape), repr(n),
            message(lambda: torch.nn.utils.spectral_norm(linear(torch), n_power_iterations=0)),
            message(lambda: torch.nn.utils.parametrizations.spectral_norm(linear(torch), "nope"))]


def script_orthogonal_weights(torch):
    found = []
    for kind in ("matrix_exp", "cayley", "householder"):
        for shape in ((3, 3), (2, 3), (3, 2)):
            for free in (True, False):
                m = linear(torch, shape[1], shape[0])
                torch.nn.utils.parametrizations.orthogonal(m, orthogonal_map=kind, use_trivialization=not free)
                held = m.parametrizations.weight
                with torch.no_grad():
                    held.original.copy_(normal(torch, *shape, seed=3))
                    held.original.diagonal().copy_(torch.tensor([1.0, -1.0, 1.0])[:min(shape)])
                if not free:
                    held[0].base.copy_(torch.eye(3))
                m(normal(torch, 4, shape[1])).pow(3).sum().backward()
                found += [m.weight.detach().contiguous(), held.original.grad.contiguous(), list(m.state_dict())]
    m = torch.nn.utils.parametrizations.orthogonal(linear(torch, 3, 3))
    m.weight = torch.eye(3).double()
    return [*found, m.weight.detach().contiguous().round(decimals=9) + 0,
            message(lambda: torch.nn.utils.parametrizations.orthogonal(linear(torch), orthogonal_map="svd")),
            message(lambda: torch.nn.utils.parametrizations.orthogonal(linear(torch), "bias"))]


def script_parametrizations(torch):
    parametrize = torch.nn.utils.parametrize

    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, a):
            return a.triu()

    class Cut(torch.nn.Module):
        def forward(self, x):
            return x[:1]

    m = linear(torch, 3, 3)
    parametrize.register_parametrization(m, "weight", Symmetric())
    found = [m.weight.detach()]
    m.weight = normal(torch, 3, 3)
    with parametrize.cached():
        found.append(m.weight is m.weight)
    twin = copy.deepcopy(m)
    found += [m.weight.detach(), m.weight is m.weight, type(m).__name__, parametrize.is_parametrized(m),
              parametrize.is_parametrized(m, "bias"), [n for n, _ in m.named_parameters()], twin.weight.detach(),
              parametrize.type_before_parametrizations(m).__name__, isinstance(m, torch.nn.Linear)]
    parametrize.register_parametrization(m, "weight", torch.nn.Tanh())
    found += [m.weight.detach(), len(m.parametrizations.weight), repr(m)]
    target = parametrize.transfer_parametrizations_and_params(twin, linear(torch, 3, 3))
    parametrize.remove_parametrizations(m, "weight")
    return [*found, target.weight.detach(), m.weight, type(m).__name__, [n for n,
        _ in m.named_parameters()],
            *[message(f) for f in (
                lambda: parametrize.register_parametrization(linear(torch), "weight", Cut()),
                lambda: parametrize.register_parametrization(torch.nn.ReLU(), "weight", Cut()),
                lambda: parametrize.remove_parametrizations(torch.nn.ReLU(), "weight"))]]


def script_pruning(torch):
    prune, m = importlib.import_module(f"{torch.__name__}.nn.utils.prune"), linear(torch, 4, 3)
    prune.l1_unstructured(m, "weight", amount=0.3)
    prune.ln_structured(m, "weight", amount=1, n=2, dim=0)
    m(normal(torch, 2, 4)).sum().backward()
    found = [list(m.state_dict()), m.weight.detach(), [type(h).__name__ for h in m._forward_pre_hooks.values()],
             m.weight_orig.grad, m.weight_mask, prune.is_pruned(m)]
    prune.remove(m, "weight")
    net = torch.nn.Sequential(linear(torch, 4, 3), linear(torch, 3, 2))
    prune.global_unstructured([(net[0], "weight"), (net[1], "weight")], prune.L1Unstructured, amount=0.5)
    n = prune.identity(prune.custom_from_mask(linear(torch), "bias", torch.tensor([1.0, 0.0])), "weight")
    k = prune.random_structured(prune.random_unstructured(linear(torch, 4, 4), "bias", 2), "weight", 1, 1)
    return [*found, list(m.state_dict()), m.weight, prune.is_pruned(m), net[0].weight.detach(), net[1].weight.detach(),
            n.bias.detach(), list(n.state_dict()), int((k.bias == 0).sum()), int((k.weight == 0).sum()),
            *[attempt(f)[:2] for f in (
                lambda: prune.l1_unstructured(linear(torch), "weight", 1.5), lambda: prune.remove(net, "weight"),
                lambda: prune.l1_unstructured(linear(torch), "weight", 100),
                lambda: prune.l1_unstructured(linear(torch), "weight", "a"))]]


def script_fused_layers(torch):
    conv, norm, dense = torch.nn.Conv2d(2, 3, 2).double(), torch.nn.BatchNorm2d(3).double(), linear(torch, 2, 3)
    with torch.no_grad():
        for m in (conv, norm):
            for k, t in enumerate([*m.parameters(), *m.buffers()]):
                t.copy_(normal(torch, *t.shape, seed=k).abs())
    flat = torch.nn.BatchNorm1d(3).double()
    flat.load_state_dict(norm.state_dict())
    for m in (conv, norm, dense, flat):
        m.eval()
    fused, line = torch.nn.utils.fuse_conv_bn_eval(conv, norm), torch.nn.utils.fuse_linear_bn_eval(dense, flat)
    return [fused(normal(torch, 1, 2, 4, 4)).detach(), line(normal(torch, 4, 2)).detach(), type(fused.weight).__name__,
            attempt(lambda: torch.nn.utils.fuse_conv_bn_eval(conv.train(), norm))[:2]]


def script_modules_without_initial_values(torch):
    m = torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
    return [tuple(m.weight.shape), m.weight.requires_grad, type(m.weight).__name__,
            message(lambda: torch.nn.utils.skip_init(torch.nn.ReLU)),
            attempt(lambda: torch.nn.utils.skip_init(int))[:2]]


@rounds_as("float32", "gains are Python's, but values are drawn in float32")
def script_initial_values(torch):
    init = torch.nn.init
    torch.manual_seed(0)
    q = init.orthogonal_(torch.empty(3, 5, dtype=torch.float64))
    s = init.sparse_(torch.empty(10, 3), 0.3)
    bounds = [round(float(f(torch.empty(300, 200)).abs().max()), 2) for f in (
        init.xavier_uniform_, init.kaiming_uniform_, lambda t: init.kaiming_uniform_(t, mode="fan_out",
        nonlinearity="relu"),
        init.uniform_, lambda t: init.trunc_normal_(t, a=-0.5, b=0.5))]
    spreads = [round(float(f(torch.empty(300, 200)).std()), 1) for f in (
        init.normal_, lambda t: init.xavier_normal_(t, 10.0), lambda t: init.kaiming_normal_(t, nonlinearity="tanh"))]
    return [init.eye_(torch.empty(2, 3)), init.dirac_(torch.empty(4, 2, 3), 2), (q @ q.T).round(decimals=6) + 0,
            init.constant_(torch.empty(2), 3.0), init.zeros_(torch.empty(2)),
            type(init.ones_(torch.nn.Parameter(torch.empty(2)))).__name__,
            [init.calculate_gain(n) for n in ("linear", "tanh", "relu", "leaky_relu", "selu", "sigmoid", "conv2d")],
            init.calculate_gain("leaky_relu", 0.2), init._calculate_fan_in_and_fan_out(torch.empty(3, 4, 5)),
            (s == 0).sum(0), bounds, spreads, *[message(f) for f in (
                lambda: init.calculate_gain("foo"), lambda: init.calculate_gain("leaky_relu", True),
                lambda: init.eye_(torch.ones(3)),
                lambda: init.xavier_uniform_(torch.ones(3)), lambda: init.kaiming_uniform_(torch.ones(3, 3), mode="x"),
                lambda: init.dirac_(torch.ones(3)), lambda: init.dirac_(torch.ones(3, 3, 3), 2),
                lambda: init.orthogonal_(torch.ones(3)))]]


def script_gradients_of_convolutions(torch):
    grad = importlib.import_module(f"{torch.__name__}.nn.grad")
    return [grad.conv2d_input((1, 2, 4, 4), normal(torch, 3, 2, 2, 2), normal(torch, 1, 3, 3, 3)),
            grad.conv1d_weight(normal(torch, 1, 2, 5), (3, 2, 2), normal(torch, 1, 3, 4))]


def script_names_of_states(torch):
    state = torch.nn.Sequential(linear(torch)).state_dict()
    importlib.import_module(f"{torch.__name__}.nn.modules.utils").consume_prefix_in_state_dict_if_present(state, "0.")
    return [list(state), dict(state._metadata)]


def test_without_its_package_a_summary_writer_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    monkeypatch.setattr(writer, "_library", LazyModule("tensorboardX"))
    with pytest.raises(ModuleNotFoundError, match="needs the package tensorboardX, which is not installed; pip inst"):
        writer.SummaryWriter()


def test_a_summary_writer_takes_tensors(tmp_path):
    pytest.importorskip("tensorboardX", reason="needs tensorboardX, of the `reference` extra")
    x = compat.ones(3, requires_grad=True)
    with writer.SummaryWriter(str(tmp_path), flush_secs=1) as written:
        written.add_scalar("loss", (x * 2).sum(), 3)
        written.add_scalars("losses", {"train": x[0], "valid": 2.0}, 4)
        written.add_histogram("weights", x, 5)
    files = {path.parent.name: path.read_bytes() for path in tmp_path.rglob("events.*")}
    assert len(files) == 3
    assert b"loss" in files[tmp_path.name]
    assert b"weights" in files[tmp_path.name]


def script_lists_of_tensors_lie_flat(torch):
    lists = importlib.import_module(f"{torch.__name__}._utils")
    first = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    tensors = [first * 2, torch.tensor(5.0), torch.zeros(0), torch.ones(3).expand(2, 3)]
    flat = lists._flatten_dense_tensors(tensors)
    parts = lists._unflatten_dense_tensors(flat, tensors)
    sum((part ** 2).sum() for part in parts).backward()
    alone = torch.ones(2, 2)
    lists._flatten_dense_tensors([alone])[0] = 7.0
    memory = torch.zeros(5)
    lists._unflatten_dense_tensors(memory, [torch.ones(2), torch.ones(3)])[1].fill_(1.0)
    return [flat.detach(), [part.detach() for part in parts], type(parts).__name__, first.grad, alone, memory,
            lists._element_size(torch.float64), lists._element_size(torch.bool),
            attempt(lambda: lists._unflatten_dense_tensors(torch.ones(3), tensors))]
