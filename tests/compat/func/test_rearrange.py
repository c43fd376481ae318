"""torch.func.rearrange: patterns of axes, what they make of tensors, and which are refused."""

import pytest

import covector.compat.torch as compat
from harness import attempt, message

GOOD = ("a b c d->a b c d", "...->...", "a b ... -> ... a b", "a ... d->a ... d", "a b c d -> (a b) c d",
        "a b ... -> (a b) ...", "... c d -> ... (c d)", "... -> (...)", "a b ... -> b (...) a",
        "a b ... d -> b (a ...) d", "a b c d -> a 1 b c 1 d", "a b c d -> d c b a", "a b c d -> (d b) (c a)",
        "aa a1 a_b A -> A a_b a1 aa", "a b c d -> () a b c d", "(a 1) b c d -> a b c d", "a b c d->( a b ) ( c d )")
BAD = ("a b", "a b -> b a", "a b c d -> a b c", "a a c d -> a c d", "a b c (...) -> a b c ...", "(...) -> (...)",
       "a b c d -> ... a b c d", "... a ... -> a", "a b c d -> a (b c) d)", "(a (b c)) d e -> a b c d e",
       "a b c d -> a -> b", "a b c 2 -> a b c", "a_ b c d -> b c d a_", "1a b c d -> b c d 1a", "a b c . -> a", "->",
       "a, b c d -> a b c d", "a b c d -> (a b c d", "a b c d -> ... ...", "() a b c d -> a b c d")


def script_patterns(torch):
    f, x = torch.func.rearrange, torch.arange(48.0).reshape(2, 4, 3, 2)
    y, n = torch.arange(6.0).reshape(2, 3), torch.tensor(3)
    return ([f(x, pattern) for pattern in GOOD], f(x, "a (b1 b2) ... -> a b2 b1 ...", b1=2),
            f(x, "(a a2) b c d -> a2 b c d a", a=1), f(x[:, :1], "a 1 b c -> c (a b)"), f([y, y], "n a b -> a (n b)"),
            f(n, "->"), f(n, "... -> ..."), f(y, "a b -> b a", a=2), f(y, "a b -> (b a)").requires_grad,
            torch.func.vmap(lambda t: f(t, "a b -> (b a)"))(torch.stack([y, y + 1])),
            torch.func.grad(lambda t: (f(t, "a b -> (b a)") * torch.arange(6.0)).sum())(y))


def script_malformed_patterns(torch):
    f, x = torch.func.rearrange, torch.zeros(2, 4, 3, 2)
    return ([message(lambda p=p: f(x, p)) for p in BAD if p != "a b c d -> a b c"],
            [attempt(lambda: f(x, "a b c d -> a"))[:2], message(lambda: f(x, "a b c d -> d c b a", e=2)),
             message(lambda: f(x, "a b c d -> d c b a", a=2.0)), message(lambda: f([], "a -> a"))])


@pytest.mark.parametrize(("pattern", "lengths"), [("a (b c) -> a b c", {}), ("a (b c) -> a b c", {"b": 3}),
                                                  ("a (b c) -> a b c", {"b": 2, "c": 3}), ("a b -> b a", {"a": 3}),
                                                  ("a 1 -> a", {}), ("a (b c) -> a b c", {"b": 0})])
def test_lengths_that_do_not_fit_are_refused(pattern, lengths):
    with pytest.raises(ValueError, match="rearrange (got an axis of length|cannot tell the lengths)"):
        compat.func.rearrange(compat.zeros(2, 4), pattern, **lengths)
