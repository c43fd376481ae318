"""Sphinx: the site is built with `sphinx-build -W docs docs/_build/html`."""

from importlib.metadata import version as installed_version

project = "covector"
author = "the covector authors"
copyright = "the covector authors, Apache-2.0"  # noqa: A001
release = version = installed_version("covector")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
default_role = "code"  # docstrings write names in single backquotes
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Derivative", "notes_style")]
nitpicky = False

html_theme = "furo"
html_title = "covector"
html_show_sphinx = False
html_copy_source = False
