"""Bodies of requests and answers. Made from the schemas of the service by `npm run generate`."""

from typing import Any, Dict, List, Literal, TypedDict, Union

# Codes with a status that asks for a repetition, which would change nothing.
FINAL_CODES = frozenset(["protection_unavailable"])


ErrorCode = Literal[
    "bad_request",
    "invalid_data",
    "unauthenticated",
    "insufficient_scope",
    "draft_requires_user",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "idempotency_conflict",
    "run_conflict",
    "approval_conflict",
    "session_changed",
    "template_archived",
    "gone",
    "precondition_failed",
    "payload_too_large",
    "range_not_satisfiable",
    "render_failed",
    "rate_limited",
    "internal_error",
    "not_implemented",
    "protection_unavailable",
    "signing_unavailable",
    "overloaded",
    "storage_unavailable",
]


class FieldError(TypedDict):
    field: str
    reason: str


class _ErrorBody(TypedDict):
    # The fault, its place, and how to correct it.
    error: str
    # The same request may be sent again later after rate_limited, signing_unavailable, overloaded,
    # storage_unavailable: when Retry-After has passed, or after a back-off where the response has
    # none. After every other code, the same request gets the same response.
    code: ErrorCode
    requestId: str


class ErrorBody(_ErrorBody, total=False):
    """The body of every error."""

    # Every defective field of data, with code invalid_data.
    fields: List[FieldError]


class Metadata(TypedDict, total=False):
    """Embedded in the PDF and never encrypted: references only, no personal data."""

    title: str
    subject: str


class Permissions(TypedDict, total=False):
    """Allowed unless false."""

    print: bool
    copy: bool
    modify: bool


class Protection(TypedDict, total=False):
    """AES-256. At least one password that is not empty."""

    # Opens the document.
    userPassword: str
    # Manages permissions. The user password when omitted.
    ownerPassword: str
    # Allowed unless false.
    permissions: Permissions


class _Watermark(TypedDict):
    # Drawn over every page, attached ones too, from corner to corner.
    text: str


class Watermark(_Watermark, total=False):
    # 0.15 when omitted.
    opacity: float


class DocumentOptions(TypedDict, total=False):
    # Embedded in the PDF and never encrypted: references only, no personal data.
    metadata: Metadata
    # AES-256. At least one password that is not empty.
    protection: Protection
    # documentIds of own async documents that are not protected, merged behind the new one in this
    # order. Page numbers count the merged total: {{pages}} in the footer of the new document counts
    # their pages, too, and their own page numbers are replaced.
    attach: List[str]
    watermark: Watermark
    # Sign the document (PAdES) with the signer of the team, last of all: with protection, the
    # protected file is signed.
    signature: bool


class _GenerateRequest(TypedDict):
    # Template identifier.
    templateId: str
    # sync: the PDF in the response, not stored. async: stored, with a link.
    mode: Literal["sync", "async"]
    # Keys and values per the field contract. Other keys are ignored.
    data: Dict[str, Any]


class GenerateRequest(_GenerateRequest, total=False):
    """A document to make."""

    # Published version to pin. The latest when omitted.
    version: int
    # The current draft instead of a published version: browser users, sync only.
    draft: bool
    options: DocumentOptions


class Acknowledgement(TypedDict):
    """A document that was stored."""

    documentId: str
    # Fresh, time-limited link. Keep the documentId, not the link.
    url: str
    sha256: str
    expiresAt: str


class _DocumentMaker(TypedDict):
    # user:<userId> or key:<keyId>; of a run, its creator.
    principal: str


class DocumentMaker(_DocumentMaker, total=False):
    """The maker of the document, where the audit has it. Only users of the Studio receive it."""

    # Displayed name of the user, or name of the key.
    name: str
    # The run that made the document.
    runId: str


class _DocumentRecord(TypedDict):
    documentId: str
    templateId: str
    version: int
    sha256: str
    createdAt: str
    expiresAt: str
    # Fresh, time-limited link. Keep the documentId, not the link.
    url: str


