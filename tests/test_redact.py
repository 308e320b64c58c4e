"""No known secret leaves in a redacted text, and what is no secret does. All tokens are made up."""

import json
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viewer.redact import Redactor, redact
from viewer.text import clean

_RANDOM = random.Random(20260301)
_ALNUM = string.ascii_letters + string.digits
_URLSAFE = _ALNUM + "-_"
_HEX = "0123456789abcdef"
_BASE64 = _ALNUM + "+/"


def some(length: int, alphabet: str = _ALNUM) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(length))


def pem(kind: str, lines: int = 3, head: str = "") -> str:
    body = "\n".join(some(64, _BASE64) for _ in range(lines))
    return f"-----BEGIN {kind}-----\n{head}{body}\n{some(10)}==\n-----END {kind}-----"


def jwt(parts: int = 3) -> str:
    return ".".join(("eyJ" + some(30, _URLSAFE), "eyJ" + some(60), *(some(43),) * (parts - 2)))


# What is kept, and the secret itself.
TOKENS = {
    "anthropic api": ("sk-ant-api03-", some(93, _URLSAFE) + "AA"),
    "anthropic oauth": ("sk-ant-oat01-", some(93, _URLSAFE) + "AA"),
    "anthropic refresh": ("sk-ant-ort01-", some(93, _URLSAFE) + "AA"),
    "anthropic admin": ("sk-ant-admin01-", some(93, _URLSAFE) + "AA"),
    "anthropic, of old": ("sk-ant-", some(86)),
    "openai project": ("sk-proj-", some(74, _URLSAFE) + "T3BlbkFJ" + some(74, _URLSAFE)),
    "openai service": ("sk-svcacct-", some(58, _URLSAFE) + "T3BlbkFJ" + some(58, _URLSAFE)),
    "openai classic": ("sk-", some(20) + "T3BlbkFJ" + some(20)),
    "openrouter": ("sk-or-v1-", some(64, _HEX)),
    "groq": ("gsk_", some(52)),
    "xai": ("xai-", some(80)),
    "github personal": ("ghp_", some(36)),
    "github oauth": ("gho_", some(36)),
    "github user": ("ghu_", some(36)),
    "github server": ("ghs_", some(36)),
    "github refresh": ("ghr_", some(76)),
    "github fine-grained": ("github_pat_", some(22) + "_" + some(59)),
    "gitlab": ("glpat-", some(20, _URLSAFE)),
    "gitlab, routable": ("glpat-", some(27) + ".01." + some(9)),
    "aws key": ("AKIA", some(16, string.ascii_uppercase + "234567")),
    "aws session key": ("ASIA", some(16, string.ascii_uppercase + "234567")),
    "google api": ("AIza", some(35, _URLSAFE)),
    "google client": ("GOCSPX-", some(28, _URLSAFE)),
    "google access": ("ya29.", "a0" + some(160, _URLSAFE)),
    "google refresh": ("1//0", some(99, _URLSAFE)),
    "slack bot": ("xoxb-", f"{some(12, '0123456789')}-{some(13, '0123456789')}-{some(24)}"),
    "slack user": ("xoxp-", f"{some(12, '0123456789')}-{some(12, '0123456789')}-{some(32, _HEX)}"),
    "slack app": ("xapp-", f"1-A{some(10)}-{some(13, '0123456789')}-{some(64, _HEX)}"),
    "slack hook": ("hooks.slack.com/services/", f"T{some(10)}/B{some(10)}/{some(24)}"),
    "npm": ("npm_", some(36)),
    "pypi": ("pypi-AgE", "IcHlwaS5vcmc" + some(140, _URLSAFE)),
    "hugging face": ("hf_", some(34, string.ascii_letters)),
    "stripe": ("sk_live_", some(24)),
    "stripe restricted": ("rk_live_", some(99)),
    "stripe hook": ("whsec_", some(32)),
    "supabase": ("sbp_", some(40, _HEX)),
    "sendgrid": ("SG.", some(22, _URLSAFE) + "." + some(43, _URLSAFE)),
    "digital ocean": ("dop_v1_", some(64, _HEX)),
    "telegram": (some(10, "123456789") + ":AA", some(33, _URLSAFE)),
    "jwt": ("eyJ", jwt()[3:]),
    "encrypted jwt": ("eyJ", jwt(5)[3:]),
    "kubeconfig": ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURS", some(400, _BASE64)),
}
# What stands before, the secret, and what stands behind.
ASSIGNED = {
    "url": ("https://user:", some(12), "@host.example/path"),
    "postgres": ("postgres://admin:", some(9) + "@" + some(3), "@db.example:5432/main"),
    "redis": ("redis://:", some(30), "@cache.example"),
    "bearer": ("Authorization: Bearer ", some(24, _URLSAFE + "."), ""),
    "lower case": ("authorization: bearer ", some(16), "\r\n"),
    "basic": ("curl -H 'Authorization: Basic ", some(22) + "==", "'"),
    "header in JSON": ('{"Authorization": "Bearer ', some(40), '"}'),
    "header in JSON in JSON": (r"{\"Authorization\":\"Bearer ", some(40), r"\"}"),
    "header in Python": ("(b'authorization', b'Bearer ", some(40), "')"),
    "api key": ("x-api-key: ", some(32), ""),
    "api key in JSON": ('"X-Api-Key": "', some(16, _HEX), '"'),
    "aws": ("aws_secret_access_key = ", some(40, _BASE64), ""),
    "aws environment": ("AWS_SECRET_ACCESS_KEY=", some(40, _BASE64), " aws s3 ls"),
    "aws in JSON": ('"SecretAccessKey": "', some(40, _BASE64), '",'),
    "aws in XML": ("<SecretAccessKey>", some(40, _BASE64), "</SecretAccessKey>"),
}
KEYS = {
    kind: pem(kind)
    for kind in (
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
    )
}
KEYS["PGP PRIVATE KEY BLOCK"] = pem("PGP PRIVATE KEY BLOCK", head="Version: GnuPG v2\n\n")
KEYS["DSA PRIVATE KEY"] = pem(
    "DSA PRIVATE KEY", head="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,9F02\n\n"
)

