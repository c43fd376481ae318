"""Programs of operations: they give what the general road gives, on other elements and in the same history."""

import gc
import traceback
import warnings
import weakref

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.dispatch import lowering as programs, staged_calls
from covector.compat.torch._impl.dispatch.call import ROWS
from covector.compat.torch._impl.module.recurrences import lstm_gates
from covector.compat.torch._impl.staged.recorder import Box

F = torch.nn.functional
# name of the row -> a call of it, and the shapes of its tensors
MADE = {
    "rsqrt": (lambda x: torch.rsqrt(x), (3, 4)),
    "pow": (lambda x, y: torch.pow(x, y), (3, 4), (4,)),
    "clamp": (lambda x: x.clamp(0.6, 0.9), (3, 4)),
    "addcmul": (lambda x, y, z: torch.addcmul(x, y, z, value=0.5), (3, 4), (3, 4), (4,)),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), (3, 4), (3, 4)),
    "sum": (lambda x: x.sum(1), (3, 4)),
    "mean": (lambda x: x.mean(dim=-1, keepdim=True), (3, 4)),
    "prod": (lambda x: x.prod(1), (3, 4)),
    "var": (lambda x: x.var(0), (3, 4)),
    "amax": (lambda x: x.amax(1), (3, 4)),
    "max": (lambda x: x.max(1), (3, 4)),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), (3, 4)),
    "cumsum": (lambda x: x.cumsum(0), (3, 4)),
    "softmax": (lambda x: torch.softmax(x, -1), (3, 4)),
    "log_softmax": (lambda x: torch.log_softmax(x, 1), (3, 4)),
    "cat": (lambda x, y: torch.cat([x, y], 1), (3, 4), (3, 2)),
    "stack": (lambda x, y: torch.stack((x, y)), (3, 4), (3, 4)),
    "flip": (lambda x: x.flip(0), (3, 4)),
    "tril": (lambda x: torch.tril(x), (3, 4)),
    "bmm": (lambda x, y: torch.bmm(x, y), (2, 3, 4), (2, 4, 3)),
    "mm": (lambda x, y: torch.mm(x, y), (3, 4), (4, 3)),
    "matmul": (lambda x, y: x @ y, (3, 4), (4, 3)),
    "addmm": (lambda b, x, w: torch.addmm(b, x, w), (2,), (3, 4), (4, 2)),
    "outer": (lambda x, y: torch.outer(x, y), (3,), (4,)),
    "clone": (lambda x: x.clone(), (3, 4)),
    "sort": (lambda x: x.sort(1), (3, 4)),
    "nn.functional.pad": (lambda x: F.pad(x, (1, 2)), (3, 4)),
    "nn.functional.gelu": (lambda x: F.gelu(x), (3, 4)),
    "nn.functional.elu": (lambda x: F.elu(x), (3, 4)),
    "nn.functional.mse_loss": (lambda x, y: F.mse_loss(x, y), (3, 4), (3, 4)),
    "nn.functional.l1_loss": (lambda x, y: F.l1_loss(x, y), (3, 4), (3, 4)),
    "nn.functional.layer_norm": (lambda x, w, b: F.layer_norm(x, (4,), w, b), (3, 4), (4,), (4,)),
    "nn.functional.conv2d": (lambda x, w: F.conv2d(x, w, padding=1), (1, 2, 4, 4), (3, 2, 3, 3)),
    "nn.functional.max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 4, 4)),
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Programs are made at the first call, and none are left from other tests."""
    monkeypatch.setattr(staged_calls, "PATIENCE", [0])
    monkeypatch.setattr("covector.compat.torch._impl.dispatch.quick.OPEN", [True])
    for row in ROWS.values():
        row.programs.clear()


def leaves(shapes, seed, dtype=np.float32, requires_grad=True):
    rng = np.random.default_rng(seed)
    return [torch.tensor((rng.random(s) + 0.3).astype(dtype), requires_grad=requires_grad) for s in shapes]


def general(fun, *args):
    """The answer of the general road."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("covector.compat.torch._impl.dispatch.call.quick", lambda *call: staged_calls.MISSED)
        return fun(*args)


def outputs(answer):
    return [t for t in (answer if isinstance(answer, tuple) else (answer,)) if t.is_floating_point()]


