"""Credentials that the text beside them tells, or a part of them.

Left out are forms that only entropy or a name such as `key` tells, which have many false positives on prose.
"""

from __future__ import annotations

import re
from functools import partial

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets import looks
from skillbag.kernel.secrets.form import API_KEY, BASIC, BEARER, COMMAND, LOGIN, PASSWORD, Beside
from skillbag.kernel.secrets.formats import AWS_KEY_ID, END
from skillbag.kernel.secrets.judges import (
    is_azure_key,
    is_basic,
    is_command_password,
    is_login,
    is_password,
    is_random_value,
)

_ASSIGNED_40 = r"[ \t]*[=:][ \t]*[\"'`]?([0-9a-zA-Z/+]{40})(?![\w/+=])"
_USER_PART = r"[^:/?#\[\]@!$&'()*+,;=\s]*"
_VALUE = r"([^\s\"'`|&;<>$]{4,128})"
_ARGUMENTS = r"\b[^\n|;&]{0,160}?[ \t]"

_DIGITS = "[MNO][DTjz][AEIMQUYcgk][w-z0-5]"
"""Three digits in base64."""
_USER_ID = rf"(?:{_DIGITS}){{5}}(?:[MNO][DTjz][AEIMQUYcgk]|{_DIGITS}(?:[MNO](?:[AQgw]|[DTjz][AEIMQUYcgk]))?)"
"""A number of 17 to 20 digits, without the signs at its end."""
_USER_IDS = (
    *("Mj", "Mz", "Nj", "Nz", *(f"MT{one}" for one in "AEIMQUYcgk")),
    *(f"{two}{one}" for two in ("ND", "NT", "OD", "OT") for one in "cgk"),
)
"""Digits of which all numbers of today (19 digits, from 1 on) have some, and 99 in 100 of the older ones."""

