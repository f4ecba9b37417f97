"""Look-ups in a registry that the cache answers, offline (issue: at most 5 ms each)."""

from __future__ import annotations

import time
from pathlib import Path

from skillbag.supply.sources.cache import open_cache
from skillbag.supply.sources.registry import CachedResponse, Key, RegistryClient, write_answer
from tests.rows import each_row

_EACH = 1000
_BAR = 0.005


@each_row("kind", ["search", "versions", "manifest"])
def test_a_thousand_cached_look_ups(tmp_path: Path, kind: str) -> None:
    cache = open_cache(str(tmp_path))
    bodies = {
        "search": b"[" + b",".join([b'{"name": "tidy", "version": "1.0.0", "description": "Tidy."}'] * 50) + b"]",
        "versions": b"[" + b",".join(b'"1.%d.0"' % n for n in range(100)) + b"]",
        "manifest": b"name: tidy\n" * 400,
    }
    registry = RegistryClient("https://registry.example", cache, True, lambda _: None)
    names = [f"tidy-{number}" for number in range(_EACH)]
    for name in names:
        key = Key(registry.address, kind, name, "1.0.0" if kind == "manifest" else "")
        write_answer(cache, key, CachedResponse(bodies[kind], "", time.time()))
    started = time.process_time()
    for name in names:
        if kind == "manifest":
            registry.manifest(name, "1.0.0")
        else:
            getattr(registry, kind)(name)
    each = (time.process_time() - started) / _EACH
    assert each <= _BAR, f"{each * 1000:.2f} ms"