AROUND = {
    "alone": "{}",
    "at the start": "{} is the key",
    "in the middle": "the key {} works",
    "at the end": "the key is {}",
    "in a sentence": "Use {}, not ({}).",
    "after an equals sign": "API_KEY={}\n",
    "quoted": "key='{}' or `{}`",
    "in JSON": '{{"key":"{}","n":1}}',
    "in JSON in JSON": r"{{\"key\":\"{}\"}}",
    "after an escaped line end": r"first\n{}\nlast",
    "after an escaped equals sign": r"key\u003d{}\u0026more=1",
    "in a query": "?a=b&key%3D{}&c=d",
    "after a colour, escaped": r"\u001b[32m{}\u001b[0m",
    "after other controls": "^[[K{}^[[0K",
    "between other letters": "密钥{}。",
}
NO_SECRETS = [
    "",
    "nothing here",
    "sk-ant-api03-" + "x" * 95,
    "sk-ant-api03-...",
    "sk-ant-api03-your-api-key-goes-here",
    "sk-ant-api03-<token>",
    "sk-proj-" + "X" * 40,
    "sk-" + "0" * 48,
    "ghp_xxxxxxxx",
    "ghp_" + "x" * 36,
    "ghp_" + "*" * 36,
    "github_pat_" + "X" * 82,
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AKIA is how an access key begins, AIza an API key, eyJ a JWT",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "export ANTHROPIC_API_KEY=$TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer ${ANTHROPIC_AUTH_TOKEN}",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "Authorization: Bearer " + "*" * 20,
    "Authorization: Bearer short",
    'headers = {"Authorization": f"Bearer {access_token_of_the_user}"}',
    '{"x-api-key": process.env.ANTHROPIC_API_KEY}',
    "{'x-api-key': apiKeyFromTheEnvironment2}",
    "x-api-key: your-api-key-goes-here",
    "https://user@host.example/path",
    "git@github.com:owner/name.git",
    "ssh://git@host.example:22/owner/name",
    "http://localhost:8080/@scope/package@1.2.3",
    "https://user:$PASSWORD@host",
    "https://user:${PASSWORD}@host",
    "https://user:<password>@host",
    "https://user:{password}@host",
    "https://user:****@host",
    "https://user:xxxx@host",
    "postgres://user:[YOUR-PASSWORD]@host",
    "postgres://%s:%s@%s/%s",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:" + some(64, _HEX),
    "123e4567-e89b-42d3-a456-426614174000",
    "toolu_01" + some(22),
    "call_" + some(24),
    "msg_01" + some(22),
    "task-" + some(40),
    "disk-proj-" + some(40),
    "my" + "ghp_" + some(36),
    "data:image/png;base64,iVBORw0KGgo" + some(4000, _BASE64),
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "between `-----BEGIN RSA PRIVATE KEY-----` and `-----END RSA PRIVATE KEY-----`",
    "-----BEGIN PUBLIC KEY-----\n" + some(64) + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + some(64) + "\n-----END CERTIFICATE-----",
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJ" + some(500),
    "12:34:AA" + some(33),
    "sk-container-id-1 div.sk-toggleable__content",
    "npm_config_registry=https://registry.npmjs.org/",
    "def sk_test_something_that_is_a_rather_long_name(): ...",
    "{secret_access_key}",
]
HOSTILE = [
    "sk-ant-",
    "-sk-ant-api03",
    "ghp_",
    "_hf_",
    "eyJ",
    "-eyJ",
    "eyJ.",
    "eyJaaaaaaaaaa.",
    "-eyJaaaaaaaaaa.bbbbbbbb",
    "SG.",
    "SG.aaaaaaaaaaaaaaaaaaaaaa",
    "1234567890:AA",
    "1",
    "-",
    "A",
    "-----BEGIN",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 40 + "\n",
    "-----BEGIN PRIVATE KEY-----\nVersion: 1\n",
    r"-----BEGIN PRIVATE KEY-----" + r"\n" * 39,
    "://a:b",
    "://a@:@",
    "Authorization: Bearer ",
    r"authorization\\\\\"",
    "x-api-key: ",
    "secret_access_key  ",
    "hooks.slack.com/services/",
]


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize(("kept", "secret"), TOKENS.values(), ids=TOKENS)
def test_every_token_is_masked_wherever_it_stands(kept: str, secret: str, around: str) -> None:
    text = around.format(*[kept + secret] * 2)
    masked, count = redact(text)
    assert masked == around.format(*[kept + "[masked]"] * 2)
    assert count == around.count("{}")


