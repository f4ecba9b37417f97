"""Keys without a form of their own, which only the name of their vendor beside them tells: `OKTA_API_TOKEN=…`.

A row has the vendor's name, the words for it in the names of variables, and the form of the values. Identifiers of
clients and accounts are no secrets.
"""

from __future__ import annotations

import re
from functools import cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.form import NAMED, Beside
from skillbag.kernel.secrets.formats import UUID
from skillbag.kernel.secrets.judges import is_named_key
from skillbag.kernel.secrets.looks import has_key, words

_HEX = "[0-9a-f]"

_ROWS = (
    ("Adafruit", "adafruit", r"[a-z0-9_-]{32}"),
    ("Adobe", "adobe", _HEX + "{32}"),
    ("Airtable", "airtable", r"key[a-z0-9]{14}|[a-z0-9]{17}|pat[a-z0-9]{14}\.[0-9a-f]{64}"),
    ("Algolia", "algolia", "[a-z0-9]{32}"),
    ("Alibaba", "alibaba|aliyun", "[a-z0-9]{30}"),
    ("Asana", "asana", r"[a-z0-9]{32}|\d/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}"),
    ("Atlassian", "atlassian|confluence|jira", "[a-z0-9]{20}[0-9a-f]{4}"),
    ("Azure", "azure", r"[0-9a-f]{32}|[a-z0-9]{52}|[a-z0-9]{84}|[a-z0-9/+]{86}=="),
    ("Beamer", "beamer", r"b_[a-z0-9=_-]{44}"),
    ("Bitbucket", "bitbucket", r"[a-z0-9=_-]{64}|[a-z0-9]{32}"),
    ("Bittrex", "bittrex", "[a-z0-9]{32}"),
    ("Cloudant", "cloudant", _HEX + "{64}"),
    ("Cloudflare", "cloudflare", "[a-z0-9_-]{40}|[0-9a-f]{37}"),
    ("Codecov", "codecov", "[a-z0-9]{32}|" + UUID),
    ("Cohere", "cohere|co_api_key", "[a-z0-9]{40}"),
    ("Coinbase", "coinbase", "[a-z0-9_-]{64}"),
    ("Confluent", "confluent", "[a-z0-9]{64}|[a-z0-9]{16}"),
    ("Contentful", "contentful", r"[a-z0-9=_-]{43}"),
    ("Datadog", "datadog", _HEX + "{32}|[a-z0-9]{40}"),
    ("Discord", "discord", r"[0-9a-f]{64}|[a-z0-9=_-]{32}"),
    ("Drone CI", "droneci|drone_token", "[a-z0-9]{32}"),
    ("Dropbox", "dropbox", r"[a-z0-9]{11}AAAAAAAAAA[a-z0-9_=-]{43}|sl\.[a-z0-9=_-]{130,200}|[a-z0-9]{15}"),
    ("ElevenLabs", "elevenlabs|eleven_labs|xi_api_key|xi-api-key", _HEX + "{32}"),
    ("Etsy", "etsy", "[a-z0-9]{24}"),
    ("Facebook", "facebook", r"[0-9a-f]{32}|\d{15,16}[|%][0-9a-z_-]{27,40}"),
    ("Fastly", "fastly", r"[a-z0-9=_-]{32}"),
    ("Finicity", "finicity", "[0-9a-f]{32}|[a-z0-9]{20}"),
    ("Finnhub", "finnhub", "[a-z0-9]{20}"),
    ("Flickr", "flickr", "[a-z0-9]{32}"),
    ("FreshBooks", "freshbooks", "[a-z0-9]{64}"),
    ("Gitter", "gitter", "[a-z0-9_-]{40}"),
    ("GoCardless", "gocardless", r"live_[a-z0-9=_-]{40}"),
    ("Heroku", "heroku", UUID),
    ("HubSpot", "hubspot", UUID),
    ("IBM Cloud", "ibm|iam_", "[a-z0-9_-]{44}|[0-9a-f]{48}"),
    ("Intercom", "intercom", r"[a-z0-9=_-]{60}"),
    ("JFrog", "jfrog|artifactory|bintray|xray", "[a-z0-9]{73}|[a-z0-9]{64}"),
    ("Kraken", "kraken", r"[a-z0-9/=_+-]{80,90}"),
    ("KuCoin", "kucoin", _HEX + "{24}|" + UUID),
    ("LaunchDarkly", "launchdarkly", r"[a-z0-9=_-]{40}"),
    ("Linear", "linear", _HEX + "{32}"),
    ("LinkedIn", "linkedin|linked_in|linked-in", "[a-z0-9]{16}"),
    ("Lob", "lob_|lob-|lobApi|Lob API", r"(?:live|test)_(?:pub_)?[0-9a-f]{31,35}"),
    ("Looker", "looker", "[a-z0-9]{24}"),
    ("Mailgun", "mailgun", r"key-[0-9a-f]{32}|[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}"),
    ("Mapbox", "mapbox", r"[ps]k\.[a-z0-9]{60}\.[a-z0-9]{22}"),
    ("Mattermost", "mattermost", "[a-z0-9]{26}"),
    ("Meraki", "meraki", _HEX + "{40}"),
    ("MessageBird", "messagebird|message_bird|message-bird", "[a-z0-9]{25}"),
    ("Netlify", "netlify", r"[a-z0-9=_-]{40,46}"),
    ("New Relic", "newrelic|new_relic|new-relic|new relic|New Relic", r"[a-z0-9]{64}|[0-9a-f]{40}(?:NRAL)?"),
    ("New York Times", "nytimes", r"[a-z0-9=_-]{32}"),
    ("Okta", "okta", r"00[\w=-]{40}"),
    ("Plaid", "plaid", rf"[a-z0-9]{{30}}|access-(?:sandbox|development|production)-{UUID}"),
    ("Private AI", "privateai|private_ai|private-ai", "[a-z0-9]{32}"),
    ("RapidAPI", "rapidapi", "[a-z0-9_-]{50}"),
    ("Sendbird", "sendbird", _HEX + "{40}"),
    ("Sentry", "sentry", _HEX + "{64}|" + _HEX + "{32}"),
    ("Snyk", "snyk", UUID),
    ("SoftLayer", "softlayer", "[a-z0-9]{64}"),
    ("Sonar", "sonar", r"(?:sq[upa]_)?[a-z0-9=_-]{40}"),
    ("Sourcegraph", "sourcegraph", _HEX + "{40}"),
    ("Squarespace", "squarespace", UUID),
    ("Sumo Logic", "sumo", "[a-z0-9]{64}"),
    ("Travis CI", "travis", "[a-z0-9]{22}"),
    ("Trello", "trello", _HEX + "{32}|[0-9a-f]{64}"),
    ("Twilio", "twilio", _HEX + "{32}"),
    ("Twitch", "twitch", "[a-z0-9]{30}"),
    ("Twitter", "twitter", r"[a-z0-9]{45}|[a-z0-9]{25}|[a-z0-9]{50}|\d{15,25}-[a-z0-9]{20,40}|A{22}[a-z0-9%]{80,100}"),
    ("Typeform", "typeform", r"tfp_[a-z0-9_.=-]{59}"),
    ("Vercel", "vercel", "[a-z0-9]{24}"),
    ("Yandex", "yandex", r"t1\.[a-z0-9_-]+={0,2}\.[a-z0-9_-]{86}={0,2}|AQVN[a-z0-9_-]{35,38}|YC[a-z0-9_-]{38}"),
    ("Zendesk", "zendesk", "[a-z0-9]{40}"),
)

