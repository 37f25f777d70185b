"""Client of Intaglio, a self-hosted PDF generation service."""

from .cancel import Cancel
from .client import Intaglio, IdentitySync
from .errors import (
    BadAnswerError,
    Cancelled,
    DigestError,
    FileError,
    IntaglioError,
    InvalidArgumentError,
    InvalidDataError,
    NoAnswerError,
    NoDocumentError,
    NotFiniteError,
    ServiceError,
)
from .files import Pdf, WrittenFile
from .operations import OPERATIONS
from .runs import ManifestRow, PrintIndexRow, RunException, RunRowAddress, Runs, Uploaded

__all__ = [
    "OPERATIONS",
    "BadAnswerError",
    "Cancel",
    "Cancelled",
    "DigestError",
    "FileError",
    "IdentitySync",
    "Intaglio",
    "IntaglioError",
    "InvalidArgumentError",
    "InvalidDataError",
    "ManifestRow",
    "RunException",
    "RunRowAddress",
    "NoAnswerError",
    "NoDocumentError",
    "NotFiniteError",
    "Pdf",
    "PrintIndexRow",
    "Runs",
    "ServiceError",
    "Uploaded",
    "WrittenFile",
]
