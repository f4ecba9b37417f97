"""What the code of a rule pack may use: the names here stay as they are within a major version.

A predicate is a function that finds the places where a rule is violated. It asks its subject for text and files and
opens none itself: a verdict is cached for as long as what the subject was asked for is the same.
"""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged, match_at

__all__ = [
    "Document",
    "DocumentProblem",
    "Inventory",
    "Mapping",
    "Match",
    "NoOptions",
    "Node",
    "Predicate",
    "Scalar",
    "Sequence",
    "Skill",
    "Subject",
    "TextEdit",
    "TextFile",
    "Unjudged",
    "match_at",
]
