"""Sobol sequences: the points of PyTorch's engine."""

from harness import attempt


def script_sobol_sequences(torch):
    Engine = torch.quasirandom.SobolEngine
    found = []
    for n in (1, 3, 20):
        engine = Engine(n)
        first, more = engine.draw(1), engine.draw(6, dtype=torch.float64)
        engine.fast_forward(3)
        found.append((first, more, engine.draw(2), engine.num_generated, engine.reset().draw_base2(3)))
    mixed = Engine(2, scramble=True, seed=3)
    return (found, repr(mixed), mixed.draw(5).shape, attempt(lambda: Engine(0)),
            attempt(lambda: (e := Engine(1)).draw(3).shape and e.draw_base2(2)))
