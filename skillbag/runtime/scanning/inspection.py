"""The rules and scanners of skills, run on texts (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.scanning.findings import ScanFinding, covers, overridden
from skillbag.runtime.scanning.regexes import RegexJob, RegexSearch, Searched
from skillbag.runtime.scanning.sources import ScanSource, SkillFailure, scanners_of
from skillbag.runtime.sessions.runtime import Runtime


class Inspection:
    """An inspection under way: each text is read once, and kept only until all is done with it."""

    def __init__(self, runtime: Runtime, sources: Iterable[ScanSource], take: Callable[[ScanFinding], None]) -> None:
        """`take` gets each finding, as the overrides of its skill have it."""
        self._take = take
        self._sources = tuple(sources)
        self._rules = [(source, rule) for source in self._sources for rule in source.rules]
        self._overrides = {source.name: source.overrides for source in self._sources}
        self._scanners = []
        self.errors = [error for source in self._sources for error in source.errors]
        """What could not be done."""
        self.matched: set[str] = set()
        """The ids of the rules that have found something, with those of their skills: `SKILL/RULE`."""
        for source in self._sources:
            scanners, errors = scanners_of(runtime, source)
            self._scanners += scanners
            self.errors += errors

    def run(self, texts: Iterable[TextFile]) -> None:
        """Inspect these texts.

        Raises:
            ChildError: the rules can't be searched for at all.
        """
        with RegexSearch([rule.pattern.match for _, rule in self._rules]) as search:
            for searched in search.search(self._jobs(texts)):
                self._read(searched)

    def _jobs(self, texts: Iterable[TextFile]) -> Iterator[RegexJob]:
        """Run the scanners on each text, and say which rules it is searched for."""
        for text in texts:
            for scanner in self._scanners:
                results, error = scanner.scan(text)
                self.errors += [error] if error else []
                for result in results:
                    self._add(result)
            yield RegexJob(text, tuple(self._wanted(text)))

    def _wanted(self, text: TextFile) -> Iterator[int]:
        path = text.relative
        for number, (source, rule) in enumerate(self._rules):
            excluded = rule.pattern.exclude_paths
            override = source.overrides.get(rule.id)
            is_off = override is not None and not override.enabled and covers(override.paths, path)
            if not is_off and not (excluded and covers(excluded, path)) and not source.is_own(text):
                yield number

    def _read(self, searched: Searched) -> None:
        text, place = searched.text, searched.text.document.position
        for number, start, end in searched.places:
            source, rule = self._rules[number]
            fix = rule.remediation or None
            found = ScanFinding(source.name, rule.id, rule.severity, rule.title, text, place(start), place(end), fix)
            self.matched.add(found.id)
            self._add(found)
        for number in searched.slow:
            source, rule = self._rules[number]
            message = f"rule {rule.id} takes too long or too much memory here; it is left out from this file on"
            self.errors.append(SkillFailure(source.name, text.relative, message))

    def _add(self, found: ScanFinding) -> None:
        kept = overridden(found, self._overrides[found.skill])
        if kept is not None:
            self._take(kept)
