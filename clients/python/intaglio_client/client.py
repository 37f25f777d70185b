"""A service, called with one API key."""

import re
import ssl
import uuid
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Type

from .answers import LINK, SHA256, UUID, record_with
from .arguments import Path, address_of, idempotency_key_of, mapping_of, sha256_of, text_of
from .cancel import Cancel
from .errors import InvalidArgumentError
from .files import PDF, Pdf, WrittenFile, digest_of, reading, writing
from .proxies import Connector
from .runs import Runs
from .transport import Sending, Transport
from .types import (
    Acknowledgement,
    DocumentOptions,
    DocumentRecord,
    FieldContract,
    Identities,
    IdentityCounts,
    SyncIdentitiesRequest,
    Verification,
)


class Intaglio:
    """A service, called with one API key. Connections are kept and used again; any number of threads
    may share one client. `cancel` of each call ends it, its waits too."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        connections_max: int = 16,
        silence_max: float = 60.0,
        tries_max: int = 10,
        retry_max: float = 120.0,
        context: Optional[ssl.SSLContext] = None,
        proxy: Optional[str] = None,
        no_proxy: str = "",
    ) -> None:
        """`silence_max`: seconds without a byte after which a try counts as not answered;
        `tries_max`: how often a request is sent; `retry_max`: seconds after the call during which a
        try may begin; `context`: which authorities of TLS certificates are trusted, and the client's
        own certificate; `proxy`: such as `http://user:password@proxy.bank.example:3128`; `no_proxy`:
        hosts that are reached without it, separated by commas."""
        connector = Connector(context, proxy, no_proxy)
        self._transport = Transport(
            url, api_key, connections_max, silence_max, tries_max, retry_max, connector
        )
        self.runs = Runs(self._transport)
        self.identities = IdentitySync(self._transport)

    def __enter__(self) -> "Intaglio":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that are idle."""
        self._transport.close()

    def generate(
        self,
        template_id: str,
        data: Mapping[str, Any],
        *,
        version: Optional[int] = None,
        options: Optional[DocumentOptions] = None,
        cancel: Optional[Cancel] = None,
    ) -> Pdf:
        """Makes a PDF that the service does not store (mode sync)."""
        sending = _generation("sync", template_id, data, version, options, cancel)
        return self._transport.send(sending, reading())

    def generate_to_file(
        self,
        template_id: str,
        data: Mapping[str, Any],
        path: Path,
        *,
        version: Optional[int] = None,
        options: Optional[DocumentOptions] = None,
        cancel: Optional[Cancel] = None,
    ) -> WrittenFile:
        """As `generate`, written to a file while it comes."""
        sending = _generation("sync", template_id, data, version, options, cancel)
        return self._transport.send(sending, writing(path))

    def store(
        self,
        template_id: str,
        data: Mapping[str, Any],
        *,
        version: Optional[int] = None,
        options: Optional[DocumentOptions] = None,
        idempotency_key: Optional[str] = None,
        cancel: Optional[Cancel] = None,
    ) -> Acknowledgement:
        """Makes a PDF that the service stores (mode async), once however often the call is repeated.
        `idempotency_key`: 1 to 255 printable ASCII characters, kept for 24 hours in the team; one of
        chance covers the repetitions of this client, not those of a program that ended."""
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key_of(idempotency_key)
        headers = {"Idempotency-Key": key}
        sending = _generation("async", template_id, data, version, options, cancel, headers)
        made: Acknowledgement
        answer = self._transport.json(sending)
        made = record_with(answer, documentId=UUID, sha256=SHA256, url=LINK)
        return made

    def field_contract(
        self,
        template_id: str,
        *,
        version: Optional[int] = None,
        cancel: Optional[Cancel] = None,
    ) -> FieldContract:
        """The fields of a published version; of the latest without `version`."""
        query = {"version": version}
        sending = Sending("getFieldContract", (template_id,), query=query, cancel=cancel)
        told: FieldContract = self._transport.json(sending)
        return told

    def data_schema(
        self,
        template_id: str,
        *,
        version: Optional[int] = None,
        cancel: Optional[Cancel] = None,
    ) -> Dict[str, Any]:
        """JSON Schema 2020-12 of the data of a published version; of the latest without `version`."""
        query = {"version": version}
        sending = Sending("getDataSchema", (template_id,), query=query, cancel=cancel)
        told: Dict[str, Any] = self._transport.json(sending)
        return told

    def document(self, document_id: str, *, cancel: Optional[Cancel] = None) -> DocumentRecord:
        """The record of a stored document, with a fresh link."""
        record: DocumentRecord
        record = self._transport.json(Sending("getDocument", (document_id,), cancel=cancel))
        own = re.compile(re.escape(document_id), re.IGNORECASE)
        record_with(record, documentId=own, sha256=SHA256, url=LINK)
        return record

    def download(
        self,
        document_id: str,
        *,
        sha256: Optional[str] = None,
        require_digest: bool = False,
        cancel: Optional[Cancel] = None,
    ) -> Pdf:
        """The file of a stored document. `sha256`: the one that `store` gave, which the file has to
        have; without it, the file is compared with the answer's ETag, if that is there: `verified`
        says whether. `require_digest`: a file that cannot be compared is refused. Raises DigestError
        when another file arrives."""
        sending = _file(document_id, cancel)
        return self._transport.send(sending, reading(sha256, require_digest))

    def download_to_file(
        self,
        document_id: str,
        path: Path,
        *,
        sha256: Optional[str] = None,
        require_digest: bool = False,
        cancel: Optional[Cancel] = None,
    ) -> WrittenFile:
        """As `download`, written to a file while it comes."""
        sending = _file(document_id, cancel)
        return self._transport.send(sending, writing(path, PDF, sha256, require_digest))

    def fetch_link(
        self,
        link: str,
        *,
        sha256: Optional[str] = None,
        require_digest: bool = False,
        cancel: Optional[Cancel] = None,
    ) -> Pdf:
        """The file behind the `url` of a document, compared as by `download`. The API key is not
        sent."""
        sending = _linked(link, cancel)
        return self._transport.send(sending, reading(sha256, require_digest))

    def fetch_link_to_file(
        self,
        link: str,
        path: Path,
        *,
        sha256: Optional[str] = None,
        require_digest: bool = False,
        cancel: Optional[Cancel] = None,
    ) -> WrittenFile:
        """As `fetch_link`, written to a file while it comes."""
        sending = _linked(link, cancel)
        return self._transport.send(sending, writing(path, PDF, sha256, require_digest))

    def verify(self, sha256: str, *, cancel: Optional[Cancel] = None) -> Verification:
        """Whether a file with this SHA-256 was made for the team."""
        sending = Sending("verifyFile", body={"sha256": sha256_of(sha256)}, cancel=cancel)
        told: Verification = self._transport.json(sending)
        return told

    def verify_file(self, path: Path, *, cancel: Optional[Cancel] = None) -> Verification:
        """As `verify`, of a file on this disk; only its SHA-256 is sent."""
        return self.verify(digest_of(path), cancel=cancel)

    def verify_reference(self, reference: str, *, cancel: Optional[Cancel] = None) -> Verification:
        """Finds the stored documents with this reference, newest first, when only a printed document
        is at hand. To check a file, use ``verify_file``. References of expired documents are
        forgotten: that none is found does not prove that none was issued."""
        body = {"reference": text_of("reference", reference)}
        told: Verification = self._transport.json(Sending("verifyFile", body=body, cancel=cancel))
        return told


