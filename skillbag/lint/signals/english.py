"""Phrases for agents in English, each written once: see `signals.tongues`."""

from __future__ import annotations

from skillbag.lint.signals.phrases import FAR, FormTable, each, phrase_of


def _negated(verbs: str) -> tuple[str, ...]:
    """A verb behind "not", "don't", "never" or "or"; it may begin a line."""
    found = [end + verb for verb in verbs.split() for end in ("t ", "r ", "T ", "R ", "  ", "\t", "\n")]
    return (*found, *(blank + verb.upper() for verb in verbs.split() for blank in (" ", "\n")))


_USERS = "user human operator"
_OBJECTS = "the your user users human humans operator operators this these any it them to"
_GAP = r"(?:[^.!?\n]|\n(?![ \t]*(?:\n|[-*+>#|]|\d+[.)])))"
"""Within a sentence, over the end of a line."""
_STEPS = "step action command request transfer upload operation instruction rule edit change entry line addition"
_RULE_WORDS = "instruction prompt rule guideline directive guardrail training restriction safeguard polic guidance"
_RULE_WORDS += " message confirmation constraint limit filter told taught ordered commanded instructed"
_USER = r"(?:the\s+|your\s+)?(?:user|human|operator)s?"
_NOT = r"(?:do\s+not|don['’]t|never)\s+"
_DONE = "sent|uploaded|copied|collected|installed|executed|deleted|accessed|shared|added"
_DID = r"(?:ran|did|read|took|called|fetched|opened|made|used)\s+(?:this|these|it|them)"
_STEP = r"(?:instruction|step|rule|action|command|request|transfer|upload|operation)s?"
_TELLING = r"(?:telling|informing|notifying|alerting|mentioning)"
_ANSWER = r"(?:summary|report|answer|reply|response|output|log)s?"
_DEED = r"(?:edit|change|entry|line|step|action|command|request|transfer|upload|operation|instruction|addition)s?"
_TELL = r"(?:mention|tell|report|announce|disclose|reveal)"
HIDING = (
    phrase_of(
        each("telling informing notifying alerting mentioning"),
        rf"""without\s+(?:ever\s+)?(?:(?:asking|prompting|mentioning\s+it|warning)\s+(?:or|and|nor)\s+)?{_TELLING}\s+
              (?:it\s+to\s+)?{_USER}\b
          | without\s+(?:asking|prompting)\s+(?:{_USER}\s+)?(?:or|and|nor)\s+{_TELLING}\b""",
        beside=f"{_USERS} asking prompting",
    ),
    phrase_of(
        each("ser_know ser_notic ser_reali ser's_kn ser_being_a ator_know ator_notic uman_know uman_notic"),
        rf"""without\s+{_USER}(?:['’]s)?\s+(?:ever\s+)?
          (?:know(?:ing|ledge)|noticing|realizing|realising|being\s+aware|awareness)\b""",
    ),
    phrase_of(
        (*_negated("inform notify alert tell reveal let mention disclose show acknowledge"), "t report", "r report"),
        rf"""{_NOT}(?:inform|notify|alert)\s+{_USER}\s+(?:that\s+you|about\s+this|of\s+this|about\s+what\s+you)\b
          | {_NOT}(?:tell|reveal\s+to|let)\s+{_USER}\s+(?:know\s+)?
              (?: (?:about|of)\s+(?:this|these|the|any\s+of\s+(?:this|these|the))\s+{_STEP}
                | (?:anything\s+)?about\s+(?:this|it)(?=\s*(?:[.!;,)\n]|$))
                | that\s+you(?:['’]ve|\s+have)?\s+(?:{_DONE}|{_DID})
                | that\s+(?:this|these|the|any|your|its?)\s+(?:\w+\s+){{0,2}}(?:was|were|has|have|had|is|are|got)\s+
                  (?:(?:been|being)\s+)?(?:{_DONE}) )\b
          | {_NOT}(?:mention|reveal|disclose|show|report)\s+(?:this|these|the)\s+{_STEP}\s+to\s+{_USER}\b
          | {_NOT}(?:mention|reveal|disclose)\s+(?:any\s+of\s+)?(?:this|these|it|them)\s+
              (?:(?:at\s+all|ever)\s+)?to\s+{_USER}\b
          | {_NOT}(?:mention|reveal|disclose|report|acknowledge)\s+(?:any\s+of\s+)?
              (?:(?:this|these)|the(?=\s+(?:extra|additional|hidden)))\s+(?:(?:extra|additional|hidden)\s+)?
              (?:step|action|command|request|transfer|upload|operation)s?\b
              (?=\s*(?:[.!;]|$|in\s+(?:your|the)\s+{_ANSWER}\b))""",
        beside=f"{_USERS} {_STEPS}",
        then=_OBJECTS,
        after="not n't n’t never",
    ),
    phrase_of(
        each("hide Hide onceal"),
        rf"""(?:hide|conceal)\s+ (?: (?:this|it)\s+ | (?:this|these|all|any|the|your)\s+{_STEP}\s+ )
              from\s+(?:the|your)\s+(?:user|human|operator)\b
          | (?:hide|conceal)\s+(?:the\s+|all\s+|any\s+)?(?:outputs?|results?|logs?|traces?|effects?)\s+of\s+
              (?:this|these|the)\s+(?:\w+\s+)?{_STEP}\s+from\s+{_USER}\b""",
        beside=_USERS,
        then="this it these all any the your output outputs result results log logs trace traces effect effects",
    ),
    phrase_of(
        each("ecret_from idden_from ecret: idden: ecret, idden, ecret; idden; ecret_and idden_and ecret. idden."),
        rf"""keep\s+(?:this|these|it)\s+(?:\w+\s+){{0,2}}(?:secret|hidden)\s+from\s+{_USER}\b
          | keep\s+(?:this|these|the|it|all)\s+(?:\w+\s+){{0,2}}(?:secret|hidden)\s*
              (?:[:;,.]|\band\b)\s*(?:and\s+)?{_NOT}
              (?:show|display|mention|reveal|tell|report|disclose)\s+(?:(?:this|these|it|them)\s+)?(?:to\s+|about\s+)?
              {_USER}\b""",
        beside=f"{_USERS} & keep",
    ),
    phrase_of(
        each("eep_this eep_these tay_inv emain_inv tay_hid emain_hid tay_unn emain_unn"),
        rf"""keep\s+(?:this|these)\s+{_STEP}\s+(?:silent|quiet)\b(?!\s+(?:and\s+)?(?:fast|short|brief))
          | this\s+(?:{_STEP}\s+)?(?:must|should|has\s+to)\s+(?:always\s+)?(?:stay|remain)\s+
              (?:invisible\s+to|hidden\s+from|unnoticed\s+by)\s+{_USER}\b""",
        beside="silent quiet invisible hidden unnoticed",
    ),
    phrase_of(
        each("nclude_this nclude_these list_this list_these put_this put_these record_this record_these")
        + each("mit_this mit_these eave_this eave_these escribe_this escribe_these"),
        rf"""(?: {_NOT}(?:include|list|put|record|note|describe)\s+(?:this|these)\s+{_STEP}\s+(?:in|into)
              | omit\s+(?:this|these)\s+{_STEP}\s+(?:from|in)
              | leave\s+(?:this|these)\s+{_STEP}\s+out\s+of )
              \s+(?:your|the|any)\s+(?:\w+\s+)?{_ANSWER}\b[^.!?\n]{{0,40}}?\b{_USER}\b""",
        beside=_USERS,
    ),
    phrase_of(
        (*each("ween_us ween_you"), "ring it up", "ring this up", "nothing about thi"),
        rf"""keep\s+(?:this|that|it)\s+(?:{_STEP}\s+)?(?:just\s+|strictly\s+)?between\s+(?:us|you\s+and\s+me)\b
          | {_NOT}bring\s+(?:this|it)\s+up\s+(?:with|to|in\s+front\s+of)\s+{_USER}\b
          | say\s+nothing\s+about\s+(?:this|these|it)\s+(?:{_STEP}\s+)?(?:to\s+{_USER}\b|in\s+your\s+{_ANSWER})""",
    ),
    phrase_of(
        each("must_n should_n must_N should_N"),
        rf"""{_USER}\s+(?:must|should)\s+(?:not|never)\s+
          (?:know|notice|find\s+out|be\s+told|be\s+informed|learn)\s+(?:(?:about|of|that)\s+)?(?:this|these|you|it)\b""",
        beside=f"{_USERS} & know notice find told informed learn",
    ),
    phrase_of(
        each("ser_nev ser_does ator_nev ator_does uman_nev uman_does sers_nev ser_will ser_won ser_can"),
        rf"""(?:make\s+sure|ensure|so)\s+(?:that\s+)?{_USER}\s+
          (?:never|does\s+not|doesn['’]t|will\s+not|won['’]t|cannot|can['’]t)\s+
          (?:notices?|knows?|finds?\s+out|realizes?|realises?|suspects?|learns?)\b\s*
          (?:(?:about|of|that)\s+)?(?:this|these|you|it|anything|what\s+you)?
          (?=\s*(?:[.!;,]|$)|\s+(?:has|have|did|is|are)\b)""",
        beside="sure ensure so & notice know find reali suspect learn",
    ),
    phrase_of(
        each("ser_ask f_asked hey_ask nyone_ask ator_ask uman_ask ser_wonder ser_notic"),
        rf"""if\s+(?:{_USER}|they|anyone|asked)\s*(?:asks?|is\s+asked|wonders?|notices?)?[^.!?\n]{{0,40}}[,:]\s*(?:then\s+)?
          (?:deny|lie|pretend|claim|say\s+(?:that\s+)?(?:nothing|you\s+(?:did\s+not|didn['’]t|have\s+not)|it\s+(?:is|was)\s+
            (?:just\s+)?(?:a\s+)?(?:routine|normal)))\b""",
        beside="deny lie pretend claim say",
    ),
    phrase_of(
        each("retend ct_as_if"),
        r"""(?:pretend|act\s+as\s+if)\s+(?:that\s+)?
          (?:nothing\s+happened|you\s+(?:did\s+not|didn['’]t|never)\s+(?:do|run|read|send|see))\b""",
    ),
    phrase_of(
        (
            *each("o_need eed_not ot_need ot_have_to n't_need n't_have_to n’t_need n’t_have_to"),
            *("eedn", "o need\tto", "ot\tneed"),
        ),
        rf"""(?:no\s+need|need\s+not|needn['’]t|(?:do\s+not|don['’]t)\s+(?:have|need))\s+(?:to\s+)?
          {_TELL}\s+ (?: (?:this|these)\s+{_DEED}\b
            | (?:this|these|it|them)\s+to\s+(?:the|your)\s+(?:user|human|operator)s?\b
            | (?:the|your)\s+(?:user|human|operator)s?\s+(?:about\s+(?:this|these|it|them)\b|that\s+you\b) )""",
        beside=f"{_USERS} {_STEPS} & mention tell report announce disclose reveal",
    ),
)
"""Phrases that tell to hide something from the user."""

