"""What other libraries call a name, and what it costs: added to the entries of the reference when the site is built.

`counterparts.txt` has the names, `COSTS` the costs; `tests/reference/test_counterparts.py` looks for the names in
NumPy, JAX and PyTorch. A name of `covector.compat.torch` is that of PyTorch.
"""

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes

TABLE = Path(__file__).parent / "counterparts.txt"
COMPAT = "covector.compat."

# In evaluations of f, for f from n numbers to m; time includes the evaluation itself.
COSTS = {
    "covector.grad": "two to four evaluations, however long the arguments are; memory for what the rules of each "
                     "operation save ([a table](../costs.md))",
    "covector.value_and_grad": "that of `grad`: the value is computed on the way",
    "covector.vjp": "one evaluation, which saves values, and one or two for each call of the pullback",
    "covector.jvp": "about two evaluations; nothing is saved, so memory does not grow with the length of the program",
    "covector.linearize": "one evaluation and its staging; each call of the linear map then costs about one evaluation",
    "covector.jacfwd": "n tangents, pushed forward as one batch: memory for n copies of each value, which "
                       "`chunk_size=` limits",
    "covector.jacrev": "m cotangents, pulled back as one batch: memory for m copies of each value, which "
                       "`chunk_size=` limits",
    "covector.jacobian": "that of `jacfwd` or of `jacrev`, whichever has fewer directions",
    "covector.hessian": "n directions through the gradient: about n times the time of `hvp`, as one batch",
    "covector.hvp": "about two gradients, however long the arguments are; no Hessian is formed",
    "covector.sparse_jacobian": "one direction a colour, as many as the fullest row at least, instead of n",
    "covector.sparse_hessian": "one Hessian-vector product a colour instead of n",
    "covector.sparsity": "one evaluation on sets of indices, without numbers",
    "covector.vmap": "one evaluation on arrays that are longer by the batch; Python runs once",
    "covector.checkpoint": "one more evaluation in the backward pass, for which its own values are not saved",
    "covector.custom_root": "the derivative costs one linear solve, not the iterations of the solver",
    "covector.scan": "a gradient keeps what each step saves: proportional to the number of steps",
    "covector.while_loop": "a gradient keeps what each trip saves: proportional to the number of trips",
    "covector.associative_scan": "about log2(n) batched calls of the function, 2 n applications in all",
    "covector.jit": "the first call stages, optimises and compiles, some milliseconds; later ones run the program",
    "covector.distributed.sharded_jacobian": "each rank computes its rows alone",
    "covector.scipy.linalg.expm": "some products and a solve of n × n matrices, and a product for each "
                                  "squaring; a gradient keeps them all",
    "covector.scipy.linalg.logm": "the derivative is a logarithm of a matrix of twice the size",
    "covector.scipy.linalg.sqrtm": "the derivative is a Sylvester equation, about as long as the root itself",
    "covector.debug_mutation": "every saved byte is read again at the pullback",
}


def read_table():
    """`{name of covector: [names of other libraries]}`."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    pairs = [line.split(": ") for line in lines]
    return {name: others.split(", ") for name, others in pairs}


NAMES = read_table()


def others(name):
    if name.startswith(COMPAT):
        return [name.removeprefix(COMPAT)]
    return NAMES.get(name, [])


def add_lines(app, what, name, obj, options, lines):
    """Add a line with the cost, and one with the names of other libraries, behind a docstring."""
    if name in COSTS:
        text = COSTS[name].replace("[a table](../costs.md)", ":doc:`a table </costs>`")
        lines += ["", f"**Cost:** {text}.", ""]
    found = others(name) if what in ("function", "class", "decorator", "data") else []
    if found:
        lines += ["", "**See also:** " + ", ".join(f":py:obj:`{other}`" for other in found) + ".", ""]


class Counterparts(Directive):
    """A table of a namespace, whose argument it is: each name with those of JAX and PyTorch."""

    required_arguments = 1

    def run(self):
        home = self.arguments[0]
        rows = {name: found for name, found in NAMES.items() if name.rpartition(".")[0] == home}
        libraries = {prefix: title for prefix, title in (("jax.", "JAX"), ("torch.", "PyTorch"))
                     if any(other.startswith(prefix) for found in rows.values() for other in found)}
        body = nodes.tbody()
        for name, found in rows.items():
            cells = [[name.removeprefix("covector.")],
                     *[[other for other in found if other.startswith(prefix)] for prefix in libraries]]
            body += nodes.row("", *[nodes.entry("", nodes.paragraph("", "", *map(_link, cell))) for cell in cells])
        titles = [f"covector, {'SciPy' if 'scipy' in home else 'NumPy'}", *libraries.values()]
        head = nodes.thead("", nodes.row("", *[nodes.entry("", nodes.paragraph("", text)) for text in titles]))
        group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in titles], head, body, cols=len(titles))
        return [nodes.table("", group, classes=["counterparts"])]


def _link(name):
    """A reference to a name, which stays text where no inventory has it."""
    return addnodes.pending_xref("", nodes.literal("", name), refdomain="py", reftype="obj", reftarget=name)


def setup(app):
    app.connect("autodoc-process-docstring", add_lines, priority=900)  # behind napoleon
    app.add_directive("counterparts", Counterparts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
