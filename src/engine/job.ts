import type { Passwords, RowPasswords } from './contract/format/passwords.ts';
import type { Failure } from '../errors.ts';
import type { RowAddress } from '../runtime/contract/correction.ts';
import type { Naming } from '../runtime/naming/naming.ts';
import type { CsvFormat } from '../runtime/csv/csv-format.ts';
import type { CsvHeader } from './rows/csv.ts';

/** A template source as every thread sees it: shared, never copied. */
export interface SharedTemplate {
  /** Lowercase hex SHA-256 of `source`; the key of every cache. */
  readonly hash: string;
  /** The template file, UTF-8 JSON, in shared memory so that a job carries a reference only. */
  readonly source: SharedArrayBuffer;
  readonly templateId: string;
  readonly version: number;
}

export interface Permissions {
  readonly print?: boolean;
  readonly copy?: boolean;
  readonly modify?: boolean;
}

/** `options.protection`, checked: at least one password is non-empty. */
export interface Protection {
  readonly userPassword: string;
  readonly ownerPassword: string;
  readonly permissions: Permissions;
}

/** `options.watermark`, checked. */
export interface WatermarkOption {
  readonly text: string;
  /** 0 to 1. */
  readonly opacity: number;
}

/** `options.metadata`, checked. */
export interface MetadataOption {
  readonly title?: string;
  readonly subject?: string;
}

/** A signature that is added after rendering. */
export interface SignatureRequest {
  /** Whether the request asks for it; if not, the template decides. */
  readonly isAsked: boolean;
  /** Bytes to reserve for it; 0: this instance cannot sign. */
  readonly bytesMax: number;
  /** Name of the signer in the certificate; '' when it has none. */
  readonly signer: string;
}

/** Where the signature goes in a file: offsets of its hexadecimal string with the brackets. */
export interface SignaturePlace {
  readonly from: number;
  readonly to: number;
  /** Where the catalog begins, which an update of the file rewrites. */
  readonly catalogAt: number;
}

/** Render one document. Plain data: it crosses a thread border. */
export interface RenderJob {
  readonly kind: 'render';
  readonly template: SharedTemplate;
  /**
   * The request body, UTF-8 JSON; a long one is transferred. `data` is the slice [dataStart,
   * dataEnd): the gateway knows where it lies, so the worker parses nothing else.
   */
  readonly body: Uint8Array;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** Job time in ms since the epoch: the only time a render may know (CreationDate). */
  readonly atMs: number;
  /** Stored documents to merge after the new one, in request order, transferred. */
  readonly attachments: readonly Uint8Array[];
  readonly watermark: WatermarkOption | null;
  readonly metadata: MetadataOption | null;
  /** Check the data only: an attachment is missing, but invalid data is reported first. */
  readonly checkOnly: boolean;
  /** For a signature that may follow. null: none can, and documents that must be signed are refused. */
  readonly signature: SignatureRequest | null;
  /** The result will be encrypted, so documents that must not be are refused. */
  readonly isProtected: boolean;
  /** Compute the SHA-256 of the result (not when protection follows: then the digest changes). */
  readonly digest: boolean;
  /** A draft for its editor: other requests go first, and it is never signed. */
  readonly isPreview: boolean;
}

/** Compile a template and render its samples, for publishing and `templates check`. */
export interface CheckJob {
  readonly kind: 'check';
  readonly template: SharedTemplate;
  /** Check nothing: list the fields, or give JSON Schema of the data in place of the list. */
  readonly only?: 'fields' | 'schema';
  /** Refuse an id that only templates of earlier versions may have. */
  readonly hasNewId?: boolean;
  /** Render the samples, too. */
  readonly renderSamples: boolean;
  /** List what the template changes in this published version; null: there is none. */
  readonly against?: SharedTemplate | null;
  /** Render the sample with this index as the preview of the draft, too. */
  readonly previewOf?: number | undefined;
  readonly atMs: number;
}

