"""The extra installation steps of a source: prose in its `AGENTS.md`, shown and agreed to, never executed.

`denials.py` judges whether there are any; `agreed_steps.py` remembers what was agreed to in which workspace.
"""

from __future__ import annotations

import os

from skillbag.documents.source import Document, read_document
from skillbag.install.denials import denies_steps
from skillbag.sources.fetched import Fetched
from skillbag.workspace.target import AGENTS


def extra_steps(fetched: Fetched) -> str | None:
    """The whole text of `AGENTS.md`, unless it says that there are no extra steps, and nothing of any.

    Clauses source.extra-steps, bootstrap.extra-steps. Of a file that can't be read there is None: `verify_source`
    refuses such a source. In a plain repository it is meant for its developers.
    """
    if fetched.plain is not None:
        return None
    document = read_document(os.path.join(fetched.root, AGENTS), fetched.root)
    if not isinstance(document, Document) or denies_steps(document.text):
        return None
    return document.text
