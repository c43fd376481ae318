"""torch.package: names that programs import; their use is refused."""

from ._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts(
    "package",
    "Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError OrderedImporter "
    "PackageExporter PackageImporter PackagingError",
    "is_from_package"))
