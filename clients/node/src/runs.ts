import { createHash, randomUUID } from 'node:crypto';

import { writeBody, type WrittenFile } from './pdf-file.ts';
import { type CallOptions, parseJson, type Transport } from './transport.ts';
import type {
  CreateRunRequest,
  FieldError,
  Run,
  RunList,
  RunPart,
  RunPrintList,
  RunWithParts,
  StartRunRequest,
} from './types.ts';

/** Runs fetched by one request. */
const PAGE_RUNS = 100;

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

interface RunExceptionList {
  readonly rows: readonly RunException[];
  readonly next: string | null;
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
    const { signal, idempotencyKey = randomUUID() } = options;
    const headers = { 'Idempotency-Key': idempotencyKey };
    return this.#transport.json({ operation: 'createRun', headers, body, signal });
  }

  /** The last 100 runs of the team, newest first. */
  async list({ signal }: CallOptions = {}): Promise<readonly Run[]> {
    const { runs } = await this.#transport.json<RunList>({ operation: 'listRuns', signal });
    return runs;
  }

  /** All runs of the team, newest first. */
  async *listAll({ signal }: CallOptions = {}): AsyncGenerator<Run> {
    let after: string | undefined;
    do {
      const query = { limit: PAGE_RUNS, after };
      const page: RunList = await this.#transport.json({ operation: 'listRuns', query, signal });
      yield* page.runs;
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  async get(runId: string, { signal }: CallOptions = {}): Promise<RunWithParts> {
    return this.#transport.json({ operation: 'getRun', places: [runId], signal });
  }

  /** Uploads part `part`, from 1. The same part again changes nothing. */
  async putPart(
    runId: string,
    part: number,
    { format, rows, firstLine }: RunRows,
    { signal }: CallOptions = {},
  ): Promise<RunPart> {
    const digest = createHash('sha256').update(rows).digest('base64');
    const headers = { 'Content-Type': TYPES[format], 'Content-Digest': `sha-256=:${digest}:` };
    const where = { places: [runId, part], query: { firstLine } };
    const sending = { operation: 'putRunPart', ...where, headers, body: rows, signal } as const;
    return this.#transport.json(sending);
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
  async *follow(runId: string, { signal }: CallOptions = {}): AsyncGenerator<Run, void, undefined> {
    const sending = { operation: 'followRun', places: [runId], signal } as const;
    for await (const line of this.#transport.lines(sending)) {
      if (line.startsWith('data: ')) yield parseJson(line.slice('data: '.length)) as Run;
    }
  }

  /** Outcome of each row, in the order of parts and rows; a million rows need no more memory. */
  async *manifest(
    runId: string,
    options: CallOptions & { readonly outcome?: RowOutcome | undefined } = {},
  ): AsyncGenerator<ManifestRow, void, undefined> {
    const { signal, outcome } = options;
    const operation = 'getRunManifest';
    yield* this.#rows<ManifestRow>({ operation, places: [runId], query: { outcome }, signal });
  }

  /**
   * Rows that are invalid or failed, or have another outcome that needs an eye, with their data. A row
   * that is uploaded with the members `#part` and `#line` takes the place of such a row.
   */
  async *exceptions(
    runId: string,
    options: CallOptions & { readonly outcome?: RunException['outcome'] | undefined } = {},
  ): AsyncGenerator<RunException, void, undefined> {
    const { signal, outcome } = options;
    let after: string | undefined;
    do {
      const query = { outcome, after, limit: PAGE_RUNS };
      const sending = { operation: 'listRunExceptions', places: [runId], query, signal } as const;
      const page: RunExceptionList = await this.#transport.json(sending);
      yield* page.rows;
      after = page.next ?? undefined;
    } while (after !== undefined);
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
    const sending = { operation: 'getRunZip', places: [runId], signal } as const;
    return this.#transport.send(sending, (answer) => writeBody(answer, path, 'zip'));
  }

  /** The merged print files that are finished. */
  async prints(runId: string, { signal }: CallOptions = {}): Promise<RunPrintList['prints']> {
    const sending = { operation: 'listRunPrints', places: [runId], signal } as const;
    const { prints } = await this.#transport.json<RunPrintList>(sending);
    return prints;
  }

  /** Writes merged print file `number`, from 1. */
  async printToFile(
    runId: string,
    number: number,
    path: string,
    { signal }: CallOptions = {},
  ): Promise<WrittenFile> {
    const sending = { operation: 'getRunPrint', places: [runId, number], signal } as const;
    return this.#transport.send(sending, (answer) => writeBody(answer, path));
  }

  /** Which pages of a print file belong to which document, in the order of the pages. */
  async *printIndex(
    runId: string,
    number: number,
    { signal }: CallOptions = {},
  ): AsyncGenerator<PrintIndexRow, void, undefined> {
    const operation = 'getRunPrintIndex';
    yield* this.#rows<PrintIndexRow>({ operation, places: [runId, number], signal });
  }

  async #move(
    operation: 'pauseRun' | 'resumeRun' | 'cancelRun',
    runId: string,
    { signal }: CallOptions,
  ): Promise<Run> {
    return this.#transport.json({ operation, places: [runId], body: {}, signal });
  }

  async *#rows<T>(sending: Parameters<Transport['lines']>[0]): AsyncGenerator<T, void, undefined> {
    for await (const line of this.#transport.lines(sending)) {
      if (line !== '') yield parseJson(line) as T;
    }
  }
}
