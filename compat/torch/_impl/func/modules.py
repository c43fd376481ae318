"""torch.func.functional_call, stack_module_state: calls of objects with named parameters."""

import contextlib
from collections import Counter
from collections.abc import Sequence

from ..ops.joining import stack
from ..types.tensor_type import TensorBase


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call `module(*args, **kwargs)` with other tensors in place of some of its parameters and buffers.

    Args:
        module: an object with `named_parameters()`, and with `named_buffers()` if it has buffers; a name with dots
            resolves through attributes.
        parameter_and_buffer_dicts: tensors by name; a list or tuple of dicts must not repeat a name.
        args: a tuple, or a single argument.
        kwargs: keyword arguments.
        tie_weights: replace a tensor under all the names that the module has for it.
        strict: raise for names that the module does not have, and for names that are missing.
    Returns:
        what the module returns; its own tensors are restored then, and tensors that it assigned are in the dict.
    Raises:
        ValueError: a name given twice, or two tensors for one.
        RuntimeError: names that do not match in strict mode.

    >>> import covector.compat.torch as torch
    >>> class Scale:
    ...     def __init__(self):
    ...         self.w = torch.tensor(2.0)
    ...     def named_parameters(self, **options):
    ...         return [("w", self.w)]
    ...     def __call__(self, x):
    ...         return self.w * x
    >>> torch.func.functional_call(Scale(), {"w": torch.tensor(5.0)}, torch.tensor(3.0))
    tensor(15.)
    """
    given = merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with replacing(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def merged(dicts):
    """One dict of tensors by name."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError("Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                         f"{type(dicts)}")
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [k for k, n in Counter(k for d in dicts for k in d).items() if n > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {k: v for d in dicts for k, v in d.items()}


@contextlib.contextmanager
def replacing(module, given, tie_weights, strict):
    """Tensors in the place of a module's while the context lasts."""
    whole = tied(module, given) if tie_weights else given
    if strict:
        check_names(module, whole)
    before = {}
    try:
        for name, t in whole.items():
            before[name] = put(module, name, t)
        yield
    finally:
        after = {name: put(module, name, t) for name, t in before.items()}
        given.update({name: after[name] for name in given if name in after})


def named(module, what):
    """Its parameters or buffers by name, each under all its names."""
    found = getattr(module, f"named_{what}", None)
    if found is None:
        if what == "parameters":
            raise TypeError(f"functional_call needs a module with named_parameters(), but got {type(module)}")
        return {}
    try:
        return dict(found(remove_duplicate=False))
    except TypeError:  # a method of the user's own that knows no such option
        return dict(found())


def tied(module, given):
    """The given tensors, also under the other names of what they replace."""
    groups = {}
    for name, t in {**named(module, "parameters"), **named(module, "buffers")}.items():
        groups.setdefault(id(t), set()).add(name)
    whole = dict(given)
    for names in groups.values():
        hit = [name for name in given if name in names]
        if not hit or len(names) == 1:
            continue
        if len({id(given[name]) for name in hit}) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider "
                             "using tie_weights=False")
        whole.update(dict.fromkeys(names, given[hit[0]]))
    return whole


def check_names(module, given):
    """Refuse names that the module has not, and names that are missing."""
    own = {**named(module, "parameters"), **named(module, "buffers")}
    unexpected, missing = sorted(given.keys() - own.keys()), sorted(own.keys() - given.keys())
    lines = [f"{word} key(s): {', '.join(map(repr, keys))}."
             for word, keys in (("Unexpected", unexpected), ("Missing", missing)) if keys]
    if lines:
        name = module._get_name() if hasattr(module, "_get_name") else type(module).__name__
        raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(name, "\n\t".join(lines)))


MISSING = object()


def put(module, path, tensor):
    """Put a tensor under a name; returns what was there, `MISSING` for nothing."""
    if not isinstance(tensor, TensorBase) and tensor is not None and tensor is not MISSING:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    *owners, name = path.split(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for step in owners:
        modules = getattr(module, "_modules", None) or {}
        module = modules[step] if step in modules else getattr(module, step)
    for table in ("_parameters", "_buffers"):
        table = getattr(module, table, None) or {}
        if name in table:
            before = table[name]
            if tensor is MISSING:
                del table[name]
            else:
                table[name] = tensor
            return before
    before = getattr(module, name, MISSING)
    if before is not MISSING and before is not None and not isinstance(before, TensorBase):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not MISSING:
        setattr(module, name, tensor)
    elif before is not MISSING:
        delattr(module, name)
    return before


def stack_module_state(models):
    """Stack the parameters and the buffers of several modules of one class by name: new leaves, for `vmap`.

    Raises:
        RuntimeError: no module, modules of several classes or modes, or only some tensors that require gradients.

    >>> import covector.compat.torch as torch
    >>> class Scale:
    ...     def __init__(self, w):
    ...         self.w = torch.tensor(w)
    ...     def named_parameters(self, **options):
    ...         return [("w", self.w)]
    >>> torch.func.stack_module_state([Scale(2.0), Scale(3.0)])
    ({'w': tensor([2., 3.])}, {})
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(getattr(m, "training", True)) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return tuple([stacked([dict(of(m, what)) for m in models]) for what in ("parameters", "buffers")])


def of(module, what):
    """Its parameters or buffers by name, each once."""
    found = getattr(module, f"named_{what}", None)
    return found() if found is not None else {}


def stacked(tables):
    """One stack of tensors a name."""
    out = {}
    for name in tables[0]:
        tensors = [table[name] for table in tables]
        asks = {t.requires_grad for t in tensors}
        if len(asks) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        found = stack(tensors)
        out[name] = found.detach().requires_grad_() if asks == {True} else found
    return out


def replace_all_batch_norm_modules_(root):
    """Let the batch normalizations of a module use the statistics of each batch alone, so that `vmap` takes it.

    >>> import covector.compat.torch as torch
    >>> model = torch.func.replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(3)))
    >>> torch.func.vmap(model)(torch.ones(2, 5, 3)).shape
    torch.Size([2, 5, 3])
    """
    for module in root.modules():
        if hasattr(module, "_without_running_stats"):
            module._without_running_stats()
    return root
