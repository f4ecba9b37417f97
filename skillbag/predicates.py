"""What the code of a rule pack may use: the names here stay as they are within a major version.

A predicate is a function that finds the places where a rule is violated. It asks its subject for text and files and
opens none itself: a verdict is cached for as long as what the subject was asked for is the same.
"""

from __future__ import annotations

from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged, match_at
from skillbag.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.documents.source import Document, DocumentProblem
from skillbag.model.findings import TextEdit
from skillbag.workspace.model import Inventory
from skillbag.workspace.skill import Skill
from skillbag.workspace.text import TextFile

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
