"""The modules of `module_table.py`, found by imports from now on, and what torch adds to each."""

from ...reexports import Table, entries
from . import module_table
from .dispatch import surface
from .dispatch.unbuilt import parts


def finish(module, path, row):
    """Add the refused names and the operations, and let further names be looked up."""
    room = vars(module)
    if row is None:
        room.setdefault("__getattr__", surface.look_up(path)[0])
        return
    for of, name, _ in entries(row.unbuilt):
        room.update(parts(of, functions=name[:-2]) if name.endswith("()") else parts(of, name))
    if row.operations:
        room.update(surface.names(f"{path}."))
    room["__getattr__"], room["__dir__"] = surface.look_up(path, row.later)
    if row.published:
        surface.publish(room)


TABLE = Table(__name__.partition("._impl.")[0], "torch", module_table, finish)
TABLE.register()
