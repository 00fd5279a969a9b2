"""The organisation's own sign-in (OpenID Connect): the code flow with PKCE, spoken by Authlib.

Every sign-in reads the provider's addresses and keys anew: they are few, and new keys or settings count at once.
"""

import logging
import os
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from authlib.integrations.base_client import OAuthError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError, InvalidURL
from joserfc.errors import JoseError

from audit_app.actions.accounts import Account
from audit_app.actions.answers import Refused
from audit_app.language import _, mark
from data.declared import Oidc

SECRET = "EVIDENCE_AUDIT_OIDC_SECRET"
"""The environment variable with the client secret; without it the app is a public client, protected by PKCE alone."""

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with the provider's public key. Neither "none" nor a shared secret proves who wrote a token."""

USED = {"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint",
        "id_token_signing_alg_values_supported", "_loaded_at"}  # fmt: skip
SKEW = 60
"""Seconds by which the two clocks may differ."""
MINUTES = 10
"""For how long a sign-in that was begun can be finished."""
MOST = 1_000
"""Sign-ins under way at the same time; beyond that the oldest begins anew."""

DOWN = mark(
    "The sign-in of your organisation cannot be reached right now. Try again in a moment, or use your personal link."
)
DENIED = mark(
    "Your organisation did not sign you in: it was cancelled or refused there. Try again, or use your personal link."
)
STALE = mark("This sign-in was not begun in this browser, took too long or was used already. Begin it anew.")
UNSURE = mark(
    "The answer of your organisation could not be verified, so you were not signed in. Begin anew; if it stays so, "
    "tell the person who runs this server."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Begun:
    """What only this server knows of a sign-in under way."""

    nonce: str
    code_verifier: str
    until: float


class Organisation:
    """The sign-ins that are under way; kept in memory, so that each can be finished once only."""

    def __init__(self) -> None:
        self._begun: dict[str, _Begun] = {}

    async def begin(self, settings: Oidc) -> tuple[str, str]:
        """Where to send the browser, and the state to keep in its cookie.

        Raises:
            Refused: 503, the provider cannot be reached.
        """
        async with _provider(settings) as client:
            begun = await client.create_authorization_url(_back(settings), state=secrets.token_urlsafe(24))
        now = time.monotonic()
        self._begun = {state: each for state, each in self._begun.items() if each.until > now}
        while len(self._begun) >= MOST:
            self._begun.pop(next(iter(self._begun)))
        self._begun[begun["state"]] = _Begun(begun["nonce"], begun["code_verifier"], now + MINUTES * 60)
        return begun["url"], begun["state"]

    async def finish(self, settings: Oidc, answer: Mapping[str, str], cookie: str | None) -> Account:
        """Whose account it is, from the query that the provider sent the browser back with.

        Raises:
            Refused: 403, it was refused, is not this browser's, or cannot be verified; 503, no answer.
        """
        state = answer.get("state", "")
        mine = cookie is not None and secrets.compare_digest(cookie.encode(), state.encode())
        begun = self._begun.pop(state, None) if mine else None
        if begun is None or begun.until < time.monotonic():
            raise Refused(403, _(STALE))
        if "error" in answer:
            raise Refused(403, _(DENIED))
        if answer.get("iss", settings.issuer) != settings.issuer or not answer.get("code"):
            raise Refused(403, _(UNSURE))
        async with _provider(settings) as client:
            token = await client.fetch_access_token(
                _back(settings), code=answer["code"], code_verifier=begun.code_verifier
            )
            claims = await _claims(client, settings, token, begun.nonce)
        email = claims.get("email")
        return Account(
            issuer=settings.issuer,
            subject=str(claims["sub"]),
            email=email if isinstance(email, str) else None,
            email_verified=claims.get("email_verified") is True,
        )


def _back(settings: Oidc) -> str:
    return f"{settings.address}/oidc/back"


@asynccontextmanager
async def _provider(settings: Oidc) -> AsyncIterator[Any]:
    """Authlib's client of the provider; what goes wrong with it is one sentence for people and one line in the log."""
    client = OAuth().register(
        "organisation",
        client_id=settings.client_id,
        client_secret=os.environ.get(SECRET) or None,
        server_metadata_url=f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email",
            "code_challenge_method": "S256",
            "timeout": 10,
            **({} if os.environ.get(SECRET) else {"token_endpoint_auth_method": "none"}),
        },
    )
    try:
        _checked(settings, await client.load_server_metadata())
        yield client
    except (HTTPError, InvalidURL) as error:
        _log.warning("sign-in by %s: %s", settings.issuer, type(error).__name__)
        raise Refused(503, _(DOWN)) from None
    except (OAuthError, JoseError, ValueError, KeyError, TypeError, RuntimeError) as error:
        # The kind alone: texts may quote what was sent, and that holds codes and tokens.
        _log.warning("sign-in by %s: %s", settings.issuer, type(error).__name__)
        raise Refused(403, _(UNSURE)) from None


def _checked(settings: Oidc, found: dict[str, Any]) -> None:
    """Leaves of what a provider says of itself only what is used, and that only where it is safe.

    Raises:
        ValueError: It is another issuer, or speaks without encryption.
    """
    for name in set(found) - USED:
        del found[name]  # Authlib would take any of them for a setting of its client
    if found.get("issuer") != settings.issuer:
        raise ValueError("another issuer")
    scheme = urlsplit(settings.issuer).scheme
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"):
        if name in found and urlsplit(str(found[name])).scheme not in ("https", scheme):
            raise ValueError("an address without encryption")
    offered = found.get("id_token_signing_alg_values_supported") or ["RS256"]
    found["id_token_signing_alg_values_supported"] = [name for name in offered if name in ALGORITHMS] or ["RS256"]


async def _claims(client: Any, settings: Oidc, token: dict[str, Any], nonce: str) -> Mapping[str, Any]:
    """What the verified token says; the address from the provider's userinfo where the token has none."""
    expected = {
        "iss": {"essential": True, "value": settings.issuer},
        "aud": {"essential": True, "value": settings.client_id},
        "sub": {"essential": True},
        "exp": {"essential": True},
    }
    claims = await client.parse_id_token(token, nonce, claims_options=expected, leeway=SKEW)
    if claims is None:
        raise ValueError("no id_token")
    if "email" in claims or "userinfo_endpoint" not in client.server_metadata:
        return dict(claims)
    more = await client.userinfo(token=token)
    if more.get("sub") != claims["sub"]:
        raise ValueError("userinfo of somebody else")
    return {**more, **claims}