/** Rows of a run as they were sent, and the parameters that they share. */
interface RowsJobBase {
  readonly template: SharedTemplate;
  /** UTF-8: JSON objects, or CSV records. Its buffer holds nothing else. */
  readonly rows: Uint8Array;
  /** Where each row ends in `rows`; the first begins at 0. */
  readonly ends: readonly number[];
  /** The header of CSV records; null: rows are JSON. */
  readonly header: CsvHeader | null;
  /** How the file writes numbers and dates; absent: as the contract has them. */
  readonly cells?: CsvFormat | undefined;
  /** The passwords of the documents; absent: they have none. */
  readonly passwords?: RowPasswords | undefined;
  /** The signature that the documents get; absent: none. */
  readonly signature?: SignatureRequest | undefined;
}

/** Check rows of a run against the contract. */
export interface CheckRowsJob extends RowsJobBase {
  readonly kind: 'check_rows';
  /** Field of a row that holds its id. */
  readonly idField: string;
  /** Number fields whose values are summed. */
  readonly sumFields: readonly string[];
  readonly watermark: WatermarkOption | null;
}

/** Render a document for each row. */
export interface RenderRowsJob extends RowsJobBase {
  readonly kind: 'render_rows';
  readonly atMs: number;
  readonly watermark: WatermarkOption | null;
  readonly metadata: MetadataOption | null;
  /** Shared memory that the files are written to from its beginning on, if all of them fit. */
  readonly slab?: Uint8Array | undefined;
}

/** Append documents to a print file (rows/print.ts), or end it. */
export interface PrintRowsJob {
  readonly kind: 'print_rows';
  readonly template: SharedTemplate;
  /** Files of the documents, one after the other. Its buffer holds nothing else. */
  readonly rows: Uint8Array;
  readonly ends: readonly number[];
  /** The state that the previous job returned; null for the first job of a file. */
  readonly state: PrintState | null;
  /**
   * Data for the end of the file: offsets and page tree of all jobs. Null: more documents follow.
   */
  readonly end: {
    readonly offsets: readonly number[];
    readonly nodes: readonly number[];
    readonly pages: number;
  } | null;
}

/** The state of a print file that its next job needs. */
export interface PrintState {
  readonly nextObject: number;
  /** Length of the file so far. */
  readonly offset: number;
  /** Objects that several documents share, by digest. */
  readonly shared: readonly (readonly [string, number])[];
}

export interface PrintedRows {
  /** The next bytes of the file. */
  readonly bytes: Uint8Array;
  /** Offsets of the objects in it, in the order of their numbers. */
  readonly offsets: readonly number[];
  /** Object number of the page tree node over its pages. */
  readonly node: number;
  /** Page counts of the documents. */
  readonly pages: readonly number[];
  readonly state: PrintState;
}

export type RowsJob = CheckRowsJob | RenderRowsJob | PrintRowsJob;
export type RowsResult<J extends RowsJob> = J extends CheckRowsJob
  ? CheckedRows
  : J extends RenderRowsJob
    ? RenderedRows
    : PrintedRows;

export interface CheckedRow {
  /** '' where the row has none. */
  readonly rowId: string;
  /** 32 hex digits: the first half of the SHA-256 of the row as JSON. */
  readonly digest: string;
  /** null: the row is valid. */
  readonly failure: Failure | null;
  /**
   * Decimals of `sumFields`, in their order: '0' where the field is absent, '' where it cannot be
   * read. An invalid row has the amounts that can be read, too.
   */
  readonly amounts: readonly string[];
  /** All its cells are empty: it stands for no document. */
  readonly isEmpty: boolean;
  /**
   * The row whose place it takes; null: it is a row of its own. An address that cannot be read is
   * that of no row.
   */
  readonly corrects: RowAddress | null;
  /** Fields of the contract that a correction does not name, not even as empty. */
  readonly unnamed: readonly string[];
}

