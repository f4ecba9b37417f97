"""The formats of credentials, as their vendors publish them."""

from __future__ import annotations

import re
from functools import cache

from skillbag.base.lazy_regex import Late, late
from skillbag.base.records import NamedTuple


class Beside(NamedTuple):
    """A credential without a prefix of its own, which is searched for in the line of one of `literals`.

    `pattern` has a group around the secret where it matches more than that. It is tried only where `hint` matches,
    which bounds its work on hostile lines.
    """

    kind: str
    literals: tuple[str, ...]
    pattern: Late
    hint: Late = late("")


BEARER, PASSWORD = "Bearer Token", "Password"
"""Kinds whose values have no form of their own: they count if they look random."""
LOGIN, API_KEY, WEB_TOKEN = "Basic Auth Credentials", "API Key", "JSON Web Token"

_END = r"(?![\w-])"
_AWS_KEY_ID = r"(?:A3T[A-Z0-9]|A(?:KI|SI|BI|CC)A)[0-9A-Z]{16}"
_GITLAB_END = r"[A-Za-z0-9_-]{20,50}(?!\w)"

PREFIXES = {
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), ("AWS Access Key", _AWS_KEY_ID)),
    **{f"gh{kind}_": ("GitHub Token", rf"gh{kind}_[A-Za-z0-9_]{{36}}") for kind in "pousr"},
    **{f"gl{kind}-": ("GitLab Token", rf"gl{kind}-{_GITLAB_END}") for kind in ("pat", "dt", "ft", "soat", "rt")},
    "GR1348941": ("GitLab Token", r"GR1348941" + _GITLAB_END),
    "glcbt-": ("GitLab Token", r"glcbt-(?:[0-9a-fA-F]{2}_)?" + _GITLAB_END),
    "glimt-": ("GitLab Token", r"glimt-[A-Za-z0-9_-]{25}(?!\w)"),
    "glptt-": ("GitLab Token", r"glptt-[A-Za-z0-9_-]{40}(?!\w)"),
    "glagent-": ("GitLab Token", r"glagent-[A-Za-z0-9_-]{50,1024}(?!\w)"),
    "gloas-": ("GitLab Token", r"gloas-[A-Za-z0-9_-]{64}(?!\w)"),
    **{f"xox{kind}-": ("Slack Token", rf"xox{kind}-(?:\d+-)+[A-Za-z0-9]+") for kind in "abposr"},
    "https://hooks.slack.com/": ("Slack Token", r"https://hooks\.slack\.com/(?ia:services/T\w+/B\w+/\w+)"),
    **{f"{kind}k_live_": ("Stripe Access Key", rf"{kind}k_live_[0-9a-zA-Z]{{24}}") for kind in "rs"},
    "eyJ": (WEB_TOKEN, r"eyJ(?a:[\w=-]+\.[\w=-]+)\.?"),
    "pypi-AgE": ("PyPI Token", r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{70,}"),
    "SG.": ("SendGrid API Key", r"SG\.(?a:[\w-]{22}\.[\w-]{43})"),
    "sq0csp-": ("Square OAuth Secret", r"sq0csp-(?a:[\w\\-]{43})"),
    "AccountKey=": ("Azure Storage Account access key", r"AccountKey=[a-zA-Z0-9+/=]{88}"),
    "sk-ant-": ("Anthropic API Key", r"sk-ant-[a-z]{3,5}\d\d-[\w-]{40,200}"),
    "sk-or-v1-": ("OpenRouter API Key", r"sk-or-v1-[0-9a-f]{64}" + _END),
    "github_pat_": ("GitHub Token", r"github_pat_\w{60,255}" + _END),
    "AIza": ("Google API Key", r"AIza[\w-]{35}" + _END),
    "GOCSPX-": ("Google OAuth Secret", r"GOCSPX-[\w-]{28}" + _END),
    "ya29.": ("Google Access Token", r"ya29\.[\w-]{60,1024}"),
    "hf_": ("Hugging Face Token", r"hf_[A-Za-z0-9]{34,40}" + _END),
    "npm_": ("npm Token", r"npm_[A-Za-z0-9]{36}" + _END),
    "xapp-": ("Slack Token", r"xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{20,}"),
    "dop_v1_": ("DigitalOcean Token", r"dop_v1_[0-9a-f]{64}" + _END),
    "shpat_": ("Shopify Access Token", r"shpat_[0-9a-fA-F]{32}" + _END),
    "lin_api_": ("Linear API Key", r"lin_api_[A-Za-z0-9]{40}" + _END),
    "ntn_": ("Notion Token", r"ntn_[A-Za-z0-9]{43,50}" + _END),
    "gsk_": ("Groq API Key", r"gsk_[A-Za-z0-9]{52}" + _END),
    "xai-": ("xAI API Key", r"xai-[A-Za-z0-9]{80}" + _END),
    "pplx-": ("Perplexity API Key", r"pplx-[A-Za-z0-9]{48}" + _END),
    "tvly-": ("Tavily API Key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}" + _END),
    "sq0atp-": ("Square Access Token", r"sq0atp-[\w-]{22}" + _END),
    "dckr_pat_": ("Docker Access Token", r"dckr_pat_[\w-]{27}" + _END),
    "AGE-SECRET-KEY-1": ("age Secret Key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    "r8_": ("Replicate API Token", r"r8_[A-Za-z0-9]{37}" + _END),
    "hvs.": ("Vault Token", r"hvs\.[\w-]{24,256}"),
    "hvb.": ("Vault Token", r"hvb\.[\w-]{100,512}"),
    "hvr.": ("Vault Token", r"hvr\.[\w-]{24,512}"),
    "doo_v1_": ("DigitalOcean Token", r"doo_v1_[0-9a-f]{64}" + _END),
    "dor_v1_": ("DigitalOcean Token", r"dor_v1_[0-9a-f]{64}" + _END),
    "xoxc-": ("Slack Token", r"xoxc-\d+-\d+-[\w-]{20,256}"),
    "xoxd-": ("Slack Token", r"xoxd-[\w%+/=-]{60,512}"),
    "whsec_": ("Stripe Webhook Secret", r"whsec_[A-Za-z0-9+/]{32,64}"),
    "shpss_": ("Shopify Access Token", r"shpss_[0-9a-fA-F]{32}" + _END),
    "shpca_": ("Shopify Access Token", r"shpca_[0-9a-fA-F]{32}" + _END),
    "shppa_": ("Shopify Access Token", r"shppa_[0-9a-fA-F]{32}" + _END),
    "figd_": ("Figma Access Token", r"figd_[\w-]{40,64}" + _END),
    "PMAK-": ("Postman API Key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + _END),
    "dapi": ("Databricks Token", r"dapi[0-9a-f]{32}(?:-\d)?" + _END),
    "dp.pt.": ("Doppler Token", r"dp\.pt\.[A-Za-z0-9]{40,44}" + _END),
    "dp.st.": ("Doppler Token", r"dp\.st\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}" + _END),
    "glsa_": ("Grafana Token", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}" + _END),
    "pul-": ("Pulumi Access Token", r"pul-[0-9a-f]{40}" + _END),
    "nfp_": ("Netlify Access Token", r"nfp_[A-Za-z0-9]{36}" + _END),
    "sbp_": ("Supabase Access Token", r"sbp_[0-9a-f]{40}" + _END),
    "pscale_tkn_": ("PlanetScale Token", r"pscale_tkn_[\w-]{32,64}"),
    "pscale_pw_": ("PlanetScale Password", r"pscale_pw_[\w-]{32,64}"),
    "NRAK-": ("New Relic API Key", r"NRAK-[A-Z0-9]{27}" + _END),
    "sntrys_": ("Sentry Token", r"sntrys_[\w+/=-]{60,512}"),
    "ATATT3x": ("Atlassian API Token", r"ATATT3x[\w=-]{100,512}"),
    "rubygems_": ("RubyGems API Key", r"rubygems_[0-9a-f]{48}" + _END),
    "sb_secret_": ("Supabase Secret Key", r"sb_secret_[\w-]{31}" + _END),
    "HRKU-AA": ("Heroku API Key", r"HRKU-AA[\w-]{56,64}" + _END),
    "nvapi-": ("NVIDIA API Key", r"nvapi-[\w-]{60,80}"),
    "lsv2_pt_": ("LangSmith API Key", r"lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}" + _END),
    "lsv2_sk_": ("LangSmith API Key", r"lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}" + _END),
    "ops_eyJ": ("1Password Service Account Token", r"ops_eyJ[\w-]{200,2048}={0,2}"),
}
"""Tokens by the prefix that they begin with: kind and pattern."""

_ASSIGNED_40 = r"[ \t]*[=:][ \t]*([0-9a-zA-Z/+]{40})(?![\w/+=])"
_RUN = late(r"[\w-]{12}")
_QUOTED = late(r"[\"'][0-9a-zA-Z/+]{40}[\"']")
_ASSIGNED = r"[\w-]{0,20}[\"']?[ \t]*[=:][ \t]*[\"']?"
_LOGIN_PART = r"[^:/?#\[\]@!$&'()*+,;=\s]+"

BESIDE = (
    Beside(
        "OpenAI Token",
        ("T3BlbkFJ",),
        late(r"sk-[A-Za-z0-9_-]*[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
        late(r"[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
    ),
    Beside(
        LOGIN,
        ("@",),
        late(rf"://{_LOGIN_PART}:({_LOGIN_PART})@"),
        late(r"://[^\s/:@]+:[^\s/:@]+@"),
    ),
    Beside("AWS Access Key", ("aws", "AWS", "Aws"), late(_AWS_KEY_ID), _QUOTED),
    Beside(
        "AWS Access Key",
        ("aws", "AWS", "Aws"),
        late(r"aws.{0,20}?(?:key|pwd|pw|pass|token).{0,20}?['\"]([0-9a-z/+]{40})['\"]", re.IGNORECASE),
        _QUOTED,
    ),
    Beside("AWS Access Key", ("secret_access_key",), late("secret_access_key" + _ASSIGNED_40)),
    Beside("AWS Access Key", ("SECRET_ACCESS_KEY",), late("SECRET_ACCESS_KEY" + _ASSIGNED_40)),
    Beside("Twilio API Key", ("wilio", "TWILIO"), late(r"(?:AC|SK)[a-z0-9]{32}"), _RUN),
    Beside("Mailchimp Access Key", ("ailchimp", "AILCHIMP", "mailChimp"), late(r"[0-9a-z]{32}-us[0-9]{1,2}"), _RUN),
    Beside("Telegram Bot Token", (":AA",), late(r"\d{8,10}:[A-Za-z0-9_-]{35}"), _RUN),
    Beside("Telegram Bot Token", ("elegram", "ELEGRAM"), late(r"(?<!\d)(\d{8,10}:[\w-]{35})" + _END)),
    Beside("Discord Bot Token", ("iscord", "ISCORD"), late(r"[MNO](?a:[\w-]{23,25}\.[\w-]{6}\.[\w-]{27})"), _RUN),
    Beside(
        "Discord Webhook",
        ("/webhooks/",),
        late(r"\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{17,20}/[\w-]{60,80})" + _END),
    ),
    Beside(
        "Artifactory Credentials",
        ("rtifactory", "RTIFACTORY"),
        late(r"(?:[\s=:\"]|^)A(?:KC[a-zA-Z0-9]{10,}|P[\dA-F][a-zA-Z0-9]{8,})(?:[\s\"]|$)"),
        _RUN,
    ),
    Beside("Terraform Token", (".atlasv1.",), late(r"(?<![\w-])([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})" + _END)),
    Beside(
        "Heroku API Key",
        ("eroku", "EROKU"),
        late(rf"(?i:heroku){_ASSIGNED}([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})" + _END),
        _RUN,
    ),
    Beside(
        "ElevenLabs API Key",
        ("levenLabs", "levenlabs", "ELEVEN", "xi-api-key", "XI_API_KEY"),
        late(rf"(?i:eleven_?labs|xi-api-key|xi_api_key){_ASSIGNED}([0-9a-f]{{32}})" + _END),
        _RUN,
    ),
    # Keys of services that bill, and others of no vendor in this list.
    Beside(
        API_KEY, ('"sk_', "'sk_", "=sk_", '"key_', "'key_", "`sk_"), late(r"\b((?:sk|key)_[0-9a-f]{40,128})" + _END)
    ),
    Beside(BEARER, ("Bearer ",), late(r"Bearer[ ]([A-Za-z0-9_.~+/-]{20,1024}={0,2})(?![\w$<{(\[])"), _RUN),
    Beside(
        PASSWORD,
        ("assword", "ASSWORD", "asswd", "ASSWD"),
        late(r"(?i:passw(?:or)?d)(?:=[ \t]*[\"']?|[ ]=[ ][\"']|[\"']?:[ ][\"'])([^\s\"',;)]{8,128})"),
    ),
    Beside("npm Token", ("_authToken=",), late(r"_authToken=[ \t]*\"?([A-Fa-f0-9]{8}-[A-Fa-f0-9-]{27})" + _END)),
)
"""Credentials that are recognised by the text beside them. Left out are forms that only entropy or the name beside a
value tells, which have many false positives on prose.
"""


UNCERTAIN = frozenset({BEARER, PASSWORD, LOGIN, API_KEY, WEB_TOKEN})
"""Kinds whose form other texts share, such as the passwords that examples make up."""


@cache
def pattern_of(prefix: str) -> re.Pattern[str]:
    """The pattern of the tokens with a prefix."""
    return re.compile(PREFIXES[prefix][1])
