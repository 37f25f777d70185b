"""Connections, direct or through a proxy."""

import base64
import http.client
import re
import ssl
from typing import Dict, Optional
from urllib.parse import unquote, urlsplit


class Connector:
    """Opens connections to hosts."""

    def __init__(
        self, context: Optional[ssl.SSLContext], proxy: Optional[str], no_proxy: str
    ) -> None:
        self._context = context
        self._proxy = urlsplit(proxy) if proxy else None
        if self._proxy is not None and (self._proxy.scheme != "http" or not self._proxy.hostname):
            # The address may hold a password.
            raise ValueError("proxy must begin with http://")
        names = re.split(r"[\s,]+", no_proxy.lower())
        self._direct = [re.sub(r"^\*?\.", "", name) for name in names if name]

    def connection(self, origin: str, timeout: float) -> http.client.HTTPConnection:
        """A connection, which opens with its first request."""
        parts = urlsplit(origin)
        proxy = self._proxy if self._goes_through(origin) else None
        place = parts.netloc if proxy is None else f"{proxy.hostname}:{proxy.port or 80}"
        if parts.scheme != "https":
            return http.client.HTTPConnection(place, timeout=timeout)
        made = http.client.HTTPSConnection(place, timeout=timeout, context=self._context)
        if proxy is not None:
            made.set_tunnel(parts.hostname or "", parts.port or 443, self._authorization())
        return made

    def target(self, origin: str, path: str) -> str:
        """What stands in the first line of a request: a proxy gets the whole address of http (RFC
        9112, 3.2.2)."""
        plain = origin.startswith("http:") and self._goes_through(origin)
        return origin + path if plain else path

    def headers(self, origin: str) -> Dict[str, str]:
        """What the proxy wants to know of a request."""
        plain = origin.startswith("http:") and self._goes_through(origin)
        return self._authorization() if plain else {}

    def _goes_through(self, origin: str) -> bool:
        host = urlsplit(origin).hostname or ""
        direct = any(name in ("*", host) or host.endswith(f".{name}") for name in self._direct)
        return self._proxy is not None and not direct

    def _authorization(self) -> Dict[str, str]:
        if self._proxy is None or self._proxy.username is None:
            return {}
        pair = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password or '')}"
        return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