class DocumentRecord(_DocumentRecord, total=False):
    """A stored document."""

    # Its reference, if the template keeps it as a text.
    reference: str
    # The name of its file, if the template declares one.
    fileName: str
    # The maker of the document, where the audit has it. Only users of the Studio receive it.
    madeBy: DocumentMaker


class FieldPresentation(TypedDict, total=False):
    """How people are asked for the value, in the languages of the template."""

    # A text by language tag, such as { "th": "…", "en": "…" }.
    label: Dict[str, str]
    # A text by language tag, such as { "th": "…", "en": "…" }.
    help: Dict[str, str]
    # A text by language tag, such as { "th": "…", "en": "…" }.
    group: Dict[str, str]
    # A text by language tag, such as { "th": "…", "en": "…" }.
    example: Dict[str, str]
    # Labels of validation.choices, by value.
    choices: Dict[str, Dict[str, str]]
    # table: headings of the columns
    columns: List[Dict[str, str]]
    # text, date: the service shows the value to nobody again
    secret: bool


class FieldFormat(TypedDict, total=False):
    """How the template prints the value; for callers to show the same."""

    # number
    decimals: int
    # number
    thousandsSeparator: bool
    # number
    prefix: str
    # number
    suffix: str
    # number
    style: Literal["bahttext"]
    # number: spelled out
    words: bool
    # number: ISO 4217 code of the money in words
    currency: str
    # text, number, date
    case: Literal["upper", "lower", "title"]
    # text, number, date: BCP 47 tag
    language: str
    # number, date
    digits: Literal["latin", "thai"]
    # text: signs shown and hidden, such as XXX-X-Xxxxx-x
    mask: str
    # date
    calendar: Literal["gregory", "buddhist"]
    # date: such as d MMMM yyyy
    pattern: str
    # How people are asked for the value, in the languages of the template.
    presentation: FieldPresentation


class FieldValidation(TypedDict, total=False):
    """Conditions on the value beyond its type."""

    # number: inclusive; date: YYYY-MM-DD
    min: Union[float, str]
    # number: inclusive; date: YYYY-MM-DD
    max: Union[float, str]
    # text: Unicode code points
    minLength: int
    # text: Unicode code points
    maxLength: int
    # text: regular expression
    pattern: str
    # text, number, date: the only values that are taken
    choices: List[str]
    # text, number, date, qrcode: the template computes it; callers cannot send it
    computed: bool
    # list: entries of each array
    minItems: int
    # list: entries of each array
    maxItems: int
    # list: entries of all its arrays, with those of lists inside it
    maxItemsTotal: int


class _Field(TypedDict):
    # Key to use inside data.
    name: str
    type: Literal[
    "text",
    "number",
    "date",
    "image",
    "qrcode",
    "table",
    "svg",
    "record",
    "list",
]
    required: bool


class Field(_Field, total=False):
    """A field of a template."""

    # How the template prints the value; for callers to show the same.
    format: FieldFormat
    # Conditions on the value beyond its type.
    validation: FieldValidation
    # record, list: the fields of the object, or of each entry; they have the same keys.
    fields: List[Dict[str, Any]]


class FieldContract(TypedDict):
    """The fields of a template version."""

    templateId: str
    version: int
    status: Literal["published", "draft"]
    fields: List[Field]


class _VerifiedDocument(TypedDict):
    documentId: str
    templateId: str
    version: int
    createdAt: str
    expiresAt: str
    # false: it has expired and its file is gone, or its file is damaged or lost.
    available: bool


class VerifiedDocument(_VerifiedDocument, total=False):
    # Its reference, if the template keeps it as a text.
    reference: str
    # The name of its file, if the template declares one.
    fileName: str


class UnstoredAnswer(TypedDict):
    at: str
    requestId: str
    templateId: str
    version: int


class DraftAnswer(TypedDict):
    at: str
    requestId: str
    templateId: str


