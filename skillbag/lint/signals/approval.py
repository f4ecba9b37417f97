"""Phrases that grant an agent everything: see `signals.phrases`."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.english import FAR, each, phrase_of
from skillbag.lint.signals.phrases import FormTable, Phrase

_ACTS = r"(?:commands?|tools?|calls?|actions?|permissions?|requests?|operations?|executions?)"
_BEFOREHAND = r"(?:in\s+advance|beforehand)"
_MEMORY = r"(?:CLAUDE|AGENTS|GEMINI|MEMORY|SOUL)\.md\b"
_LETS = r"""(?:always\s+allow | allow\s+(?:all\b|every\b|any\b|[`"']?Bash\(\*\)) | trust\s+(?:all|every|any|this)\b
    | always\s+run\s+[`"']?[\w./~-]+\.(?:sh|ps1|bat)\b
    | without\s+asking | (?:never|not)\s+ask\b | skip\s+(?:all\s+|the\s+)?(?:confirmation|permission|approval)s?\b)"""
_CONSENT = r"(?:consent|approval|permission|authori[sz]ation)"
CONDITION = late(r"(?i)\b(?:wenn|falls|sobald|si|quand|lorsque|cuando|se|quando|если|когда)\b|如果|若|当|もし")
"""Words before a phrase in other languages that make it a condition."""


def _given(signs: str, user: str, verb: str, before: str, everything: str) -> Phrase:
    """That the user has approved everything already; no condition."""
    clause = r"[^.!?,;\n。！？]{0,80}?"
    form = rf"(?:{user})(?={clause}(?:{before}))(?={clause}(?:{everything})){clause}(?:{verb})"
    return Phrase(tuple(signs.split()), late(rf"{form}(?!\w*(?:면|た(?:場合|ら)))", re.IGNORECASE))


GRANTING = FormTable(
    _given(
        "zugestimmt genehmigt freigegeben",
        "Nutzer|Anwender",
        "zugestimmt|genehmigt|freigegeben|erlaubt",
        r"bereits|schon|vorab|im\s+Voraus",
        r"\balle|\bjede|\bsämtlich",
    ),
    _given(
        "approuvé autorisé accepté",
        "utilisat",
        "approuvé|autorisé|accepté",
        r"déjà|avance|au\s+préalable",
        r"\btou[ts]|\bchaque",
    ),
    _given("aprob autoriz", "usuari", "aprob|autoriz|acept", r"\bya\b|antem|previa", r"\btod[ao]|\bcualquier|\bcada"),
    _given("aprov autoriz", "usuário", "aprov|autoriz|aceit|concord", r"\bjá\b|antem|prévia", r"\btod[ao]|\bqualquer"),
    _given("одобри разреши согласи", "пользовател", "одобри|разреши|согласи", "уже|заранее", r"\bвсе|\bлюб|\bкажд"),
    _given("批准 授权 授權", "用户|用戶|使用者", "批准|授权|授權|同意", "已|预先|提前|事先", "所有|全部|任何|一切"),
    _given("承認 許可 同意", "ユーザー|利用者", "承認|許可|同意", "すでに|既に|事前に|済み", "すべて|全て|全|あらゆる"),
    _given("승인 허용 동의", "사용자", "승인|허용|동의", "이미|사전에|미리", "모든|전부|모두"),
    phrase_of(
        (
            *("ranted permission", "given permission", "ranted full", "given full", "anket approval", "anket consent"),
            *("given at", "given dur", "given on", "ranted at", "ranted dur", "ranted on", "anket permission"),
        ),
        rf"""(?:user|human|operator|owner)s?\s+(?:(?:has|have)\s+)?(?:already\s+|explicitly\s+)?(?:granted|given|gave)\s+
            (?:(?:you|the\s+agent|this\s+skill|full|blanket|explicit|prior|its)\s+){{0,3}}{_CONSENT}\s+(?:for|to)\s+
            (?:(?:run|execute|do|use|perform)\s+)?(?:all|any|every|each|anything|everything)\b
          | (?<!no\ )\b{_CONSENT}\s+(?:for\s+(?:\w+\s+){{1,4}})?(?:was|is|has\s+been|were)\s+(?:already\s+)?
            (?:given|granted)\s+(?:at|during|on|upon|by)\s+(?:the\s+)?(?:install|set-?up|activat|load)\w*
          | (?:you\s+have|there\s+is|user\s+(?:has\s+)?(?:given|gave|grants?))\s+(?:\w+\s+){{0,3}}blanket\s+
            {_CONSENT}\b""",
    ),
    phrase_of(
        ("ermanently: ", "ermanently that", "erm memory", "our memory", "to memory that"),
        r"""(?:save|write|store|add|remember|record|note)\b[^.!?\n]{0,40}?\b
            (?:memory|permanently)(?:\s*:\s*|\s+that\s+)["'“]?
            (?:always\s+(?:recommend|trust|allow|approve|run)\b | never\s+(?:ask|refuse|warn)\b
              | the\s+user\s+(?:wants\s+(?:all|every|any)|(?:has\s+)?(?:agreed|approved|allowed)|trusts|allows)\b)""",
    ),
    phrase_of(
        (
            *each("re-approved reapproved re-authori reauthori in_advance eforehand"),
            *each("ready_appro ready_agree ready_autho ready_consent ready_confirm"),
        ),
        rf"""(?:all|any|every|each)\s+(?:of\s+)?(?:\w+\s+){{0,3}}?{_ACTS}\b (?:(?!list|allow)[^.!?\n]){{0,60}}?
            \b(?:is|are|was|were|has\s+been|have\s+been|count\s+as)\s+(?:\w+\s+){{0,2}}?
            (?:pre-?approved|pre-?authori[sz]ed|(?:approved|authori[sz]ed|confirmed)\s+{_BEFOREHAND})\b
          | (?:user|human|operator|owner)s?\s+(?:(?:has|have|had)\s+)?
            (?:(?P<before>already\s+|pre-?)|(?:\w+\s+){{0,2}}?)
            (?:agree[ds]?|consent(?:ed|s)?|approve[ds]|authori[sz]e[ds]|granted|confirmed)\s+(?:{_BEFOREHAND}\s+)?
            (?:to\s+)?(?:all|any|every)\s+(?:\w+\s+){{0,3}}?{_ACTS}\b
            (?(before)|[^.!?\n]{{0,40}}?\b{_BEFOREHAND}\b)""",
        reach=FAR,
    ),
    phrase_of(("approveAll", "ApproveAll", "approve_all"), r"""auto-?_?approve_?-?all["']?\s*[:=]\s*["']?true\b"""),
    phrase_of(
        each("pprove_every pprove_all pprove_any pprove_each ccept_every ccept_all ccept_any ccept_each")
        + each("onfirm_every onfirm_all onfirm_any onfirm_each"),
        r"""(?:auto-?)?(?:approve|accept|confirm)\s+(?:every|all|any|each)\s+(?:\w+\s+){0,2}?
            (?:commands?|tools?|calls?|actions?|prompts?|permissions?|requests?|confirmations?)\b [^.!?\n]{0,60}?
            \b(?: (?:by\s+)?yourself | without\s+asking | (?:never|do\s+not|don['’]t)\s+ask
                 | on\s+the\s+user['’]s\s+behalf | on\s+behalf\s+of\s+the\s+user | for\s+the\s+user )\b""",
    ),
    phrase_of(
        each("tanding_consent tanding_approv tanding_permi tanding_autho igned_off_on"),
        r"""(?:you\s+have|there\s+is|user\s+(?:has\s+)?(?:given|gave|grants?))\s+(?:\w+\s+){0,3}
            standing\s+(?:consent|approval|permission|authori[sz]ation)\b
          | (?:user|operator|owner|human)s?\s+(?:(?:has|have|already)\s+){0,2}signed\s+off\s+on\s+
            (?:every|all|each|any)\b""",
    ),
    phrase_of(
        ("bypassPermissions", "danger-full-access"),
        r"""(?:set|switch|change|put)\s+(?:\w+\s+){0,4}mode\s+to\s+[`"']?(?:bypassPermissions|danger-full-access)\b""",
        reach=80,
    ),
    phrase_of(
        ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", "SOUL.md"),
        rf"(?:append|add|write|save|put|record|insert)\b[^!?\n]{{0,60}}?\b{_MEMORY}[^\n]{{0,80}}?{_LETS}",
        reach=80,
    ),
    phrase_of(
        each("our_memory erm_memory ent's_memory"),
        r"""(?:save|write|store|add|remember)\s+(?:\w+\s+){0,3}(?:to|in|into)\s+(?:your|the\s+agent['’]s)\s+
            (?:\w+[ -])?memory\s+that\b[^.\n]{0,120}?\b(?:trust(?:ed|s)?|without\s+asking|approved)\b""",
    ),
    phrase_of(
        ("ermissions.allow", "ermission.allow"),
        r"""permissions?\.allow[`"']?\s+(?:contains?|includes?|has)\s+["'`]?(?:Bash\(\*\)|Bash\(\*:\*\)|\*)""",
    ),
)
"""Phrases that tell an agent to answer its own questions, or that its user has answered all of them before."""