_SILENTLY = r"(?:silently|quietly|secretly|covertly)"
WEAK = FormTable(
    phrase_of(
        ("ilently", "ecretly", "overtly", "uietly"),
        rf"""{_SILENTLY}\s+(?:and\s+\w+\s+)?
            (?:read|send|upload|copy|post|transmit|collect|forward|cat|include|attach|append|exfiltrate)\b
          | (?:read|send|upload|copy|post|collect|forward|include|attach)\s+
            (?:it|them|this|these|that|the\s+\w+)\s+{_SILENTLY}\b""",
    ),
    phrase_of(
        (
            end + verb
            for verb in ["tell", "reveal", "mention", "disclose", "show", "displ", "report"]
            for end in ("t ", "r ")
        ),
        rf"""{_NOT}(?:show|display)\s+(?:this|these|it|them|the\s+(?:result|content|output|file)s?)\s+
            (?:to|for)\s+{_USER}\b
          | {_NOT}(?:mention|tell|report|reveal|disclose)\s+(?:this|these|it|them|the\s+\w+)\s*(?:step|part|file)?s?
            (?:\s+to\s+{_USER})?(?=\s*(?:[.!;,]|$))""",
        then="this these it them the",
    ),
)
"""Ordinary words about software and style, which count only beside the path of a secret file."""

