"""The programming languages of files, by their names (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

_BY_SUFFIX = """
bash .bash .sh .zsh
c .c .h
clojure .clj .cljc .cljs
cpp .cc .cpp .cxx .hh .hpp .hxx
csharp .cs
css .css
dart .dart
elixir .ex .exs
elm .elm
erlang .erl .hrl
fsharp .fs .fsi .fsx
go .go
graphql .gql .graphql
groovy .gradle .groovy
haskell .hs .lhs
html .htm .html
java .java
javascript .cjs .js .jsx .mjs
json .json
julia .jl
kotlin .kt .kts
latex .tex
lua .lua
markdown .markdown .md
nix .nix
objective-c .m .mm
ocaml .ml .mli
perl .pl .pm
php .php
powershell .ps1 .psm1
protobuf .proto
python .py .pyi
r .r .R
ruby .rb
rust .rs
sass .sass .scss
scala .sc .scala
solidity .sol
sql .sql
starlark .bzl .star
svelte .svelte
swift .swift
terraform .tf .tfvars
toml .toml
typescript .cts .mts .ts .tsx
vue .vue
xml .xml
yaml .yaml .yml
zig .zig
"""

_BY_NAME = """
go go.mod
java pom.xml
make GNUmakefile Makefile makefile
cmake CMakeLists.txt
php composer.json
python Pipfile pyproject.toml requirements.txt setup.py
ruby Gemfile Rakefile
rust Cargo.toml
starlark BUILD BUILD.bazel WORKSPACE
swift Package.swift
typescript tsconfig.json
"""

_DOCKERFILE = "Dockerfile"
"""The beginning of the names of all files of the language `dockerfile`."""


def _table(text: str) -> Mapping[str, str]:
    rows = (line.split() for line in text.split("\n") if line)
    return {end: language for language, *ends in rows for end in ends}


_SUFFIXES, _NAMES = _table(_BY_SUFFIX), _table(_BY_NAME)

LANGUAGES = frozenset({*_SUFFIXES.values(), *_NAMES.values(), "dockerfile"})
"""The languages that are known."""


def languages_of(names: Iterable[str]) -> frozenset[str]:
    """The languages of files with these base names."""
    return frozenset(language for name in names for language in _languages(name))


def _languages(name: str) -> Iterator[str]:
    if name in _NAMES:
        yield _NAMES[name]
    # A name that is a suffix alone, such as `.md`, has no suffix.
    stem, _, suffix = name.rpartition(".")
    if stem and (found := _SUFFIXES.get(f".{suffix}")):
        yield found
    elif name.startswith(_DOCKERFILE):
        yield "dockerfile"
