"""Texts cut to a length, without half a secret at their end, which nothing would mask."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """The beginning of a text; of a longer one the secrets are masked before it is cut."""
    if len(text) <= most:
        return text
    from skillbag.kernel.secrets.detection import mask

    return mask(text[: most + 2000])[:most]
