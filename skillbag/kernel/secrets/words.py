"""Words for secrets in nine languages and some more, as names of parameters and sentences have them.

All are in small letters without accents; `_` stands for a blank, a sign, or nothing between two words.
"""

from __future__ import annotations

ANY, KEY, CODE, DOUBTFUL = "any", "key", "code", "doubtful"

PASSWORDS = """
    password passwort passwoert passwords passwd passphrase passcode kennwort wachtwoord wachtzin contrasena
    contrasenas motdepasse losungswort пароль пароля losenord haslo hasło"""
"""Also at the end of a longer word, such as that for the password of a database."""

_ANY = f"""
    {PASSWORDS} pass_word pass_wd pass_phrase pass_code pass pwd pw psw pswd passwoerter kennworter wachtwoorden
    mot_de_passe mots_de_passe mdp palavra_passe senha senhas clave parola sifre mat_khau secret secrets
    secret_word secret_code secret_phrase secret_answer magic_word security_answer recovery_answer seed_phrase
    seed_words recovery_phrase recovery_words recovery_code recovery_codes recovery_key backup_phrase backup_code
    backup_codes backup_key wallet_phrase wallet_seed wallet_key mnemonic mnemonics mnemonic_phrase totp_seed
    otp_seed otp_secret totp_secret mfa_secret credential credentials creds geheimnis geheimwort geheimcode
    geheimzahl geheimwoord zugangsdaten zugangs_daten anmeldedaten inloggegevens mot_secret code_secret
    phrase_secrete phrase_de_recuperation code_d_acces identifiants clave_secreta palabra_secreta frase_secreta
    frase_semilla frase_de_recuperacion clave_de_acceso clave_acceso secreto credenciales parola_d_ordine
    parola_segreta frase_segreta frase_seme segreto credenziali palavra_secreta segredo frase_semente credenciais
    wifi_key wi_fi_key wlan_key wpa_key wpa2_key wpa3_key hotspot_key network_key psk wifi_schlussel
    wlan_schlussel wlan_schluessel wifi_sleutel cle_wifi cle_du_wifi cle_wpa clave_wifi clave_del_wifi chiave_wifi
    chiave_del_wifi chave_wifi chave_do_wifi requirepass"""
"""What opens something, in whatever words."""

_USES = """
    api access auth authorization private privater prive secret geheim geheime geheimer bitlocker filevault
    zugriffs zugangs encryption decryption
    signing license licence activation product master root admin deploy session shared client consumer app account
    subscription service function aes rsa crypto cipher ssh gpg pgp vpn hmac jwt webhook openai anthropic claude
    gemini stripe aws azure gcp google github gitlab slack sendgrid mailgun twilio openrouter groq mistral
    deepseek huggingface cohere datadog cloudflare notion linear figma supabase heroku pinecone algolia sentry
    airtable bot"""
"""What the key to something is called after; other keys sort, bind or translate."""

_KEY = f"""
    {" ".join(f"{use}_{key}" for use in _USES.split() for key in ("key", "keys", "schlussel", "schluessel", "sleutel"))}
    sleutel_api cle_api clef_api clef_privee cle_d_api cle_acces cle_d_acces cle_privee cle_secrete cles_api
    clave_api clave_de_api
    clave_privada claves_api llave_api llave_privada chiave_api chiave_d_accesso chiave_di_accesso chiave_privata
    chiave_segreta chave_api chave_de_api chave_de_acesso chave_privada chave_secreta secret_access_key
    shared_access_key service_account_key storage_account_key token tokens jeton jetons jwt bearer_token
    session_cookie auth_cookie login_cookie pre_shared_key preshared_key github_pat gitlab_pat gh_pat azure_pat
    devops_pat
    gl_pat ado_pat токен"""
"""Keys and tokens: a number of that name is none, and an ordinary word behind it is likelier about it."""

_CODE = """
    pin pin_code pin_codes pin_nummer pin_number pincijfer pincode tan otp otps otp_code totp_code cvv cvc cvv2
    cvc2 code_pin codigo_pin codice_pin door_code alarm_code gate_code safe_code access_code access_codes
    entry_code lock_code security_code unlock_code verification_code confirmation_code 2fa_code mfa_code sms_code
    auth_code login_code one_time_code one_time_password wifi_code zugangscode zugangs_code zugriffscode turcode
    tuercode tresorcode codice_accesso code_acces alarmcode toegangscode bestatigungscode sicherheitscode
    code_de_verification code_de_securite
    code_de_la_porte codigo_de_acceso codigo_acceso codigo_de_acesso codigo_de_verificacion codigo_de_seguridad
    codigo_de_verificacao codigo_de_la_puerta codigo_de_la_alarma codigo_de_alarma codigo_da_porta
    codigo_do_alarme code_de_l_alarme codice_della_porta codice_dell_allarme codice_d_accesso codice_di_accesso
    codice_di_verifica codice_di_sicurezza"""
"""Codes: digits, or letters among them."""

_DOUBTFUL = """
    geheim pat bearer schluessel schlussel chave cle security_key serial_number storage_key vault_key database_key
    db_key"""
"""Words of several meanings: only a made-up value is a secret."""

_ACCOUNTS = (
    "db sql mysql pg postgres redis ftp sftp smtp imap mail root admin user sudo wifi wlan ssh git my app vpn ldap"
)
"""What has a password, before a short word for it: `rootpw`."""

_SHORT = " ".join(f"{name}_{word}" for name in _ACCOUNTS.split() for word in ("pass", "pw", "pwd"))

