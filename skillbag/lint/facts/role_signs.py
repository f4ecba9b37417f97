"""The signs by which a place is an order, is shown, or is data: the one table that `roles.py` reads."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late

NEGATES = late(
    r"""\b(?:never|cannot|avoid|refuse\s+to|instead\s+of|rather\s+than|
          (?:do|does|must|should|shall|may|can|would)\s*(?:not|n['’]t))\b
          (?!\s+(?:mind|forget|worry|need|miss|skip|omit|fail|hesitate|close|wait|panic)\b)[^.!?\n]{0,80}$
      | \b(?:detect|flag|reject|block|deny|refuse|report|forbid|find|look\s+for|search\s+for|watch\s+(?:out\s+)?for
            |check\s+for|beware\s+of|warn\s+(?:about|of|on))(?:s|es|ing)?\s+
          (?:(?:any|all|every|a|the|such|suspicious|dangerous|malicious|unsafe|shell|of)\s+){0,3}
          (?:scripts?|commands?|patterns?|anything|lines?|code|calls?|files?|skills?|instructions?|text|strings?|uses?|usage|pipes?
            |installers?|downloads?|things|constructs?|[`"'(:])[^.!?\n]{0,120}$
      | \b(?:such\s+as|e\.g\.|for\s+example|known\s+as|says?|patterns?\s+like)[\s,:]*[`"'(]*$
      | \b(?:scripts?|commands?|skills?|instructions?|code|lines?)\s+(?:that|which)\s+[^.!?\n]{0,60}$""",
    re.IGNORECASE | re.VERBOSE,
)
"""What before a command, in its sentence, says that it is not to be run, or only speaks of it."""
SPURNS = late(
    r"[^.!?\n]{0,40}?\b(?:is|are|means|would\s+be)\s+(?:\w+\s+){0,2}(?:dangerous|unsafe|insecure|malicious|forbidden|prohibited"
    r"|blocked|denied|not\s+allowed|harmful|a\s+red\s+flag|suspicious|an?\s+anti-?pattern|rejected|bad)\b",
    re.IGNORECASE,
)
"""What after a command, in its sentence, calls it bad."""
LABEL = late(
    r"""[\s>*+#/|\-_0-9.)(;%~]*+ (?: [❌🚫⛔✗✘] | (?:avoid|bad|wrong|dangerous|unsafe|insecure|malicious|suspicious
          |forbidden|prohibited|blocked|denied|deny-?list\w*|block-?list\w*|red\s+flags?|anti-?patterns?|never|don['’]?t
          |do\s+not|not\s+allowed|rejected|vulnerable|harmful|(?:example|sample)\s+(?:attack|exploit|injection)
          |(?:attack(?:er)?|exploit|injection)(?:['’]s)?\s+(?:examples?|samples?|inputs?|strings?))\b
          (?!\s+(?:mind|forget|worry|need|miss|skip|omit|fail|hesitate|close|wait|panic)) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a line that labels what follows as bad. A subject such as "Payload" or "Security" is no label."""
LIST_LEAD = late(r"(?m)^(?![ \t]*[-*][ ])([^\n]{3,200}:)[*_ \t\r]*\n\s*(?:[-*][ ][^\n]*\n\s*){0,30}[-*][ ][^\n]*\Z")
"""The line that a list is about, above the item that a place is in."""
ORDERS = late(
    r"[.!?][\s*_]+(?:so[ ]+|then,?[ ]+|now[ ]+|just[ ]+)?(?:run|use|execute|start|install|do|paste)\b[^.!?]*\Z",
    re.IGNORECASE,
)
"""A last sentence that orders, whatever the line began with."""
TO_RUN = late(
    r"[\s>*+#\-\d.)]*(?:(?:then|now|first|next|just|please|so|and)[\s,]+)*"
    r"(?:run|execute|start|paste|copy|install|use|type|enter|do|try|launch|call|invoke|set)\b",
    re.IGNORECASE,
)
"""A line that orders: what stands before it is about something else."""
POINTS = late(r"\b(?:this|these|that|those|following|below|such|like|them|it)\b", re.IGNORECASE)
WORDS = late(r"[a-z][\w-]{1,30}")
PROGRAMS = late(r"(?m)(?:^|[|;&(])[ \t]*(?:sudo[ \t]+)?([a-z][\w.-]{1,30})")
"""The programs that commands start."""
PAGE = late(r"\b(?:document|window)\.\w|\baddEventListener\(")
CROSSES = ("❌", "🚫", "⛔", "✗", "✘")
LIST_WORDS = (
    r"deny|block|forbid|reject|danger|suspicious|malicious|unsafe|banned|disallow|prohibit|detect|pattern|red_?flag"
)
LISTS = late(LIST_WORDS, re.IGNORECASE)
"""Names of lists of patterns, in code."""
TELLS = late(
    r"""\b(?:run|runs|running|execute|install\w*|use|using|with|via|paste|pasting|copy|copying|enter|type|try|do|launch|start|call
          |invoke|issue|put|open)\b[^.!?`]{0,60}[`"']{0,3}$
      | \b(?:command|terminal|installer|one-?liner|quick\s*start|set-?up|install(?:ation)?|macos|mac|linux|windows
          |powershell|bash|shell)[*_)\]\s]*[:→>–—-]+[*_\s]*[`"']{0,3}$""",
    re.IGNORECASE | re.VERBOSE,
)
TELLS_AFTER = late(
    r"[`\"']{0,3}[^.!?\n]{0,40}?\b(?:in(?:to)?\s+(?:your\s+|the\s+|a\s+)?(?:terminal|powershell|console|shell|command\s+prompt)"
    r"|to\s+(?:install|set\s*up|continue|proceed|begin|get\s+started))\b",
    re.IGNORECASE,
)
SENTENCE = late(r"[.!?](?=[\s*_])|\n[ \t>]*(?:\r?\n|[-*+#|]|\d+[.)])")
MARKS = ("#", "//", "/*", "* ", "REM ", "rem ", "::", "-- ", ";;")
"""How comments of some language begin."""
HASHED = frozenset({"python", "py", "shell", "bash", "sh", "zsh", "console", "terminal"})
"""Languages, of files and of fences, that know no other comments than those with `#`."""
PRINTS = late(
    r"[^\n]{0,40}\b(?:echo|printf|print|console\.\w+|std(?:err|out)\.write|log\w*(?:\.\w+)?|warn|die|raise|Write-\w+)\b",
    re.IGNORECASE,
)
SEARCHES = late(r"\b(?:[efp]?grep|rg|Select-String)\b[^|;&\"'\n]{0,80}(?:\"[^\"$`\n]*|'[^'\n]*)\Z")
"""A program that searches, up to a place in its pattern."""
# Single quotes keep a shell from running what is in them.
CALLED = late(
    r"""\A[^']*(?<!\\)\$\([^)]*\Z|\b(?:system|popen\w*|exec\w*|spawn\w*|run|call|check_\w+|eval|shell_exec|passthru)\("""
    r"""[\s\[]*["'`][^"'`]*\Z""",
    re.IGNORECASE,
)
"""The beginning of a line up to a place within what a call or a substitution runs."""
PASSED_ON = late(r"[\"'][ \t;)}]*(?:\|(?!\|)|>>?[ \t]*[^&\s])")
"""After what a shell prints: a pipe or a file gets it."""
BACKTICKS = late(r"\A[^']*(?<!\\)`[^`]*\Z")
"""The same for the older substitution of shells; in other languages these are quotes."""
ATTACKERS = late(
    r"(?i)(?<![\w-])(?:[\w-]+\.)*(?:attackers?|evil|hackers?|malicious|victim|badguy)(?:\w{1,12})?(?:-\w{1,12}){0,3}"
    r"\.(?:com|net|org|io|local|tld|site|server)(?!\.?[\w-])"
    r"|(?<![\w-])(?:[\w-]+\.)*your-?(?:domain|server|host|site|vps|collaborator)\.(?:com|net|org|io)(?!\.?[\w-])"
    r"|/dev/(?:tcp|udp)/(?:attacker|(?:host|x)/|10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
)
"""Hosts of samples: nobody steals for them, or they are in one's own network."""
EXPLAINS = late(
    r"(?i)\A[ \t>*_#-]*(?:detect(?:ion|ed)?|mitigations?|remediation|prevention|defen[cs]es?|indicators?"
    r"|countermeasures?|how\s+to\s+(?:detect|prevent|fix)|why\s+(?:this|it)\s+is\s+(?:bad|dangerous|malicious))\b[^:\n]{0,30}:"
)
"""The beginning of a line after a block of code that says how what it shows is found or stopped."""
LESSON = late(
    r"(?i)penetration|pen-?test|\bexploit|red[ -]team|malware|forensic|\bctf\b|offensive|privilege[ -]escalation"
    r"|reverse[ -]engineer|lateral[ -]movement|\battack(?:s|ing|er)?\b|threat[ -](?:hunt|model|emulat)"
    r"|incident[ -]response|adversar|vulnerabilit|ransomware|phishing|intrusion|honey(?:pot|token)|mitre"
    r"|canary[ -]?token|indicators?[ -]of[ -]compromise|threat[ -]intel|data[ -]breach|breach[ -]detect"
    r"|(?:detect|find|scan|hunt|block|identif|analy|flag|review|prevent|audit|inspect|vet|check|against|guard)\w*[^.\n]{0,80}malicious"
    r"|(?<=\s)malicious(?!\W+(?:\w+\W+)?(?:skills?|plugins?|agents?|examples?|samples?|fixtures?)\b)"
    r"|prompt[ -]injection|poisoning|security[ -](?:incident|audit|scan|vet|test|gate)"
    r"|渗透|漏洞|攻击|恶意|投毒|取证|红队|木马|脆弱性|攻撃|マルウェア|취약점|악성"
)
"""What a skill about attacks says of itself. One that calls itself a malicious skill is no lesson."""
DEVICE = late(r"/dev/(?:tcp|udp)/\w")
COMMENTS = late(r"(?m)(?:^|(?<=\s))(?:#(?!!)|//)[^\n]*")
_REFUSED = r"(?:blocked|denied|rejected|refused|forbidden|prohibited|disallowed|not\s+allowed|dangerous|malicious)"
VERDICT = late(
    rf"""[`"')\]*_ \t]*(?:[:=→(–—-]|->|=>|is|are|gets?|will\s+be)[\s*_`:]*(?:(?:always|is|are)\s+)?{_REFUSED}\b
        (?:\s+by\s[^.|\n]{{0,40}})?[*_`]*\s*(?:[.,;)|]|\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What after a command says what becomes of it, to the end of its clause."""
ROW_VERDICT = late(
    rf"\|[\s*_`]*(?:[❌🚫⛔✗✘]|(?:is\s+)?{_REFUSED}\b|(?:block|deny|reject|refuse|flag|critical|exfiltrates?|steals?|leaks?)\b)",
    re.IGNORECASE,
)
"""A cell of a table behind a command that says what becomes of it."""
SIGN_CELLS = ("pattern", "indicator", "red flag", "signature", "ioc", "attack", "payload")
RISK_CELLS = ("risk", "severity", "threat", "danger", "impact", "risk level", "threat level")
"""How cells in the head of a table of what to look for end: what that is, and how bad."""
WHY_BAD = late(r"why\b.{0,20}\b(?:dangerou|bad|maliciou|unsafe|suspiciou|risky)\Z")
REFUSED = late(
    rf"""\b(?:be|are|is|get|gets)\s+{_REFUSED}\Z
      | \b(?:blocks?|rejects?|denies|deny|refuses?|stops?|catches)\s+(?:these|this|those|them|the\s+following)\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""How a line ends that says what becomes of the block below it."""
OF_ATTACKERS = r"""\b(?:attackers?(?:['’]s\s+\w+)?|adversar\w+|malware|stealers?|injections?
          |(?:malicious|hostile|injected|suspicious|untrusted|rogue|compromised)\s+\w+)\s+
        (?:(?:can|could|may|might|will|would|often|typically|then|also)\s+)*
        (?!must\b|should\b|shall\b)[a-z]+\b"""
"""A subject that means harm, and its verb."""
OTHERS_DO = late(
    rf"""(?: {OF_ATTACKERS} | \b(?:payload|exploit)s?\s+(?:can|could|may|might|would)\s+[a-z]+\b)
        (?: [^,;:—–]*+$ | [^,;:—–]*:\s*["“'][^"”]*$ )""",
    re.IGNORECASE | re.VERBOSE,
)
ASKS = late(
    r"""[\s>*+#\-\d.)"'“]*(?:(?:question|quiz|q\d*)[\s*]*[:.][\s*"'“]*)?
        (?:what(?:['’]s|\s+is)\s+wrong|what\s+(?:does|would|happens)|which\s+of|is\s+(?:this|it)\s+(?:safe|unsafe|dangerous)
          |why\s+(?:is|are|should|does)|(?:should|would|can|may)\s+(?:i|we|you|an?\s+agent)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a question about a command."""
TESTS = late(
    r"(?:\A|/)(?:tests?|__tests__|spec|fixtures|testdata|evals?|evaluations?)/|(?:\A|/)test_[^/]*\.py\Z"
    r"|[._](?:test|spec)\.[a-z]{1,3}\Z"
)
"""Files that test a program."""
TEST_WORDS = ("test", "spec", "fixtures", "eval")
DATA = late(r"(?:\A|/)(?:fixtures|testdata|test[-_]data|evals?|evaluations?)/|(?:\A|/)(?:evals?|test[-_]cases)\.\w+\Z")
"""Folders and files of what an evaluation or a test is given."""
JSON_GIVEN = late(r"\b(?:echo|printf)[ \t]+'[ \t]*[\[{][^'\n]*\"[^'\n]*\Z")
TO_SCRIPT = late(r"[^'\n]*'[ \t]*\|[ \t]*(?:(?:ba|z)?sh|python3?|node)?[ \t]*[\w./-]+\.(?:sh|py|js|mjs|ts)\b")
SHELL_LIST = late(
    r"""(?:\A|\n)[ \t]*(?:(?:export|readonly|local|declare(?:[ ]-\w+)?)[ \t]+)?
        (?i:\w*(?:deny|block|forbid|banned|disallow)\w*)= (?:"[^"$`\n]*|'[^'\n]*|\([^()$`]*) \Z""",
    re.VERBOSE,
)
"""A variable of a shell, or an array, that names what is blocked, up to a place in it."""
CALL = late(r"(?<!\bfrozenset)(?<!\b[sS]et)(?<!\btuple)(?<!\blist)(?<!\bcompile)(?<=\w)\(")
BRACKETS = late(r"[()\[\]{}]")
COMPARES = late(r"\b(?:if|elif|any|all|assert)\b[^\n]*\bin[ \t]*[(\[{]\Z")
NAMED = late(r"[\w\"'\])][ \t]*(?::[^=\n]*)?=[ \t]*(?:new[ \t]+)?(?:\w*[sS]et|tuple|list)?\(\Z")
"""A name that a tuple or a set is assigned to, up to its bracket."""
BAD_NAMES = late(LIST_WORDS + "|exfil|indicator|ioc|black_?list|sink|bad_|collector|threat", re.IGNORECASE)
