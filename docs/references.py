"""Ways to the reference: a table of names at the head of each of its pages, and links from names in text."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.ext.intersphinx import InventoryAdapter

SHORT = {"np": "numpy", "cp": "cupy", "jnp": "jax.numpy"}
NAME = re.compile(r"(?:(?:cv|covector)\.)?([A-Za-z_][\w.]*)(?:\(\))?")
FOREIGN = ("torch_", "compat_gaps", "editions", "coming_from/", "numpy_support", "design/compat")  # others' names

STACKED = ("coming_from/", "errors", "tutorials/", "compat_gaps", "design/")


def add_summary(app, doctree):
    """Put a table of the names of a page of the reference, with the first line of each, before its first section."""
    document = app.env.current_document if hasattr(app.env, "current_document") else app.env
    if not document.docname.startswith(("api/covector", "torch_reference")):
        return
    body = nodes.tbody()
    page = next(doctree.findall(nodes.section))
    for part in page.findall(nodes.section):  # itself first
        names = [node for node in part.children if isinstance(node, addnodes.desc) and node["objtype"] != "data"]
        if names and part is not page:
            body += _row([nodes.strong("", part[0].astext())])
        for node in names:
            link = nodes.reference("", "", nodes.literal("", node[0].get("fullname", "")), internal=True,
                                   refid=node[0]["ids"][0])
            said = next(iter(node[-1].findall(nodes.paragraph)), nodes.paragraph())  # behind all signatures
            body += _row([link], [child.deepcopy() for child in said.children])
    if len(body) < 4:
        return
    group = nodes.tgroup("", nodes.colspec(colwidth=3), nodes.colspec(colwidth=10), body, cols=2)
    table = nodes.table("", group, classes=["summary", "stacked"])
    first = next((i for i, c in enumerate(page.children) if isinstance(c, nodes.section | addnodes.index)), len(page))
    page.insert(first, table)


def note_listed(app, doctree):
    """Make the names that some pages list objects of the reference: the search and links find them."""
    document = app.env.current_document if hasattr(app.env, "current_document") else app.env
    if not document.docname.startswith(("api/covector.numpy", "api/covector.scipy.stats")):
        return
    namespace = document.docname.removeprefix("api/")
    domain = app.env.get_domain("py")
    for paragraph in doctree.findall(nodes.paragraph):
        names = [node for node in paragraph.children if isinstance(node, nodes.literal)]
        if not names or paragraph.astext().replace("\n", " ") != ", ".join([node.astext() for node in names]):
            continue
        for node in names:
            full = f"{namespace}.{node.astext()}"
            if full not in domain.objects:
                node["ids"].append(full)
                domain.note_object(full, "function", full, location=node)


def tidy_blocks(app, doctree):
    """Take blank lines from both ends of included code, and give figures that cells made a text that names them."""
    for block in doctree.findall(nodes.literal_block):
        if "source" in block and str(block["source"]).endswith(".py"):
            block.rawsource = block.astext().strip("\n")  # a block that differs from it is not highlighted
            block.children = []
            block += nodes.Text(block.rawsource)
    for image in doctree.findall(nodes.image):
        section = next((up for up in _above(image) if isinstance(up, nodes.section)), None)
        if not image.get("alt") and section is not None:
            image["alt"] = f"Figure: {section[0].astext()}"


def stack_rows(app, doctree, docname):
    """Mark tables whose rows a narrow screen shows as blocks: those with long code in each column."""
    if docname.startswith(STACKED):
        for table in doctree.findall(nodes.table):
            table["classes"].append("stacked")
    if docname == "clients":
        for table in doctree.findall(nodes.table):
            table["classes"].append("wide")


def _row(name, said=None):
    row = nodes.row("", nodes.entry("", nodes.paragraph("", "", *name), **({} if said else {"morecols": 1})))
    if said:
        row += nodes.entry("", nodes.paragraph("", "", *said))
    return row


def link_names(app, doctree, docname):
    """Make references of names that stand in text as code, ours and others', the first time in each section."""
    domain = app.env.get_domain("py")
    elsewhere = foreign_names(app)
    home = docname.removeprefix("api/") if docname.startswith("api/covector") else "covector"
    linked = set()
    for node in list(doctree.findall(nodes.literal)):
        if any(isinstance(up, nodes.reference | nodes.title | nodes.table) for up in _above(node)):
            continue
        other = full_name(node.astext().removesuffix("()"))
        if other in elsewhere:
            section = next((up for up in _above(node) if isinstance(up, nodes.section)), None)
            if (id(section), other) not in linked or _is_last_word(node):
                linked.add((id(section), other))
                project, address = elsewhere[other]
                node.replace_self(nodes.reference("", "", node.deepcopy(), internal=False, refuri=address,
                                                  reftitle=f"{other} (in {project})", classes=["external"]))
            continue
        match = NAME.fullmatch(node.astext())
        bare = match and match[0].removesuffix("()") == match[1]
        if not match or (bare and (docname.startswith(FOREIGN) or match[1] in ("debug", "testing"))):
            continue
        target = next((full for full in (f"{home}.{match[1]}", f"covector.{match[1]}") if full in domain.objects), None)
        if target is None:
            continue
        entry = domain.objects[target]
        section = next((up for up in _above(node) if isinstance(up, nodes.section)), None)
        described = [up for up in _above(node) if isinstance(up, addnodes.desc)]
        own = any(entry.node_id in up[0].get("ids", ()) for up in described)
        if own or (id(section), target) in linked and not _is_last_word(node):
            continue
        linked.add((id(section), target))
        uri = app.builder.get_relative_uri(docname, entry.docname) if docname != entry.docname else ""
        reference = nodes.reference("", "", node.deepcopy(), internal=True, refuri=f"{uri}#{entry.node_id}")
        node.replace_self(reference)


def _is_last_word(node):
    return node.parent.astext().startswith("See also")


def full_name(name):
    """`numpy.sin` of `np.sin`."""
    first, dot, rest = name.partition(".")
    return SHORT.get(first, first) + dot + rest


def foreign_names(app):
    """`{name: (project, address)}` of the names that the inventories hold."""
    inventory = InventoryAdapter(app.env).main_inventory
    return {name: (item.project_name, item.uri) for kind, items in inventory.items() if kind.startswith("py:")
            for name, item in items.items()}


def _above(node):
    while node.parent is not None:
        node = node.parent
        yield node


def setup(app):
    app.connect("doctree-read", add_summary)
    app.connect("doctree-read", note_listed)
    app.connect("doctree-read", tidy_blocks)
    app.connect("doctree-resolved", stack_rows)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
