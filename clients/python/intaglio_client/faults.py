"""Why no answer came, in words."""

import socket
import ssl

from .errors import PROXY_WANTS
from .wire import Broken

# Errors of connections, and of what comes over them.
LOST = (OSError, Broken)


class TunnelRefused(OSError):
    """A proxy does not connect to the host."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


# How OpenSSL names the answer of a service that wants a certificate of the client, or another one.
_CERTIFICATE_ALERTS = (
    "CERTIFICATE_REQUIRED",
    "BAD_CERTIFICATE",
    "CERTIFICATE_UNKNOWN",
    "CERTIFICATE_EXPIRED",
    "CERTIFICATE_REVOKED",
    "UNSUPPORTED_CERTIFICATE",
    "UNKNOWN_CA",
)
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")


def is_final(error: BaseException) -> bool:
    """Whether another try would be refused in the same way."""
    if isinstance(error, (ssl.SSLCertVerificationError, TunnelRefused)):
        return True
    said = _alert_of(error)
    return said in _CERTIFICATE_ALERTS or said in _NO_TLS


def _alert_of(error: BaseException) -> str:
    """What OpenSSL says, without the version of the protocol: TLSV1_ALERT_UNKNOWN_CA is UNKNOWN_CA."""
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    return (reason or "").split("ALERT_")[-1]


def reason_of(error: BaseException) -> str:
    """Names the fault without any text of the answer."""
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, socket.timeout):
        return "the service was silent for too long"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, socket.gaierror):
        return "the host is not known"
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate_fault(error)
    if isinstance(error, TunnelRefused):
        more = f": {PROXY_WANTS}" if error.status == 407 else ""
        return f"the proxy answered with status {error.status}{more}"
    said = _alert_of(error)
    if said in _NO_TLS:
        return f"there is no TLS at this port; does the address begin with http://? ({said})"
    give = "one with `context` and its load_cert_chain"
    if said in _CERTIFICATE_ALERTS:
        return f"the service wants a certificate of the client, or another one: give {give} ({said})"
    if said == "HANDSHAKE_FAILURE":
        may = "it may want a certificate of the client"
        return f"the service refused the TLS handshake; {may}: give {give} ({said})"
    return f"the connection was cut ({type(error).__name__})"


def _certificate_fault(error: ssl.SSLCertVerificationError) -> str:
    """What is wrong with the certificate of the service, and what helps."""
    said = f"(X509 {error.verify_code}: {error.verify_message})"
    set_file = "in SSL_CERT_FILE, or give a `context` made with cafile"
    if error.verify_code == 9:
        return f"the certificate of the service is not valid yet: set the clock or replace it {said}"
    if error.verify_code == 10:
        return f"the certificate of the service has expired: renew it {said}"
    if error.verify_code == 18:
        return (
            "the certificate of the service is self-signed: name its file (PEM) "
            f"{set_file} {said}"
        )
    if error.verify_code in (2, 19, 20, 21):
        return (
            "no authority that Python knows signed the certificate of the service: name the file "
            f"of the authority's certificate (PEM) {set_file} {said}"
        )
    if error.verify_code in (62, 64):
        return f"the certificate of the service is for another name: use one that it has {said}"
    return f"the certificate of the service was refused {said}"
