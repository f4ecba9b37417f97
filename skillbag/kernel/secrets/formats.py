"""Tokens that begin with a prefix of their own, as their vendors publish them."""

from __future__ import annotations

import re
from functools import cache

from skillbag.kernel.secrets.form import WEB_TOKEN

END = r"(?![\w-])"
UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
AWS_KEY_ID = r"(?:A3T[A-Z0-9]|A(?:KI|SI|BI|CC)A)[0-9A-Z]{16}"
_GITLAB_END = r"(?:[A-Za-z0-9_-]{27,300}\.[0-9a-z]{9}(?![\w-])|[A-Za-z0-9_-]{20,50}(?!\w))"

_SLACK_HOOK = r"(?ia:services/T\w+/B\w+/\w+|(?:services|workflows|triggers)/[a-z0-9+/]{43,56})"

PREFIXES = {
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), ("AWS Access Key", AWS_KEY_ID)),
    **{f"gh{kind}_": ("GitHub Token", rf"gh{kind}_[A-Za-z0-9_]{{36}}") for kind in "pousr"},
    **{f"gl{kind}-": ("GitLab Token", rf"gl{kind}-{_GITLAB_END}") for kind in ("pat", "dt", "ft", "soat", "rt")},
    "GR1348941": ("GitLab Token", r"GR1348941" + _GITLAB_END),
    "glcbt-": ("GitLab Token", r"glcbt-(?:[0-9a-fA-F]{2}_)?" + _GITLAB_END),
    "glimt-": ("GitLab Token", r"glimt-[A-Za-z0-9_-]{25}(?!\w)"),
    "glptt-": ("GitLab Token", r"glptt-[A-Za-z0-9_-]{40}(?!\w)"),
    "glagent-": ("GitLab Token", r"glagent-[A-Za-z0-9_-]{50,1024}(?!\w)"),
    "gloas-": ("GitLab Token", r"gloas-[A-Za-z0-9_-]{64}(?!\w)"),
    **{
        f"xox{kind}-": ("Slack Token", rf"xox{kind}-(?:\d+-)++(?=[A-Za-z]*\d|[A-Za-z]{{16}})[A-Za-z0-9]+")
        for kind in "bpos"
    },
    **{
        f"xox{kind}-": (
            "Slack Token",
            rf"xox{kind}-(?:(?:\d+-)+[A-Za-z0-9]+|(?=[A-Za-z]*\d)[0-9A-Za-z]{{8,48}}(?![\w-]))",
        )
        for kind in "ar"
    },
    **{
        f"{scheme}hooks.slack.com/": ("Slack Token", rf"{scheme}hooks\.slack\.com/{_SLACK_HOOK}")
        for scheme in ("https://", "")
    },
    **{
        f"{kind}k_{mode}_": ("Stripe Access Key", rf"{kind}k_{mode}_(?:[0-9a-zA-Z]{{24}}|[0-9a-zA-Z]{{10,23}}(?!\w))")
        for kind in "rs"
        for mode in ("live", "prod")
    },
    **{f"{kind}k_test_": ("Stripe Test Key", rf"{kind}k_test_[0-9a-zA-Z]{{10,99}}" + END) for kind in "rs"},
    "eyJ": (WEB_TOKEN, r"eyJ(?a:[\w=-]+\.[\w=-]+)\.?"),
    "pypi-AgE": ("PyPI Token", r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]{50,}"),
    "SG.": ("SendGrid API Key", r"SG\.(?a:[\w-]{22}\.[\w-]{43}|[\w=.-]{66})"),
    "sq0csp-": ("Square OAuth Secret", r"sq0csp-(?a:[\w\\-]{43})"),
    "AccountKey=": ("Azure Storage Account access key", r"AccountKey=[a-zA-Z0-9+/=]{88}"),
    "sk-ant-": ("Anthropic API Key", r"sk-ant-[a-z]{3,5}\d\d-[\w-]{40,200}"),
    "sk-or-v1-": ("OpenRouter API Key", r"sk-or-v1-[0-9a-f]{64}" + END),
    "github_pat_": ("GitHub Token", r"github_pat_\w{60,255}" + END),
    "AIza": ("Google API Key", r"AIza[\w-]{35}" + END),
    "GOCSPX-": ("Google OAuth Secret", r"GOCSPX-[\w-]{28}" + END),
    "ya29.": ("Google Access Token", r"ya29\.[\w-]{60,1024}"),
    "hf_": ("Hugging Face Token", r"hf_[A-Za-z0-9]{34,40}" + END),
    "npm_": ("npm Token", r"npm_[A-Za-z0-9]{36}" + END),
    "xapp-": ("Slack Token", r"xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{20,}"),
    "dop_v1_": ("DigitalOcean Token", r"dop_v1_[0-9a-f]{64}" + END),
    "shpat_": ("Shopify Access Token", r"shpat_[0-9a-fA-F]{32}" + END),
    "lin_api_": ("Linear API Key", r"lin_api_[A-Za-z0-9]{40}" + END),
    "ntn_": ("Notion Token", r"ntn_[A-Za-z0-9]{43,50}" + END),
    "gsk_": ("Groq API Key", r"gsk_[A-Za-z0-9]{52}" + END),
    "xai-": ("xAI API Key", r"xai-[A-Za-z0-9]{80}" + END),
    "pplx-": ("Perplexity API Key", r"pplx-[A-Za-z0-9]{48}" + END),
    "tvly-": ("Tavily API Key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}" + END),
    "sq0atp-": ("Square Access Token", r"sq0atp-[\w-]{22,60}" + END),
    "dckr_pat_": ("Docker Access Token", r"dckr_pat_[\w-]{27}" + END),
    "AGE-SECRET-KEY-1": ("age Secret Key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    "r8_": ("Replicate API Token", r"r8_[A-Za-z0-9]{37}" + END),
    "hvs.": ("Vault Token", r"hvs\.[\w-]{24,256}"),
    "hvb.": ("Vault Token", r"hvb\.[\w-]{100,512}"),
    "hvr.": ("Vault Token", r"hvr\.[\w-]{24,512}"),
    "doo_v1_": ("DigitalOcean Token", r"doo_v1_[0-9a-f]{64}" + END),
    "dor_v1_": ("DigitalOcean Token", r"dor_v1_[0-9a-f]{64}" + END),
    "xoxc-": ("Slack Token", r"xoxc-\d+-\d+-[\w-]{20,256}"),
    "xoxd-": ("Slack Token", r"xoxd-[\w%+/=-]{60,512}"),
    "whsec_": ("Stripe Webhook Secret", r"whsec_[A-Za-z0-9+/]{32,64}"),
    "shpss_": ("Shopify Access Token", r"shpss_[0-9a-fA-F]{32}" + END),
    "shpca_": ("Shopify Access Token", r"shpca_[0-9a-fA-F]{32}" + END),
    "shppa_": ("Shopify Access Token", r"shppa_[0-9a-fA-F]{32}" + END),
    "figd_": ("Figma Access Token", r"figd_[\w-]{40,64}" + END),
    "PMAK-": ("Postman API Key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + END),
    "dapi": ("Databricks Token", r"dapi[0-9a-f]{32}(?:-\d)?" + END),
    "dp.pt.": ("Doppler Token", r"dp\.pt\.[A-Za-z0-9]{40,44}" + END),
    "dp.st.": ("Doppler Token", r"dp\.st\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}" + END),
    "glsa_": ("Grafana Token", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}" + END),
    "pul-": ("Pulumi Access Token", r"pul-[0-9a-f]{40}" + END),
    "nfp_": ("Netlify Access Token", r"nfp_[A-Za-z0-9]{36}" + END),
    "sbp_": ("Supabase Access Token", r"sbp_[0-9a-f]{40}" + END),
    "pscale_tkn_": ("PlanetScale Token", r"pscale_tkn_[\w=.-]{32,64}"),
    "pscale_pw_": ("PlanetScale Password", r"pscale_pw_[\w=.-]{32,64}"),
    "NRAK-": ("New Relic API Key", r"NRAK-[A-Z0-9]{27}" + END),
    "sntrys_": ("Sentry Token", r"sntrys_[\w+/=-]{60,512}"),
    "ATATT3": ("Atlassian API Token", r"ATATT3[\w=-]{100,512}"),
    "rubygems_": ("RubyGems API Key", r"rubygems_[0-9a-f]{48}" + END),
    "sb_secret_": ("Supabase Secret Key", r"sb_secret_[\w-]{31}" + END),
    "HRKU-AA": ("Heroku API Key", r"HRKU-AA[\w-]{56,64}" + END),
    "nvapi-": ("NVIDIA API Key", r"nvapi-[\w-]{60,80}"),
    "lsv2_pt_": ("LangSmith API Key", r"lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}" + END),
    "lsv2_sk_": ("LangSmith API Key", r"lsv2_sk_[0-9a-f]{32}_[0-9a-f]{10}" + END),
    "ops_eyJ": ("1Password Service Account Token", r"ops_eyJ[\w+/-]{200,2048}={0,3}"),
    "A3-": (
        "1Password Secret Key",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}" + END,
    ),
    "p8e-": ("Adobe Client Secret", r"p8e-[A-Za-z0-9]{32}" + END),
    "LTAI": ("Alibaba Access Key", r"LTAI[A-Za-z0-9]{20}" + END),
    "AKCp": ("Artifactory API Key", r"AKCp[A-Za-z0-9]{69}" + END),
    "cmVmd": ("Artifactory Reference Token", r"cmVmd[A-Za-z0-9]{59}" + END),
    "ABSK": ("AWS Bedrock Key", r"ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    "bedrock-api-key-": ("AWS Bedrock Key", r"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\w+/=-]{0,4096}"),
    "4b1d": ("ClickHouse API Key", r"4b1d[A-Za-z0-9]{38}" + END),
    **dict.fromkeys(("CLOJARS_", "clojars_"), ("Clojars Token", r"(?i:clojars_)[A-Za-z0-9]{60}" + END)),
    "dnkey-": ("Defined Networking Token", r"dnkey-[\w=-]{26}-[\w=-]{52}"),
    **{f"duffel_{mode}_": ("Duffel Token", rf"duffel_{mode}_[\w=-]{{43}}") for mode in ("live", "test")},
    **{
        f"dt0{kind}01.": ("Dynatrace Token", rf"dt0{kind}01\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{64}}" + END)
        for kind in "cs"
    },
    **{f"EZ{kind}K": ("EasyPost API Key", rf"EZ{kind}K[A-Za-z0-9]{{54}}" + END) for kind in "AT"},
    "EAA": ("Facebook Access Token", r"EAA[A-Za-z][A-Za-z0-9]{100,512}" + END),
    "EAAA": ("Square Access Token", r"EAAA[\w-]{22,64}" + END),
    "FLWSECK": ("Flutterwave Secret Key", r"FLWSECK(?:_TEST)?-(?:[A-Za-z0-9]{32}-X|[A-Za-z0-9]{12}(?![\w-]))"),
    "fo1_": ("Fly.io Token", r"fo1_[\w-]{43}" + END),
    **{f"{kind}_": ("Fly.io Token", rf"{kind}_[A-Za-z0-9+/]{{100,4096}}={{0,3}}") for kind in ("fm1r", "fm1a", "fm2")},
    "fio-u-": ("Frame.io Token", r"fio-u-[\w=-]{64}"),
    "glffct-": ("GitLab Token", r"glffct-" + _GITLAB_END),
    "eyJrIjoi": ("Grafana API Key", r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}"),
    "glc_": ("Grafana Token", r"glc_[A-Za-z0-9+/]{32,400}={0,3}"),
    "api_org_": ("Hugging Face Token", r"api_org_[A-Za-z]{34}" + END),
    "ico-": ("Infracost Token", r"ico-[A-Za-z0-9]{32}" + END),
    **{f"s-s4t2{kind}-": ("42 Intra Secret", rf"s-s4t2{kind}-[0-9a-fA-F]{{64}}" + END) for kind in ("ud", "af")},
    "NRJS-": ("New Relic API Key", r"NRJS-[0-9a-f]{19}" + END),
    "NRII-": ("New Relic API Key", r"NRII-[A-Za-z0-9-]{32}" + END),
    "API-": ("Octopus Deploy API Key", r"API-[A-Z0-9]{26}" + END),
    "sha256~": ("OpenShift Token", r"sha256~[\w-]{43}" + END),
    "pscale_oauth_": ("PlanetScale Token", r"pscale_oauth_[\w=.-]{32,64}"),
    "pnu_": ("Prefect API Key", r"pnu_[A-Za-z0-9]{36}" + END),
    "rdme_": ("ReadMe API Key", r"rdme_[a-z0-9]{70}" + END),
    "tk-us-": ("Scalingo Token", r"tk-us-[\w-]{48}" + END),
    "xkeysib-": ("Brevo API Key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}" + END),
    "sntryu_": ("Sentry Token", r"sntryu_[0-9a-f]{64}" + END),
    **{f"sm_{kind}at_": ("SettleMint Token", rf"sm_{kind}at_[A-Za-z0-9]{{16}}" + END) for kind in "aps"},
    **{f"shippo_{mode}_": ("Shippo Token", rf"shippo_{mode}_[0-9a-fA-F]{{40}}" + END) for mode in ("live", "test")},
    "xoxe.xox": ("Slack Token", r"xoxe\.xox[bp]-\d-[A-Za-z0-9]{163,166}"),
    "xoxe-": ("Slack Token", r"xoxe-\d-[A-Za-z0-9]{146}|xoxe(?:-\d{10,13}){3}-[A-Za-z0-9-]{28,34}"),
    **{f"sq{kind}_": ("Sonar Token", rf"sq{kind}_[A-Za-z0-9]{{40}}" + END) for kind in "upa"},
    "sgp_": ("Sourcegraph Token", r"sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}" + END),
    "tfp_": ("Typeform Token", r"tfp_[\w=.-]{59}"),
    **{f"SK{first}": ("Twilio API Key", r"SK[0-9a-f]{32}" + END) for first in "0123456789abcdef"},
    "key-": ("Mailgun API Key", r"key-[0-9a-f]{32}" + END),
    **{f"vc{kind}_": ("Vercel Token", rf"vc{kind}_[A-Za-z0-9]{{24,60}}" + END) for kind in "piark"},
    "vercel_blob_rw_": ("Vercel Token", r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,32}" + END),
    "AQ.Ab8RN6": ("Google API Key", r"AQ\.Ab8RN6[\w-]{44}" + END),
    "CCIPAT_": ("CircleCI Token", r"CCIPAT_[A-Za-z0-9]{22}_[0-9a-fA-F]{40}" + END),
    "CFPAT-": ("Contentful Token", r"CFPAT-[\w-]{43}" + END),
    "SSWS 00": ("Okta API Token", r"SSWS 00[\w-]{40}" + END),
    "apify_api_": ("Apify API Token", r"apify_api_[A-Za-z0-9]{34,38}" + END),
    "bb_live_": ("Browserbase API Key", r"bb_live_[\w-]{27}" + END),
    "bkua_": ("Buildkite Token", r"bkua_(?:[0-9a-z]{40}|[0-9a-z]{53})" + END),
    **{
        f"cf{kind}_": ("Cloudflare Token", rf"cf{kind}_[A-Za-z0-9]{{40}}[0-9a-f]{{8}}" + END)
        for kind in ("at", "ut", "k")
    },
    "csk-": ("Cerebras API Key", r"csk-[0-9a-z]{48}" + END),
    "dckr_oat_": ("Docker Access Token", r"dckr_oat_[\w-]{32}" + END),
    **{f"dp.{kind}.": ("Doppler Token", rf"dp\.{kind}\.[A-Za-z0-9]{{40,44}}" + END) for kind in ("ct", "sa")},
    "e2b_": ("E2B API Key", r"e2b_[0-9a-f]{40}" + END),
    "fc-": ("Firecrawl API Key", r"fc-[0-9a-f]{32}" + END),
    "figp_": ("Figma Access Token", r"figp_[\w=-]{40,54}" + END),
    "fw_": ("Fireworks API Key", r"fw_[A-Za-z0-9]{24}" + END),
    **{
        f"hc{region}i{kind}_": ("Honeycomb API Key", rf"hc{region}i{kind}_[0-9a-z]{{58}}" + END)
        for region in "ab"
        for kind in "ck"
    },
    "jina_": ("Jina API Key", r"jina_[0-9a-f]{32}[\w-]{28}" + END),
    "mdb_sa_sk_": ("MongoDB Atlas Secret", r"mdb_sa_sk_[\w-]{40}" + END),
    "napi_": ("Neon API Key", r"napi_[A-Za-z0-9]{64}" + END),
    "oy2": ("NuGet API Key", r"oy2[0-9a-z]{43}" + END),
    **{f"pat-{region}-": ("HubSpot Access Token", rf"pat-{region}-{UUID}" + END) for region in ("na1", "na2", "eu1")},
    "pcsk_": ("Pinecone API Key", r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}" + END),
    "phx_": ("PostHog API Key", r"phx_[\w-]{41,49}" + END),
    "rnd_": ("Render API Key", r"rnd_[A-Za-z0-9]{28}" + END),
    "rpa_": ("RunPod API Key", r"rpa_[0-9A-Z]{40}[A-Za-z0-9]{6}" + END),
    "sk-lf-": ("Langfuse Secret Key", r"sk-lf-" + UUID + END),
    "tgp_v1_": ("Together API Key", r"tgp_v1_[\w-]{43}" + END),
    "tskey-": ("Tailscale Key", r"tskey-(?:api|auth|client|scim|webhook)-\w{4,40}-\w{16,64}" + END),
    "wandb_v1_": ("Weights & Biases API Key", r"wandb_v1_[A-Za-z0-9]{27}_[A-Za-z0-9]{49}" + END),
}
"""Tokens by the prefix that they begin with: kind and pattern."""


@cache
def pattern_of(prefix: str) -> re.Pattern[str]:
    """The pattern of the tokens with a prefix."""
    return re.compile(PREFIXES[prefix][1])