_TOKENS = (
    Beside("OpenAI Token", ("T3BlbkFJ",), late(r"sk-[A-Za-z0-9_-]*[A-Za-z0-9_-]{20}T3BlbkFJ[A-Za-z0-9_-]{20}")),
    Beside("AWS Access Key", ("aws", "AWS", "Aws"), late(AWS_KEY_ID), looks.has_quoted),
    Beside(
        "AWS Access Key",
        ("aws", "AWS", "Aws"),
        late(r"aws.{0,20}?(?:key|pwd|pw|pass|token).{0,20}?['\"]([0-9a-z/+]{40})['\"]", re.IGNORECASE),
        looks.has_quoted,
    ),
    Beside("AWS Access Key", ("secret_access_key",), late("secret_access_key" + _ASSIGNED_40)),
    Beside("AWS Access Key", ("SECRET_ACCESS_KEY",), late("SECRET_ACCESS_KEY" + _ASSIGNED_40)),
    Beside("Twilio API Key", ("wilio", "TWILIO"), late(r"(?:AC|SK)[a-z0-9]{32}")),
    Beside("Mailchimp Access Key", ("ailchimp", "AILCHIMP", "mailChimp"), late(r"[0-9a-z]{32}-us[0-9]{1,2}")),
    Beside("Telegram Bot Token", (":AA",), late(r"\d{8,10}:[A-Za-z0-9_-]{35}")),
    Beside("Telegram Bot Token", ("elegram", "ELEGRAM"), late(r"(?<!\d)(\d{5,16}:[\w-]{35})" + END)),
    Beside("Discord Bot Token", ("iscord", "ISCORD"), late(r"[MNO](?a:[\w-]{23,25}\.[\w-]{6}\.[\w-]{27})")),
    Beside(
        "Discord Bot Token",
        _USER_IDS,
        late(rf"(?<![\w-])({_USER_ID}\.[\w-]{{6,7}}\.[\w-]{{27,38}})" + END),
        looks.has_user_id,
        follows=True,
    ),
    Beside(
        "Discord Webhook",
        ("/webhooks/",),
        late(r"\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{17,20}/[\w-]{60,80})" + END),
    ),
    Beside(
        "Microsoft Teams Webhook",
        ("/webhookb2/",),
        late(r"(?i:\.webhook\.office\.com/webhookb2/([0-9a-z@-]{60,80}/IncomingWebhook/[0-9a-z]{32}/[0-9a-z-]{36}))"),
    ),
    Beside(
        "Artifactory Credentials",
        ("rtifactory", "RTIFACTORY"),
        late(r"(?:[\s=:\"]|^)A(?:KC[a-zA-Z0-9]{10,}|P[\dA-F][a-zA-Z0-9]{8,})(?:[\s\"]|$)"),
    ),
    Beside("Terraform Token", (".atlasv1.",), late(r"(?<![\w-])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})" + END)),
    Beside("Azure Client Secret", ("Q~",), late(r"(?<![\w.~-])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])")),
    Beside(
        "Azure Shared Key",
        ("SharedAccessKey=", "sig="),
        late(r"(?:SharedAccessKey=|[?&]s[a-z]{1,2}=[^\s\"'`]{0,400}?&sig=|\?sig=)([A-Za-z0-9+/%]{40,64}={0,2})"),
    ),
    Beside("MaxMind License Key", ("_mmk",), late(r"(?<![\w-])([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)" + END)),
    Beside(
        "Authress Access Key",
        (".acc_", ".acc-"),
        late(
            r"(?<![\w-])((?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}"
            r"\.[\w+/=-]{30,120})",
            re.IGNORECASE,
        ),
    ),
    Beside(
        "Vault Token", ("vault", "Vault", "VAULT"), late(r"(?<![\w.])(s\.[A-Za-z0-9]{24})" + END), judge=is_random_value
    ),
    Beside(
        "Harness API Key",
        ("pat.", "sat."),
        late(r"(?<![\w.-])([ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20})" + END),
    ),
    Beside("Cloudflare Origin CA Key", ("v1.0-",), late(r"(?<![\w-])(v1\.0-[0-9a-f]{24}-[0-9a-f]{146})" + END)),
    Beside("GitLab Session", ("_gitlab_session=",), late(r"_gitlab_session=([0-9a-z]{32})" + END)),
    Beside("SoftLayer key", ("softlayer.com/soap/",), late(r"softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})" + END)),
    Beside("npm Token", ("_authToken=",), late(r"_authToken=[ \t]*\"?([A-Fa-f0-9]{8}-[A-Fa-f0-9-]{27})" + END)),
    Beside(
        "Sidekiq Credentials",
        ("CONTRIBSYS__COM",),
        late(r"CONTRIBSYS__COM[\"'`]?[ \t]*[:=][ \t]*[\"'`]?([0-9a-f]{8}:[0-9a-f]{8})(?!\w|:\w)"),
        looks.always,
    ),
    Beside("Facebook Access Token", ("acebook", "FACEBOOK"), late(r"(?<!\d)(\d{15,16}[|%][\w-]{27,40})" + END)),
    Beside(
        "Facebook App Token",
        tuple(f"{digit}|" for digit in range(10)),
        late(r"(?<![\w-])(\d{15,16}\|[\w-]{27})" + END),
        judge=is_random_value,
    ),
    Beside(
        "Freemius Secret Key",
        ("'sk_", '"sk_'),
        late(r"[\"']secret_key[\"'][ \t]*=>[ \t]*[\"'](sk_[^\s\"']{29})[\"']"),
        looks.always,
    ),
    Beside(
        "NuGet Password",
        ("<add key=",),
        late(r"<add key=\"(?i:cleartext)?[Pp]assword\"\s*value=\"([^\"]{8,})\""),
        looks.always,
    ),
    Beside(
        "Azure DevOps Token",
        ("AZDO",),
        late(r"(?<![\w+])([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})" + END),
        judge=is_azure_key,
    ),
    Beside(
        "Azure Key",
        ("JQQJ9",),
        late(
            r"(?<![\w+])([A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}"
            r"(?:[A-Za-z0-9]{2}==)?)" + END
        ),
        judge=is_azure_key,
    ),
    # The two letters alone end many names.
    Beside(
        "Resend API Key",
        (" re_", "=re_", '"re_', "'re_", "`re_"),
        late(r"(?<![\w-])(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})" + END),
        judge=is_random_value,
    ),
    Beside("JSON Web Token in base64", ("ZXlK",), late(r"(?<![\w+-])(ZXlK[\w+/-]{60,8192}={0,2})(?![\w+/=-])")),
)

