"""The programming languages of files, by their names (skill runtime, section 3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

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


def languages_of(names: Collection[str]) -> frozenset[str]:
    """The languages of files with these base names."""
    # A name that is a suffix alone, such as `.md`, has no suffix.
    suffixes = {f".{suffix}" for suffix in {end for start, _, end in [name.rpartition(".") for name in names] if start}}
    found = {_SUFFIXES[suffix] for suffix in suffixes & _SUFFIXES.keys()}
    found |= {_NAMES[name] for name in _NAMES if name in names}
    if f"\0{_DOCKERFILE}" in "\0".join(("", *names)):
        found.add("dockerfile")
    return frozenset(found)
