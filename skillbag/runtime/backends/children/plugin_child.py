"""The child that runs a skill's plugin (skill runtime, section 7.3). It imports its siblings and the SDK alone.

It is started with the path of the SDK, the folder of the skill, and the entrypoint: `FILE.py` or `MODULE:FACTORY`.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Mapping
from importlib.machinery import FileFinder, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillbag.runtime.backends.children.served import ServedSkill
    from skillbag.runtime.backends.children.wire import NO_PERMISSION, Message, WireError
else:
    from served import ServedSkill
    from wire import NO_PERMISSION, WireError

_FACTORIES = ("new_skill", "NewSkill")
_METHODS = ("manifest", "activate", "deactivate")


class _FreshLoader(SourceFileLoader):
    """Compiles a module each time: bytecode in a skill's folder can't be trusted, and is not written."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return compile(self.get_data(path), path, "exec", dont_inherit=True)


def _finder(folder: str) -> Callable[[str], FileFinder]:
    """A hook for the import system: it finds modules below the folder."""

    def find(path: str) -> FileFinder:
        if path != folder and not path.startswith(os.path.join(folder, "")):
            raise ImportError
        return FileFinder(path, (_FreshLoader, [".py"]))

    return find


def _loaded(name: str, path: str) -> ModuleType:
    """Load a module by its path."""
    spec = spec_from_file_location(name, path, loader=_FreshLoader(name, path))
    assert spec and spec.loader  # noqa: S101, PT018 - for the type checker
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Shim(ServedSkill):
    """The plugin, and what it may call."""

    def __init__(self, sdk: Any, folder: str, entrypoint: str) -> None:
        super().__init__()
        self._sdk, self._folder, self._entrypoint = sdk, folder, entrypoint
        self._context = sdk.Context(self._host, self._registered)
        self._plugin: Any = None
        self._is_active = False

    def handle(self, call: Message) -> Any:
        """Answer one request; of what fails, with the line of the skill."""
        try:
            return super().handle(call)
        except WireError:
            raise
        except self._sdk.HostError as error:
            raise WireError(str(error), error.code) from error
        except Exception as error:
            traceback.print_exc()
            raise WireError(f"{type(error).__name__}: {error}{self._place(error)}") from error

    def _place(self, error: BaseException) -> str:
        """The innermost line of the skill that led to the error, such as ` (skill.py:5)`; empty if none did."""
        own = os.path.join(self._folder, "")
        frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(own)]
        return f" ({frames[-1].filename.removeprefix(own)}:{frames[-1].lineno})" if frames else ""

    def load(self) -> None:
        """Make the plugin and activate it."""
        self._plugin = self._made()
        manifest = self._plugin.manifest()
        own = manifest.get("name") if isinstance(manifest, Mapping) else getattr(manifest, "name", None)
        if own != self.name:
            raise WireError(f"{self._entrypoint}: the plugin names itself {own!r}, and its manifest {self.name!r}")
        self._plugin.activate(self._context)
        self._is_active = True

    def end(self) -> None:
        """Deactivate the plugin."""
        self._plugin.deactivate(self._context)

    def _made(self) -> Any:
        module_name, _, factory_name = self._entrypoint.partition(":")
        module = self._imported(module_name)
        factories = (factory_name,) if factory_name else _FACTORIES
        factory = next((getattr(module, name) for name in factories if callable(getattr(module, name, None))), None)
        if factory is None:
            raise WireError(f"{self._entrypoint}: it has no function {' or '.join(factories)}")
        plugin = factory()
        if missing := [name for name in _METHODS if not callable(getattr(plugin, name, None))]:
            kind = type(plugin).__name__
            raise WireError(f"{self._entrypoint}: {factory.__name__}() gave a {kind} without {', '.join(missing)}")
        return plugin

    def _imported(self, name: str) -> ModuleType:
        try:
            if name.endswith(".py"):
                return _loaded(os.path.basename(name)[:-3], os.path.join(self._folder, name))
            return importlib.import_module(name)
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            what = f"{type(error).__name__}: {error}{self._place(error)}"
            raise WireError(f"{self._entrypoint}: it can't be imported: {what}") from error

    def _host(self, function: str, **arguments: Any) -> Any:
        try:
            return self.wire.host(function, **arguments)
        except WireError as error:
            kind = self._sdk.PermissionDeniedError if error.code == NO_PERMISSION else self._sdk.HostError
            raise kind(str(error), error.code) from None

    def _registered(self, kind: str, name: str, handler: Any, **of_tool: Any) -> None:
        if not callable(handler):
            raise WireError(f"register_{kind}: the handler of {name!r} is no function")
        if self._is_active:
            raise WireError(f"register_{kind}: register in activate(), not later")
        call = (lambda text: list(handler(text))) if kind == "scanner" else handler
        self.register(kind, name, call, **of_tool)


def main(arguments: list[str]) -> None:
    """Run the child; the arguments are those that the module names."""
    sdk, folder, entrypoint = arguments
    # Modules of the skill may have the names of ours.
    for name in ("confine", "plain_json", "plugin_child", "served", "wire"):
        sys.modules.pop(name, None)
    package = sys.modules["skillbag"] = ModuleType("skillbag")
    package.__path__ = []
    sys.path_hooks.insert(0, _finder(folder))
    sys.path.insert(0, folder)
    Shim(_loaded("skillbag.skill_sdk", sdk), folder, entrypoint).wire.serve()
