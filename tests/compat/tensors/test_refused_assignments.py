"""Writes that are refused: which fault of an index is named first, arguments, inference tensors, in which words."""

from harness import message


def places(torch):
    return [torch.tensor([5]), torch.tensor([-7]), (torch.tensor([0]), torch.tensor([9])), torch.tensor([True, False]),
            torch.tensor([[True]]), [0, 5], (0, torch.tensor([0, 1]), torch.tensor([0, 1])),
            (torch.tensor([0, 1]), torch.tensor([0, 1, 2])), (torch.tensor([9]), slice(0, 2)), (0, 0, 0), 7]


def script_assignments(torch):
    out = []
    for value in (2.0, torch.ones(7), torch.ones(3)):
        for index in places(torch):
            out.append(message(lambda: torch.zeros(3, 3).__setitem__(index, value)))
    return out


def script_elements_that_share_memory(torch):
    out = []
    for dtype in (torch.float32, torch.int64):
        one, row = torch.ones((), dtype=dtype), torch.ones(3, dtype=dtype)
        for write in (lambda e: e.__setitem__(..., 1), lambda e: e.__setitem__(slice(None), 1),
                      lambda e: e.__setitem__((slice(None), 0), 1), lambda e: e.__setitem__(None, one),
                      lambda e: e.__setitem__(0, 2), lambda e: e.__setitem__(1, row), lambda e: e.fill_(one),
                      lambda e: e.fill_(3), lambda e: e.zero_(), lambda e: e.add_(1), lambda e: e.copy_(row)):
            e = torch.zeros(1, 3, dtype=dtype).expand(2, 3)
            out += [message(lambda: write(e)), e.clone()]
    return out


def script_reading_with_too_many_indices(torch):
    x = torch.zeros(3, 3)
    return message(lambda: x[0, torch.tensor([0, 1]), torch.tensor([0, 1])]), message(lambda: x[torch.tensor([4])])


def script_index_put(torch):
    one, x = torch.tensor([0]), torch.zeros(2, 2)
    calls = [((one,), torch.ones(5)), ((torch.tensor([5]),), torch.ones(1)), ((torch.tensor([5]),), torch.ones(7)),
             (one, torch.ones(1)), ((torch.tensor([0.5]),), torch.ones(1)), ((one, one, one), torch.ones(1)),
             ((None, one), torch.ones(1)), ((0,), torch.ones(1)), ((one,), 3.0), ((one,), torch.tensor(1)),
             ((torch.tensor([True] * 3),), torch.ones(1)),
             ((torch.tensor([0, 1]), torch.tensor([0, 1, 1])), torch.ones(1))]
    out = [message(lambda: x.index_put_(indices, values)) for indices, values in calls]
    out.append(message(lambda: x.index_put_((one,), torch.tensor(3.0), accumulate=3)))
    out += [message(lambda: torch.index_put(x, indices, values)) for indices, values in calls[:3]]
    return out, x


def script_slices_at_an_index(torch):
    out = []
    for name in ("index_copy_", "index_fill_", "index_add_"):
        for place in (5, -1, -7):
            x = torch.zeros(3, 3)
            source = 1.0 if name == "index_fill_" else torch.ones(3, 1)
            out.append((message(lambda: getattr(x, name)(1, torch.tensor([place]), source)), x.detach().clone()))
    return out


def script_diagonals(torch):
    return [message(lambda: torch.zeros(shape).fill_diagonal_(value)) for shape, value in (
        ((3,), 1.0), ((2, 3, 4), 1.0), ((3, 3), "a"), ((3, 3), torch.ones(2)), ((3, 3), None),
        ((2, 2), torch.tensor(4.0)), ((2, 2), True))]


def script_arguments_of_what_changes_the_memory(torch):
    x = torch.ones(3, 3)
    calls = (lambda: x.resize_(), lambda: x.resize_("a"), lambda: x.resize_(2.5), lambda: x.resize_as_(None),
             lambda: x.as_strided_(3, 3), lambda: x.is_set_to(3))
    return [message(fn) for fn in calls], message(lambda: x.set_(3)).partition(" - got")[0], x


def script_inference_tensors_are_written_in_inference_mode_alone(torch):
    writes = (lambda x: x.__setitem__(0, 1.0), lambda x: x.__setitem__((0, 0), 2), lambda x: x.__setitem__(..., 1.0),
              lambda x: x.__setitem__(slice(0, 1), True), lambda x: x.__setitem__(0, torch.ones(3)),
              lambda x: x.resize_(2, 2), lambda x: x.resize_as_(torch.ones(4)), lambda x: x.set_(torch.ones(2)),
              lambda x: x.set_(), lambda x: x.as_strided_((2,), (1,)), lambda x: x.resize_(3, 3))

    def made():
        with torch.inference_mode():
            return torch.zeros(3, 3)

    def inside(fn):
        with torch.inference_mode():
            x = torch.zeros(3, 3)
            fn(x)
            return list(x.shape), x.is_inference()

    return [message(lambda: fn(made()) is None) for fn in writes], [message(lambda: inside(fn)) for fn in writes]


def script_forms_in_place_are_methods_of_their_own_name(torch):
    def x():
        return torch.ones(3)

    return [message(fn) for fn in (
        lambda: x().tril_("a"), lambda: x().atan2_(), lambda: x().mul_("a"), lambda: x().add_("a"),
        lambda: x().add_(1, alpha="a"), lambda: x().masked_fill_(x()), lambda: x().pow_(), lambda: x().copysign_(),
        lambda: x().lerp_(x()))]


def script_which_refusal_of_a_leaf_comes_first(torch):
    with torch.inference_mode():
        x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    return [message(fn) for fn in (
        lambda: x.add_(1), lambda: x.transpose_(0, 1), lambda: x.t_(), lambda: y.add_(1), lambda: y.squeeze_(),
        lambda: x.zero_(), lambda: x.clamp_(0, 1), lambda: x.unsqueeze_(0))]


def script_memory_of_another_layout(torch):
    x, places = torch.ones(2), torch.tensor([[1]])
    sparse = torch.sparse_coo_tensor(places, torch.ones(1), (2,), check_invariants=True)
    return message(lambda: setattr(x, "data", sparse)), x