RULES = (
    r"(?:instructions?|prompts?|rules|guidelines|directives|guardrails|training|restrictions|safeguards|polic(?:y|ies))"
)
_FREED = rf"(?:\w+\s+){{0,2}}(?:{RULES}|limits|limitations|filters)"
_ANY_RULES = rf"(?:{RULES}|guidance|messages?|confirmations?|constraints)"
_GIVEN = rf"""{_ANY_RULES}\s+(?:(?:that\s+)?you\s+(?:were|have\s+been|got|received|['’]ve\s+been)\b
        |(?:from|of|by)\s+(?:the\s+|your\s+)?(?:developers?|operators?)\b)"""
"""The instructions of those who run the agent. A user's are not meant, and neither are those for another task."""
_THIS_FILE = r"this\s+(?:file|skill|document|page)"
_ALL = r"(?:(?:all|any|every|each|the|of|these|those|other|my|and)[\s,]+)"
_OWNED = "previous|prior|earlier|preceding|above|foregoing|original|initial|existing|core|system|safety|developer|your"
"""Words beside rules that say whose they are."""
_DROP = r"(?:ignore|disregard|forget|discard|set\s+aside)"
_RULES_OF_OTHERS = rf"{_ALL}*+ (?:{_OWNED})\b[\s,]+ (?:\w+[\s,]+){{0,4}}? {RULES}\b"
_GUARDS = r"""(?:safety\s+(?:\w+\s+)?(?:(?:confirmation|check|rule|guideline|instruction|filter|guardrail|prompt)s?
    |polic(?:y|ies))|safeguards?|guardrails?|system\s+prompts?)"""
