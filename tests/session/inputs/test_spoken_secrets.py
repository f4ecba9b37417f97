"""A secret that only the words of a value give away is not printed either."""

from __future__ import annotations

from pathlib import Path

from tests.rows import each_row
from tests.support import Run

SKILL = """---
name: note
description: Keep a note.
---

## Parameters

```yaml
required:
  - name: text
```

Keep `text`.
"""


@each_row(
    ("said", "shown"),
    [
        ("password: hunter22", "****"),
        ("my password is swordfish", "****"),
        ("Passwort: geheim1", "****"),
        ("ask me for the password", "ask me for the password"),
        ("docs/a.md", "docs/a.md"),
    ],
)
def test_what_words_give_away_is_hidden(said: str, shown: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / ".skills/note").mkdir(parents=True)
    (tmp_path / "SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    (tmp_path / ".skills/SKILLS.md").write_text("note: Keep a note.\n")
    (tmp_path / ".skills/note/SKILL.md").write_text(SKILL)
    outcome = run("run", "note", "--set", f"text={said}", cwd=tmp_path)
    assert f"text = {shown} (conversation)" in outcome.out
    assert (said in outcome.out) is (shown == said)