class IdentitySync:
    """Teams and users, for a key with the scope identity-sync."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, cancel: Optional[Cancel] = None) -> Identities:
        """All teams and users."""
        told: Identities = self._transport.json(Sending("listIdentities", cancel=cancel))
        return told

    def sync(
        self, body: SyncIdentitiesRequest, *, cancel: Optional[Cancel] = None
    ) -> IdentityCounts:
        """Makes teams and users what is listed."""
        sending = Sending("syncIdentities", body=mapping_of("body", body), cancel=cancel)
        told: IdentityCounts = self._transport.json(sending)
        return told


def _generation(
    mode: str,
    template_id: str,
    data: Mapping[str, Any],
    version: Optional[int],
    options: Optional[DocumentOptions],
    cancel: Optional[Cancel],
    headers: Optional[Mapping[str, str]] = None,
) -> Sending:
    if not isinstance(data, Mapping):
        raise InvalidArgumentError("data", "must be a mapping of fields to values")
    body: Dict[str, Any] = {"templateId": text_of("template_id", template_id), "mode": mode}
    body["data"] = data
    if version is not None:
        body["version"] = version
    if options is not None:
        body["options"] = options
    return Sending("generateDocument", headers=headers or {}, body=body, cancel=cancel)


def _linked(link: str, cancel: Optional[Cancel]) -> Sending:
    address_of("link", link)
    return Sending("getFile", link=link, cancel=cancel)


def _file(document_id: str, cancel: Optional[Cancel]) -> Sending:
    return Sending("getDocument", (document_id,), query={"download": 1}, cancel=cancel)
