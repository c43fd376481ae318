"""What scripts do with torch.func: gradients by example, tangent kernels, learning to learn, ensembles."""

import numpy as np

rng = np.random.default_rng(5)
X, Y = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
W1, W2, B1 = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=4)
LABELS = np.array([0, 1, 1, 0, 1, 0])


def parameters(torch):
    return {"w1": torch.tensor(W1), "b1": torch.tensor(B1), "w2": torch.tensor(W2)}


def model(p, x):
    return (x @ p["w1"] + p["b1"]).tanh() @ p["w2"]


def script_gradients_by_example(torch):
    f = torch.func
    p, x, labels = parameters(torch), torch.tensor(X), torch.tensor(LABELS)

    def loss(p, one, label):
        return torch.nn.functional.cross_entropy(model(p, one[None]), label[None])

    each = f.vmap(f.grad(loss), in_dims=(None, 0, 0))(p, x, labels)
    whole = f.grad(lambda p: torch.nn.functional.cross_entropy(model(p, x), labels))(p)
    norms = f.vmap(lambda g: sum((v ** 2).sum() for v in g.values()).sqrt())(each)
    chunked = f.vmap(f.grad(loss), in_dims=(None, 0, 0), chunk_size=4)(p, x, labels)
    return each, norms, [torch.allclose(each[k].mean(0), whole[k]) for k in p], [
        torch.allclose(each[k], chunked[k]) for k in p]


def script_noise_by_example(torch):
    f = torch.func
    p, x = parameters(torch), torch.tensor(X)

    def loss(p, one):
        return model(p, torch.nn.functional.dropout(one, 0.5)).sum()

    out = []
    for randomness in ("different", "same"):
        g = f.vmap(f.grad(loss), in_dims=(None, 0), randomness=randomness)(p, torch.ones(50, 3).to(x.dtype))["w1"]
        out.append([tuple(g.shape), bool((g[0] == g).all())])
    return out


def script_tangent_kernels(torch):
    f = torch.func
    p, x = parameters(torch), torch.tensor(X)
    one, two = x[:4], x[2:]

    def by_jacobians(a, b):
        ja = f.vmap(f.jacrev(model), (None, 0))(p, a)
        jb = f.vmap(f.jacrev(model), (None, 0))(p, b)
        return sum(torch.einsum("Naf,Mbf->NMab", ja[k].flatten(2), jb[k].flatten(2)) for k in p)

    def by_products(a, b):
        def kernel(s, t):
            out, pull = f.vjp(lambda q: model(q, s), p)
            columns = f.vmap(pull)(torch.eye(2).to(out.dtype))[0]
            return f.vmap(lambda d: f.jvp(lambda q: model(q, t), (p,), (d,))[1])(columns)

        return f.vmap(lambda s: f.vmap(lambda t: kernel(s, t))(b))(a)

    return by_jacobians(one, two).contiguous(), by_products(one, two).contiguous()


def script_learning_to_learn(torch):
    f = torch.func
    p, x, y = parameters(torch), torch.tensor(X), torch.tensor(Y)
    mse = torch.nn.functional.mse_loss

    def task(p, x, y):
        def inner(q):
            return mse(model(q, x[:3]), y[:3])

        q = p
        for _ in range(2):
            g = f.grad(inner)(q)
            q = {k: q[k] - 0.1 * g[k] for k in q}
        return mse(model(q, x[3:]), y[3:])

    def over_tasks(p):
        return f.vmap(task, in_dims=(None, 0, 0))(p, torch.stack([x, x * 0.5]), torch.stack([y, y + 1])).mean()

    return f.grad_and_value(over_tasks)(p)


def script_products_with_hessians(torch):
    f = torch.func
    p, x, y = parameters(torch), torch.tensor(X), torch.tensor(Y)
    flat = torch.cat([v.reshape(-1) for v in p.values()])

    def loss(v):
        parts = v.split([like.numel() for like in p.values()])  # PyTorch's forward over reverse fails on slices
        q = {k: part.view(like.shape) for (k, like), part in zip(p.items(), parts)}
        return ((model(q, x) - y) ** 2).mean()

    v = flat.cos()
    forward = f.jvp(f.grad(loss), (flat,), (v,))[1]
    reverse = f.vjp(f.grad(loss), flat)[1](v)[0]
    h = f.hessian(loss)(flat)
    again = torch.autograd.functional.hvp(loss, flat, v)[1]
    return (forward, [torch.allclose(forward, other) for other in (reverse, h @ v, again)],
            torch.autograd.functional.hessian(loss, flat, vectorize=True).diagonal())


def script_ensembles(torch):
    f = torch.func
    x = torch.tensor(X)
    stacked = {k: torch.stack([v, v * 0.5, v + 1]) for k, v in parameters(torch).items()}
    slopes = f.vmap(f.jacfwd(model, argnums=1), in_dims=(0, None))(stacked, x[0])
    return f.vmap(model, in_dims=(0, None))(stacked, x), f.vmap(model)(stacked, x.view(3, 2, 3)), slopes.contiguous()


def script_an_optimizer_inside(torch):
    f = torch.func
    p, x, y = parameters(torch), torch.tensor(X), torch.tensor(Y)

    def trained(rate):
        q = {k: v.clone() for k, v in p.items()}
        for _ in range(3):
            g = f.grad(lambda q: ((model(q, x) - y) ** 2).mean())(q)
            for k in q:
                q[k] = q[k] - rate * g[k]
        return torch.nn.functional.mse_loss(model(q, x), y)

    rate = torch.tensor(0.1).to(x.dtype)
    return f.grad_and_value(trained)(rate), f.jvp(trained, (rate,), (torch.ones_like(rate),)), f.vmap(trained)(
        torch.stack([rate, rate * 2]))