@pytest.mark.parametrize(("before", "secret", "behind"), ASSIGNED.values(), ids=ASSIGNED)
def test_what_a_name_or_an_address_says_to_be_secret_is_masked(
    before: str, secret: str, behind: str
) -> None:
    text = f"$ {before}{secret}{behind}\nand more"
    assert redact(text) == (f"$ {before}[masked]{behind}\nand more", 1)


def test_a_telegram_token_in_an_address_is_masked() -> None:
    token = "123456789:AA" + some(33)
    masked, _ = redact(f"https://api.telegram.org/bot{token}/getMe")
    assert masked == "https://api.telegram.org/bot123456789:AA[masked]/getMe"


@pytest.mark.parametrize(("kind", "key"), KEYS.items(), ids=KEYS)
def test_a_private_key_is_masked_however_it_is_written(kind: str, key: str) -> None:
    lines = key.split("\n")
    for written in (
        key,
        json.dumps(key)[1:-1],
        json.dumps(json.dumps(key))[3:-3],
        key.replace("\n", "\r\n"),
        key.replace("\n", " "),
        key.replace("\n", "\n    "),
        "\n+".join(lines),
        "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))[7:],
        '\\n"\n  "'.join(lines),
    ):
        assert redact(f"key: {written} end") == (f"key: [masked {kind}] end", 1)


@pytest.mark.parametrize("line_end", ["\n", r"\n", r"\r\n", '\\n" +\n  "', "\n    7→"])
def test_a_private_key_that_was_cut_off_is_masked_to_its_end(line_end: str) -> None:
    key = pem("PRIVATE KEY", lines=4).replace("\n", line_end)
    for length in range(60, len(key)):
        masked, count = redact(key[:length])
        assert masked.startswith("[masked PRIVATE KEY]")
        assert count == 1
        assert len(masked) < len("[masked PRIVATE KEY]") + 40
        assert not any(line[:12] in masked for line in key.split(line_end)[1:-1])


