"""`python -m covector.compat.torch script.py [arguments]` runs a script in which `import torch` gives this module.

`python -m covector.compat.torch -m package.module [arguments]` runs a module so, `pytest` among them.
"""

from ..running import run_given
from . import install

run_given(install, __doc__)
