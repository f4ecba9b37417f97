"""Named tuples of our own making behave as those of the standard library."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import typing
from functools import cached_property

import pytest

from skillbag.kernel.base import records
from tests.rows import each_row
from tests.support import PROJECT


class Ours(records.NamedTuple):
    """A document string."""

    first: int
    second: str = "b"
    third: tuple[str, ...] = ()

    def both(self) -> str:
        return f"{self.first}{self.second}"


class Theirs(typing.NamedTuple):
    first: int
    second: str = "b"
    third: tuple[str, ...] = ()


class Empty(records.NamedTuple):
    """Without fields."""


class Kept(records.NamedTuple):
    number: int

    @cached_property
    def answers(self) -> list[int]:
        return [self.number]

    @records.cached_property
    def results(self) -> list[int]:
        return [self.number]


def test_they_are_made_and_shown_alike() -> None:
    pairs = (
        (Ours(1), Theirs(1)),
        (Ours(1, "x"), Theirs(1, "x")),
        (Ours(first=2, third=("y",)), Theirs(first=2, third=("y",))),
    )
    for ours, theirs in pairs:
        assert tuple(ours) == tuple(theirs) == (ours.first, ours.second, ours.third)
        assert (repr(ours).replace("Ours", "Theirs"), ours._asdict()) == (repr(theirs), theirs._asdict())
        assert hash(ours) == hash(theirs)
    assert Ours._fields == Theirs._fields == Ours.__match_args__
    assert dict(Ours._field_defaults) == Theirs._field_defaults
    assert (Ours.__doc__, Ours.__name__, Ours.__module__) == ("A document string.", "Ours", __name__)
    assert Ours(1).both() == "1b"
    assert (Empty(), repr(Empty())) == ((), "Empty()")


@each_row(("arguments", "more"), [((), {}), ((1, "a", (), 4), {}), ((1,), {"first": 2}), ((1,), {"no": 2})])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...], more: dict[str, object]) -> None:
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*arguments, **more)  # type: ignore[arg-type]


def test_they_are_changed_copied_and_pickled() -> None:
    one = Ours(1)
    assert one._replace(second="c") == (1, "c", ())
    assert type(one._replace(second="c")) is Ours
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == Ours._make((1, "b", ()))  # noqa: S301
    with pytest.raises(ValueError, match="no field other"):
        one._replace(other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="3 fields, not 1"):
        Ours._make((1,))
    with pytest.raises(AttributeError):
        one.first = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        one.fourth = 2  # type: ignore[attr-defined]


def test_cached_properties_are_computed_once_for_each_object() -> None:
    one, other = Kept(1), Kept(2)
    assert one.answers is one.answers
    assert one.results is one.results
    assert (one.results, other.results, one._replace(number=4).answers) == ([1], [2], [4])
    assert vars(one) == {"answers": [1], "results": [1]}
    assert one == Kept(1)
    assert isinstance(Kept.results, cached_property)
    assert not hasattr(Ours(1), "__dict__")


def test_it_is_made_whenever_garbage_is_collected() -> None:
    # A collection at every allocation: what is not held on to is gone at once.
    program = (
        "import gc, sys; gc.set_threshold(1, 1, 1); "
        "from skillbag.kernel.base.records import NamedTuple; print(NamedTuple)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_their_modules_keep_annotations_as_text() -> None:
    """From Python 3.14 on, a class body has its annotations at its creation only where they are text."""
    users = [path for path in (PROJECT / "skillbag").rglob("*.py") if "base.records import" in path.read_text("utf-8")]
    assert len(users) > 50
    assert [path for path in users if "\nfrom __future__ import annotations\n" not in path.read_text("utf-8")] == []
