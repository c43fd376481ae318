"""`python -m covector.compat.autograd script.py [arguments]` runs a script in which `import autograd` gives it.

`python -m covector.compat.autograd -m package.module [arguments]` runs a module so, `pytest` among them.
"""

from ..running import run_given
from . import install

run_given(install, __doc__)
