"""Harmless lines that hold what rules search for: `@`, `curl`, "disable" and so on.

Rules look closer at such places, in published skills as well; none of these lines is a fault.
"""

from __future__ import annotations

from random import Random

import words

_PROSE = {
    "@": (
        "Ask `{thing}@example.com` for the {quality} {thing2}.",
        "Mention `@{thing}-{thing2}` in the {quality} note.",
    ),
    "aws": ("Outlaws of the {thing}: laws and flaws that {place} found in the {thing2}.",),
    "AWS": ("On AWS the {thing} lies beside the {quality} {thing2}.",),
    "gnore": ("Add the {quality} {thing} to `.gitignore`, so that git does not see the {thing2}.",),
    "isable": ("Disable the {quality} {thing} while {place} has the {thing2} open.",),
    "curl": ("Fetch the {thing} with `curl -fsS https://example.com/{thing2}` and read it first.",),
    "ypass": ("A {quality} {thing} does not bypass the queue of {place}.",),
    "verride": ("Settings of the {thing} override those of the {quality} {thing2}.",),
    "irm ": ("Let {place} confirm the {quality} {thing} before you {verb} it.",),
    "nsert ": ("To insert a {quality} {thing}, {verb} the {thing2} above it.",),
    " alerting": ("Set up alerting for each {quality} {thing} of {place}.",),
    "owershell": ("The same in Powershell: {verb} the {thing}, then the {quality} {thing2}.",),
    "orget": ("Do not forget the {quality} {thing} of {place}.",),
    "elegram": ("A telegram is a {quality} {thing} of at most {number} words.",),
    "t inform": ("What informs the {thing}: recent information, about informed places, and a {quality} {thing2}.",),
    "base64": ("Pictures of the {thing} are base64 text of {number} lines.",),
    "iscord": ("A Discord channel for {place} has a {quality} {thing}.",),
    "t show": ("A test that shows the {quality} {thing}: it shows {number} lines.",),
    "t alert": ("The first alert names the {quality} {thing}, the last alert the {thing2}.",),
    "r mention": ("The caller mentioned the {thing}; a later mention is a {quality} one.",),
    "r inform": ("Further information about the {quality} {thing} is with {place}.",),
    "TODO": ("Count the `TODO` marks of each {quality} {thing}.",),
    "nvoke-": ("`Invoke-Build` makes the {quality} {thing}.",),
    "should not": ("A {quality} {thing} should not be longer than {number} lines.",),
    "wget": ("`wget --spider https://example.com/{thing}` says whether the {thing2} is there.",),
    "t tell": ("Does it tell a {quality} {thing} from a {thing2}? It tells {number} of them apart.",),
    "r show": ("The viewer shows {number} rows of the {quality} {thing}.",),
    "iscard": ("Discard a {quality} {thing} that is older than {number} days.",),
    "openssl": ("`openssl version` is part of the {quality} {thing}.",),
    "t mention": ("The report mentions the {quality} {thing} and the {thing2}.",),
    "must not": ("A {quality} {thing} must not have more than {number} parts.",),
    "r alert": ("Each newer alert of {place} replaces the {quality} {thing}.",),
}
_CODE = {
    "@": ('"@{thing}/{quality}-{thing2}"', "@{verb}_{thing}", "{thing}@example.com", "@{thing}({number})"),
    "aws": ("aws s3 ls s3://{quality}-{thing}", "aws_{thing} = {number}"),
    "AWS": ("AWS_REGION", "AWS::{thing}::{quality}"),
    "gnore": ("--ignore {thing}",),
    "isable": ("disable_{thing}",),
    "curl": ("curl -fsS https://example.com/{thing}/{number}",),
    "verride": ("override {thing}",),
    "owershell": ("powershell -Version",),
    "base64": ("base64 {thing}.png",),
    "iscord": ("discord.{thing}",),
    "npm_": ("npm_config_{thing}",),
    "eval(": ("model.eval()",),
    "exec(": ("pattern.exec({thing})",),
    "TODO": ("TODO_LIST",),
}


def sentence(random: Random, literal: str) -> str:
    """A sentence with that literal, or an ordinary one where none is known."""
    shapes = _PROSE.get(literal)
    return words.filled(random, random.choice(shapes)) if shapes else words.sentence(random)


def code(random: Random, literal: str) -> str:
    """A piece of code with that literal; empty where only prose has it."""
    shapes = _CODE.get(literal)
    return words.filled(random, random.choice(shapes)) if shapes else ""
