"""Where the shared material is: beside the checkout, or where CLAUDE_VIEW_SHARED says."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("CLAUDE_VIEW_SHARED", CHECKOUT.parent / "shared"))
CORPUS = Path(os.environ.get("CLAUDE_VIEW_CORPUS", SHARED / "corpus"))


def module(path: Path) -> ModuleType:
    """A script of the shared material, imported."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def must_exist(path: Path) -> Path:
    if not path.exists():
        sys.exit(f"{path} is not here: this check needs the shared material beside the checkout")
    return path
