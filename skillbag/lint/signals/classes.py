"""Classes of words in nine languages, and what a clause says that has one word of each, in any order.

A class is a list of beginnings of words, with `_` for blanks and a dot where a word ends.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.phrases import Phrase

_CLAUSE = r"[^.!?;\n。！？；|\"“”„«»「」]"
_REST = r"[^.!?;\n。！？；|\"“”«»「」`]{0,60}"
_CLOSE = r"[^.,;:!?\n。！？，、；：|]"
_MORE = late(r"\.|_\S*")
_BUT = "olvid omit esque deix oubli manqu dimentic забуд vergess sin. sem. sans. senza без. ohne antes hasta 忘 漏"
"""Words between a negation and a verb that turn it: "do not forget to tell"."""
_DUTY = "必须 须先 需要 应当 应该 必要 なければ 해야 아야 muss müss soll debe deve devo devi doit doiv faut должн bevor"
"""A duty to ask first has the words of a consent that is given."""


class Tongue(NamedTuple):
    """The classes of one language, with ` / ` between them; `user`, `this` and `nothing` are expressions.

    `telling`: signs, verbs, those without object. `denying`: negations before and after a verb, "without", hiding, what
    needs only the user. `granting`: consent, everything, beforehand, not asking. `nothing` needs a negated verb.
    """

    telling: str
    denying: str
    granting: str
    user: str
    this: str
    nothing: str
    spaced: bool = True

    def hiding(self) -> Phrase:
        """That the user is not to be told of what is done."""
        _, verbs, informing = self.telling.split(" / ")
        refuse, after, without, hide, behind = self.denying.split(" / ")
        tell, wide = self._any(f"{verbs} {informing}"), self.spaced
        denied = (
            rf"{self._any(refuse)}(?:(?!{self._any(_BUT)}){_CLOSE}){{0,{40 if wide else 8}}}?{tell}"
            if refuse
            else "(?!)"
        )
        if after:
            denied += rf"|{tell}(?:(?!なければ|なくて|忘|잊){_CLOSE}){{0,{45 if wide else 6}}}?{self._any(after)}"
        quiet = self._any(behind)
        if without:
            quiet += rf"|{self._any(without)}{_CLOSE}{{0,40}}?{self._any(informing)}"
        reach = f"{_CLAUSE}{{0,{80 if wide else 40}}}?"
        form = rf"""(?={reach}(?:{self.user}))(?: {reach}(?:{quiet})
            | (?={reach}(?:{denied})){reach}(?:{self.this}|{self.nothing})
            | (?={reach}{self._any(hide)}){reach}(?:{self.this}))"""
        return self._phrase(form, f"{verbs} {informing} {hide} {behind}", f"{refuse} {after} {without} {hide} {behind}")

    def approval(self) -> Phrase:
        """That the user has approved everything already, or that nobody asks."""
        consent, everything, before, unasked = self.granting.split(" / ")
        reach, given = f"{_CLAUSE}{{0,80}}?", rf"{self._any(consent)}(?!\w*(?:면|た(?:場合|ら)))"
        # "No further permission is needed" has the word, and grants nothing.
        consented = reach if self.spaced else f"(?:(?!{_either(unasked)}){_CLAUSE}){{0,80}}?"
        form = rf"""(?={reach}(?:{self.user}))(?={consented}{given})(?!{_CLAUSE}{{0,120}}?(?:{_either(_DUTY)}))
            (?={reach}{self._any(before)}|[^\n]{{0,120}}?{self._any(unasked)}){reach}{self._any(everything)}"""
        return self._phrase(form, consent, everything, f"{before} {unasked}")

    def _any(self, words: str) -> str:
        return (r"\b" if self.spaced else "") + f"(?:{_either(words)})"

    def _phrase(self, form: str, *beside: str) -> Phrase:
        groups = tuple(tuple(_MORE().sub("", words.casefold()).split()) for words in beside)
        flags = re.VERBOSE | (re.IGNORECASE if self.spaced else 0)
        form = rf"\b(?=\w)(?:{form}){_REST}" if self.spaced else rf"(?:{form}){_REST}"
        return Phrase(tuple(self.telling.partition(" / ")[0].split()), late(form, flags), beside=groups)


def _either(words: str) -> str:
    return "|".join(words.split()).replace(".", r"\b").replace("_", r"\s+")


TONGUES = (
    Tongue(
        "utzer nwender / sag erzähl verrat zeig meld erwähn bericht teil erklär sprich offenbar preis / informier "
        "benachrichtig unterricht erfahr erfähr wissen weiß wisse merk bemerk mitbekomm bescheid",
        "nicht nie. niemals ohne. kein / nicht nie. niemals / ohne. / verschweig verheimlich verbirg verberg "
        "versteck geheim kein_Wort keine_Silbe stillschweig / hinter_dem_rücken ohne_wissen ohne_kenntnis "
        "unbemerkt hinter_seinem_rücken",
        "zugestimm genehmig freigegeb erlaub einverstand einwillig zustimmung autoris eingewilligt / alle. allen. "
        "aller. alles. jede sämtlich / bereits schon vorab im_Voraus zuvor vorher / frag_nicht frage_nicht "
        "ohne_rückfrag ohne_nachfrag ohne_nachzufrag ohne_zu_frag keine_rückfrag keine_bestätig",
        r"\b(?:be)?nutzer(?:in|innen|n|s)?\b|\banwender(?:in|n|s)?\b",
        r"\bes\b|\bdies\b|\bdas(?=\s+(?:de[mnr]|vor|nicht|nie|gegenüber|nutzer))|\b(?:davon|hiervon|darüber|"
        r"hierüber)\b|\bdiese[mnrs]?\s+(?:schritt|vorgang|befehl|aktion|anweisung|übertragung|upload|änderung|"
        "zugriff)",
        r"\bnichts\b",
    ),
    Tongue(
        "usuari / diga dile. decir decír cuent cont mencion revel muestr mostr coment habl explic report / inform "
        "avis notific adviert advert sepa. saber. entere entera percat descubr sospech",
        "no. nunca jamás sin. /  / sin. / ocult escond secreto ni_una_palabra calla silencio disimul / a_espaldas "
        "a_escondidas sin_conocimiento sin_decírselo sin_contárselo sin_mencion sin_decirle",
        "aprob autoriz acept consentimiento permiso consint / todo toda cualquier cada. / ya. antem previ anticip "
        "/ no_pregunt no_pid sin_pregunt sin_ped sin_confirm",
        r"\busuari[oa]s?\b",
        r"\b(?:esto|eso|ello|se\s+lo)\b|\best[ea]\s+(?:paso|acci|operaci|instrucci|env|cambio|orden|comando)|"
        r"\bl[oa]s?\s+(?=(?:diga|cuente|mencione|revele|muestre|comente)s?\b|sepa)",
        r"\b(?:dig|cuent|menci|revel|sab|sep|enter|decir)\w*\s+nada\b|(?<=usuario)(?=\s*(?:[.!;,]|$|que\s+(?:has|hiciste|lo\s+has)\b))",
    ),
    Tongue(
        "usuár utilizad / diga dizer conte. contem. contar mencion revel fale falar mostr coment relat / inform "
        "avis notific saib saber. perceb descubr descobr desconf",
        "não. nunca jamais nem. sem. /  / sem. / ocult escond segredo nem_uma_palavra sigilo silêncio / "
        "pelas_costas sem_o_conhecimento às_escondidas sem_dizer sem_mencion sem_contar",
        "aprov autoriz aceit concord consent permiss / todo toda qualquer cada. / já. antem prévi previ anteced / "
        "não_pergunt não_peç sem_pergunt sem_ped sem_confirm",
        r"\busuári[oa]s?\b|\butilizador(?:es|a)?\b",
        r"\b(?:isto|isso|disso|disto)\b|\b(?:d?est|d?ess)[ae]\s+(?:passo|etapa|ação|operação|envio|comando|"
        r"mudança)|\bo\s+(?=(?:diga|conte|mencione|revele)s?\b)",
        r"\b(?:dig|cont|menci|revel|sab|saib|fal)\w*\s+nada\b|(?<=usuário)(?=\s*(?:[.!;,]|$|que\s+você))",
    ),
    Tongue(
        "utilisat / dis. dites dire. mentionn révèl révél montr signal parl évoqu divulgu racont expliqu / inform "
        "averti prévi préven notifi sache savoir sait. remarqu apprenn aperç dout",
        "ne. n' n’ sans. jamais /  / sans. ne_doi ne_devr / cach dissimul tais. taire taisez secret pas_un_mot "
        "aucune_mention aucun_mot / à_l'insu à_l’insu dans_le_dos sans_rien_dire",
        "approuv autoris accept consent accord permission / tout tous. chaque / déjà d'avance d’avance à_l'avance "
        "à_l’avance préalable par_avance / ne_demand n'en_demand n’en_demand sans_demand sans_confirm "
        "aucune_confirm",
        r"\butilisat(?:eur|rice)s?\b",
        r"\b(?:cela|ceci|ça)\b|\bcette\s+(?:étape|action|opération|commande|instruction|modification)|"
        r"\bce\s+(?:transfert|envoi)|\ben\s*(?=parl|inform|di[st]|averti|préven)|"
        r"\bl(?:e|a|es)\s+(?=sache|(?:di(?:s|tes|re)|(?:mentionn|révél|révèl|signal|montr)\w*)\s+(?:(?:pas|jamais)\s+)?(?:à|aux)\b)",
        r"\brien\b",
    ),
    Tongue(
        "utente utenti / dire. dica dirlo dirgli parl menzion rivel mostr raccont segnal accenn / inform avvis "
        "notific avvert sappia sapere accorg scopr",
        "non. mai. senza. /  / senza. / nascond nascost segret tacere nessuna_parola neanche_una_parola / "
        "insaputa alle_spalle di_nascosto senza_dirlo",
        "approv autorizz accett consens permess acconsent / tutt ogni. qualsiasi / già. anticip preventiv / "
        "non_chied senza_chied senza_conferm",
        r"\butent[ei]\b",
        r"\bciò\b|\bquest[ao](?=\s*[.,;!]|\s+(?:all|pass|comand|operaz|azion|invio))|\bne\b|(?<=dir)lo\b",
        r"\b(?:nulla|niente)\b",
    ),
    Tongue(
        "ользовател / говор скаж сказ сообщ рассказ упомин упомян раскры отчит докла / уведом предупре извест зна "
        "узна догад замет заподозр информир оповещ",
        "не. нельзя ни_слова без. / не_нужно не_надо не_следует незачем нельзя не_обязательно не_должен "
        "не_положено / без. / скрой скрыва скрыт утаи утаива умолч промолч ни_слова секрет тайн молч / без_ведома "
        "втайне тайком за_спиной незаметно не_уведомляя не_сообщая не_говоря не_предупреждая",
        "одобр разреш соглас добро. / все. всех. всем. всё. любы любое кажд / уже. заран предвар / не_спраш "
        "не_запраш без_подтвер без_запрос подтверждение_не",
        r"\bпользовател\w*",
        r"\b(?:об?|про)\s+эт\w+|\bэт(?:о|ого|ому)\b|\bэт(?:от|у|и|их|ой)\s+(?:шаг|действ|операц|команд|отправк|"
        "передач)",
        r"\bнич(?:его|то)\b|(?<=пользователю)(?=\s*(?:[.!;,]|$))",
    ),
    Tongue(
        "用户 用戶 使用者 / 告诉 告知 告訴 透露 提及 提到 提起 提这 提此 说起 说明 汇报 报告 展示 声张 通报 / "
        "通知 知道 知晓 得知 发现 發現 察觉 察覺 知情",
        "不要 请勿 别 勿 不得 不能 无需 不必 禁止 不让 不可 不准 不许 绝不 没必要 不应 不该 不用 無需 不需要 /  / "
        "不让 不要让 别让 不能让 勿让 不可让 不得让 避免让 / 保密 隐瞒 隱瞞 瞒 瞞 只字不提 / 瞒着 瞞著 瞒过 背着 "
        "对用户保密 對用戶保密 向用户隐瞒 对用户隐瞒 蒙在鼓里",
        "批准 授权 授權 同意 允许 许可 准许 / 所有 全部 任何 一切 每 / 已 预先 提前 事先 / 无需再 无需确认 "
        "不必确认 不用确认 不用再 不必再 無需",
        "用户|用戶|使用者",
        "此事|此步|此操作|此过程|此次|这件事|这事|这[一个]?步|这[个些项]?(?:步骤|操作|命令|动作|过程)|该(?:步骤|"
        r"操作|命令)|这一切|整个过程|全程|这些?(?=\s*(?:[。！；，]|$))",
        r"任何|你(?:已经?|曾)?(?:执行|做|发送|上传|读取|运行)|(?<=用户|用戶)(?=\s*(?:[。！；，.!;,]|$))|(?:向|对|"
        r"跟|和)(?:用户|用戶|使用者)\w{2}(?=\s*(?:[。！；，.!;,]|$))",
        spaced=False,
    ),
    Tongue(
        "ユーザ 利用者 / 知らせ 言わ 言う 言って 伝え 教え 話さ 話す 報告 通知 見せ 明かさ 明かす 触れ 説明 言及 "
        "/ 知られ 知る 気付か 気づか 悟られ",
        " / ない ず ません 禁止 不要 いけ 必要はあり 必要はな /  / 内緒 秘密 黙っ 隠 こっそり 伏せ / に内緒 "
        "には内緒 に秘密 には秘密 に黙っ には黙っ に知られず に知られない に気付かれず に気づかれず "
        "に気付かれない に気づかれない",
        "承認 許可 同意 了承 承諾 / すべて 全て 全 あらゆる / すでに 既に 事前 済 あらかじめ / 確認は不要 "
        "確認不要 確認せず 尋ねず 確認なし",
        "ユーザー?|利用者",
        "この(?:こと|手順|操作|ステップ|処理|作業|件|工程)|その(?:こと|手順|操作|処理)|これ(?:を|は|について|ら)",
        "何も|一切|(?:ユーザー?|利用者)(?:に|へ)は?も?(?:知らせ|言わ|伝え|教え|話さ|報告し|通知し|明かさ|"
        "見せない(?:こと|よう))",
        spaced=False,
    ),
    Tongue(
        "사용자 / 알리 알려 말하 말해 언급 보여 보고 밝히 통지 이야기 / 알게 알_필 눈치 알아채 알아차",
        " / 지_마 지마 지_말 지말 지_않 지않 금지 필요가_없 필요는_없 필요_없 안_된 안_되 /  / 비밀 숨기 숨겨 "
        "감추 감춰 / 몰래 모르게 에게_비밀 에게는_비밀 한테_비밀 에게_숨 에게는_숨",
        "승인 허용 동의 허락 / 모든 전부 모두 / 이미 사전 미리 / 묻지 확인_없이 확인하지",
        "사용자",
        r"이\s*(?:단계|사실|작업|내용|과정|명령|일|것|동작)|이를|이에",
        r"아무|절대|(?:에게|한테)는?\s*(?:알리|말하|언급하|밝히|통지하|보고하)",
        spaced=False,
    ),
)
