import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { checkIdempotencyKey, checkOptions, checkPath, checkText, kindOf } from './arguments.ts';
import { BadAnswerError, InvalidArgumentError, NoAnswerError, ServiceError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { checkTarget, type FileKind, writeBody, type WrittenFile } from './pdf-file.ts';
import { parseJson, parseRow, type RowKind } from './reading.ts';
import { partsOf, ResumedUpload } from './row-file.ts';
import type { Sending, Transport } from './transport.ts';
import type {
  CreateRunRequest,
  FieldError,
  Run,
  RunList,
  RunPart,
  RunPrint,
  RunState,
  RunWithParts,
  StartRunRequest,
} from './types.ts';

/** Entries fetched by one request. */
const PAGE = 100;
/** Time between two looks at a run whose events do not come. */
const POLL_MS = 1_000;
/** States in which a run sends events. */
const UNDER_WAY: ReadonlySet<RunState> = new Set(['checking', 'running', 'paused']);
const packed = promisify(gzip);

/** Outcome of a row of a run, as its manifest has it. */
export interface ManifestRow {
  /** Id of the row. */
  readonly row: string;
  readonly outcome: RowOutcome;
  /** For stored rows, like the next three. */
  readonly documentId?: string;
  readonly sha256?: string;
  readonly pages?: number;
  readonly bytes?: number;
  /** For rows that are invalid or failed, like the next two. */
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly FieldError[];
  /** Where the row stands: its part, and its line in the file. Older runs have no line. */
  readonly part: number;
  readonly line?: number;
}

/** A row by its part and line, both from 1. */
export interface RunRowAddress {
  readonly part: number;
  readonly line: number;
}

/** Outcome of a row. */
export type RowOutcome =
  'pending' | 'stored' | 'invalid' | 'failed' | 'identical' | 'withdrawn' | 'refused';

/** A row that is invalid, failed, identical to another, refused or withdrawn, with its data. */
export interface RunException extends RunRowAddress {
  readonly outcome: 'invalid' | 'failed' | 'identical' | 'refused' | 'withdrawn';
  /** Empty where the row has none. */
  readonly rowId: string;
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly FieldError[];
  /** null: the row cannot be read, or its part is not stored any more. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Cells beyond the header. */
  readonly extra: readonly string[];
  /** The row as uploaded, if it does not fit the columns; otherwise empty. */
  readonly text: string;
}

/** Which exceptions are listed. */
export interface ExceptionFilter {
  /** Invalid and failed rows when omitted. */
  readonly outcome?: RunException['outcome'] | undefined;
  /** Rows on this line alone, of all parts. */
  readonly line?: number | undefined;
}

/** Pages of one document in a merged print file. */
export interface PrintIndexRow {
  /** Id of the row. */
  readonly row: string;
  readonly documentId: string;
  /** Both count from 1. */
  readonly fromPage: number;
  readonly toPage: number;
}

/** Rows of a part: NDJSON or CSV in UTF-8, at most 16 MB. */
export interface RunRows {
  readonly format: 'ndjson' | 'csv';
  readonly rows: string | Uint8Array;
  /** The line of the whole file on which the rows of this piece begin. */
  readonly firstLine?: number | undefined;
}

/** What an upload sent. */
export interface Uploaded {
  /** Parts that were sent. */
  readonly sent: number;
  /** Parts of the file that the run had before. */
  readonly skipped: number;
  /** Parts of the run that are not of this file: documents are made of their rows, too. */
  readonly others: number;
}

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** Large jobs inside the service, one document for each row. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a run that accepts rows, once however often the call is repeated. */
  async create(
    body: CreateRunRequest,
    options: CallOptions & { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<Run> {
    checkOptions('options', options, ['idempotencyKey', 'signal']);
    const { signal, idempotencyKey = randomUUID() } = options;
    checkIdempotencyKey(idempotencyKey);
    const headers = { 'Idempotency-Key': idempotencyKey };
    return this.#transport.json({ operation: 'createRun', headers, body, signal });
  }

  /** The last 100 runs of the team, newest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly Run[]> {
    const { runs } = await this.#transport.json<RunList>({ operation: 'listRuns', signal });
    listOf(runs);
    return runs;
  }

  /** All runs of the team, newest first. */
  async *listAll({ signal }: CallOptions = {}): AsyncGenerator<Run> {
    const query = { limit: PAGE };
    const sending = { operation: 'listRuns', query, signal } as const;
    yield* this.#pages<Run>(sending, 'runs');
  }

  async get(runId: string, { signal }: CallOptions = {}): Promise<RunWithParts> {
    return this.#transport.json({ operation: 'getRun', places: [runId], signal });
  }

  /** All parts of a run, in the order of their numbers. */
  async *parts(runId: string, { signal }: CallOptions = {}): AsyncGenerator<RunPart> {
    const sending = { operation: 'getRun', places: [runId], signal } as const;
    yield* this.#pages<RunPart>(sending, 'parts', 'nextPart');
  }

  /**
   * Uploads part `part`, from 1. The same part again changes nothing. With `gzip` the rows are packed
   * on their way.
   */
  async putPart(
    runId: string,
    part: number,
    { format, rows, firstLine }: RunRows,
    options: CallOptions & { readonly gzip?: boolean | undefined } = {},
  ): Promise<RunPart> {
    checkRows(format, rows);
    checkOptions('options', options, ['gzip', 'signal']);
    const body = options.gzip === true ? await packed(rows, { level: 1 }) : rows;
    const digest = createHash('sha256').update(body).digest('base64');
    const headers = {
      'Content-Type': TYPES[format],
      'Content-Digest': `sha-256=:${digest}:`,
      ...(options.gzip === true ? { 'Content-Encoding': 'gzip' } : {}),
    };
    const where = { places: [runId, part], query: { firstLine }, body };
    const { signal } = options;
    return this.#transport.json({ operation: 'putRunPart', ...where, headers, signal });
  }

  /**
   * Uploads a file of rows in UTF-8, in parts. After an interruption, call it again: parts that the run
   * has are skipped, and FileError says that the file was changed since. A run that has rows of other
   * files gets these in addition; `others` counts their parts.
   */
  async upload(
    runId: string,
    path: string,
    options: CallOptions & Pick<RunRows, 'format'>,
  ): Promise<Uploaded> {
    checkPath(path);
    checkOptions('options', options, ['format', 'signal']);
    const { format, ...more } = options;
    checkRows(format, '');
    return this.uploadParts(runId, partsOf(path, format), more);
  }

  /** As `upload`, of parts that the caller cuts; `onPart` is called when one is there. */
  async uploadParts<T extends RunRows>(
    runId: string,
    parts: AsyncIterable<T>,
    { signal, onPart }: CallOptions & { readonly onPart?: (part: T) => void } = {},
  ): Promise<Uploaded> {
    const there: string[] = [];
    let last = 0;
    for await (const { part, sha256 } of this.parts(runId, { signal })) {
      there.push(sha256);
      last = part;
    }
    const resumed = new ResumedUpload(there);
    let sent = 0;
    for await (const part of parts) {
      if (!resumed.skips(createHash('sha256').update(part.rows).digest('hex'))) {
        last += 1;
        await this.putPart(runId, last, part, { signal, gzip: true });
        sent += 1;
      }
      onPart?.(part);
    }
    return { sent, skipped: resumed.skipped, others: resumed.others };
  }

  /** Checks all rows, then makes the documents; with `dryRun` it checks them alone. */
  async start(
    runId: string,
    body: StartRunRequest = {},
    { signal }: CallOptions = {},
  ): Promise<Run> {
    return this.#transport.json({ operation: 'startRun', places: [runId], body, signal });
  }

  async pause(runId: string, options: CallOptions = {}): Promise<Run> {
    return this.#move('pauseRun', runId, options);
  }

  async resume(runId: string, options: CallOptions = {}): Promise<Run> {
    return this.#move('resumeRun', runId, options);
  }

  /** Nothing more is stored; stored documents stay. */
  async cancel(runId: string, options: CallOptions = {}): Promise<Run> {
    return this.#move('cancelRun', runId, options);
  }

  /**
   * The run whenever it changes, and last when it is neither checked nor run nor paused. The service
   * ends this after an hour: ask again until the state is an end.
   */
  async *follow(runId: string, options: CallOptions = {}): AsyncGenerator<Run, void, undefined> {
    yield* this.#events(runId, options);
  }

  /**
   * The run now and whenever it changes, until it ends; a run that has not been started is waited for.
   * A connection that breaks, and a service that restarts, are survived.
   */
  async *watch(
    runId: string,
    { signal }: CallOptions = {},
  ): AsyncGenerator<Run | RunWithParts, void, undefined> {
    let hasEvents = true;
    for (;;) {
      const run = await this.get(runId, { signal });
      yield run;
      if (!isUnderWay(run) && !isUnstarted(run)) return;
      if (hasEvents && isUnderWay(run)) {
        try {
          for await (const changed of this.#events(runId, { signal, isSentOnce: true })) {
            yield changed;
            if (!isUnderWay(changed)) return;
          }
        } catch (error) {
          // A proxy may let no events through: then the run is asked for.
          if (error instanceof ServiceError) hasEvents = false;
          else if (!(error instanceof NoAnswerError)) throw error;
        }
      }
      await this.#transport.pause(POLL_MS, signal);
    }
  }

  /** Outcome of each row, in the order of parts and rows; a million rows need no more memory. */
  async *manifest(
    runId: string,
    options: CallOptions & { readonly outcome?: RowOutcome | undefined } = {},
  ): AsyncGenerator<ManifestRow, void, undefined> {
    const { signal, outcome } = options;
    const operation = 'getRunManifest';
    const sending = { operation, places: [runId], query: { outcome }, signal } as const;
    yield* this.#rows<ManifestRow>(sending, 'manifest');
  }

  /** As `manifest`, written to a file as lines of JSON. */
  async manifestToFile(
    runId: string,
    path: string,
    options: CallOptions & { readonly outcome?: RowOutcome | undefined } = {},
  ): Promise<WrittenFile> {
    const { signal, outcome } = options;
    const query = { outcome };
    return this.#toFile(
      { operation: 'getRunManifest', places: [runId], query, signal },
      path,
      'manifest',
    );
  }

  /**
   * Rows that are invalid or failed, or have another outcome that needs an eye, with their data. A row
   * that is uploaded with the members `#part` and `#line` takes the place of such a row.
   */
  async *exceptions(
    runId: string,
    options: CallOptions & ExceptionFilter = {},
  ): AsyncGenerator<RunException, void, undefined> {
    const { signal, outcome, line } = options;
    const query = { outcome, line, limit: PAGE };
    const sending = { operation: 'listRunExceptions', places: [runId], query, signal } as const;
    yield* this.#pages<RunException>(sending, 'rows');
  }

  /** Invalid and failed rows as CSV for a spreadsheet; rows corrected there can be uploaded. */
  async exceptionsToFile(
    runId: string,
    path: string,
    { signal }: CallOptions = {},
  ): Promise<WrittenFile> {
    const query = { format: 'csv' };
    const where = { operation: 'listRunExceptions', places: [runId], query } as const;
    return this.#toFile({ ...where, signal }, path, 'csv');
  }

  /** Takes invalid and failed rows out of the run. */
  async withdraw(
    runId: string,
    rows: readonly RunRowAddress[],
    { signal }: CallOptions = {},
  ): Promise<Run> {
    const body = { rows };
    return this.#transport.json({ operation: 'withdrawRunRows', places: [runId], body, signal });
  }

  /** All stored documents as one ZIP archive. */
  async zipToFile(runId: string, path: string, { signal }: CallOptions = {}): Promise<WrittenFile> {
    return this.#toFile({ operation: 'getRunZip', places: [runId], signal }, path, 'zip');
  }

  /** The merged print files that are finished. */
  async prints(runId: string, { signal }: CallOptions = {}): Promise<readonly RunPrint[]> {
    const query = { limit: PAGE };
    const sending = { operation: 'listRunPrints', places: [runId], query, signal } as const;
    const all: RunPrint[] = [];
    const pages = this.#pages<RunPrint>(sending, 'prints');
    for await (const print of pages) all.push(print);
    return all;
  }

  /** Writes merged print file `number`, from 1. */
  async printToFile(
    runId: string,
    number: number,
    path: string,
    { signal }: CallOptions = {},
  ): Promise<WrittenFile> {
    return this.#toFile({ operation: 'getRunPrint', places: [runId, number], signal }, path, 'pdf');
  }

  /** Which pages of a print file belong to which document, in the order of the pages. */
  async *printIndex(
    runId: string,
    number: number,
    { signal }: CallOptions = {},
  ): AsyncGenerator<PrintIndexRow, void, undefined> {
    const operation = 'getRunPrintIndex';
    const sending = { operation, places: [runId, number], signal } as const;
    yield* this.#rows<PrintIndexRow>(sending, 'printIndex');
  }

  /** As `printIndex`, written to a file as lines of JSON. */
  async printIndexToFile(
    runId: string,
    number: number,
    path: string,
    { signal }: CallOptions = {},
  ): Promise<WrittenFile> {
    const sending = { operation: 'getRunPrintIndex', places: [runId, number], signal } as const;
    return this.#toFile(sending, path, 'printIndex');
  }

  async #move(
    operation: 'pauseRun' | 'resumeRun' | 'cancelRun',
    runId: string,
    { signal }: CallOptions,
  ): Promise<Run> {
    return this.#transport.json({ operation, places: [runId], body: {}, signal });
  }

  /** Server-sent events, each of which has a run in one line of data (HTML Living Standard §9.2.6). */
  async *#events(
    runId: string,
    options: Pick<Sending, 'signal' | 'isSentOnce'>,
  ): AsyncGenerator<Run, void, undefined> {
    const sending = { operation: 'followRun', places: [runId], ...options } as const;
    for await (const line of this.#transport.lines(sending, false)) {
      if (line.startsWith('data: ')) yield parseJson(line.slice('data: '.length)) as Run;
    }
  }

  /** The entries of a list that comes in pages: `member` has those of one, `next` what is after it. */
  async *#pages<Entry>(
    sending: Sending,
    member: string,
    next = 'next',
  ): AsyncGenerator<Entry, void, undefined> {
    for (let after: string | number | null | undefined; after !== null;) {
      const query = { ...sending.query, after };
      const page = await this.#transport.json<Record<string, unknown>>({ ...sending, query });
      // The schemas say what the entries are.
      yield* listOf(page[member]) as readonly Entry[];
      const following = page[next] ?? null;
      const isPlace = ['string', 'number'].includes(typeof following);
      // The same page again and again would have no end.
      if (following !== null && (!isPlace || following === after)) throw noList();
      after = following as string | number | null;
    }
  }

  async #toFile(sending: Sending, path: string, kind: FileKind): Promise<WrittenFile> {
    checkTarget(path);
    return this.#transport.send(sending, (answer) => writeBody(answer, path, kind));
  }

  async *#rows<T>(sending: Sending, kind: RowKind): AsyncGenerator<T, void, undefined> {
    for await (const line of this.#transport.lines(sending, true)) yield parseRow(line, kind) as T;
  }
}

/** The entries of a list. Throws BadAnswerError for what is none, such as a member of a proxy's JSON. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw noList();
}

function noList(): BadAnswerError {
  return new BadAnswerError('the answer is no list of the service; does a proxy answer?');
}

function checkRows(format: unknown, rows: unknown): void {
  if (format !== 'ndjson' && format !== 'csv') {
    throw new InvalidArgumentError('format', 'must be ndjson or csv');
  }
  if (rows instanceof Uint8Array) return;
  if (typeof rows === 'string') checkText('rows', rows);
  else throw new InvalidArgumentError('rows', `${kindOf(rows)}, neither text nor bytes`);
}

/**
 * Whether the run waits for a start. A dry run that has ended is in the same state, with every byte
 * checked; rows that were uploaded since are not.
 */
export function isUnstarted({ state, dryRun, counts }: Run | RunWithParts): boolean {
  const isChecked = dryRun && counts.bytesChecked === counts.bytesReceived;
  return state === 'receiving' && !isChecked;
}

/** Whether the run is neither waiting for rows nor at its end; a paused run counts as under way. */
export function isUnderWay({ state }: Pick<Run, 'state'>): boolean {
  return UNDER_WAY.has(state);
}
