"""torch.hub: names that programs import; nothing is fetched, and their use is refused."""

import os as _os
import re as _re
from urllib.parse import urlparse as urlparse  # torch.hub has it, and programs take it from there

from ._impl.dispatch.unbuilt import parts as _parts

globals().update(_parts("hub", "tqdm", "download_url_to_file help list load load_state_dict_from_url set_dir"))
ENV_GITHUB_TOKEN, ENV_TORCH_HOME, ENV_XDG_CACHE_HOME = "GITHUB_TOKEN", "TORCH_HOME", "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
HASH_REGEX = _re.compile(r"-([a-f0-9]*)\.")  # the checksum in the name of a file of weights


def get_dir():
    """The folder of what PyTorch fetched."""
    return _os.path.join(_get_torch_home(), "hub")


def _get_torch_home():
    home = _os.environ.get(ENV_TORCH_HOME, _os.path.join(_os.environ.get(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR),
                                                         "torch"))
    return _os.path.expanduser(home)
