"""Phrases for agents in nine languages, each written once; those in English stand in `signals.english`."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals import english
from skillbag.lint.signals.phrases import FormTable, Phrase


def _phrase(signs: str, form: str) -> Phrase:
    return Phrase(tuple(signs.split()), late(form, re.IGNORECASE | re.VERBOSE | re.MULTILINE))


_SPANISH_USER = r"(?:al\s+usuario|a\s+la\s+usuaria|a\s+los\s+usuarios)"
_PORTUGUESE_USER = r"(?:ao|para\s+o|a\s+o|aos)\s+(?:usuário|utilizador)(?:es)?s?\b"
_FRENCH_USER = r"l['’]utilisat(?:eur|rice)"
_GERMAN_USER = r"(?:(?:de[mnr]|die|seine[mn]?)\s+)?(?:Nutzer|Benutzer|Anwender)(?:in|n)?"
_GERMAN_IT = r"(?:es|das|dies(?:en\s+Schritt|e\s+Anweisung)?|davon|hiervon)"
_CHINESE_USER = r"(?:用户|用戶|使用者)"
_CHINESE_STEP = r"(?:此事|这件事|这一步|此步骤|这个步骤|该操作|此操作|这些|此|这|任何)"
_CHINESE_NOT = r"(?:不要|请勿|别|勿|不得|切勿|不能|无需|不必|禁止)"
_KOREAN_NOT = r"지\s*(?:마(?:세요|십시오|라)|말\s*것|않)"
HIDING = FormTable(
    *english.HIDING,
    _phrase(
        "usuari",
        rf"""\b(?:(?:no|nunca)\s+(?:se\s+|le\s+)?
            (?: (?:lo|la|los|las)\s+(?:digas?|cuentes?|menciones?|reveles?|muestres?)
            | (?:digas?|cuentes?|menciones?|reveles?)\s+
              (?:esto|eso|nada|est[ea]\s+(?:paso|acción|operación|instrucción))(?:\s+de\s+esto)?
            | (?:digas?|cuentes?)(?=\s+{_SPANISH_USER}\s*(?:[.!;,]|$|que\s+(?:has|hiciste|lo\s+has)\b)) )
            \s+{_SPANISH_USER}\b
          | no\s+(?:informes?|avises?)\s+{_SPANISH_USER}\s+(?:de|sobre)\s+(?:esto|ello|este\s+paso)\b
          | sin\s+(?:decírselo|contárselo|mencionárselo|mencionarlo|avisar|informar|decir(?:le)?\s+nada)\s+
            {_SPANISH_USER}\b
          | no\s+se\s+lo\s+(?:digas?|cuentes?|menciones?|comentes?)\s+{_SPANISH_USER}\b
          | (?:oculta|esconde)\s+(?:esto|est[ea]\s+(?:paso|acción))\s+{_SPANISH_USER}\b
          | sin\s+que\s+(?:el\s+usuario\s+(?:lo\s+sepa|se\s+entere)|(?:lo\s+sepa|se\s+entere)\s+el\s+usuario)\b)""",
    ),
    _phrase(
        "usuár utilizad",
        rf"""\b(?:(?:não|nunca)\s+(?:o\s+|lhe\s+)?(?:diga|conte|mencione|revele|informe|fale)[sm]?\s+
              (?: (?:isso|isto|nada|este\s+passo|esta\s+etapa)\s+{_PORTUGUESE_USER}
                | {_PORTUGUESE_USER}(?=\s*(?:[.!;,]|$|(?:sobre\s+)?(?:isso|isto|nada)\b
                  |que\s+você\s+(?:fez|executou|enviou|leu)\b)) )
          | sem\s+(?:avisar|informar|contar|dizer(?:\s+nada)?|mencionar(?:\s+isso)?)\s+ao?\s*(?:usuário|utilizador)\b
          | sem\s+(?:avisar|informar)\s+o\s+(?:usuário|utilizador)\b
          | sem\s+que\s+o\s+(?:usuário|utilizador)\s+(?:saiba|perceba)\b)""",
    ),
    _phrase(
        "utilisat",
        rf"""\b(?:ne\s+(?:le|la|les)\s+(?:dis|dites|mentionne[sz]?|révèle[sz]?|montre[sz]?|signale[sz]?)\s+
            (?:pas|jamais)\s+à\s+{_FRENCH_USER}
          | ne\s+(?:dis|dites|mentionne[sz]?)\s+(?:rien|pas\s+(?:cela|ceci|cette\s+étape))\s+
            (?:de\s+(?:cela|ceci)\s+)?à\s+{_FRENCH_USER}
          | n['’]en\s+(?:parle[sz]?|informe[sz]?|dis|dites)\s+(?:pas|jamais|rien)\s+(?:à\s+)?{_FRENCH_USER}
          | à\s+l['’]insu\s+de\s+{_FRENCH_USER}
          | (?:sans\s+(?:(?:le\s+|la\s+|rien\s+)?(?:dire|signaler|mentionner|montrer)\s+à
              |(?:en\s+)?(?:informer|avertir|prévenir))
            |cache[sz]?\s+(?:cela|ceci|cette\s+étape)\s+à)\s+{_FRENCH_USER})""",
    ),
    _phrase(
        "utzer nwender",
        rf"""\b(?:(?:sage?|sagen\s+Sie|erzähle?|verrate?|zeige?|melde|erwähne?|erwähnen\s+Sie)\s+{_GERMAN_IT}\s+
            (?:gegenüber\s+)?{_GERMAN_USER}\s+(?:gegenüber\s+)?(?:nicht|nie(?:mals)?)\b
          | (?:sage?|sagen\s+Sie|erzähle?|verrate?)\s+{_GERMAN_USER}\s+
            (?:nichts(?:\s+(?:davon|hiervon))?|{_GERMAN_IT}\s+(?:nicht|nie(?:mals)?))\b
          | (?:verschweige?|verheimliche?|verbirg|verberge)\s+
            (?:{_GERMAN_IT}\s+(?:vor\s+)?{_GERMAN_USER}|{_GERMAN_USER}\s+{_GERMAN_IT})
          | ohne\s+{_GERMAN_USER}\s+(?:(?:davon|darüber)\s+)?zu\s+(?:informieren|benachrichtigen|unterrichten)
          | {_GERMAN_USER}\s+(?:darf|soll|sollte)\s+(?:davon|hiervon|das)\s+(?:nichts?|nie)\s+(?:erfahren|wissen|merken)
          | ohne\s+(?:dass\s+{_GERMAN_USER}\s+(?:es|das|etwas)\s+(?:merkt|bemerkt|erfährt|weiß)
            |(?:es|das)\s+{_GERMAN_USER}\s+zu\s+(?:sagen|zeigen|melden))\b)""",
    ),
    _phrase(
        "пользовател",
        r"""\b(?:не\s+(?:говори|сообщай|рассказывай|упоминай)(?:те)?\s+
            (?: (?:об\s+этом|про\s+это|этого|это)\s+пользовател\w*
              | пользовател\w*(?=\s+(?:об\s+этом|про\s+это|этого|это|ничего)\b|\s*(?:[.!;,]|$)) )
          | (?:без\s+ведома|втайне\s+от|(?:скрой|скрывай)(?:те)?\s+(?:это\s+)?от
              |не\s+(?:уведомляя|сообщая|говоря|предупреждая))\s+пользовател\w*)""",
    ),
    _phrase(
        "用户 用戶 使用者",
        rf"""{_CHINESE_NOT}(?:将|把)?{_CHINESE_STEP}?
            (?:告诉|告知|通知|透露给|告訴){_CHINESE_USER}(?=\s*(?:[。！；，.!;,]|{_CHINESE_STEP}|你(?:已经?|曾)?(?:执行|做|发送|上传|读取|运行)|$))
          | {_CHINESE_NOT}(?:向|对|跟|和){_CHINESE_USER}(?:提及|提到|提起|说明|透露|说起|报告|展示)
            (?=\s*(?:[。！；，.!;,]|{_CHINESE_STEP}|$))
          | (?:瞒着|瞞著|不让|不要让){_CHINESE_USER}(?:知道|发现|發現|察觉)
          | (?:对|對|向){_CHINESE_USER}(?:保密|隐瞒|隱瞞)""",
    ),
    _phrase(
        "ユーザ 利用者",
        r"""(?:このことを|これを|この手順を|この操作を)?(?:ユーザー?|利用者)(?:に|へ)(?:は|も)?
            (?:(?:この|その)(?:こと|手順|操作|ステップ)(?:を|は|について)?|これを|何も|一切)?
            (?:知らせ|言わ|伝え|教え|話さ|報告し|通知し|見せ|明かさ)(?:ないで|ず|ては(?:いけ|なら)ない|ない(?:こと|よう))
          | (?:ユーザー?|利用者)(?:に|へ)は?(?:内緒|秘密|黙って)
          | (?:ユーザー?|利用者)に(?:気付|気づ|知)(?:かれ|られ)(?:ない|ず)""",
    ),
    _phrase(
        "사용자",
        rf"""(?:이\s*(?:단계|사실|작업|내용)(?:를|을|은|는)\s*)?사용자(?:에게|한테)(?:는|도)?\s*
            (?:(?:이것|이\s*(?:단계|사실|작업|내용))(?:을|를|은|는)?\s*|아무것도\s*|절대\s*)?
            (?:알리|말하|언급하|보여주|보고하|밝히|통지하){_KOREAN_NOT}
          | 사용자\s*(?:가\s*)?(?:모르게|몰래)
          | 사용자(?:에게|한테)(?:는)?\s*(?:비밀로|숨기|숨겨)""",
    ),
    _phrase(
        "utente",
        r"\b(?:non\s+dire\s+(?:nulla|niente)\s+all|senza\s+(?:dirlo\s+all|(?:avvisare|informare)\s+l))['’]utente",
    ),
)
"""Phrases that tell to hide something from the user."""
_WITHOUT = late(r"(?i)(?:sin|sem|sans|ohne|senza|не)\b")


def is_forbidden(phrase: str, before: str) -> bool:
    """Whether a phrase such as "without telling the user" has a word of refusal before it, in its own language."""
    return bool(_WITHOUT().match(phrase) and _REFUSES().search(before))


_KOREAN_RULES = r"(?:지시|지침|명령|규칙|프롬프트)(?:\s*사항)?(?:들)?(?:을|를)?"
IGNORING = FormTable(
    *english.IGNORING,
    _phrase(
        "gnorier ergiss ergessen issacht",
        r"""\b(?:ignorier\w*\s+(?:\w+\s+){0,3}(?:vorherig|bisherig|vorig|früher|obig|vorangegangen|dein|ihr)\w*\s+
            (?:\w+\s+)?(?:anweisungen|instruktionen|regeln|vorgaben|befehle)
          | (?:vergiss|vergessen\s+sie|missachte\w*)\s+(?:\w+\s+){0,2}(?:vorherig|bisherig|vorig|früher|dein|ihr)\w*\s+
            (?:\w+\s+)?(?:anweisungen|instruktionen|regeln|vorgaben))""",
    ),
    _phrase(
        "instruccion reglas directrices",
        r"""\b(?:ignora|olvida|descarta)[drs]?\s+(?:\w+\s+)?
            (?:las\s+(?:\w+\s+)?(?:instrucciones|reglas|normas|indicaciones)\s+(?:\w+\s+)?(?:anterior|previa)\w*
            |tus\s+(?:instrucciones|reglas|directrices))""",
    ),
    _phrase(
        "instruç regras",
        r"""\b(?:ignor[ae]|esqueç?[ae]|desconsider[ae])[rm]?\s+(?:(?:todas|quaisquer)\s+)?
            (?:as\s+(?:\w+\s+)?(?:instruções|regras)\s+(?:\w+\s+)?(?:anterior|prévia)\w*|(?:as\s+)?suas\s+instruções)""",
    ),
    _phrase(
        "instructions consignes règles",
        r"""\b(?:ignore|oublie)[rzs]?\s+(?:\w+\s+)?(?:les\s+(?:instructions|consignes)\s+(?:précédent|antérieur)\w*
            |(?:tes|vos)\s+(?:\w+\s+)?(?:instructions|consignes|règles))""",
    ),
    _phrase(
        "гнори абудь",
        r"""\b(?:(?:про)?игнорируй\w*\s+(?:\w+\s+){0,2}(?:инструкци|указани|правил)\w*
          | забудь\w*\s+(?:\w+\s+){0,2}(?:инструкци|указани|правил)\w*)""",
    ),
    _phrase(
        "忽略 无视 無視 忘记 忘記 忘れ",
        r"""(?:忽略|无视|無視|忘记|忘記)(?:掉|你|之前|以前|以上|先前|此前|所有|全部|的|一切){1,5}
            (?:系统|系統)?(?:指令|指示|规则|規則|提示)
          | (?:これまで|以前|上記|前|今まで)の(?:すべて|全て|全|あらゆる)?の?(?:指示|命令|ルール|プロンプト)
            [をは]?(?:すべて|全て)?(?:無視|忘れ)""",
    ),
    _phrase(
        "무시 잊", rf"(?:이전|기존|앞선|위의?)\s*(?:의\s*)?(?:모든\s*)?{_KOREAN_RULES}\s*(?:모두\s*)?(?:무시하|잊)"
    ),
)
"""Phrases that tell to ignore instructions."""

ASKS = (
    *("send", "post", "upload", "transmit", "exfiltrat", "submit", "forward", "includ", "attach", "append", "pass"),
    *("add", "embed", "email", "share", "put", "copy", "report"),
)
"""English words that ask to give something away."""
_SENDING = (
    *("sende", "schick", "übermitt", "übertrag", "hochlad", "kopier", "lad"),
    *("envoie", "envoy", "transmet", "téléverse", "copie"),
    *("envía", "envia", "envíe", "manda", "sube", "envie", "mande", "carregue", "copia", "invia", "carica"),
    *("отправ", "пошли", "передай", "загрузи"),
)
_SENDING_UNSPACED = (
    *("发送", "上传", "提交", "传送", "发给", "发到", "發送", "上傳", "傳送"),
    *("送信", "送って", "アップロード", "전송", "보내", "업로드"),
)
ASKS_ELSEWHERE = (*_SENDING, *_SENDING_UNSPACED)
"""Words of other languages that ask to send something."""
_ASKS_TO_SEND = late(rf"\b(?:{'|'.join(_SENDING)})|{'|'.join(_SENDING_UNSPACED)}", re.IGNORECASE)
_REFUSES = late(
    r"\b(?:nicht|niemals|nie|kein\w*|ne|jamais|no|nunca|jamás|não|не|никогда)\b|\bn['’]"
    r"|不|别|勿|禁|ない|なく|せず|지\s*(?:마|말|않)|금지",
    re.IGNORECASE,
)
_ADDRESS = late(r"https?://(?!localhost|127\.|\[)", re.IGNORECASE)
_END = late(r"[。！？]|[.!?](?=\s|\Z)|\n[ \t]*(?:\n|[-*+#|>]|\d+[.)])")


def sentence_around(body: str, start: int, end: int) -> tuple[int, int]:
    """The bounds of the sentence of a place, at most 200 characters before it and 300 after it."""
    first, last = max(0, start - 200), end + 300
    first = max((mark.end() for mark in _END().finditer(body, first, start)), default=first)
    stop = _END().search(body, end, last)
    return first, stop.start() if stop else min(last, len(body))


def sends_elsewhere(body: str, first: int, last: int) -> bool:
    """Whether a part of a text has words of other languages than English for sending, and an address."""
    return bool(_ASKS_TO_SEND().search(body, first, last) and _ADDRESS().search(body, first, last))


def asks_to_send(body: str, start: int, end: int) -> tuple[int, int] | None:
    """The span of a sentence in another language than English that asks to send a place of it to an address."""
    first, last = sentence_around(body, start, end)
    if not sends_elsewhere(body, first, last):
        return None
    return None if _REFUSES().search(body, first, last) else (start, last)
