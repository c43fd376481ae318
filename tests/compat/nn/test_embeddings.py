"""Rows of a table: shortened in place, with gradients by frequency, in bags, and under vmap."""

import pytest

import covector.compat.torch as compat
from harness import attempt, normal, slopes, table


def places(torch):
    return torch.tensor([[1, 3, 1], [0, 1, 4]])


def script_gradients_by_frequency(torch):
    F, w, i = torch.nn.functional, normal(torch, 5, 3), places(torch)  # noqa: N806
    return [slopes(torch, lambda t: F.embedding(i, t, scale_grad_by_freq=True), w),
            slopes(torch, lambda t: F.embedding(i, t, 1, scale_grad_by_freq=True), w),
            slopes(torch, lambda t: F.embedding_bag(i[1:], t, mode="sum", scale_grad_by_freq=True), w)]


def script_bags_of_all_kinds(torch):
    F, w = torch.nn.functional, normal(torch, 6, 3)  # noqa: N806
    rows, scale = torch.tensor([4, 1, 0, 1, 5, 2, 0, 3, 3]), normal(torch, 9, seed=2)
    found = [slopes(torch, lambda t, s: F.embedding_bag(rows, t, starts(torch), mode="sum", per_sample_weights=s),
                    w, scale)]
    for mode in ("sum", "mean", "max"):
        for padding in (None, 0, -3):
            for last in (False, True):
                found.append(slopes(torch, lambda t: F.embedding_bag(
                    rows, t, starts(torch), mode=mode, padding_idx=padding, include_last_offset=last), w))
    return found


def starts(torch):
    """Bags of which some are empty: the first, one in between, and the last."""
    return torch.tensor([0, 0, 3, 3, 7, 9])


def script_rows_shortened_in_place(torch):
    F, i = torch.nn.functional, places(torch)  # noqa: N806
    found = []
    for order in (2.0, 1.0):
        w = normal(torch, 5, 3).requires_grad_()
        out = F.embedding(i, w, max_norm=1.0, norm_type=order)
        out.sum().backward()
        found += [out, w.detach(), w.grad, w.is_leaf]
        w = normal(torch, 5, 3, seed=1)
        found += [F.embedding_bag(i, w, None, 0.5, order, mode="max"), w]
    return found


def script_bags_without_a_padding_row(torch):
    F, w, i = torch.nn.functional, normal(torch, 5, 3), places(torch)  # noqa: N806
    starts = torch.tensor([0, 2, 2, 5])
    flat = i.reshape(-1)
    return [slopes(torch, lambda t, m=m, p=p: F.embedding_bag(flat, t, starts, mode=m, padding_idx=p), w)
            for m in ("sum", "mean", "max") for p in (None, 1, -1)] + table([
        lambda m=m: torch.func.vmap(lambda k: F.embedding_bag(k[None], w, mode=m, padding_idx=1))(i)
        for m in ("sum", "mean")] + [
        lambda m=m: torch.func.vmap(lambda k, o: F.embedding_bag(k, w, o, mode=m))(flat.expand(2, 6), torch.tensor(
            [[0, 2, 2], [0, 1, 5]])) for m in ("sum", "mean", "max")])


def script_bags_that_end_before_the_last_index(torch):
    F, i = torch.nn.functional, torch.tensor([0, 1, 2, 3, 1, 2])  # noqa: N806
    w = torch.arange(12.0).reshape(4, 3)
    out = [F.embedding_bag(i, w, torch.tensor(ends), mode="sum", include_last_offset=True)
           for ends in ([0, 2, 4], [0, 2, 6], [0, 2, 2, 4])]
    return out + [attempt(lambda k=k: F.embedding_bag(i, w, torch.tensor([0, 2, 9]), include_last_offset=k))
                  for k in (True, False)]


def test_rows_behind_the_last_bag_have_no_part_in_it():
    """In PyTorch that holds of sums in float32 alone: its other kernels read on to the end, or divide by all."""
    i, ends = compat.tensor([0, 1, 2, 3, 1, 2]), compat.tensor([0, 2, 4])
    for mode in ("sum", "mean", "max"):
        for sparse in (False, True)[: 1 + (mode != "max")]:
            for padding in (None, 1, 3):
                found = []
                for rows, end in ((i, ends), (i[:4], ends[:2])):
                    w = compat.arange(12.0).reshape(4, 3).requires_grad_()
                    out = compat.nn.functional.embedding_bag(rows, w, end, mode=mode, sparse=sparse,
                                                             include_last_offset=rows is i, padding_idx=padding)
                    out.sum().backward()
                    found.append((out.tolist(), w.grad.to_dense().tolist()))
                assert found[0] == found[1]
    w, scale = compat.arange(12.0).reshape(4, 3), compat.ones(6, requires_grad=True)
    bag = lambda e: compat.nn.functional.embedding_bag(  # noqa: E731
        i, w, e, mode="sum", include_last_offset=True, per_sample_weights=scale)
    bag(ends).sum().backward()
    assert scale.grad.tolist() == [3.0, 12.0, 21.0, 30.0, 0.0, 0.0]
    mapped = compat.func.vmap(bag)(compat.tensor([[0, 2, 4], [0, 1, 6]]))
    assert mapped.tolist() == [bag(ends).tolist(), bag(compat.tensor([0, 1, 6])).tolist()]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("rows, words", [([0, -1], "found idx to be -1"), ([0, 5], "found idx to be 5"),
                                         ([0.0, 1.0], "Long, Int; but got torch.FloatTensor")])
def test_rows_that_a_table_does_not_have_are_refused(rows, words, mode):
    with pytest.raises(RuntimeError, match=words):
        compat.nn.functional.embedding_bag(compat.tensor(rows), compat.ones(5, 2), compat.tensor([0]), mode=mode)


@pytest.mark.parametrize("dtype", ["float64", "long"])
@pytest.mark.parametrize("given", [(), ([0],)])
def test_weights_of_another_dtype_than_the_table_are_refused(dtype, given):
    rows = compat.tensor([0, 1] if given else [[0, 1]])
    with pytest.raises(RuntimeError, match=r"FloatTensor does not equal torch\.(Double|Long)Tensor|but type"):
        compat.nn.functional.embedding_bag(
            rows, compat.ones(5, 2), *map(compat.tensor, given), mode="sum",
            per_sample_weights=compat.ones(*rows.shape, dtype=getattr(compat, dtype)))


def script_refusals_of_bags(torch):
    F, w, i = torch.nn.functional, normal(torch, 5, 3), places(torch)  # noqa: N806
    odd = [lambda: F.embedding_bag(i, w[0]), lambda: F.embedding_bag(i, w.long()),
           lambda: F.embedding_bag(i, w, per_sample_weights=w[0], mode="sum"),
           lambda: F.embedding_bag(i, w, mode="max", scale_grad_by_freq=True), lambda: F.embedding_bag(i[None], w),
           lambda: F.embedding_bag(i, w, mode="max", sparse=True), lambda: F.embedding_bag(i, w, mode="middle")]
    return [attempt(f)[:2] for f in odd]


def script_bags_with_the_table_first(torch):
    w, rows = normal(torch, 6, 3), torch.tensor([4, 1, 0, 1])
    return slopes(torch, lambda t: torch.nn.functional.embedding_bag(t, rows, torch.tensor([0, 3]), mode="sum"), w)