def summary(fun, xs):
    """What is seen of an answer, and the first and second derivatives."""
    answer = fun(*xs)
    parts = answer if isinstance(answer, tuple) else (answer,)
    seen = [(t.detach().tolist(), t.dtype, t.stride(), t.is_leaf, None if t.grad_fn is None else (
        t.grad_fn.name(), t.output_nr, [(f and f.name(), k) for f, k in t.grad_fn.next_functions])) for t in parts]
    total = sum((t * t).sum() for t in outputs(answer))
    first = torch.autograd.grad(total, xs, create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in first), xs, allow_unused=True)
    return type(answer), seen, [g.detach().numpy().tolist() for g in first], [
        None if g is None else g.numpy().tolist() for g in second]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_program_made_for_some_elements_is_right_for_others(name, dtype):
    fun, *shapes = MADE[name]
    fun(*leaves(shapes, 1, dtype))
    row = programs_of(name)
    assert any(isinstance(p, programs.Program) for p in row.programs.values()), "no program was made"
    kind, seen, first, second = summary(fun, leaves(shapes, 2, dtype))
    other, expected, first_expected, second_expected = general(summary, fun, leaves(shapes, 2, dtype))
    assert kind is other and seen == expected
    for ours, theirs in zip((*first, *second), (*first_expected, *second_expected), strict=True):
        np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), 1e-5, 1e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", [*MADE, "gather"])