export interface RenderedRow {
  /** null: rendered. */
  readonly failure: Failure | null;
  readonly pages: number;
  /** Length of its file. */
  readonly bytes: number;
  /** Lowercase hex. */
  readonly sha256: string;
  /** CRC-32 of the file, as ZIP archives have it. */
  readonly crc32: number;
  /** Characters of the row that no font has. */
  readonly missingCharacters: number;
  /** Null: it has neither reference nor file name. */
  readonly naming: Naming | null;
  /** For its protection, which is still to come; null: it has no passwords. */
  readonly passwords: Passwords | null;
  /** Where its signature goes, which is still to come; null: it has none. */
  readonly signature: SignaturePlace | null;
}

/**
 * The results of the first rows of a job, at least one. If requests waited for the thread, the job
 * stopped between two rows, and the caller submits the remaining rows again.
 */
export interface CheckedRows {
  readonly rows: readonly CheckedRow[];
}

export interface RenderedRows {
  readonly rows: readonly RenderedRow[];
  /** The files of the rendered rows, one after the other: in the slab of the job, or transferred. */
  readonly files: Uint8Array;
}

/** Load a template into this worker's cache before traffic needs it. */
export interface WarmJob {
  readonly kind: 'warm';
  readonly template: SharedTemplate;
}

export type Job = RenderJob | CheckJob | RowsJob | WarmJob;

/** Wall time of each stage in ms, for Server-Timing and metrics. */
export interface StageTimes {
  readonly contractMs: number;
  readonly templateMs: number;
  readonly layoutMs: number;
  readonly pdfMs: number;
  readonly postMs: number;
}

export interface RenderedDocument {
  /** The whole file, owned by the receiver. Empty for `checkOnly`. */
  readonly pdf: Uint8Array;
  readonly pages: number;
  /** Lowercase hex, or '' where the job asked for none. */
  readonly sha256: string;
  readonly times: StageTimes;
  /** Characters of the data that no font has; the pages have boxes, or nothing, in their place. */
  readonly missingCharacters: number;
  /** Null: it has neither reference nor file name. */
  readonly naming: Naming | null;
  /**
   * Where the signature goes; absent: none is needed. The document must not be delivered unsigned.
   */
  readonly signature?: SignaturePlace | undefined;
}

/** Copies a file to where it stays, and gives the copy: the next document overwrites `file`. */
export type KeepFile = (file: Uint8Array) => Uint8Array;

/** A finding of a template's check. `path` is a JSON path such as `document.content[3].table`. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  /** Position in the file, from 1; absent when the finding is about the whole file. */
  readonly line?: number;
  readonly column?: number;
  /** The sample whose pages show it; absent: it was found without rendering. */
  readonly sample?: string;
}

export type RenderResult = { readonly ok: true; readonly value: RenderedDocument } | Failure;

/** A change of what documents are made from, between a published version and a draft. */
export interface TemplateChange {
  /** Names the change by its content. */
  readonly id: string;
  /** JSON path; '' for the whole file. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** JSON, shortened; '' where there is no value. */
  readonly before: string;
  readonly after: string;
  /** The new value if it is a text that is printed as it stands; '' otherwise. */
  readonly words: string;
  /** Lines in the draft and in the version; null where there is no value. */
  readonly line: number | null;
  readonly lineBefore: number | null;
}

/** Id and name in a template file; '' for one that it does not state. */
export interface TemplateLabel {
  readonly templateId: string;
  readonly name: string;
}

export interface CheckResult {
  /** null when the file is not a JSON object: the first finding says why. */
  readonly label: TemplateLabel | null;
  readonly findings: readonly Finding[];
  /** The rendered samples, in order; a sample that fails is a finding and absent here. */
  readonly samples: readonly { readonly name: string; readonly pages: number }[];
  /** The file with its PDFs cleaned, to be stored instead; absent when cleaning changed nothing. */
  readonly source?: Uint8Array;
  /** The field descriptors: a JSON array, UTF-8. */
  readonly fields: Uint8Array;
  /**
   * The preview that the job asked for. Absent: none was asked for, the sample is not there or not
   * valid, or its document fails.
   */
  readonly preview?: RenderedDocument | undefined;
  /** What the template changes; empty unless the job asked for it. */
  readonly changes: readonly TemplateChange[];
}
