"""autograd.wrap_util: operators of functions of one argument made operators of any; tuples with elements replaced."""

import operator


def unary_to_nary(unary_operator):
    """`operator(fun, argnum=0)` of an operator `(fun, x)` of functions of one argument.

    `argnum` is a position, or a tuple or list of positions, whose arguments are taken as one tuple.
    """

    @wraps(unary_operator)
    def nary_operator(fun, argnum=0, *nary_op_args, **nary_op_kwargs):
        if type(argnum) not in (int, tuple, list):
            raise TypeError(f"argnum must be an int, or a tuple or list of them, but got {argnum!r}; give positions of "
                            "arguments")
        one = type(argnum) is int

        @wrap_nary_f(fun, unary_operator, argnum)
        def nary_f(*args, **kwargs):
            @wraps(fun)
            def unary_f(x):
                return fun(*subvals(args, [(argnum, x)] if one else zip(argnum, x)), **kwargs)

            try:
                x = args[argnum] if one else tuple([args[i] for i in argnum])
            except IndexError:
                raise IndexError(f"{get_name(unary_operator)} of {get_name(fun)} was asked for argument {argnum}, but "
                                 f"got {len(args)} by position; pass it by position, or change argnum") from None
            return unary_operator(unary_f, x, *nary_op_args, **nary_op_kwargs)

        return nary_f

    return nary_operator


def wraps(fun, namestr="{fun}", docstr="{doc}", **kwargs):
    """Give a function a name and a docstring made of those of `fun`."""

    def named(f):
        f.__name__ = namestr.format(fun=get_name(fun), **kwargs)
        f.__doc__ = docstr.format(fun=get_name(fun), doc=get_doc(fun), **kwargs)
        return f

    return named


def wrap_nary_f(fun, op, argnum):
    """Name what an operator returns after the function, the operator and the argument."""
    return wraps(fun, "{op}_of_{fun}_wrt_argnum_{argnum}",
                 "{op} of function {fun} with respect to argument number {argnum}; takes the same arguments as {fun}.",
                 op=get_name(op), argnum=argnum)


def get_name(f):
    """The name of a function, or `[unknown name]`."""
    return getattr(f, "__name__", "[unknown name]")


def get_doc(f):
    """The docstring of a function, or an empty one."""
    return getattr(f, "__doc__", "")


def subvals(x, ivs):
    """A tuple of `x` with the elements of `(index, value)` pairs replaced."""
    out = list(x)
    for i, v in ivs:
        out[i] = v
    return tuple(out)


def subval(x, i, v):
    """A tuple of `x` with one element replaced."""
    return subvals(x, [(i, v)])


def func(f):
    """`f` itself."""
    return f


def toposort(end_node, parents=operator.attrgetter("parents")):
    """The nodes that lead to `end_node`, each before its parents."""
    counts = {}
    stack = [end_node]
    while stack:
        node = stack.pop()
        counts[node] = counts.get(node, 0) + 1
        if counts[node] == 1:
            stack.extend(parents(node))
    ready = [end_node]
    while ready:
        node = ready.pop()
        yield node
        for parent in parents(node):
            counts[parent] -= 1
            if not counts[parent]:
                ready.append(parent)
