"""Operations of random programs that are transforms themselves: control flow, rules of the user, nested derivatives."""

from typing import Any

from rig.operations import Library, Operation, no_parameters


def _cond(lib: Library, x: Any, y: Any) -> Any:
    return lib.cond(lib.np.sum(x) > 0.1, lambda a, b: lib.np.sin(a) * b, lambda a, b: a + lib.np.tanh(b), x, y)


def _scan(lib: Library, x: Any, y: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        new = lib.np.tanh(carry + row * y[0])
        return new, new * carry

    if y[0].shape != x[0].shape:
        raise ValueError("a carry keeps its shape")
    carry, rows = lib.scan(step, y[0], x)
    return rows + carry


def _own_forward_rule(lib: Library, x: Any, y: Any) -> Any:
    np = lib.np

    def fun(a: Any, b: Any) -> Any:
        return np.sin(a) * b

    def rule(primals: Any, tangents: Any) -> Any:
        (a, b), (da, db) = primals, tangents
        return np.sin(a) * b, np.cos(a) * b * da + np.sin(a) * db

    ruled = lib.custom_jvp(fun)
    ruled.defjvp(rule)
    return ruled(x, x * 0 + y) if (x * 0 + y).shape == x.shape else ruled(x, x)


def _own_reverse_rule(lib: Library, x: Any) -> Any:
    np = lib.np
    ruled = lib.custom_vjp(lambda a: a * np.tanh(a))

    def forward(a: Any) -> Any:
        out = np.tanh(a)
        return a * out, (a, out)

    def backward(saved: Any, ct: Any) -> Any:
        a, out = saved
        return (ct * (out + a * (1.0 - out * out)),)

    ruled.defvjp(forward, backward)
    return ruled(x)


def _inner_hvp(lib: Library, x: Any, y: Any) -> Any:
    slope = lib.grad(lambda a: lib.np.sum(lib.np.sin(a) * lib.np.mean(x) + a**3 * 0.1))
    return lib.jvp(slope, (y,), (lib.np.cos(y),))[1]


def _scan_of_branches(lib: Library, x: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        new = lib.cond(lib.np.sum(row) > 0.2, lambda a, b: lib.np.sin(a) + b, lambda a, b: a * 0.5 - b * b, carry, row)
        return new, lib.np.cos(new)

    return lib.scan(step, x[0] * 0.5, x)[1]


CONTROL = {
    "cond": Operation(2, no_parameters, _cond, margin=lambda x, y: x.sum() - 0.1),
    "scan": Operation(2, no_parameters, _scan),
    "scan_of_branches": Operation(1, no_parameters, _scan_of_branches,
                                  margin=lambda x: x.reshape(len(x), -1).sum(1) - 0.2),
    "stop_gradient": Operation(1, no_parameters, lambda lib, x: x * lib.stop_gradient(lib.np.cos(x))),
    "checkpoint": Operation(2, no_parameters, lambda lib, x, y: lib.checkpoint(lambda a: lib.np.sin(a * y) + a)(x)),
    "custom_jvp": Operation(2, no_parameters, _own_forward_rule),
    "custom_vjp": Operation(1, no_parameters, _own_reverse_rule),
    "inner_grad": Operation(2, no_parameters, lambda lib, x, y: lib.grad(
        lambda a: lib.np.sum(lib.np.sin(a * x)) ** 2)(y)),
    "inner_jvp": Operation(2, no_parameters, lambda lib, x, y: lib.jvp(
        lambda a: lib.np.tanh(a * y), (x,), (lib.np.cos(x),))[1]),
    "inner_vmap": Operation(2, no_parameters, lambda lib, x, y: lib.vmap(lambda a: lib.np.sin(a) * lib.np.sum(y))(x)),
    "inner_hvp": Operation(2, no_parameters, _inner_hvp),
    "vmap_of_grad": Operation(2, no_parameters, lambda lib, x, y: lib.vmap(
        lib.grad(lambda a: lib.np.sum(lib.np.tanh(a) * lib.np.sum(lib.np.sin(y)))))(x)),
    "collective": Operation(1, no_parameters, lambda lib, x: lib.vmap(
        lambda a: lib.np.sin(a) * 0.3 * lib.psum(lib.np.tanh(a), "rows"), axis_name="rows")(x)),
}  # fmt: skip
