"""Transforms and constraints: values, inverses, determinants, gradients, domains, the tables from one to the other."""

import numpy as np

from harness import attempt


def pairs(T):
    """Transforms and a value of each."""
    t, r = T.distributions.transforms, np.random.default_rng(0)

    def x(*shape):
        return T.tensor(r.normal(size=shape))

    def u(*shape):
        return T.tensor(r.uniform(0.1, 0.9, shape))

    def power(n):
        return t.PowerTransform(T.tensor(n, dtype=T.float64))

    return [
        (t.ExpTransform(), x(2, 3)), (t.AbsTransform(), x(3)), (t.AffineTransform(1.0, 2.0), x(3)),
        (t.AffineTransform(x(3), -u(3)), x(2, 3)), (t.AffineTransform(x(3), u(3), event_dim=1), x(2, 3)),
        (t.SigmoidTransform(), x(3)), (t.TanhTransform(), x(3)), (t.SoftplusTransform(), x(3)), (power(2.0), u(3)),
        (power(-0.5), u(3)), (t.SoftmaxTransform(), x(2, 3)), (t.StickBreakingTransform(), x(2, 3)),
        (t.LowerCholeskyTransform(), x(2, 3, 3)), (t.PositiveDefiniteTransform(), x(3, 3)),
        (t.CorrCholeskyTransform(), x(2, 3)),
        (t.ComposeTransform([t.ExpTransform(), t.AffineTransform(1.0, 2.0)]), x(3)),
        (t.ComposeTransform([t.AffineTransform(0.0, 2.0), t.StickBreakingTransform()]), x(2, 3)),
        (t.IndependentTransform(t.ExpTransform(), 1), x(2, 3)), (t.ReshapeTransform((2, 3), (6,)), x(4, 2, 3)),
        (t.CatTransform([t.ExpTransform(), t.AffineTransform(0.0, 3.0)], dim=-1, lengths=[1, 2]), x(2, 3)),
        (t.StackTransform([t.ExpTransform(), t.SigmoidTransform()], dim=-1), x(3, 2)),
        (t.CumulativeDistributionTransform(T.distributions.Normal(0.0, 1.0)), x(3)), (t.identity_transform, x(3))]


def script_values(T):
    found = []
    for f, x in pairs(T):
        x.requires_grad_()
        y = f(x)
        lines = [lambda f=f, y=y: f.inv(y).detach().contiguous(), lambda f=f, x=x, y=y: f.log_abs_det_jacobian(x,
            y).detach().contiguous(),
                 lambda f=f, x=x, y=y: f.inv.log_abs_det_jacobian(y, x).detach().contiguous(),
                 lambda f=f, x=x, y=y: T.autograd.grad(f.log_abs_det_jacobian(x, y).sum(), x)[0].contiguous(),
                 lambda f=f, x=x: T.autograd.grad(f(x).cos().sum(), x)[0].contiguous()]
        found.append([y.detach(), *map(attempt, lines)])
    return found


def script_facts(T):
    found = []
    for f, x in pairs(T):
        g = f.inv
        lines = [lambda f=f, name=name: str(getattr(f, name)) for f in (f, g)
                 for name in ("domain", "codomain", "bijective", "event_dim", "sign")]
        lines += [lambda f=f, x=x: str(f.forward_shape(x.shape)), lambda f=f, x=x: str(f.inverse_shape(f(x).shape)),
                  lambda f=f: (f.inv.inv is f, f == f, f == T.distributions.ExpTransform())]
        found.append([repr(f), repr(g), *map(attempt, lines)])
    return found


def script_caches(T):
    def kept(f, x):
        g = f.with_cache()
        y = g(x)
        return g.inv(y) is x, g(x) is y

    return [attempt(lambda f=f, x=x: kept(f, x)) for f, x in pairs(T)]


def constraints_of(T):
    """Constraints of every kind."""
    C = T.distributions.constraints
    return [
        C.real, C.positive, C.nonnegative, C.unit_interval, C.interval(-1.0, 3.0), C.half_open_interval(0.0, 2.0),
        C.greater_than(2.0), C.greater_than_eq(1.0), C.less_than(0.5), C.simplex, C.lower_cholesky, C.positive_definite,
        C.corr_cholesky, C.real_vector, C.independent(C.positive, 1), C.boolean, C.integer_interval(0, 3),
        C.nonnegative_integer, C.positive_integer, C.one_hot, C.multinomial(3), C.symmetric, C.square,
        C.lower_triangular, C.positive_semidefinite, C.cat([C.positive, C.real], -1, [1, 2]),
        C.stack([C.positive, C.real, C.real], -1), C.dependent]


def script_constraints(T):
    r = np.random.default_rng(1)
    values = [T.tensor(r.normal(size=(2, 3))), T.eye(3, dtype=T.float64), T.tensor([0.0, 1.0, 1.0]),
              T.tensor([[0.2, 0.3, 0.5]]), T.tensor(np.cov(r.normal(size=(3, 9)))), T.tensor([1, 2, 3])]
    found = []
    for c in constraints_of(T):
        lines = [lambda c=c: c.is_discrete, lambda c=c: c.event_dim, *[lambda c=c, v=v: c.check(v) for v in values],
                 *[lambda c=c, name=name: repr(getattr(T.distributions, name)(c)) for name in (
                     "biject_to", "transform_to")]]
        found.append([repr(c), *map(attempt, lines)])
    return found
