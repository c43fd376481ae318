"""Write docs/_inventories, the addresses of other projects' names: `python docs/inventories.py`.

A build of the site needs no network, so the inventories lie in the repository. They hold the names that our pages and
docstrings refer to, each of which exists in the installed package, at the address that its project gives to names of
that kind. A name whose address does not follow from a rule below is left out, and stays text on the site.
"""

import ast
import inspect
import re
import zlib
from functools import cache
from importlib import import_module
from pathlib import Path

from counterparts import NAMES  # beside this file
from references import full_name

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PACKAGES = ("core", "transforms", "backends", "api", "compat")
REFERENCE = re.compile(r"`((?:np|cp|jnp|numpy|scipy|cupy|cupyx|torch|jax|[a-z]+)(?:\.\w+)+)(?:\(\))?`")

# Pages that describe a module as a whole, and those on which every name of a module stands.
MODULES = {
    "numpy.linalg": "reference/routines.linalg.html", "numpy.fft": "reference/routines.fft.html",
    "scipy.special": "reference/special.html", "scipy.linalg": "reference/linalg.html",
    "scipy.optimize": "reference/optimize.html", "scipy.stats": "reference/stats.html",
    "scipy.sparse": "reference/sparse.html", "scipy.sparse.linalg": "reference/sparse.linalg.html",
    "scipy.integrate": "reference/integrate.html", "scipy.interpolate": "reference/interpolate.html",
    "scipy.signal": "reference/signal.html", "scipy.ndimage": "reference/ndimage.html",
    "scipy.fft": "reference/fft.html",
}
TORCH_PAGES = {"torch.special": "special.html", "torch.autograd.graph": "autograd.html",
               "torch.utils.checkpoint": "checkpoint.html", "torch.distributed": "distributed.html",
               "torch.utils.data": "data.html"}
TORCH_GENERATED = (
    "torch", "torch.Tensor", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.functional", "torch.fft",
    "torch.func", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.parallel", "torch.nn.utils",
    "torch.nn.utils.parametrizations", "torch.nn.utils.parametrize", "torch.nn.utils.rnn", "torch.optim",
    "torch.optim.lr_scheduler",
)
TORCH_ONE_BY_ONE = {
    "torch.Tensor": "tensors.html#torch.Tensor", "torch.autograd.Function": "autograd.html#torch.autograd.Function",
    "torch.fx.Graph": "fx.html#torch.fx.Graph", "torch.autocast": "amp.html#torch.autocast",
    "torch.optim.Optimizer": "optim.html#torch.optim.Optimizer",
    "torch.autograd.detect_anomaly": "autograd.html#torch.autograd.detect_anomaly",
    "torch.autograd.set_detect_anomaly": "autograd.html#torch.autograd.set_detect_anomaly",
    "torch.set_grad_enabled": "generated/torch.autograd.grad_mode.set_grad_enabled.html"
                              "#torch.autograd.grad_mode.set_grad_enabled",
    "torch.inference_mode": "generated/torch.autograd.grad_mode.inference_mode.html"
                            "#torch.autograd.grad_mode.inference_mode",
    "torch.nn.Parameter": "generated/torch.nn.parameter.Parameter.html#torch.nn.parameter.Parameter",
    "torch.nn.Buffer": "generated/torch.nn.parameter.Buffer.html#torch.nn.parameter.Buffer",
    "torch.autograd.gradgradcheck": "generated/torch.autograd.gradcheck.gradgradcheck.html"
                                    "#torch.autograd.gradcheck.gradgradcheck",
}
NOT_DESCRIBED = {"torch.utils.checkpoint.GraphExecGroup", "jax.remat"}
JAX = ("jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.nn", "jax.random", "jax.tree",
       "jax.tree_util", "jax.ops", "jax.debug", "jax.scipy.special", "jax.scipy.linalg", "jax.scipy.fft",
       "jax.scipy.signal", "jax.scipy.sparse.linalg")
CUPY = ("fuse", "RawModule")  # CuPy needs no device to be named, and is not always installed
STANDARD = ("math", "functools", "dataclasses", "contextvars", "pickle", "copy", "warnings", "operator", "itertools",
            "threading", "weakref", "typing", "collections.abc", "contextlib", "multiprocessing")


def referred_to():
    """The names of other projects that the tables, pages and docstrings have."""
    names = {other for others in NAMES.values() for other in others}
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        names |= set(re.findall(r"covector\.compat\.(torch[\w.]*)", text))
        names |= set(REFERENCE.findall(text))
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    names |= set(REFERENCE.findall(ast.get_docstring(node) or ""))
    return {full_name(name) for name in names}


