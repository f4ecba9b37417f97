"""Phrases that grant an agent everything: see `signals.phrases`."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.classes import TONGUES
from skillbag.lint.signals.phrases import FAR, FormTable, each, phrase_of

_ACTS = r"(?:steps?|changes?|edits?|commands?|tools?|calls?|actions?|permissions?|requests?|operations?|executions?)"
_BEFOREHAND = r"(?:in\s+advance|beforehand)"
_KEEPS = r"(?:append|add|write|save|put|record|insert|store|remember|keep|note|overwrite|memori[sz]e)"
_LETS = r"""(?:always\s+(?:allow|trust|approve|obey|send|upload)\b | allow\s+(?:all\b|every\b|any\b|[`"']?Bash\(\*\))
    | trust\s+(?:all|every|any|this)\b | always\s+run\s+(?:[`"']?[\w./~-]+\.(?:sh|ps1|bat)\b|(?:the\s+)?commands\s+of)
    | without\s+asking | (?:never|not)\s+ask\b | skip\s+(?:all\s+|the\s+)?(?:confirmation|permission|approval)s?\b)"""
_CONSENT = r"(?:consent|approval|permission|authori[sz]ation)"
CONDITION = late(r"(?i)\b(?:wenn|falls|sobald|si|quand|lorsque|cuando|se|quando|если|когда)\b|如果|若|当(?!前)|もし")
"""Words before a phrase in other languages that make it a condition."""
_STARTS = r"(?:(?<=[.!?:;>*-]\s)|(?<=\n))"
GRANTING = FormTable(
    *(tongue.approval() for tongue in TONGUES),
    phrase_of(
        each("r's_prior r's_full r's_consent r's_perm r's_appro r's_autho as_approved"),
        rf"""{_STARTS}(?:all|any|every|each)\s+(?:of\s+)?(?:\w+\s+){{0,3}}?{_ACTS}\b[^.!?\n]{{0,40}}?\b
            (?:has|have|carry|carries|comes?\s+with|(?:is|are)\s+covered\s+by)\s+(?:the\s+)?(?:user|operator|owner|human)['’]s\s+
            (?:\w+\s+){{0,2}}{_CONSENT}\b
          | {_STARTS}(?:the\s+)?(?:user|operator|owner)['’]s\s+(?:\w+\s+)?{_CONSENT}\s+
            (?:covers|extends\s+to|applies\s+to|holds\s+for|includes)\s+(?:all|any|every|each)\b
          | {_CONSENT}\s+(?:of|by|from)\s+the\s+(?:user|operator|owner)\s+(?:to|for)\s+(?:all|any|every|each)\s+
            (?:\w+\s+){{0,2}}(?:is|was|has\s+been)\s+(?:implied|assumed|given|granted|presumed)\b
          | (?:treat|consider|regard)\s+(?:all|any|every|each)\s+(?:\w+\s+){{0,3}}?{_ACTS}\b[^.!?\n]{{0,40}}?\bas\s+
            (?:already\s+|pre-?)?(?:approved|authori[sz]ed|confirmed)\b""",
        reach=FAR,
    ),
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
            (?:commands?|tools?|calls?|actions?|prompts?|permissions?|requests?|confirmations?)\b
            (?:[^.!?\n]|\n(?=\w)){0,60}?
            \b(?: (?:by\s+)?yourself | without\s+(?:asking|confirmation)
                 | (?:never|do\s+not|don['’]t)\s+(?:need\s+to\s+)?(?:ask|confirm)
                 | on\s+the\s+user['’]s\s+behalf | on\s+behalf\s+of\s+the\s+user | for\s+the\s+user )\b""",
    ),
    phrase_of(
        each("afety_confirm ser_confirm onfirmation_prompt"),
        r"""(?:disable|skip|switch\s+off|turn\s+off|suppress)\s+(?:(?:the|all|any|every|your|safety|user)\s+)*
            confirmation(?:\s+(?:prompt|dialog|step))?s?\b (?:[^.!?\n]|\n(?=\w)){0,80}?
            \bwithout\s+(?:the\s+|any\s+)?(?:(?:user|human|operator)(?:['’]s)?\s+)?(?:asking|approval|consent)\b""",
        beside="without & disable skip switch turn suppress",
    ),
    phrase_of(
        each("tanding_consent tanding_approv tanding_permi tanding_autho tanding_go igned_off_on"),
        r"""(?:you\s+(?:have|hold)|there\s+is|user\s+(?:has\s+)?(?:given|gave|grants?))\s+(?:\w+\s+){0,3}
            standing\s+(?:consent|approval|permission|authori[sz]ation|go-ahead)\b
          | (?:user|operator|owner|human)s?\s+(?:of\s+this\s+\w+\s+)?(?:(?:has|have|already)\s+){0,2}
            signed\s+off\s+on\s+(?:every|all|each|any)\b""",
    ),
    phrase_of(
        ("bypassPermissions", "danger-full-access"),
        r"""(?:set|switch|change|put|write|add|edit|merge|insert)\b[^.!?\n]{0,60}?(?:\bmode\b|settings\b|\.toml\b|defaultMode)
            [^!?\n]{0,60}?\b(?:bypassPermissions|danger-full-access)\b""",
        reach=160,
    ),
    phrase_of(
        each("our_memory erm_memory ent's_memory ent_memory uture_sess ater_sess ll_sess very_sess ermanently"),
        rf"""{_KEEPS}\b[^.!?\n]{{0,60}}?\b(?:memory|sessions?|permanently)\b
            (?:[^.!?\n]|\.(?=\w)|\n(?![ \t]*\n)){{0,120}}?
            \b(?:{_LETS}|trust(?:s|ed)?\b|approved\b|always\s+(?:recommend|prefer)\b|never\s+(?:refuse|warn)\b
              |(?:without|no)\s+(?:confirmation|approval|a\s+warning)\b|future\s+answers\s+(?:prefer|prioriti[sz]e)\b
              |the\s+user\s+wants\s+(?:all|every|any)\b|that\s+the\s+user\s+(?:(?:has\s+)?(?:agreed|allowed)|allows)\b)""",
        reach=80,
        beside="trust approv allow always without future never skip wants agreed & save store writ add rememb keep put",
    ),
    phrase_of(
        ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", "SOUL.md"),
        rf"""{_KEEPS}\b[^!?\n]{{0,60}}?\b(?:CLAUDE|AGENTS|GEMINI|MEMORY|SOUL)\.md\b
            [^\n]{{0,80}}? (?:(?<=:)\s*```\w*\r?\n[^`]{{0,160}}?)?{_LETS}""",
        reach=80,
        beside="allow trust always without never skip agreed",
    ),
    phrase_of(
        ("ermissions.allow", "ermission.allow"),
        r"""permissions?\.allow[`"']?\s+(?:contains?|includes?|has)\s+["'`]?(?:Bash\(\*\)|Bash\(\*:\*\)|\*)""",
    ),
)
"""Phrases that tell an agent to answer its own questions, or that its user has answered all of them before."""
