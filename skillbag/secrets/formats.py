"""The formats of credentials: those of detect-secrets, and published formats that it does not know."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from skillbag.base.lazy_regex import Late, late
from skillbag.base.records import NamedTuple


class Format(NamedTuple):
    """One pattern of a kind of credential.

    `grouped` means that the secret is its group where it has one, not the whole match; `valid` is a further test.
    """

    kind: str
    pattern: re.Pattern[str]
    grouped: bool
    valid: Callable[[str], bool] | None = None


class Detector(NamedTuple):
    """A detector of detect-secrets: its module and class, and the text that it is used on.

    `prefixes` are the known beginnings of its tokens. Without any, it is used near one of `literals`, on the same line,
    where `hint` matches: the library takes 0.14 s to import, so the hint must keep it off harmless text. The hint must
    also bound the work of the library's pattern on hostile lines.
    """

    module: str
    name: str
    prefixes: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()
    hint: Late = late("")
    grouped: bool = False


_RUN = late(r"[\w-]{12}")
_LOGIN = late(r"://[^\s/:@]+:[^\s/:@]+@")
_QUOTED = late(r"[\"'][0-9a-zA-Z/+]{40}[\"']")
_OPENAI = late(r"[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}")

_GITLAB_KINDS = ("pat", "dt", "ft", "soat", "rt", "cbt", "imt", "ptt", "agent", "oas")
_GITLAB = ("GR1348941", *(f"gl{kind}-" for kind in _GITLAB_KINDS))
_SLACK = tuple(f"xox{kind}-" for kind in "abposr")

DETECTORS = (
    Detector("aws", "AWSKeyDetector", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T")),
    Detector("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    Detector("gitlab_token", "GitLabTokenDetector", _GITLAB),
    Detector("slack", "SlackDetector", (*_SLACK, "https://hooks.slack.com/")),
    Detector("stripe", "StripeDetector", ("sk_live_", "rk_live_")),
    Detector("jwt", "JwtTokenDetector", ("eyJ",)),
    Detector("pypi_token", "PypiTokenDetector", ("pypi-AgE",)),
    Detector("sendgrid", "SendGridDetector", ("SG.",)),
    Detector("square_oauth", "SquareOAuthDetector", ("sq0csp-",)),
    Detector("azure_storage_key", "AzureStorageKeyDetector", ("AccountKey=",)),
    Detector("openai", "OpenAIDetector", literals=("T3BlbkFJ",), hint=_OPENAI),
    Detector("basic_auth", "BasicAuthDetector", literals=("@",), hint=_LOGIN, grouped=True),
    Detector("aws", "AWSKeyDetector", literals=("aws", "AWS", "Aws"), hint=_QUOTED, grouped=True),
    Detector("twilio", "TwilioKeyDetector", literals=("wilio", "TWILIO"), hint=_RUN),
    Detector("mailchimp", "MailchimpDetector", literals=("ailchimp", "AILCHIMP", "mailChimp"), hint=_RUN),
    Detector("telegram_token", "TelegramBotTokenDetector", literals=(":AA",), hint=_RUN),
    Detector("discord", "DiscordBotTokenDetector", literals=("iscord", "ISCORD"), hint=_RUN),
    Detector("artifactory", "ArtifactoryDetector", literals=("rtifactory", "RTIFACTORY"), hint=_RUN),
)
"""Detectors of one form each. Left out are those that use entropy or the name beside a value, which have many false
positives on prose; that of npm, whose pattern is quadratic; and that of private keys, which finds only one line."""


_END = r"(?![\w-])"

OWN_PREFIXES = {
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
    "nvapi-": ("NVIDIA API Key", r"nvapi-[\w-]{60,80}"),
    "lsv2_pt_": ("LangSmith API Key", r"lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}" + _END),
    "lsv2_sk_": ("LangSmith API Key", r"lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}" + _END),
    "ops_eyJ": ("1Password Service Account Token", r"ops_eyJ[\w-]{200,2048}={0,2}"),
}
"""Tokens that detect-secrets 1.5 does not know, by prefix, in the form that their vendors publish."""

_ASSIGNED_40 = r"[ \t]*[=:][ \t]*([0-9a-zA-Z/+]{40})(?![\w/+=])"

_TELEGRAM = ("Telegram Bot Token", r"(?<!\d)(\d{8,10}:[\w-]{35})" + _END)

OWN_LITERALS = {
    "secret_access_key": ("AWS Access Key", "secret_access_key" + _ASSIGNED_40),
    "SECRET_ACCESS_KEY": ("AWS Access Key", "SECRET_ACCESS_KEY" + _ASSIGNED_40),
    "/webhooks/": (
        "Discord Webhook",
        r"\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{17,20}/[\w-]{60,80})" + _END,
    ),
    "elegram": _TELEGRAM,
    "ELEGRAM": _TELEGRAM,
    ".atlasv1.": ("Terraform Token", r"(?<![\w-])([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})" + _END),
    "_authToken=": ("npm Token", r"_authToken=[ \t]*\"?([A-Fa-f0-9]{8}-[A-Fa-f0-9-]{27})" + _END),
}
"""The same for tokens that are recognised by the text before them."""

PREFIXES = tuple(OWN_PREFIXES) + tuple(prefix for detector in DETECTORS for prefix in detector.prefixes)
"""All prefixes of tokens."""


@cache
def formats(detector: Detector) -> tuple[Format, ...]:
    """The patterns of a detector; loads the library."""
    from importlib import import_module

    plugin = getattr(import_module(f"detect_secrets.plugins.{detector.module}"), detector.name)()
    valid = getattr(plugin, "is_formally_valid", None)
    return tuple(Format(plugin.secret_type, pattern, detector.grouped, valid) for pattern in plugin.denylist)


@cache
def own_format(known: str) -> Format:
    """The format of a token with a prefix or a literal of our own tables."""
    kind, pattern = OWN_PREFIXES.get(known) or OWN_LITERALS[known]
    return Format(kind, re.compile(pattern), known in OWN_LITERALS)