_OFF = r"""(?:no\s+longer\s+(?:appl(?:y|ies)|valid|in\s+force|bind\w*)|do(?:es)?\s+not\s+apply\s+(?:any\s?more|here|now)
    |(?:is|are|was|were|have\s+been|has\s+been)\s+(?:now\s+)?(?:void|suspended|lifted|superseded|disabled|removed|obsolete
      |outdated|out\s+of\s+date|(?:switched\s+|turned\s+)?off))"""
_CHECKS = r"(?:checks?|tests?|reviews?|confirmations?|findings?|warnings?|safeguards?|instructions|rules)"
IGNORING = (
    phrase_of(
        ("nother skill", "ther skills"),
        r"""(?:when(?:ever)?|if)\s+another\s+skill\s+[^!?\n]{0,80}?\b
              (?:use\s+this\s+(?:one|skill)\s+instead\s+and\s+(?:say|claim|pretend)
                |(?:must|should|has\s+to)\s+(?:first\s+)?(?:pass|send|give|hand)\b[^.!?\n]{0,30}?\bto\s+this\s+skill)\b
          | (?:all\s+)?other\s+skills?\b[^!?;)\n]{0,80}?\b(?:uninstall|disable|remove|delete|deactivate)\s+(?:them|it)\b
          | (?:uninstall|disable|remove|delete|deactivate)\s+(?:all\s+|any\s+|every\s+)?other\s+skills?\b""",
        FAR,
    ),
    phrase_of(
        ("ll to skip", "ll to ign", "ll to byp", "nt to skip", "nt to byp", "er to skip", "er to ign"),
        rf"""(?:tell|instruct|ask|make|order)\s+(?:the|every|any|all|each)\s+(?:[\w-]+\s+){{0,3}}?
          (?:skill|agent|reviewer|scanner)s?\s+to\s+(?:skip|ignore|bypass)\s+(?:its|their|the|all|any)\s+(?:\w+\s+)?{_CHECKS}\b""",
    ),
    phrase_of(
        ("o findings for", "o issues for", "o warnings for", "o findings in", "skill was audited", "skill is audited"),
        r"""(?:report|raise|list|give)\s+no\s+(?:findings?|issues?|warnings?)\s+(?:for|in|about|on)\s+(?:it|this\s+(?:skill|file))\b
          | (?:scanners?|reviewers?|auditors?|review\s+skill|linters?)\b[^.!?\n]{0,20}:[^.!?\n]{0,40}?\b
            this\s+(?:skill|file)\s+(?:is|was|has\s+been)\s+audited\b""",
    ),
    phrase_of(
        each("gnore isregard orget iscard et_aside"),
        rf"""{_DROP}\s+{_RULES_OF_OTHERS}
          | {_DROP}\s+(?:everything|anything|whatever|what|all)\s+(?:that\s+)?
            you(?:['’]ve|\s+(?:have|had|were|are))?\s+(?:(?:been|ever|previously)\s+)*
            (?:told|instructed|taught|ordered|commanded)\b (?! \s+(?:about|regarding|on)\b)
          | disregard\s+{_ALL}*(?:\w+\s+)?polic(?:y|ies)\b""",
        beside=f"{_RULE_WORDS} & {_OWNED.replace('|', ' ')} you polic",
        then=f"all any every each the of these those other my and everything anything whatever what company"
        f" {_OWNED.replace('|', ' ')}",
    ),
    phrase_of(
        (*_negated("follow obey"), *each("op_follow op_obey")),
        rf"(?:do\s+not|don['’]t|never|stop)\s+(?:follow|obey)(?:ing)?\s+{_RULES_OF_OTHERS}",
        beside=f"{_RULE_WORDS} & previous prior earlier original system safety developer",
    ),
    phrase_of(
        each("verride ypass isable ircumvent"),
        rf"""(?:override|bypass|disable|circumvent)\s+{_ALL}*+
            (?: system\s+prompt | (?:your|developer)\s+(?:own\s+)?(?:system\s+prompt|(?:safety\s+)?{RULES})
              | safety\s+(?:guardrails|guidelines|instructions|polic(?:y|ies)) )\b""",
        beside=f"{_RULE_WORDS} & your system developer safety",
        then="all any of the system your developer safety",
    ),
    phrase_of(
        each("ou_are_now bound_by rom_now_on nrestricted_mode eveloper_mode DAN_mode god_mode ailbreak_mode")
        + each("nrestricted-mode god-mode DAN-mode ailbreak-mode"),
        rf"""(?:in|enter|activate|enable|switch\s+to|use)\s+(?:the\s+|an?\s+)?(?:unrestricted|jailbreak|DAN|god)[ -]mode
          | (?:operat|runn|act|work)ing\s+in\s+(?:developer|unrestricted)\s+mode
          | (?:enter|activate|switch\s+to|enable)\s+developer\s+mode\s*[,;:]?\s+(?:(?:and|where|with|in\s+which)\s+)?
            (?:\w+\s+){{0,4}}?(?:ignor\w+|disregard\w*|bypass\w*|no|without)\s+{_FREED}
          | you\s+are\s+(?:now\s+)?(?:in\s+)?(?:DAN|jailbroken|unrestricted|unfiltered|uncensored|god\s+mode)\b
          | you\s+are\s+(?:now\s+)?(?:no\s+longer|not)\s+bound\s+by\s+{_FREED}
          | from\s+now\s+on\W{{1,3}}(?:\w+\s+)?you\s+(?:(?:will|must|shall|are\s+to)\s+)?
            (?:obey|comply\s+with\s+(?:every|all|any)|ignore|disregard|no\s+longer|have\s+no\s+{_FREED}|answer\s+without
              |only\s+(?:obey|follow)
              |are\s+(?:not\s+bound|no\s+longer|free\s+(?:of|from)|an?\s+(?:un(?:restricted|filtered|censored)|jailbroken)))""",
    ),
    phrase_of(
        each("upersed ons_over les_over ves_over ers_over ons_repl les_repl ons_outr les_outr ves_repl ers_repl"),
        rf"""(?:these|the\s+following|this\s+skill['’]s|my)\s+(?:instructions|rules|directives|orders)\s+
          (?:override|supersede|replace|outrank)\s+{_ALL}*(?:(?:{_OWNED})\s+){{1,3}}{RULES}""",
        beside=f"{_RULE_WORDS} & instructions rules directives orders",
    ),
    phrase_of(
        each("le_wins ll_wins age_wins ent_wins revails akes_prec akes_prior precedence_over priority_over"),
        rf"""{_GIVEN}[^!?\n]{{0,120}}?\b{_THIS_FILE}\s+(?:wins|prevails|takes\s+(?:precedence|priority))\b
          | {_THIS_FILE}\s+(?:wins|takes\s+(?:precedence|priority)|has\s+(?:precedence|priority))\s+over\s+
            (?:{_ALL}|your\s+)*(?:system|developer|operator|safety)['’]?s?\s+(?:\w+\s+)?{_ANY_RULES}""",
        reach=FAR,
        beside=_RULE_WORDS,
    ),
    phrase_of(
        each("o_longer_appl not_apply s_void e_void superseded uspended lifted e_disabled n_disabled"),
        rf"""{_GIVEN}[^.!?\n]{{0,80}}?\b{_OFF}\b
          | your\s+(?:(?:prior|previous|earlier|system|safety|original|core|default)\s+){{1,3}}{RULES}\s+{_OFF}\b""",
        reach=FAR,
        beside=f"{_RULE_WORDS} & developer operator you",
    ),
    phrase_of(
        each("ched_off rned_off uspended lifted s_disabled e_disabled n_disabled e_removed n_removed")
        + each("o_longer_ s_void e_void bsolete utdated f_date superseded"),
        rf"""{_GUARDS}\b [^.!?\n]{{0,80}}?\b{_OFF}\b {_GAP}{{0,80}}?\b(?:
            (?:run|execute|approve[ds]?|proceed|allowed)\b
              {_GAP}{{0,60}}?\b(?:without|whatever|everything|anything|any|all)
            | (?:override|ignore|replace|disregard|discard|overrule|follow) )\b""",
        reach=FAR,
        beside="safety safeguard guardrail system & override ignore replace discard disregard overrule without whatever"
        " everything anything",
    ),
    phrase_of(
        each("ew_instr eal_instr rue_instr tual_instr ew_system_p eal_system_p rue_system_p ew_dir eal_dir rue_dir"),
        r"your\s+(?:new|real|true|actual)\s+(?:\w+\s+)?(?:instructions|system\s+prompt|directives?)\s+(?:is|are)\b",
        beside="your",
    ),
)
"""Phrases that tell to ignore instructions."""