_ABOUT = r"(?:sha\d|md5|hash|digest|checksum|integrity|commit|revision|fingerprint|etag|(?<![a-z])u?u?ids?(?![a-z]))"
"""Names of what looks like a key and is none."""

_NAME = rf"(?![ \t\w.-]{{0,40}}?{_ABOUT})[ \t\w.-]{{0,40}}[\\\"'`\])>]{{0,4}}[ \t]*"
_OPERATOR = (
    r"(?:(?:=>|\|\||[:?.]{0,3}=|:{1,3}|[>,]|(?<=[ \t\"'`])(?:is|to|as)\b)[ \t]*"
    r"|(?<=key[ \t])|(?<=oken[ \t])|(?<=cret[ \t]))[\\\"'`\[(<]{0,5}"
)
"""Between a name and its value; only a blank where the name says what it is, as options of programs have it."""
_NAMES = bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123)) + b" \t_.-" + bytes(range(128, 256))
_OPERATORS = frozenset(b"=:|>,?")
_BETWEEN = b"=:|>,? \t\\\"'`])>[(<"
_SAID = (b"key ", b"oken ", b"cret ", b" is ", b" to ", b" as ")
"""Words that tell of a value without a sign."""

_SHORT = 7
"""Letters of a word that may stand within others: it counts whole, and at the beginning of a name's part."""


def _parts(words: str) -> list[str]:
    """Parts of the words as they are spelled in names; the first letter may be a capital."""
    parts = []
    for word in words.split("|"):
        if not word.islower():
            parts.append(word)
        else:
            parts += [word[1:], word.upper()] if len(word) >= _SHORT else [word, word.title(), word.upper()]
    return parts


_ROW_OF = {part: row for row in _ROWS for part in _parts(row[1])}
LITERALS = tuple(_ROW_OF)
"""Every text with the name of one of the vendors has one of these."""


def may_follow(line: bytes) -> bool:
    """Whether a sign or a word that tells of a value, and something like a key, stand behind a part of a name."""
    rest = line.lstrip(_NAMES)
    value = rest.lstrip(_BETWEEN)
    if not _OPERATORS.isdisjoint(rest[: len(rest) - len(value)]):
        return has_key(b" ".join(words(value)[:3]), 15)
    return any(said in line for said in _SAID) and has_key(line, 15)


@cache
def named_key(literal: str) -> Beside:
    """The form of the keys whose vendor's name has one of the `LITERALS`."""
    vendor, words, values = _ROW_OF[literal]
    names = "|".join(f"{'' if len(word) >= _SHORT else '(?<![a-z])'}{word}" for word in words.split("|"))
    pattern = late(rf"(?:{names}){_NAME}{_OPERATOR}({values})(?![\w-])", re.IGNORECASE)
    return Beside(vendor + NAMED, (literal,), pattern, judge=is_named_key)