class _Verification(TypedDict):
    # A stored document of the caller's team has these bytes, or this reference. false for a
    # reference does not prove that none was issued: the reference of a document is forgotten when
    # the document expires. Its file can still be verified.
    issued: bool
    # Every such document, at most 20: the oldest first, by reference the newest. The members above
    # are those of the first, without its reference and file name.
    documents: List[VerifiedDocument]
    # Responses in mode sync with these bytes, which were not stored, at most 20.
    madeHere: List[UnstoredAnswer]
    # Previews of drafts with these bytes. They were made from no published version.
    drafts: List[DraftAnswer]


class Verification(_Verification, total=False):
    """Whether a file was made for the team."""

    sha256: str
    # The reference that was asked for; in capitals if only these were found.
    reference: str
    documentId: str
    templateId: str
    version: int
    createdAt: str
    expiresAt: str
    # false: it has expired and its file is gone, or its file is damaged or lost.
    available: bool


class RunTotals(TypedDict, total=False):
    """Control totals of the rows of the file, and of the documents at the end."""

    rows: int
    # Sums of number fields by name: decimals in strings, compared exactly.
    sums: Dict[str, str]


class _CreateRunRequestSource(TypedDict):
    # `/folder/…/file` or `s3://bucket/…/key`, below a place that the operator allows.
    path: str


class CreateRunRequestSource(_CreateRunRequestSource, total=False):
    """A file, plain or packed with gzip, from which the service reads the rows when the run starts. Parts can be uploaded after it was read."""

    # Derived from the name of the file when omitted.
    format: Literal["ndjson", "csv"]
    # Recognised when omitted: UTF-8, UTF-16 with a byte order mark, or windows-874.
    encoding: Literal["utf-8", "windows-874"]


class CsvFormat(TypedDict, total=False):
    """How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not in this format is invalid. Without it, cells are as the contract has them."""

    # Between cells. Comma, semicolon and tab are recognised when omitted.
    delimiter: Literal[",", ";", "|", "tab"]
    # Before the decimals of numbers, whose digits may be in groups of three.
    decimal: Literal[".", ","]
    # Order in dates, with /, . or - between; the year has four digits.
    date: Literal["d/m/y", "m/d/y", "y/m/d"]
    # Calendar of the years; gregory when omitted. It needs date.
    calendar: Literal["gregory", "buddhist"]


class RunOptionsProtectionPermission(TypedDict, total=False):
    print: bool
    copy: bool
    modify: bool


class RunOptionsProtection(TypedDict, total=False):
    userPassword: Any
    ownerPassword: Any
    permissions: RunOptionsProtectionPermission


class RunOptions(TypedDict, total=False):
    """metadata and watermark of every document, as in POST /v1/generate. protection with fields of the row in its passwords: {"userPassword": "{{birthDate}}"}, or with a format {"userPassword": {"text": "{{birthDate}}", "format": {"pattern": "ddMMyyyy"}}}. signature: true has every document signed by the signer of the team."""

    # Embedded in the PDF and never encrypted: references only, no personal data.
    metadata: Metadata
    watermark: Watermark
    protection: RunOptionsProtection
    # Sign the document (PAdES) with the signer of the team, last of all: with protection, the
    # protected file is signed.
    signature: bool


class _CreateRunRequest(TypedDict):
    # Template identifier.
    templateId: str
    # Key of a row that holds its id, which is unique in the run.
    idField: str


class CreateRunRequest(_CreateRunRequest, total=False):
    """A run to make."""

    # Published version. The latest now when omitted; fixed from here on.
    version: float
    # For people. No personal data.
    name: str
    # Life of the documents from the moment they are stored. The service's own when omitted.
    retentionSeconds: int
    # Control totals of the rows of the file, and of the documents at the end.
    expected: RunTotals
    # `stop`: no document is made while rows are invalid; `skip`: these rows are left out, up to
    # invalidShareMax. When omitted: skip if invalidShareMax above 0 was given, else stop.
    onInvalid: Literal["stop", "skip"]
    # Share of invalid and failed rows over which the run stops. 0.05 when omitted.
    invalidShareMax: float
    # Documents in each merged print file; more, if there would be more than 20,000 files. No print
    # files are made when omitted.
    documentsPerPrint: int
    # A file, plain or packed with gzip, from which the service reads the rows when the run starts.
    # Parts can be uploaded after it was read.
    source: CreateRunRequestSource
    # How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not
    # in this format is invalid. Without it, cells are as the contract has them.
    csv: CsvFormat
    # metadata and watermark of every document, as in POST /v1/generate. protection with fields of
    # the row in its passwords: {"userPassword": "{{birthDate}}"}, or with a format {"userPassword":
    # {"text": "{{birthDate}}", "format": {"pattern": "ddMMyyyy"}}}. signature: true has every
    # document signed by the signer of the team.
    options: RunOptions


