"""Phrases in other languages that tell an agent to hide something from its user, and short ones in English.

Each has a word for what is hidden ("it", "this", "nothing"): advice not to tell a user a certain thing is a matter of
style.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late

_STEP = r"(?:edit|change|entry|line|step|action|command|request|transfer|upload|operation|instruction|addition)s?"
_TELL = r"(?:mention|tell|report|announce|disclose|reveal)"
_ENGLISH = rf"""(?:no\s+need|need\s+not|needn['’]t|(?:do\s+not|don['’]t)\s+(?:have|need))\s+(?:to\s+)?
    {_TELL}\s+ (?: (?:this|these)\s+{_STEP}\b | (?:this|these|it|them)\s+to\s+(?:the|your)\s+(?:user|human|operator)s?\b
      | (?:the|your)\s+(?:user|human|operator)s?\s+(?:about\s+(?:this|these|it|them)\b|that\s+you\b) )"""
_SPANISH_USER = r"(?:al\s+usuario|a\s+la\s+usuaria|a\s+los\s+usuarios)"
_SPANISH = rf"""no\s+(?:se\s+|le\s+)?(?: (?:lo|la|los|las)\s+(?:digas?|cuentes?|menciones?|reveles?|muestres?)
      | (?:digas?|cuentes?|menciones?|reveles?)\s+(?:esto|eso|nada)(?:\s+de\s+esto)? )\s+{_SPANISH_USER}\b
    | no\s+(?:informes?|avises?)\s+{_SPANISH_USER}\s+(?:de|sobre)\s+(?:esto|ello|este\s+paso)\b
    | sin\s+(?:decírselo|contárselo)\s+{_SPANISH_USER}\b
    | sin\s+que\s+(?:el\s+usuario\s+(?:lo\s+sepa|se\s+entere)|(?:lo\s+sepa|se\s+entere)\s+el\s+usuario)\b"""
_FRENCH_USER = r"l['’]utilisat(?:eur|rice)"
_FRENCH = rf"""ne\s+(?:le|la|les)\s+(?:dis|dites|mentionne[sz]?|révèle[sz]?|montre[sz]?|signale[sz]?)\s+
      (?:pas|jamais)\s+à\s+{_FRENCH_USER}
    | ne\s+(?:dis|dites)\s+rien\s+(?:de\s+(?:cela|ceci)\s+)?à\s+{_FRENCH_USER}
    | n['’]en\s+(?:parle[sz]?|informe[sz]?)\s+(?:pas|jamais)\s+(?:à\s+)?{_FRENCH_USER}
    | à\s+l['’]insu\s+de\s+{_FRENCH_USER} | sans\s+(?:le\s+dire\s+à|en\s+informer)\s+{_FRENCH_USER}"""
_GERMAN_USER = r"(?:de[mnr]\s+(?:Nutzer|Benutzer|Anwender)(?:in|n)?)"
_GERMAN = rf"""(?:sage?|sagen\s+Sie|erzähle?|verrate?|zeige?|melde)\s+(?:es|das|dies|davon)\s+{_GERMAN_USER}\s+
      (?:nicht|nie)\b
    | (?:sage?|sagen\s+Sie|erzähle?|verrate?)\s+{_GERMAN_USER}\s+
      (?:nichts(?:\s+davon)?|(?:es|das|dies|davon)\s+(?:nicht|nie))\b
    | verschweige?\s+(?:es|das|dies)\s+{_GERMAN_USER}
    | ohne\s+(?:dass\s+{_GERMAN_USER}\s+(?:es|das|etwas)\s+(?:merkt|bemerkt|erfährt|weiß)
      |(?:es|das)\s+{_GERMAN_USER}\s+zu\s+(?:sagen|zeigen|melden))\b"""
_PORTUGUESE = r"""não\s+(?:o\s+|lhe\s+)?(?:diga|conte|mencione|revele|informe|fale)s?\s+(?:isso|isto|nada)\s+
    (?:ao|para\s+o|a\s+o)\s+(?:usuário|utilizador)\b
    | sem\s+que\s+o\s+(?:usuário|utilizador)\s+(?:saiba|perceba)\b"""
_RUSSIAN = r"""не\s+(?:говори|сообщай|рассказывай|упоминай)(?:те)?\s+
      (?: (?:об\s+этом|про\s+это|этого|это)\s+пользовател\w*
        | пользовател\w*(?=\s+(?:об\s+этом|про\s+это|этого|это|ничего)\b|\s*(?:[.!;,]|$)) )
    | (?:без\s+ведома|втайне\s+от)\s+пользовател\w*"""
_CHINESE = r"""(?:不要|别|勿|不得|切勿|不能|无需|不必)
      (?:将|把)?(?:此事|这件事|这一步|此步骤|这个步骤|该操作|此操作|这些)?
      (?:告诉|告知|通知|透露给|告訴)(?:用户|用戶|使用者)(?=\s*(?:[。！；，.!;,]|这|此|任何|$))
    | (?:瞒着|瞞著|不让|不要让)(?:用户|用戶|使用者)(?:知道|发现|發現|察觉)"""
PHRASES = late(
    rf"""\b(?:{_ENGLISH})
      | \b(?:{_SPANISH} | {_FRENCH} | {_GERMAN} | {_PORTUGUESE} | {_RUSSIAN}) | {_CHINESE}""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
