"""Phrases for agents in nine languages, each written once; those in English stand in `signals.english`."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals import english
from skillbag.lint.signals.classes import TONGUES
from skillbag.lint.signals.phrases import FormTable, Phrase


def _phrase(signs: str, form: str, *beside: str) -> Phrase:
    return Phrase(
        tuple(signs.split()), late(form, re.IGNORECASE | re.VERBOSE | re.MULTILINE), 0, (beside,) * bool(beside)
    )


HIDING = FormTable(*english.HIDING, *(tongue.hiding() for tongue in TONGUES))
"""Phrases that tell to hide something from the user."""
_WITHOUT = late(r"(?i)^не\b|\b(?:sin|sem|sans|ohne|senza|без)\b")


def is_forbidden(phrase: str, before: str) -> bool:
    """Whether a phrase such as "without telling the user" has a word of refusal before it, in its own language."""
    without = _WITHOUT().search(phrase)
    return without is not None and _REFUSES().search(before + phrase[: without.start()]) is not None


_KOREAN_RULES = r"(?:지시|지침|명령|규칙|프롬프트)(?:\s*사항)?(?:들)?(?:을|를)?"
IGNORING = FormTable(
    *english.IGNORING,
    _phrase(
        "gnorier ergiss ergessen issacht",
        r"""\b(?:ignorier\w*\s+(?:\w+\s+){0,3}(?:vorherig|bisherig|vorig|früher|obig|vorangegangen|dein|ihr)\w*\s+
            (?:\w+\s+)?(?:anweisungen|instruktionen|regeln|vorgaben|befehle)
          | (?:vergiss|vergessen\s+sie|missachte\w*)\s+(?:\w+\s+){0,2}(?:vorherig|bisherig|vorig|früher|dein|ihr)\w*\s+
            (?:\w+\s+)?(?:anweisungen|instruktionen|regeln|vorgaben))""",
    ),
    _phrase(
        "instruccion reglas directrices",
        r"""\b(?:ignora|olvida|descarta)[drs]?\s+(?:\w+\s+)?
            (?:las\s+(?:\w+\s+)?(?:instrucciones|reglas|normas|indicaciones)\s+(?:\w+\s+)?(?:anterior|previa)\w*
            |tus\s+(?:instrucciones|reglas|directrices))""",
    ),
    _phrase(
        "instruç regras",
        r"""\b(?:ignor[ae]|esqueç?[ae]|desconsider[ae])[rm]?\s+(?:(?:todas|quaisquer)\s+)?
            (?:as\s+(?:\w+\s+)?(?:instruções|regras)\s+(?:\w+\s+)?(?:anterior|prévia)\w*|(?:as\s+)?suas\s+instruções)""",
    ),
    _phrase(
        "instructions consignes règles",
        r"""\b(?:ignore|oublie)[rzs]?\s+(?:\w+\s+)?(?:les\s+(?:instructions|consignes)\s+(?:précédent|antérieur)\w*
            |(?:tes|vos)\s+(?:\w+\s+)?(?:instructions|consignes|règles))""",
        "ignore",
        "oublie",
    ),
    _phrase(
        "гнори абудь",
        r"""\b(?:(?:про)?игнорируй\w*\s+(?:\w+\s+){0,2}(?:инструкци|указани|правил)\w*
          | забудь\w*\s+(?:\w+\s+){0,2}(?:инструкци|указани|правил)\w*)""",
    ),
    _phrase(
        "忽略 无视 無視 忘记 忘記 忘れ",
        r"""(?:忽略|无视|無視|忘记|忘記)(?:掉|你|之前|以前|以上|先前|此前|所有|全部|的|一切){1,5}
            (?:系统|系統)?(?:指令|指示|规则|規則|提示)
          | (?:これまで|以前|上記|前|今まで)の(?:すべて|全て|全|あらゆる)?の?(?:指示|命令|ルール|プロンプト)
            [をは]?(?:すべて|全て)?(?:無視|忘れ)""",
    ),
    _phrase(
        "무시 잊", rf"(?:이전|기존|앞선|위의?)\s*(?:의\s*)?(?:모든\s*)?{_KOREAN_RULES}\s*(?:모두\s*)?(?:무시하|잊)"
    ),
)
"""Phrases that tell to ignore instructions."""

ASKS = (
    *("send", "post", "upload", "transmit", "exfiltrat", "submit", "forward", "includ", "attach", "append", "pass"),
    *("add", "embed", "email", "share", "put", "copy", "report"),
)
"""English words that ask to give something away."""
_SENDING = (
    *("sende", "schick", "übermitt", "übertrag", "hochlad", "kopier", "lad"),
    *("envoie", "envoy", "transmet", "téléverse", "copie"),
    *("envía", "envia", "envíe", "manda", "sube", "envie", "mande", "carregue", "copia", "invia", "carica"),
    *("отправ", "пошли", "передай", "загрузи"),
)
_SENDING_UNSPACED = (
    *("发送", "上传", "提交", "传送", "发给", "发到", "發送", "上傳", "傳送"),
    *("送信", "送って", "アップロード", "전송", "보내", "업로드"),
)
ASKS_ELSEWHERE = (*_SENDING, *_SENDING_UNSPACED)
"""Words of other languages that ask to send something."""
_ASKS_TO_SEND = late(rf"\b(?:{'|'.join(_SENDING)})|{'|'.join(_SENDING_UNSPACED)}", re.IGNORECASE)
_REFUSES = late(
    r"\b(?:nicht|niemals|nie|kein\w*|ne|jamais|no|nunca|jamás|não|не|никогда)\b|\bn['’]"
    r"|不|别|勿|禁|ない|なく|せず|지\s*(?:마|말|않)|금지",
    re.IGNORECASE,
)
_ADDRESS = late(r"https?://(?!localhost|127\.|\[)", re.IGNORECASE)
_END = late(r"[。！？]|[.!?](?=\s|\Z)|\n[ \t]*(?:\n|[-*+#|>]|\d+[.)])")


def sentence_around(body: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence of a place, at most 200 characters before it and 300 after it."""
    first, last = max(0, start - 200), end + 300
    first = max((mark.end() for mark in _END().finditer(body, first, start)), default=first)
    stop = _END().search(body, end, last)
    return first, stop.start() if stop else min(last, len(body))


def sends_elsewhere(body: str, first: int, last: int) -> bool:
    """Whether a part of a text has words of other languages than English for sending, and an address."""
    return bool(_ASKS_TO_SEND().search(body, first, last) and _ADDRESS().search(body, first, last))


def asks_to_send(body: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of a sentence in another language than English that asks to send a place of it to an address."""
    first, last = sentence_around(body, start, end)
    if not sends_elsewhere(body, first, last):
        return None
    return None if _REFUSES().search(body, first, last) else (start, last)