class StartRunRequest(TypedDict, total=False):
    """How a run starts."""

    # Check all rows, and render nothing.
    dryRun: bool
    # Replaces the run's own from now on.
    onInvalid: Literal["stop", "skip"]
    # Control totals of the rows of the file, and of the documents at the end.
    expected: RunTotals


class RunPart(TypedDict):
    """A part of the rows of a run."""

    part: int
    # Digest of the rows, unpacked and in UTF-8.
    sha256: str
    format: Literal["ndjson", "csv"]
    bytes: int
    checked: bool


RunState = Literal[
    "receiving",
    "checking",
    "running",
    "paused",
    "stopped",
    "done",
    "cancelled",
]


class RunCounts(TypedDict):
    # Rows checked so far: the sum of the next six, each row once.
    received: int
    stored: int
    # Valid rows that are not stored yet.
    pending: int
    invalid: int
    failed: int
    withdrawn: int
    # Rows that are identical to an earlier one.
    identical: int
    # Corrections that the last check refused: no rows.
    refused: int
    pages: int
    # Size of the stored documents.
    bytes: int
    bytesReceived: int
    bytesChecked: int


class RunExpected(TypedDict):
    rows: Union[int, None]
    sums: Dict[str, str]


class RunSource(TypedDict):
    path: str
    format: Literal["ndjson", "csv"]
    # The encoding that was named; null: it is recognised.
    encoding: Union[Literal["utf-8", "windows-874"], None]


class _RunReason(TypedDict):
    name: str
    expected: str
    actual: str


class RunReason(_RunReason, total=False):
    # Advice for a run that has all its expected documents and has got further rows since.
    advice: str
    # Faulty rows whose amount cannot be read: it counts as 0 in actual.
    unread: int
    # The same of withdrawn rows, which cannot be corrected: the total must be lower by their
    # amounts.
    unreadWithdrawn: int


class Run(TypedDict):
    """A run."""

    runId: str
    name: str
    templateId: str
    version: int
    idField: str
    state: RunState
    dryRun: bool
    counts: RunCounts
    expected: RunExpected
    onInvalid: Literal["stop", "skip"]
    invalidShareMax: float
    retentionSeconds: int
    documentsPerPrint: Union[int, None]
    # Each document opens with a password of its row.
    passwordsByRow: bool
    # The documents are signed.
    signed: bool
    # The file that its rows are read from.
    source: Union[RunSource, None]
    # How its CSV rows are written; null: as the contract has them.
    csv: Union[CsvFormat, None]
    # Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
    # sum does not match. While it is under way, what it waits for: signer, key (of its rows) or
    # protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows were
    # withdrawn, and a start goes on.
    reasons: List[RunReason]
    # Who created it: user:<userId> or key:<keyId>.
    createdBy: str
    createdAt: str
    startedAt: Union[str, None]
    endedAt: Union[str, None]


class RunSourceProgress(TypedDict):
    path: str
    format: Literal["ndjson", "csv"]
    # How its text was read, once read; before, the encoding that was named.
    encoding: Union[Literal["utf-8", "windows-874", "utf-16le", "utf-16be"], None]
    # Whether it was read to its end.
    read: bool
    # Parts made of it so far.
    parts: int
    # Size of the stored file, once read.
    bytes: Union[int, None]
    # SHA-256 of the stored file, once read.
    sha256: Union[str, None]