def test_programs_of_half_precision(name, dtype):
    fun, *shapes = MADE.get(name) or (lambda x: x.gather(1, torch.tensor([[3, 0], [1, 1], [2, 3]])), (3, 4))

    def run(*xs):
        return fun(*[x.to(dtype) for x in xs])

    run(*leaves(shapes, 1))
    kind, seen, first, second = summary(run, leaves(shapes, 2))
    other, expected, first_expected, second_expected = general(summary, run, leaves(shapes, 2))
    assert kind is other and seen == expected
    for ours, theirs in zip((*first, *second), (*first_expected, *second_expected), strict=True):
        np.testing.assert_allclose(np.array(ours, float), np.array(theirs, float), 1e-2, 1e-2)
    with torch.no_grad():
        xs = leaves(shapes, 3)
        ours, theirs = outputs(run(*xs)), outputs(general(run, *xs))
    assert all(a.dtype is dtype and torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def programs_of(name):
    return next(row for row in ROWS.values() if row.name == name)


@pytest.mark.parametrize("name", MADE)
def test_a_program_runs_where_nothing_is_recorded(name):
    fun, *shapes = MADE[name]
    xs = leaves(shapes, 3)
    with torch.no_grad():
        fun(*xs)
        ours = fun(*xs)
        theirs = general(fun, *xs)
    for a, b in zip(outputs(ours), outputs(theirs), strict=True):
        assert a.grad_fn is None and not a.requires_grad and torch.equal(a, b)


def test_one_tensor_given_twice_makes_no_program_for_two():
    x, y = leaves([(3, 4), (3, 4)], 1)
    torch.stack((x, x))
    assert torch.equal(torch.stack((x, y))[1], y)
    torch.stack((x, y))[1].sum().backward()
    assert x.grad.abs().sum() == 0 and y.grad.sum() == 12


def test_operands_that_need_no_gradient_get_none():
    x, y = leaves([(3, 4), (3, 4)], 1)
    torch.stack((x, y))
    z = torch.stack((x.detach(), y))
    assert [f and f.name() for f, _ in z.grad_fn.next_functions] == [None, "torch::autograd::AccumulateGrad"]


def test_a_warning_is_given_at_each_call():
    x, y = leaves([(3, 4), (4,)], 1)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            F.mse_loss(x, y)
        assert len(given) == 1 and "target size" in str(given[0].message)


def test_an_error_of_the_elements_is_the_general_roads():
    a = torch.eye(3)
    for _ in range(2):
        torch.linalg.inv(a)
    with pytest.raises(RuntimeError, match="singular"):
        torch.linalg.inv(a * 0)


def test_the_sign_of_zero_among_the_arguments_counts():
    x, = leaves([(3,)], 1)
    assert (torch.copysign(x, 0.0) > 0).all() and (torch.copysign(x, -0.0) < 0).all()


def test_a_body_that_looks_at_elements_has_no_program():
    x, = leaves([(2, 3)], 1)
    for value, count in ((x, 6), (x * 0, 0)):
        assert torch.nonzero(value).shape[0] == count
        assert torch.nonzero(value).shape[0] == count


def test_writing_to_an_answer_leaves_operands_and_derivatives_alone():
    x, = leaves([(3, 4)], 1)
    for _ in range(2):
        before = x.detach().clone()
        y = x.clone()
        y.mul_(0.0)
        assert torch.equal(x, before)
    z = torch.softmax(x, 1)
    z.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_the_layout_of_operands_is_part_of_a_program():
    x, y = leaves([(4, 3), (4, 3)], 1)
    for a, b in ((x, y), (x.T, y.T), (x, y)):
        found, expected = torch.fmax(a, b), general(torch.fmax, a, b)
        assert found.stride() == expected.stride() and torch.equal(found, expected)


def test_the_default_dtype_is_part_of_a_program():
    x, = leaves([(3,)], 1, np.float64)
    try:
        for dtype in (torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            assert torch.softmax(x, 0).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_view_written_to_in_between_has_its_new_history():
    x, = leaves([(3, 4)], 1)
    for _ in range(2):
        x.grad = None
        y = x * 1.0
        v = y[0]
        y.mul_(2.0)
        torch.softmax(v, 0)[0].backward()
        u = x.detach().clone().requires_grad_()
        torch.softmax((u * 2.0)[0], 0)[0].backward()
        torch.testing.assert_close(x.grad, u.grad)


def test_programs_are_bounded():
    for n in range(1, 200):
        torch.softmax(torch.zeros(n), 0)
    assert len(programs_of("softmax").programs) <= 64


def test_a_check_of_integers_is_made_in_each_run():
    x, = leaves([(4, 3)], 1)
    labels = torch.tensor([0, 2, 1, 0])
    for call, wrong, error in (
            (lambda k: x.gather(1, k[:, None]), torch.tensor([0, 3, 1, 0]), RuntimeError),
            (lambda k: torch.index_select(x, 1, k), torch.tensor([0, 3, 1, 0]), RuntimeError),
            (lambda k: x.take(k), torch.tensor([0, 12, 1, 0]), IndexError),
            (lambda k: F.embedding(k, x), torch.tensor([0, 4, 1, 0]), IndexError),
            (lambda k: torch.zeros(3, 3).index_add(0, k, x), torch.tensor([0, -1, 1, 0]), RuntimeError),
            (lambda k: torch.zeros(3, 3).index_copy(0, k, x), torch.tensor([0, 3, 1, 0]), IndexError),
            (lambda k: torch.arange(4) % (k + 1), torch.tensor([0, -1, 1, 0]), RuntimeError),
            (lambda k: torch.arange(4) // (k + 1), torch.tensor([0, -1, 1, 0]), RuntimeError),
            (lambda k: F.one_hot(k, 3), torch.tensor([0, 3, 1, 0]), RuntimeError),
            (lambda k: F.one_hot(k, 3), torch.tensor([0, -1, 1, 0]), RuntimeError),
            (lambda k: torch.zeros(3, 3).scatter(0, k[None, :3], x), torch.tensor([0, 3, 1, 0]), RuntimeError),
            (lambda k: torch.zeros(3, 3).scatter_add(0, k[:, None], x), torch.tensor([0, -1, 1, 0]), RuntimeError),
            (lambda k: F.nll_loss(x, k), torch.tensor([0, 3, 1, 0]), IndexError),
            (lambda k: F.cross_entropy(x, k), torch.tensor([0, -1, 1, 0]), IndexError)):
        for _ in range(2):
            call(labels)
        with pytest.raises(error):
            call(wrong)


@pytest.mark.parametrize(("name", "call"), [
    ("index_add", lambda x, k: torch.zeros(3, 3).index_add(0, k, x)),
    ("index_copy", lambda x, k: torch.zeros(4, 3).index_copy(0, k, x)),
    ("index_fill", lambda x, k: x.index_fill(0, k, 2.0))])
def test_writes_at_indices_have_programs_that_take_other_indices(name, call):
    x, = leaves([(4, 3)], 1)
    for places in ([0, 2, 1, 0], [1, 0, 2, 2]):
        found, wanted = call(x, torch.tensor(places)), np.zeros((4, 3))[: 3 if name == "index_add" else 4]
        rows = x.detach().numpy()
        if name == "index_fill":
            wanted = rows.copy()
        for place, row in zip(places, rows):
            wanted[place] = wanted[place] + row if name == "index_add" else row if name == "index_copy" else 2.0
        np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-6)
    assert [type(p) for p in programs_of(name).programs.values()] == [programs.Program]


@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
def test_a_program_made_without_ignored_labels_gives_way_to_them(loss):
    x, = leaves([(4, 3)], 1)
    for labels in ([0, 2, 1, 0], [0, -100, 1, 0], [-100, 2, 1, 0], [1, 1, 1, 1]):
        labels = torch.tensor(labels)
        ours, theirs = (f(loss, x, labels) for f in (lambda f, *args: f(*args), general))
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(*[torch.autograd.grad(v, x)[0] for v in (ours, theirs)])


def test_a_program_made_away_from_zero_has_the_slope_at_zero():
    for value in (1.0, 0.0, 2.0):
        x = torch.full((3,), value, requires_grad=True)
        x.norm().backward()
        assert torch.isfinite(x.grad).all() and bool((x.grad == 0).all()) is (value == 0.0)


def test_other_integers_give_other_elements():
    x, = leaves([(4, 3)], 1)
    for k in ([0, 1], [3, 2], [1, 1]):
        assert torch.equal(torch.index_select(x, 0, torch.tensor(k)), x[k])
        assert torch.equal(x.take(torch.tensor(k) - 2), x.reshape(-1)[[n - 2 for n in k]])
    for m in (x > 1.0, x <= 1.0):
        assert torch.equal(torch.where(m, x, x * 2), x + x * (~m))


@pytest.mark.parametrize("name", [
    "index_select", "gather", "take", "nn.functional.embedding", "nn.functional.nll_loss",
    "nn.functional.cross_entropy"])
def test_a_program_keeps_no_operand(name):
    operands = [*leaves([(5, 3)], 1), torch.tensor([0, 2, 1, 1, 2])]
    kept = [weakref.ref(v) for t in operands for v in (t, t.value)]
    call = {"index_select": lambda x, k: torch.index_select(x, 0, k), "gather": lambda x, k: x.gather(1, k[:, None]),
            "take": torch.take, "nn.functional.embedding": lambda x, k: F.embedding(k, x),
            "nn.functional.nll_loss": F.nll_loss,
            "nn.functional.cross_entropy": F.cross_entropy}[name]
    for _ in range(2):
        call(*operands).sum().backward()
    assert any(isinstance(p, programs.Program) for p in programs_of(name).programs.values())
    operands.clear()
    gc.collect()
    assert [r() for r in kept] == [None] * 4


def test_a_warning_given_once_a_process_is_given_always_when_asked_for():
    x, window = leaves([(32,), (8,)], 1)
    for always in (False, True):
        try:
            torch.set_warn_always(always)
            for _ in range(3):
                with warnings.catch_warnings(record=True) as given:
                    warnings.simplefilter("always")
                    torch.stft(x, 8, window=window, return_complex=False)
                assert given or not always
        finally:
            torch.set_warn_always(False)


def test_an_operand_that_no_rule_takes_is_an_edge_all_the_same():
    a, tau = leaves([(5, 0), (0,)], 1)
    for _ in range(2):
        q = torch.linalg.householder_product(a, tau)
        assert [f.variable is t for (f, _), t in zip(q.grad_fn.next_functions, (a, tau), strict=True)] == [True, True]


def test_writing_to_what_a_node_shows_as_saved_changes_no_later_call():
    x, = leaves([(3,)], 1)
    expected = general(torch.float_power, x, 2.5)
    torch.float_power(x, 2.5)  # makes the program
    for _ in range(2):
        y = torch.float_power(x, 2.5)
        assert torch.equal(y, expected)
        with pytest.raises(RuntimeError, match="read-only"):
            y.grad_fn._saved_other.mul_(0.0)


def test_what_a_node_shows_as_saved_stays():
    xs = leaves([(2, 3), (2, 4), (5, 3, 4), (5,)], 1)
    assert F.bilinear(*xs).grad_fn._saved_alpha == F.bilinear(*xs).grad_fn._saved_alpha == 1


@pytest.mark.parametrize(("name", "fun"), [
    ("softmax", lambda x: torch.softmax(x, 1)), ("var", lambda x: x.var(1)), ("std", lambda x: x.std())])
def test_operands_of_a_program_may_be_large(name, fun):
    x = torch.rand(300, 300)
    wanted = general(fun, x)
    fun(x)
    program, = programs_of(name).programs.values()
    assert program is not None
    assert torch.equal(fun(x), wanted)


def test_a_program_drops_what_nothing_reads_again():
    torch.rand(300, 300).var(1)
    program, = programs_of("var").programs.values()
    lines = str(program).splitlines()
    dropped = [k for k, line in enumerate(lines) if line.strip().startswith("del ")]
    assert dropped
    for k in dropped:
        assert not any(lines[k].split()[1] in line.replace(",", " ").replace("(", " ").replace(")", " ").split()
                       for line in lines[k + 1 :])


def test_a_matrix_product_that_overflows_does_not_warn():
    huge = torch.full((2, 2), 1e300, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.isinf(huge @ huge).all() and torch.isinf(torch.addmm(huge, huge, huge)).all()


@pytest.mark.parametrize(("name", "call"), [
    ("flip", lambda x: torch.flip(x, dims=(0,))), ("softmax", lambda x: torch.softmax(dim=1, input=x)),
    ("diag", lambda x: torch.diag(input=x)), ("linalg.vector_norm", lambda x: torch.linalg.vector_norm(x=x)),
    ("norm", lambda x: x.norm()), ("nn.functional.normalize", lambda x: F.normalize(input=x))])
def test_arguments_by_name_and_checks_of_recorded_operands_have_programs(name, call):
    call(*leaves([(3, 4)], 1))
    assert [type(p) for p in programs_of(name).programs.values()] == [programs.Program]
    (x,), (y,) = leaves([(3, 4)], 2), leaves([(3, 4)], 2)
    ours, theirs = call(x), general(call, y)
    assert ours.grad_fn.name() == theirs.grad_fn.name()
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(*[torch.autograd.grad((v * v).sum(), u)[0] for v, u in ((ours, x), (theirs, y))])


def test_the_text_of_a_program_can_be_read_and_is_in_tracebacks():
    x, y = leaves([(3, 4), (3, 4)], 1)
    torch.nn.functional.mse_loss(x, y)
    (program,) = programs_of("nn.functional.mse_loss").programs.values()
    assert "v0 = mean_squared_error(np, x0, x1)" in str(program)

    def broken(xp, *operands):
        raise MemoryError("no room")

    program.room["mean_squared_error"] = broken
    with pytest.raises(MemoryError) as found:
        torch.nn.functional.mse_loss(x, y)
    assert "v0 = mean_squared_error(np, x0, x1)" in "".join(traceback.format_exception(found.value))


def test_an_error_of_a_body_on_boxes_is_not_hidden(monkeypatch):
    x, = leaves([(3, 4)], 1)
    row = programs_of("softmax")
    body = row.body

    def faulty(input, dim):
        if isinstance(input, Box):
            raise KeyError("a mistake")
        return body(input, dim)

    monkeypatch.setattr(row, "body", faulty)
    with pytest.raises(KeyError, match="a mistake"):
        torch.softmax(x, 1)


def test_operations_whose_nodes_go_by_their_own_names_have_programs():
    cell = torch.nn.LSTMCell(3, 4)
    x, state = torch.ones(2, 3), (torch.zeros(2, 4), torch.zeros(2, 4))
    for _ in range(3):
        h, c = cell(x, state)
    (row,) = [kept.cell_contents for kept in lstm_gates.__closure__ if hasattr(kept.cell_contents, "programs")]
    assert programs.Program in map(type, row.programs.values())
    assert h.grad_fn.name() == "MulBackward0" and c.grad_fn.name() == "AddBackward0"


@pytest.mark.parametrize("fun", [
    lambda z, x: torch.fft.irfft(z), lambda z, x: torch.view_as_real(torch.fft.fft(z)) ** 3, lambda z, x: (z * x).abs(),
    lambda z, x: torch.view_as_real(torch.cumprod(z / x, 1)), lambda z, x: (x - z).real * z.angle(),
    lambda z, x: torch.view_as_real(z.conj() @ z.mT.exp())])
def test_calls_of_complex_tensors_give_the_same_each_time(fun):
    rng = np.random.default_rng(0)
    z = torch.from_numpy(rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))).requires_grad_()
    x = torch.from_numpy(rng.normal(size=(3, 4))).requires_grad_()

    def call():
        out = fun(z, x)
        first = torch.autograd.grad(out.square().sum(), (z, x), create_graph=True, allow_unused=True)
        total = sum(g.abs().square().sum() for g in first if g is not None)
        return [out, *first, *torch.autograd.grad(total, (z, x), allow_unused=True)]

    found = [[None if t is None else t.detach().numpy() for t in call()] for _ in range(4)]
    for again in found[1:]:
        for a, b in zip(found[0], again, strict=True):
            assert (a is None) is (b is None)
            if a is not None:
                assert a.dtype == b.dtype
                np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)
    with torch.no_grad():
        np.testing.assert_allclose(fun(z, x).numpy(), found[0][0], rtol=1e-13)
    torch.autograd.gradcheck(lambda z: fun(z, x), (z,))