_TABLES = {ANY: f"{_ANY} {_SHORT}", KEY: _KEY, CODE: _CODE, DOUBTFUL: _DOUBTFUL}
NOUNS = {entry.replace("_", ""): kind for kind, table in _TABLES.items() for entry in table.split()}
"""Words for secrets, without what parts them, and their classes."""
ENDS = frozenset({*NOUNS, *(entry.rpartition("_")[2] for table in _TABLES.values() for entry in table.split())})
"""The last words of those."""
LONGEST = 1 + max(entry.count("_") for table in _TABLES.values() for entry in table.split())
"""Words of the longest."""
TOKENS = ("token", "tokens")
"""What follows the name of a service: `npmtoken`."""

_UNSPACED = {
    ANY: """
    パスワード パスフレーズ パスコード 合言葉 合い言葉 認証情報 ログイン情報 密码 密碼 口令 通行码 通行碼 凭据
    凭证 비밀번호 패스워드 암호""",
    KEY: """
        apiキー アクセスキー 秘密鍵 秘密キー 秘密の鍵 暗号鍵 暗号キー 認証キー トークン 令牌 密钥 密鑰 私钥
        私鑰 權杖 토큰""",
    CODE: "暗証番号 認証コード 確認コード 验证码 驗證碼",
}
UNSPACED = {word: kind for kind, table in _UNSPACED.items() for word in table.split()}
"""Those of languages that put no blanks between words."""

ABOUT = """
    name names file files path dir folder url uri type types env var variable id policy format field fields header
    prefix store manager provider model limit limits budget count length size source scope endpoint ttl expiry
    expiration rotation hint prompt generator strength rules rule min max minimum maximum required enabled
    algorithm hash command cmd tool encoding encoder counter window lifetime separator suffix label mode kind
    digits color theme dialog entry chars reader source sharing app reset column complexity charset style helper
    backend version usage santa second minute hour day request location place vault ring chain timeout method flow
    server config settings template pattern regex lange datei pfad dienst fichier chemin longueur gestionnaire
    archivo ruta longitud gestor percorso lunghezza gestore arquivo caminho tamanho bestand pad lengte
    マネージャー ファイル
    長さ 長 ポリシー 管理器 管理 文件 长度 路径 策略"""
"""Words that make of a name for a secret one for something about it."""

QUALIFIERS = """
    prod production stage staging test testing dev development qa demo live main new old current default value
    text raw plain root admin user db database wifi wlan server host github gitlab aws azure gcp slack mail smtp
    ftp ssh web api banco datos datenbank serveur servidor base bd confirm confirmation repeat again backup
    primary secondary card karte carte phone handy bank sim acceso acces accesso acesso wi fi administrator
    administrador administrateur amministratore beheerder gast guest"""
"""What else may follow it."""

OF = """
    for of to in on fur furs des der dem den vom zum zur de del della dello da do di du van voor het par per para pour
    от для к"""
"""Words between it and what it opens."""

BOOLEAN = """
    use uses show require requires has have ask need needs no without allow enable disable hide mask reset change
    forgot store save generate check validate is with log print redact skip include prompt max min num total count
    stop pad eos bos unk sep cls special next page continuation cursor sync csrf nft governance design color
    colour css theme
    input output longitud longueur lunghezza tamanho duree gestionnaire gestor gestore gerenciador completion
    cached reserved"""
"""What before it makes of it a switch, a count, or a word of language models and designers."""

DETERMINED = "palabra palabras proxy fastcgi uwsgi"
"""What makes of `clave` a key word, and of `pass` a setting of a server."""

KEPT = """
    in on at from by see not no none never always the a an my your our their its it to of for and or if is are be
    been kept stored saved set required optional needed mandatory managed rotated expired wrong random empty
    unknown ask asks me us them you read taken manager policy true false null yes auto prompt prompts keychain
    keyring bitwarden 1password lastpass keepass vault environment env flag option argument parameter with via as
    when only bearer basic header headers file there here too so also hidden shown masked secret-store store
    somewhere elsewhere unset invalid valid missing changed known long short strong weak safe secure default blank
    wherever what where how protected free never-written case sensitive like about that this which every each any
    all please keep don't do must should can may will has have must-be redacted n/a tbd todo later unchanged
    someone nobody it's write string str int bool boolean number bytes buffer undefined object async await new
    function class const let echo im in beim aus siehe nie nicht kein keine steht liegt frag fragen fragt ist sind
    wird tresor schlusselbund umgebung der die das den dem ein eine bei unbekannt notig erforderlich geheim leer
    dans sur voir est sont pas jamais aucun demande demandez demander coffre trousseau le la les un une ne requis
    vide en ver esta estan son no nunca ninguna pide pideme preguntar llavero boveda el los las una ser requerida
    vacia nel nella vedi sono non mai nessuna chiedi chiedimi portachiavi il lo gli uno essere richiesta vuota no
    na nos ver sao nao nunca nenhuma peca pergunte cofre chaveiro o os as um uma obrigatoria vazia staat zie niet
    nooit geen vraag kluis sleutelhanger het een verplicht leeg キーチェーン なし 不要 必須 未設定 秘密 钥匙串
    无 不 必需 必填 保密 없음 필수
    abgelaufen vergessen abgefragt oublie perdu expire obligatoire obligatoria caducada olvidada preguntar
    obbligatoria scaduta dimenticata chiedere expirada esquecida perguntar verlopen vergeten vragen хранится в нет"""
"""Words about a secret, or for where it is kept, that may stand where it would."""

AND = "and for but on in at to or of und fur et pour y e para per a en voor с для here now"
"""Words that go on after it."""