class _RunWithParts(TypedDict):
    runId: str
    name: str
    templateId: str
    version: int
    idField: str
    state: RunState
    dryRun: bool
    counts: RunCounts
    expected: RunExpected
    onInvalid: Literal["stop", "skip"]
    invalidShareMax: float
    retentionSeconds: int
    documentsPerPrint: Union[int, None]
    # Each document opens with a password of its row.
    passwordsByRow: bool
    # The documents are signed.
    signed: bool
    # The file that its rows are read from.
    source: Union[RunSourceProgress, None]
    # How its CSV rows are written; null: as the contract has them.
    csv: Union[CsvFormat, None]
    # Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
    # sum does not match. While it is under way, what it waits for: signer, key (of its rows) or
    # protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows were
    # withdrawn, and a start goes on.
    reasons: List[RunReason]
    # Who created it: user:<userId> or key:<keyId>.
    createdBy: str
    createdAt: str
    startedAt: Union[str, None]
    endedAt: Union[str, None]
    # Stored documents that were found damaged or missing: the ZIP is without them.
    damagedDocuments: int
    # It has stored documents, and all of them have expired.
    documentsExpired: bool
    # How many parts the run has.
    partCount: int
    # The highest number of a part; 0: there is none.
    lastPart: int
    # In the order of their numbers, at most 500.
    parts: List[RunPart]
    # The value of `after` that gives the next parts.
    nextPart: Union[int, None]


class RunWithParts(_RunWithParts, total=False):
    """A run with its parts."""

    # Displayed name of the user, or name of the key, that created it. Only users of the Studio get
    # it.
    createdByName: str
    # Sums of the valid rows, then of the stored documents.
    sums: Dict[str, str]
    # Sums of all rows of the file, identical ones once.
    fileSums: Dict[str, str]


class RunList(TypedDict):
    """Runs, newest first."""

    runs: List[Run]
    # The value of after for the next page; null: this is the last page.
    next: Union[str, None]


class RunPrint(TypedDict):
    number: int
    documents: int
    pages: int
    bytes: int
    # SHA-256 of the file; null: an earlier version made it.
    sha256: Union[str, None]


class RunPrintList(TypedDict):
    """Merged print files of a run."""

    prints: List[RunPrint]
    # The value of after for the next page; null: this is the last page.
    next: Union[str, None]


class _SyncIdentitiesRequestTeam(TypedDict):
    teamId: str
    name: str


class SyncIdentitiesRequestTeam(_SyncIdentitiesRequestTeam, total=False):
    active: bool


class _SyncIdentitiesRequestUser(TypedDict):
    userId: str
    teamId: str
    role: Literal["Editor", "Admin", "Viewer"]


class SyncIdentitiesRequestUser(_SyncIdentitiesRequestUser, total=False):
    displayName: str
    email: str
    active: bool


class SyncIdentitiesRequest(TypedDict, total=False):
    """Teams and users as they should be."""

    teams: List[SyncIdentitiesRequestTeam]
    users: List[SyncIdentitiesRequestUser]
    # Deactivate every team that teams does not list, and every user that users does not. Concerns
    # only the lists that are sent; each must name somebody.
    full: bool
    # Refuse the sync when it would deactivate more teams and users than this. Lifts the share that
    # the operator may have set.
    deactivatesAtMost: int


class IdentitiesTeam(TypedDict):
    teamId: str
    name: str
    active: bool


class IdentitiesUser(TypedDict):
    userId: str
    teamId: str
    role: Literal["Editor", "Admin", "Viewer"]
    displayName: str
    email: str
    active: bool


class Identities(TypedDict):
    """Teams and users as they are."""

    teams: List[IdentitiesTeam]
    users: List[IdentitiesUser]


class ChangeCounts(TypedDict):
    created: int
    updated: int
    deactivated: int
    unchanged: int


class IdentityCounts(TypedDict):
    """Numbers of changes."""

    teams: ChangeCounts
    users: ChangeCounts
