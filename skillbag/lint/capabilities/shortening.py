"""Texts cut to a length, without half a secret at their end, which nothing would mask."""

from __future__ import annotations

from skillbag.kernel.secrets.detection import mask


def shortened(text: str, most: int) -> str:
    """The beginning of a text; of a longer one the secrets are masked before it is cut."""
    if len(text) <= most:
        return text
    return mask(text[: most + 2000])[:most]
