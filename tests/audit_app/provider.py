"""A small OpenID provider on this machine, over real HTTP, that can be told to lie."""

import hmac
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT = "audit"
CLIENT_SECRET = "told-to-the-server-only"


@dataclass
class Provider:
    """What it says next; `claims` are laid over the true ones, where None leaves one out."""

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    signs: str = "own"
    """own: as it should; other: with a key it does not publish; none: not at all; shared: with its public key."""
    denies: bool = False
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1", "alg": "RS256"}))
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    """What each code was asked for with."""

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configuration),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
                Route("/keys", self._keys),
                Route("/me", self._me),
            ]
        )

    async def _configuration(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "userinfo_endpoint": f"{self.issuer}/me",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
                **self.metadata,
            }
        )

    async def _keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def _me(self, request: Request) -> Response:
        return JSONResponse({"sub": "s-ann", **self.userinfo})

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        answer = {"state": asked["state"]}
        if self.denies:
            answer["error"] = "access_denied"
        else:
            answer["code"] = f"code-{len(self.asked)}"
            self.asked[answer["code"]] = asked
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(answer)}", 302)

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self.asked.pop(form.get("code", ""), None)
        challenge = _base64(sha256(form.get("code_verifier", "").encode()).digest())
        secret = request.headers.get("authorization", "")
        if asked is None or asked["code_challenge"] != challenge or asked["redirect_uri"] != form["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        if not secret.startswith("Basic "):
            return JSONResponse({"error": "invalid_client"}, 401)
        now = int(time.time())
        told = {
            "iss": self.issuer, "sub": "s-ann", "aud": CLIENT, "iat": now, "exp": now + 300,
            "nonce": asked["nonce"], "email": "ann@example.org", "email_verified": True, **self.claims,
        }  # fmt: skip
        claims = {name: value for name, value in told.items() if value is not None}
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "id_token": self._signed(claims)})

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.signs in ("none", "shared"):
            # By hand: joserfc rightly refuses to write either.
            head = {"alg": "none"} if self.signs == "none" else {"alg": "HS256", "kid": "1"}
            said = ".".join(_base64(json.dumps(part).encode()) for part in (head, claims))
            mac = hmac.digest(self.key.as_pem(private=False), said.encode(), "sha256")
            return f"{said}.{_base64(mac) if self.signs == 'shared' else ''}"
        key = self.key if self.signs == "own" else RSAKey.generate_key(2048)
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)


def _base64(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider that runs, on a port of its own."""
    provider = Provider()
    server = uvicorn.Server(uvicorn.Config(provider.app(), port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(600):
        if server.started:
            break
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    provider.issuer = f"http://127.0.0.1:{port}"
    try:
        yield provider
    finally:
        server.should_exit = True
        thread.join(10)


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
