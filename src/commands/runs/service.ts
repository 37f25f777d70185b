import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';

import type { CsvFormat } from '../../runtime/csv-format.ts';
import type { RowAddress } from '../../runtime/contract/correction.ts';
import type { ExceptionOutcome, RunCounts, RunReason, RunState } from '../../store/runs/types.ts';
import { Client, readError } from '../batch/client.ts';
import { readCaller } from '../console/api-key.ts';
import { CommandFailed } from '../console/failure.ts';
import { tlsFaultOf } from '../console/tls-fault.ts';
import { writeErr } from '../console/terminal.ts';
import { readEvents } from './events.ts';

const POLL_MS = 1_000;
/** Entries in a page of a list. */
const PAGE = 200;
/** Longer silence means a lost connection: the service sends something every 15 seconds. */
const SILENCE_MS_MAX = 60_000;
/** Error codes of a lost connection. */
const LOST = /^(?:UND_ERR_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;

/** The address of the service and the API key. */
export interface ServiceOptions {
  readonly url: string;
  readonly key?: string;
}

/** A run as the service describes it. */
export interface DescribedRun {
  readonly runId: string;
  readonly name: string;
  readonly state: RunState;
  readonly dryRun: boolean;
  readonly counts: RunCounts;
  readonly expected: {
    readonly rows: number | null;
    readonly sums?: Readonly<Record<string, string>>;
  };
  readonly templateId: string;
  readonly version: number;
  readonly idField: string;
  readonly createdAt: string;
  readonly reasons: readonly RunReason[];
  /** How the cells of its CSV were said to be written; null: it was not said. */
  readonly csv: CsvFormat | null;
  readonly sums?: Readonly<Record<string, string>>;
  readonly parts?: readonly DescribedPart[];
  /** The value of `after` that gives the next parts; null or absent: there are no more. */
  readonly nextPart?: number | null;
  readonly lastPart?: number;
}

/** A row that needs a person's eye, as the service describes it. */
export interface DescribedException extends RowAddress {
  readonly outcome: ExceptionOutcome;
  readonly rowId: string;
  readonly message?: string;
  readonly fields?: readonly { readonly field: string; readonly reason: string }[];
  readonly data: Readonly<Record<string, unknown>> | null;
  /** The row as uploaded, if its cells do not fit the columns; else ''. */
  readonly text: string;
}

/** A merged print file, as the service describes it. */
export interface DescribedPrint {
  readonly number: number;
  readonly documents: number;
  readonly pages: number;
  readonly bytes: number;
  /** null: an earlier version of the service made it. */
  readonly sha256: string | null;
}

interface ExceptionPage {
  readonly rows: readonly DescribedException[];
  readonly next: string | null;
}

interface RunPage {
  readonly runs: readonly DescribedRun[];
  readonly next: string | null;
}

interface PrintPage {
  readonly prints: readonly DescribedPrint[];
  readonly next: string | null;
}

/** A part to upload. */
interface SentPart {
  readonly number: number;
  readonly firstLine: number;
  readonly contentType: string;
}

interface DescribedPart {
  readonly part: number;
  readonly sha256: string;
}

/** A client for runs, which retries while the service is busy or restarting. */
export class RunsService {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #client = new Client(1, (message) => writeErr(`intaglio: ${message}\n`));

  constructor(options: ServiceOptions) {
    const { url, apiKey } = readCaller(options);
    this.#base = `${url}/v1/runs`;
    this.#headers = { 'x-api-key': apiKey };
  }

  async create(run: object): Promise<DescribedRun> {
    return this.#json('POST', '', run);
  }

  async find(runId: string): Promise<DescribedRun> {
    return this.#json('GET', `/${encodeURIComponent(runId)}`);
  }

  /** The newest runs of the team, at most `countMax`. */
  async list(countMax: number): Promise<readonly DescribedRun[]> {
    const all: DescribedRun[] = [];
    for (let after: string | null = ''; after !== null && all.length < countMax;) {
      const query = new URLSearchParams({ limit: String(Math.min(PAGE, countMax - all.length)) });
      if (after !== '') query.set('after', after);
      const page: RunPage = await this.#json('GET', `?${query.toString()}`);
      all.push(...page.runs);
      after = page.next;
    }
    return all;
  }

  /** All merged print files of a run that are finished, in the order of their numbers. */
  async prints(runId: string): Promise<readonly DescribedPrint[]> {
    const all: DescribedPrint[] = [];
    for (let after: string | null = ''; after !== null;) {
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (after !== '') query.set('after', after);
      const path = `/${encodeURIComponent(runId)}/prints?${query.toString()}`;
      const page: PrintPage = await this.#json('GET', path);
      all.push(...page.prints);
      after = page.next;
    }
    return all;
  }

  /** All parts that the run has, which are listed page by page. */
  async parts(runId: string): Promise<readonly DescribedPart[]> {
    const all: DescribedPart[] = [];
    for (let after: number | null = 0; after !== null;) {
      const run: DescribedRun = await this.#json(
        'GET',
        `/${encodeURIComponent(runId)}?after=${after}`,
      );
      all.push(...(run.parts ?? []));
      after = run.nextPart ?? null;
    }
    return all;
  }

  /** The names that rows of the run may have, or why the service does not tell them. */
  async fieldNames({
    templateId,
    version,
    idField,
  }: DescribedRun): Promise<readonly string[] | 'no scope' | 'no version'> {
    const templates = this.#base.replace(/runs$/, 'templates');
    const address = `${templates}/${encodeURIComponent(templateId)}/fields?version=${version}`;
    const reply = await this.#client.call(address, { method: 'GET', headers: this.#headers });
    if (reply.status === 403) return 'no scope';
    if (reply.status === 404) return 'no version';
    if (reply.status !== 200) throw failure(readError(reply), `fields of ${templateId}`);
    // The response has the type that /openapi.json describes.
    const { fields } = JSON.parse(reply.body.toString('utf8')) as {
      readonly fields: readonly { readonly name: string }[];
    };
    return [...fields.map(({ name }) => name), idField];
  }

  /** The highest number of a part; 0: there is none. */
  async lastPart(runId: string): Promise<number> {
    return (await this.find(runId)).lastPart ?? 0;
  }

  /** A page of the rows that need a person's eye. */
  async exceptions(
    runId: string,
    query: Readonly<Record<string, string | number>>,
  ): Promise<ExceptionPage> {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) asked.set(name, String(value));
    const path = `/${encodeURIComponent(runId)}/exceptions?${asked.toString()}`;
    return this.#json<ExceptionPage>('GET', path);
  }

  /** `action` is start, pause, resume, cancel or withdraw. */
  async act(runId: string, action: string, body: object = {}): Promise<DescribedRun> {
    return this.#json('POST', `/${encodeURIComponent(runId)}/${action}`, body);
  }

  /** Uploads a part; `packed` is its rows in gzip, and `digest` the SHA-256 of that in base64. */
  async put(
    runId: string,
    { number, firstLine, contentType }: SentPart,
    packed: Uint8Array,
    digest: string,
  ): Promise<void> {
    const path = `${runId}/parts/${number}?firstLine=${firstLine}`;
    const reply = await this.#client.call(`${this.#base}/${path}`, {
      method: 'PUT',
      headers: {
        ...this.#headers,
        'content-type': contentType,
        'content-encoding': 'gzip',
        'content-digest': `sha-256=:${digest}:`,
      },
      body: packed,
    });
    if (reply.status === 200 || reply.status === 201) return;
    throw failure(readError(reply), `part ${number}`);
  }

  /** Streams the response of an address below the run to a file of any size. */
  async download(runId: string, path: string, file: string): Promise<void> {
    const address = `${this.#base}/${runId}/${path}`;
    const { statusCode, body } = await request(address, { headers: this.#headers }).catch(inWords);
    if (statusCode !== 200) {
      const reply = { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
      throw failure(readError(reply), path);
    }
    await pipeline(body, createWriteStream(file));
  }

  /**
   * Yields the run each time it changes, until the run (or its dry run) has ended; a run that has not
   * been started yet is waited for. Reads server-sent events; polls once a second before the start, and
   * when the service sends no events.
   */
  async *follow(runId: string): AsyncGenerator<DescribedRun> {
    let hasEvents = true;
    for (;;) {
      const run = await this.find(runId);
      yield run;
      if (!isUnderWay(run) && !isUnstarted(run)) return;
      if (hasEvents && isUnderWay(run)) {
        const events = await this.#listen(runId);
        hasEvents = events !== null;
        for await (const changed of events ?? []) {
          yield changed;
          if (!isUnderWay(changed)) return;
        }
      }
      await pause(POLL_MS);
    }
  }

  /**
   * Requests the events of a run. Returns null when the service offers none; the events end early
   * when the connection is lost, and `follow` then requests them again.
   */
  async #listen(runId: string): Promise<AsyncIterable<DescribedRun> | null> {
    try {
      const { statusCode, body } = await request(`${this.#base}/${runId}/events`, {
        headers: this.#headers,
        bodyTimeout: SILENCE_MS_MAX,
      });
      if (statusCode === 200) return runsOf(body);
      await body.dump();
      return null;
    } catch (error) {
      if (isConnectionLost(error)) return noEvents();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #json<T = DescribedRun>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const reply = await this.#client.call(this.#base + path, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status >= 400) throw failure(readError(reply), '');
    // The response has the type that /openapi.json describes.
    return JSON.parse(reply.body.toString('utf8')) as T;
  }
}

/**
 * Whether the run waits for a start. A dry run that has ended is in the same state, with every byte
 * checked; rows that were uploaded since are not.
 */
export function isUnstarted({ state, dryRun, counts }: DescribedRun): boolean {
  const isChecked = dryRun && counts.bytesChecked === counts.bytesReceived;
  return state === 'receiving' && !isChecked;
}

/** Whether the run is neither waiting for rows nor at its end; a paused run counts as under way. */
export function isUnderWay({ state }: Pick<DescribedRun, 'state'>): boolean {
  return state === 'checking' || state === 'running' || state === 'paused';
}

async function* runsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<DescribedRun> {
  try {
    // The events have the type that /openapi.json describes.
    for await (const { data } of readEvents(body)) yield JSON.parse(data) as DescribedRun;
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
  }
}

async function* noEvents(): AsyncGenerator<never> {}

function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOST.test(String(error.code));
}

/** Throws a TLS error again with an explanation, and every other error unchanged. */
function inWords(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fault = tlsFaultOf(code);
  if (fault === null) throw error;
  throw new CommandFailed(
    `no connection to the service: ${fault.words} (${code}); ${fault.remedy}`,
  );
}

/** The run, or a part of it, is not as the request expects. */
export class RunConflict extends CommandFailed {}

/** What the user can do about a refusal, where the words of the service do not say it; '': they do. */
function adviceFor(code: string, error: string): string {
  if (code === 'unauthenticated') {
    return ': check --key or INTAGLIO_API_KEY, and whether --url is the service that gave out the key';
  }
  if (code === 'insufficient_scope') {
    return ': an operator makes a key that has it with ./intaglio keys add --scope';
  }
  const isRun = code === 'not_found' && error === 'There is no such run.';
  return isRun ? ": ./intaglio runs list names those of the key's team" : '';
}

/** The failure of a request; `subject` names what it was about, or is ''. */
function failure({ code, error }: { code: string; error: string }, subject: string): CommandFailed {
  const message = `${subject === '' ? '' : `${subject}: `}${error} (${code})${adviceFor(code, error)}`;
  return code === 'run_conflict' ? new RunConflict(message) : new CommandFailed(message);
}
