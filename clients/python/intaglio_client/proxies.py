"""Connections, direct or through a proxy."""

import base64
import re
import ssl
from typing import Dict, List, Optional
from urllib.parse import SplitResult, unquote, urlsplit

from .arguments import is_text
from .cancel import Cancel
from .errors import InvalidArgumentError
from .faults import TunnelRefused
from .wire import Broken, Wire, connect, read_head


class Connector:
    """Opens connections to hosts."""

    def __init__(
        self, context: Optional[ssl.SSLContext], proxy: Optional[str], no_proxy: str
    ) -> None:
        if context is not None and not isinstance(context, ssl.SSLContext):
            raise InvalidArgumentError("context", "must be an ssl.SSLContext")
        if not isinstance(no_proxy, str):
            raise InvalidArgumentError("no_proxy", "must be hosts, separated by commas")
        self._context = context
        self._proxy = _proxy_of(proxy)
        names = re.split(r"[\s,]+", no_proxy.lower())
        self._direct = [re.sub(r"^\*?\.", "", name) for name in names if name]

    def connection(self, origin: str, cancel: Cancel, silence_max: float) -> Wire:
        """A connection that is ready for a request."""
        parts = urlsplit(origin)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        proxy = self._proxy if self._goes_through(origin) else None
        if proxy is None:
            wire = connect(host, port, cancel, silence_max)
        else:
            wire = connect(proxy.hostname or "", proxy.port or 80, cancel, silence_max)
        try:
            if parts.scheme == "https":
                wire.hurry()
                if proxy is not None:
                    self._open_tunnel(wire, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
                wire.secure(self._trusted(), host)
        except BaseException:
            wire.close()
            raise
        return wire

    def target(self, origin: str, path: str) -> str:
        """What stands in the first line of a request: a proxy gets the whole address of http (RFC
        9112, 3.2.2)."""
        plain = origin.startswith("http:") and self._goes_through(origin)
        return origin + path if plain else path

    def headers(self, origin: str) -> Dict[str, str]:
        """What the proxy wants to know of a request."""
        plain = origin.startswith("http:") and self._goes_through(origin)
        return self._authorization() if plain else {}

    def secrets(self) -> List[str]:
        """What no message may hold."""
        password = None if self._proxy is None else self._proxy.password
        basic = [value.split(" ")[1] for value in self._authorization().values()]
        return [] if not password else [unquote(password), *basic]

    def _open_tunnel(self, wire: Wire, place: str) -> None:
        """RFC 9110, 9.3.6."""
        headers = {"Host": place, **self._authorization()}
        lines = [f"CONNECT {place} HTTP/1.1", *(f"{name}: {headers[name]}" for name in headers)]
        wire.send("\r\n".join([*lines, "", ""]).encode())
        status = read_head(wire).status
        if not 200 <= status < 300:
            raise TunnelRefused(status)
        if not wire.empty:
            raise Broken("the proxy sent more than the head of its answer")

    def _trusted(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = ssl.create_default_context()
            self._context.set_alpn_protocols(["http/1.1"])
        return self._context

    def _goes_through(self, origin: str) -> bool:
        host = urlsplit(origin).hostname or ""
        direct = any(name in ("*", host) or host.endswith(f".{name}") for name in self._direct)
        return self._proxy is not None and not direct

    def _authorization(self) -> Dict[str, str]:
        if self._proxy is None or self._proxy.username is None:
            return {}
        pair = f"{unquote(self._proxy.username)}:{unquote(self._proxy.password or '')}"
        return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _proxy_of(proxy: Optional[str]) -> Optional[SplitResult]:
    if proxy is None or proxy == "":
        return None
    try:
        parts = urlsplit(proxy) if isinstance(proxy, str) and is_text(proxy) else None
        # Reading the port raises ValueError for what is none.
        usable = parts is not None and parts.port != 0 and bool((parts.hostname or "").encode("idna"))
    except ValueError:
        parts, usable = None, False
    if parts is None or not usable or parts.scheme != "http":
        # The address may hold a password.
        raise InvalidArgumentError("proxy", "must begin with http:// and name a host and its port")
    return parts