_SHARED = (
    Beside(LOGIN, ("@",), late(rf"://{_USER_PART}:([^:/?#\[\]@\s]+)@"), looks.has_login, is_login),
    # Keys of services that bill, and others of no vendor in this list.
    Beside(API_KEY, ('"sk_', "'sk_", "=sk_", '"key_', "'key_", "`sk_"), late(r"\b((?:sk|key)_[0-9a-f]{40,128})" + END)),
    Beside(
        API_KEY,
        (
            "uthorization",
            "UTHORIZATION",
            "pi-Key",
            "PI-Key",
            "pi-key",
            "PI-KEY",
            "uth-Token",
            "uth-token",
            "ccess-Token",
        ),
        late(
            r"(?:[Aa]uthorization|AUTHORIZATION|[Aa][Pp][Ii]-(?:[Kk]ey|KEY)|(?:[Aa]uth|[Aa]ccess)-[Tt]oken)"
            r"[\\\"'`]{0,2}[ \t]*[:=,][ \t]*[\\\"'`]{0,2}(?:(?:[Tt]oken|[Aa]pi-?[Kk]ey|SSWS|Bot|[Kk]ey)[ ])?"
            r"([\w.~+/=|-]{15,1024})(?![\w$<{(\[])"
        ),
        partial(looks.follows, least=15, first=3),
        is_random_value,
        follows=True,
    ),
    Beside(
        API_KEY,
        ("-token", "-secret", "-key", "-apikey", "-api_key"),
        late(
            r"(?<![\w-])--?(?:[a-z\d]{1,20}[-_]){0,3}(?:api[-_]?key|token|secret(?:[-_](?:key|token))?|(?:access|auth)[-_]key)"
            r"(?:[ \t]+|=|[\"'],[ ]*)[\"']?(?!0x[\da-fA-F]{40}\b)([\w.~+/=|-]{12,1024})(?![\w$<{(\[])"
        ),
        looks.follows,
        is_random_value,
        follows=True,
    ),
    Beside(
        BEARER,
        ("earer ",),
        late(r"[Bb]earer[ ]([A-Za-z0-9_.~+/-]{20,1024}={0,2})(?![\w$<{(\[])"),
        partial(looks.follows, least=20),
        is_random_value,
        follows=True,
    ),
    Beside(
        BASIC,
        ("asic ",),
        late(r"\b[Bb]asic[ ]([A-Za-z0-9+/_-]{8,512}={0,2})(?![\w+/=-])"),
        partial(looks.follows, least=8),
        is_basic,
        follows=True,
    ),
    Beside(
        PASSWORD,
        ("assword", "ASSWORD", "asswd", "ASSWD", "_PASS", "_pass", "_PWD", "_pwd", "assphrase", "ASSPHRASE"),
        late(
            r"(?:[Pp]assw(?:or)?d|PASSW(?:OR)?D|[Pp]assphrase|PASSPHRASE|_pass|_PASS|_pwd|_PWD)"
            r"(?:=[ \t]*[\"'`]?|[ ]:?=[ ][\"'`]|[\"'`]?:[ ](?:[\"'`]|(?=\S{0,40}\d))|(?<=--password)[ ][\"']?"
            r"|[\"'][ ]?(?:,|=>)[ ]?[\"'])([^\s\"'`,;)]{8,128})"
        ),
        looks.is_set,
        is_password,
        follows=True,
    ),
)

_ACCOUNT = r"(?:-\w{0,8}u|--(?:proxy-)?user)"
_PAIR = rf"{_ACCOUNT}[ =]?[\"']?(?P<user>[\w.@+%-]*):{_VALUE}"
_ECHOED = (
    rf"\b(?:echo|printf)[ ](?:-\w+[ ]|[\"']%s(?:\\n)?[\"'][ ])*[\"']?{_VALUE}[\"']?[ ]*\|[^\n|;&]{{0,80}}"
    rf"(?:--password-stdin|sudo[ ]-S)|--password-stdin[^\n|;&]{{0,80}}<<<[ ]?[\"']?{_VALUE}"
)
_LOGINS = (" -u ", " -u'", ' -u"', "-user ", "-user=")
_COMMANDS = tuple(
    [
        Beside(COMMAND, literals, late(pattern), hint, is_command_password)
        for literals, hint, pattern in (
            (("curl", *_LOGINS), looks.has_pair, rf"\b(?:curl|wget|https?|xh)(?=[ ]){_ARGUMENTS}{_PAIR}"),
            (("sshpass",), looks.has_option, rf"\bsshpass[ ](?:-[a-oq-z]\S*[ ])*-p[ ]?[\"']?{_VALUE}"),
            (
                ("mysql", "ariadb"),
                looks.has_option,
                rf"(?<![+\w])(?:mysql|mariadb)[\w-]*{_ARGUMENTS}(?:-p|--password[= ])[\"']?(?![ -]){_VALUE}",
            ),
            (
                (" login ", "mongo"),
                looks.has_option,
                # The ports of a container are given like a password.
                rf"\b(?:login|mongo\w*){_ARGUMENTS}(?:-p|--password)[ =][\"']?(?![\d.:]+[ ]){_VALUE}",
            ),
            (("redis-cli",), looks.has_option, rf"\bredis-cli{_ARGUMENTS}(?:-a|--pass)[ =][\"']?{_VALUE}"),
            (
                ("sqlcmd", "mosquitto_"),
                looks.has_option,
                rf"\b(?:sqlcmd|mosquitto_\w+){_ARGUMENTS}-P[ ]?[\"']?{_VALUE}",
            ),
            (("ldapsearch",), looks.has_option, rf"\bldapsearch{_ARGUMENTS}-w[ ]?[\"']?{_VALUE}"),
            (
                ("--passphrase", "-pass pass:", "-passin pass:"),
                looks.always,
                rf"-(?:passphrase[ =]|pass(?:in)?[ ]pass:)[\"']?{_VALUE}",
            ),
            (("--password-stdin", "sudo -S"), looks.is_fed, _ECHOED),
        )
    ]
)
"""Passwords that stand on a command line, where anybody on the machine reads them."""

_CONTINUED = Beside(COMMAND, _LOGINS, late(rf"(?m)^[ \t]+{_PAIR}"), looks.has_pair, is_password)
"""A line of a longer command, whose program stands lines before it; other options of the name have no random value."""

BESIDE = (*_TOKENS, *_SHARED, *_COMMANDS, _CONTINUED)
