"""What messages about traced values advise, by what was done with one."""

_IF = "use np.where or covector.cond instead of `if`, covector.while_loop instead of `while`"
_PLACES = "use np.where(mask, x, y) with three arguments, or sums such as np.sum(np.where(mask, x, 0.0))"
CHOICES = {
    "bool": _IF, "item": _IF, "tolist": _IF, "numpy": _IF,
    None: "its result depends on the values themselves: choose by np.where, or call it outside of the transformed "
          "function",
} | dict.fromkeys(["nonzero", "flatnonzero", "argwhere"], _PLACES)
_BUFFER = "buf = covector.numpy.zeros(shape) (or np.zeros_like(t)) before buf[i] = t"
REMEDIES = {
    "used as an integer index": "use covector.fori_loop for range(t), make it an argument that is not transformed",
    "converted to a Python int": f"use covector.fori_loop for range(int(t)), t.astype(int) for int(t), {_BUFFER}",
    "converted by .item()": "leave .item() out, since a 0-d array serves as a number; to look at the value, return it "
                            "with has_aux=True or show it with covector.debug.print",
    "converted to a numpy array": "use np.stack([...]) for np.array([...]), x @ t for x.dot(t), "
                                  "covector.numpy.asarray(t) for np.asarray(t), covector.scipy for SciPy's functions, "
                                  "loc + scale * rng.normal(size=n) for rng.normal(loc, scale), s.to_numpy() @ t for "
                                  f"a pandas s @ t, a.data of an xarray DataArray a, {_BUFFER}",
    None: "use np.exp and friends for math.*, t itself for float(t), covector.scipy for SciPy's functions, "
          f"{_BUFFER}",
}