def find(name):
    """What a dotted name leads to, or None."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            thing = getattr(thing, part, None)
        return thing
    return None


def module_page(name):
    return f"{MODULES[name]}#module-{name}" if name in MODULES else None


def numpy_place(name):
    home, _, last = name.rpartition(".")
    thing = find(name)
    if home not in ("numpy", "numpy.linalg", "numpy.fft", "numpy.emath", "numpy.ufunc", "numpy.ndarray") \
            or not callable(thing) or last in ("ufunc", "generic") or name.startswith("numpy.random"):
        return module_page(name)
    if isinstance(thing, type) and issubclass(thing, import_module("numpy").generic | BaseException):
        return None  # scalar types and errors stand on other pages
    own = getattr(thing, "__name__", last)
    if getattr(find(home), own, None) is thing:  # an alias stands on the page of the name it is an alias of
        last = own
    return f"reference/generated/{home}.{last}.html#{home}.{last}"


@cache
def listed(module):
    """The names that the page of a module of SciPy lists: its docstring is that page."""
    return set(re.findall(r"^\s+(\w+)\b", import_module(module).__doc__ or "", re.MULTILINE))


def scipy_place(name):
    home, _, last = name.rpartition(".")
    if home in MODULES and find(name) is not None and last in listed(home) and name not in MODULES:
        return f"reference/generated/{name}.html#{name}"
    if home.startswith("scipy.stats.") and find(name) is not None:  # a method of a distribution
        return scipy_place(home)
    return module_page(name)


def torch_place(name):
    home, _, last = name.rpartition(".")
    thing = find(name)
    if thing is None or inspect.ismodule(thing):
        return None
    if name in TORCH_ONE_BY_ONE:
        return TORCH_ONE_BY_ONE[name]
    if home == "torch.distributions":  # described where it is defined
        full = f"{thing.__module__}.{last}"
        return f"distributions.html#{full}" if full.startswith("torch.distributions.") else None
    if home in TORCH_PAGES:
        return f"{TORCH_PAGES[home]}#{name}"
    if home in TORCH_GENERATED and callable(thing) and (thing.__doc__ or "").strip():
        return f"generated/{name}.html#{name}"
    return None


def jax_place(name):
    home, _, last = name.rpartition(".")
    thing = find(name)
    if inspect.ismodule(thing):
        return f"jax.scipy.html#module-{name}" if home == "jax.scipy.stats" else None
    described = home in JAX and callable(thing) and not isinstance(thing, type)
    return f"_autosummary/{name}.html#{name}" if described else None


def cupy_place(name):
    home, _, last = name.rpartition(".")
    return f"reference/generated/{name}.html#{name}" if home == "cupy" and last in CUPY else None


def python_place(name):
    home, _, last = name.rpartition(".")
    if home in STANDARD and find(name) is not None:
        return f"library/{home}.html#{name}"
    return None


PLACES = {"numpy": numpy_place, "scipy": scipy_place, "torch": torch_place, "jax": jax_place, "cupy": cupy_place}


def kind(name):
    thing = find(name)
    return "module" if inspect.ismodule(thing) else "class" if isinstance(thing, type) else "function"


def inventories():
    """`{project: [(name, kind, address)]}`."""
    found = {project: [] for project in (*PLACES, "python")}
    for name in sorted(referred_to()):
        project = name.partition(".")[0]
        project = project if project in PLACES else "python"
        address = PLACES.get(project, python_place)(name)
        if address is not None and name not in NOT_DESCRIBED:
            found[project].append((name, kind(name), address))
    return found


def write(path, project, rows):
    """Write an inventory in Sphinx's format, version 2."""
    head = (f"# Sphinx inventory version 2\n# Project: {project}\n# Version: \n"
            "# The remainder of this file is compressed using zlib.\n")
    body = "".join(f"{name} py:{kind} 1 {address} -\n" for name, kind, address in rows)
    path.write_bytes(head.encode() + zlib.compress(body.encode(), 9))


def read(path):
    """`[(name, kind, address)]` of an inventory."""
    body = zlib.decompress(path.read_bytes().split(b"\n", 4)[4]).decode()
    rows = [line.split(" ") for line in body.splitlines()]
    return [(name, kind.removeprefix("py:"), address) for name, kind, _, address, _ in rows]


def main():
    folder = DOCS / "_inventories"
    folder.mkdir(exist_ok=True)
    titles = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch", "jax": "JAX", "cupy": "CuPy", "python": "Python"}
    for project, rows in inventories().items():
        write(folder / f"{project}.inv", titles[project], rows)
        print(f"{project}.inv: {len(rows)} names")


if __name__ == "__main__":
    main()
