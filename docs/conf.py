"""Sphinx: the site is built with `sphinx-build -W docs docs/_build/html`; the cells of its pages run while it is."""

import os
import re
import sys
import tempfile
from importlib.metadata import version as installed_version
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

sys.path.insert(0, str(Path(__file__).parent))  # for references.py and counterparts.py

project = "covector"
author = "the covector authors"
copyright = "the covector authors, Apache-2.0"
release = version = installed_version("covector")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx.ext.intersphinx",
              "references", "counterparts"]
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_build"]
# Other projects' references. A build needs no network: their inventories lie in docs/_inventories, and inventories.py
# writes them. A name that they lack stays text.
FOREIGN = {
    "numpy": "https://numpy.org/doc/stable/", "scipy": "https://docs.scipy.org/doc/scipy/",
    "cupy": "https://docs.cupy.dev/en/stable/", "torch": "https://docs.pytorch.org/docs/stable/",
    "jax": "https://docs.jax.dev/en/latest/", "python": "https://docs.python.org/3/",
}
intersphinx_mapping = {name: (address, str(Path(__file__).parent / "_inventories" / f"{name}.inv"))
                       for name, address in FOREIGN.items()}
nb_execution_mode = "auto"  # a page that has cells starts a kernel
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 120  # seconds a cell
nb_code_prompt_show = nb_code_prompt_hide = "Solution"  # what exercises hide
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write names in single backquotes
add_module_names = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Derivative", "notes_style")]

# Figures are SVG without a background, in colours that are read on white and on black.
settings = Path(tempfile.mkdtemp(prefix="covector-docs-"))
(settings / "profile_default").mkdir()
(settings / "profile_default" / "ipython_kernel_config.py").write_text("""\
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.rc = {}
c.InteractiveShell.xmode = "Minimal"
c.HistoryManager.enabled = False
c.IPKernelApp.log_level = 40
""")
os.environ |= {"IPYTHONDIR": str(settings), "MATPLOTLIBRC": str(Path(__file__).parent / "matplotlibrc"),
               "MPLBACKEND": "module://matplotlib_inline.backend_inline"}  # also where plots are switched off by Agg

html_theme = "furo"
html_static_path = ["_static"]
html_js_files = ["copy.js", "places.js"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_css_files = ["layout.css", "math.css", "tables.css"]
html_title = "covector"
html_show_sphinx = False
html_copy_source = False
html_math_renderer = "mathml"


def inline_math(translator, node):
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block_math(translator, node):
    translator.body.append(tex2mathml(node.astext(), as_block=True))
    raise nodes.SkipNode


BARS = re.compile(r"\|(?=\S)([^|]*)(?<=\S)\|")  # |x| is a size here, and not a substitution
SECTION = re.compile(r"(Args|Returns|Raises|Methods|Derivative):(.*)")


def prepare_sections(app, what, name, obj, options, lines):
    """Write docstrings as napoleon and docutils need them: blank lines around the headers of sections, and `Returns` as
    a field, since napoleon takes what stands before its first colon for a type; bars outside of code as bars."""
    prepared, example = [], False
    for line in lines:
        example = line.lstrip().startswith(">>>") or example and bool(line.strip())
        if not example:
            parts = re.split("(`[^`]*`)", line)
            parts[::2] = [BARS.sub(r"\\|\1\\|", part) for part in parts[::2]]
            line = "".join(parts)
        header = SECTION.fullmatch(line)
        is_returns = line == "Returns:"
        prepared += [""] * bool(header) + [":returns:" if is_returns else line] + [""] * bool(header and header[2])
    lines[:] = prepared


ARRAY = "~typing.Annotated[~typing.Any, 'an array, a tracer, or what NumPy makes an array of']"


def shorten_types(app, domain, objtype, content):
    """Show types as they are written in the source, and none of results, which `Returns` describes."""
    for fields in [node for node in content if isinstance(node, nodes.field_list)]:
        for field in list(fields):
            kind = field[0].astext().split(" ")[0]
            if kind == "rtype":
                fields.remove(field)
            elif kind == "type":
                text = field[1].astext().replace(ARRAY, "Array")
                text = re.sub(r"~?typing\.Optional\[(.*)\]$", r"\1 | None", text)
                field[1][0].replace_self(nodes.paragraph("", text))


def setup(app):
    """Formulas become MathML when the site is built: browsers show it as it is, without a script or a network."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline_math, None), block_renderers=(block_math, None))
    app.connect("autodoc-process-docstring", prepare_sections, priority=400)  # before napoleon's
    app.connect("object-description-transform", shorten_types, priority=600)  # behind autodoc's, which adds the types
    return {"parallel_read_safe": True}
