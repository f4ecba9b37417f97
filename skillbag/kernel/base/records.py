"""NamedTuple replacement with low class-creation cost, for the modules that every check loads: some eighty classes.

`typing.NamedTuple` evaluates each annotation, and compiles a constructor for every class. These keep annotations as
text, and share constructors; they may have a `cached_property` of this module, too.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from functools import cache
from types import FunctionType, MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import cached_property as cached_property
    from typing import NamedTuple as NamedTuple
else:

    class cached_property(functools.cached_property):  # noqa: N801 - a replacement
        """As in the standard library from Python 3.12 on: without a lock, which takes half of the time."""

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value

    _MAX = 32
    _NUMBERED = [f"f{number}" for number in range(_MAX)]
    # Keep a reference to the model class, so that the garbage collector cannot clear its descriptors.
    _model = namedtuple("_model", _NUMBERED)
    # The descriptors of the standard library's named tuples, each for the item of one number.
    _ITEMS = [vars(_model)[name] for name in _NUMBERED]

    class _Fields(tuple):
        """The methods of `collections.namedtuple`."""

        __slots__ = ()
        _fields = ()
        _field_defaults = MappingProxyType({})

        @classmethod
        def _make(cls, items):
            made = tuple.__new__(cls, items)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {', '.join(changes)}")
            return made

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = ", ".join(f"{name}={item!r}" for name, item in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self):
            return tuple(self)

    @cache
    def _constructor(count):
        names = "".join(f", {name}" for name in _NUMBERED[:count])
        return eval(f"lambda _cls{names}: _new(_cls, ({names[2:]}{',' if count else ''}))", {"_new": tuple.__new__})  # noqa: S307

    class _Maker(type):
        def __new__(cls, name, bases, body):
            fields = tuple(body.get("__annotations__", ()))
            if len(fields) > _MAX:
                raise TypeError(f"{name} has more than {_MAX} fields")
            defaults = {field: body.pop(field) for field in fields if field in body}
            model = _constructor(len(fields))
            code = model.__code__.replace(co_varnames=("_cls", *fields), co_name="__new__")
            body["__new__"] = FunctionType(code, model.__globals__, "__new__", tuple(defaults.values()))
            body["_fields"] = body["__match_args__"] = fields
            body["_field_defaults"] = defaults
            if cached_property not in map(type, body.values()):
                body["__slots__"] = ()
            body.update(zip(fields, _ITEMS, strict=False))
            return type(name, (_Fields,), body)

    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