def test_text_behind_a_key_that_was_cut_off_stays() -> None:
    key = "\n".join(pem("RSA PRIVATE KEY").split("\n")[:-2])
    masked, _ = redact(f"{key}\n\nThe rest was not shown; see the file.")
    assert masked == "[masked RSA PRIVATE KEY]\n\nThe rest was not shown; see the file."


def test_two_keys_are_two_masks() -> None:
    first, second = pem("RSA PRIVATE KEY"), pem("EC PRIVATE KEY")
    text = f"{first}\nand\n{second}\n"
    assert redact(text) == ("[masked RSA PRIVATE KEY]\nand\n[masked EC PRIVATE KEY]\n", 2)


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == (text, 0)
    assert redact(f'{{"text": "{text}"}} ') == (f'{{"text": "{text}"}} ', 0)


def test_long_random_text_stays() -> None:
    for alphabet in (_BASE64, _URLSAFE, _HEX):
        text = some(300_000, alphabet)
        assert redact(text) == (text, 0)


def test_a_secret_that_something_invisible_split_is_masked_after_cleaning() -> None:
    secret = some(36)
    text = clean(
        f"ghp_{secret[:9]}\u200b{secret[9:]} \x1b[31mghp_{secret}\x1b[0m \x1b[Kghp_{secret}"
    )
    masked, count = redact(text)
    assert count == 3
    assert secret not in masked


def test_a_token_as_a_password_is_masked_once() -> None:
    token = "ghp_" + some(36)
    masked = "https://x-access-token:ghp_[masked]@github.com/owner/name"
    assert redact(f"https://x-access-token:{token}@github.com/owner/name") == (masked, 1)
    assert redact(f"Authorization: token {token}") == ("Authorization: token ghp_[masked]", 1)


@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("before", ["", "://a:", "-----BEGIN PRIVATE KEY-----\n" + "A" * 50])
def test_a_hostile_text_ends(piece: str, before: str) -> None:
    """Anything that is not linear takes hours here."""
    text = before + piece * (1_000_000 // len(piece))
    masked, _ = redact(text)
    assert redact(masked) == (masked, 0)


def test_a_redactor_counts_over_many_texts() -> None:
    redactor = Redactor()
    assert redactor("key ghp_" + some(36)) == "key ghp_[masked]"
    assert redactor("nothing") == "nothing"
    assert redactor(f"{jwt()} {jwt()}") == "eyJ[masked] eyJ[masked]"
    assert redactor.count == 3


_SECRETS = (
    *((kept + secret, secret) for kept, secret in TOKENS.values()),
    *(("".join(parts), parts[1]) for parts in ASSIGNED.values()),
    *((key, key.split("\n")[-3]) for key in KEYS.values()),
)
_pieces = st.one_of(
    st.text(max_size=20),
    st.sampled_from([*NO_SECRETS, *HOSTILE, *(f" {text} " for text, _ in _SECRETS), "[masked]"]),
)


@settings(max_examples=300)
@given(st.lists(_pieces, max_size=6), st.sampled_from(_SECRETS), st.lists(_pieces, max_size=6))
def test_no_secret_survives_in_any_company(
    before: list[str], secret: tuple[str, str], behind: list[str]
) -> None:
    text = clean(f"{''.join(before)}\n{secret[0]}\n{''.join(behind)}")
    masked, count = redact(text)
    assert secret[1] not in masked
    assert count > 0
    assert redact(masked) == (masked, 0)


def test_the_name_of_a_field_is_no_last_line_of_a_key_that_was_cut_off() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"
    key = f"-----BEGIN PRIVATE KEY-----\n{line}\n"
    masked, count = redact(key + '{"Authorization": "Bearer kGqU0LBZA7CMpLoTG2JY9BQJ5Fr0"}')
    assert "kGqU0" not in masked and line not in masked and count == 2
