import { createHash } from 'node:crypto';

import { PDF, PDF_SHA256, PDF_TYPE, pdfOf } from '../described-api.ts';

/**
 * A case of the conformance table: how each client must behave with certain answers of a service, a
 * proxy or a broken connection. Each client runs the whole table: `server.ts` gives the answers, an
 * adapter for the client makes the calls, and `judge.ts` compares the results.
 */
export interface Case {
  readonly name: string;
  /** One client makes these calls one after the other. */
  readonly calls: readonly Call[];
  /** The client makes the calls at the same time instead. */
  readonly isParallel?: true;
  readonly options?: Options;
  /** Answers to the requests in their order; the last one is given to all further requests. */
  readonly answers: readonly Answer[] | Script;
  /** The JSON body that each request must have. When omitted, bodies are not compared. */
  readonly sends?: Readonly<Record<string, unknown>>;
  /** The expected result of each call, or a single one for all of them. */
  readonly gives: Expected | readonly Expected[];
  /** How many requests must arrive; when omitted, one for each call. */
  readonly requests?: number | 'any';
  /** How many requests are refused, at most. */
  readonly refusedMax?: number;
  /** How many requests arrive at most. */
  readonly requestsMost?: number;
  /** The calls take at least this long; timers may fire a millisecond early. */
  readonly tookMsMin?: number;
  /** The calls take at most this long. */
  readonly tookMsMax?: number;
  /** The files in the folder of the case after all calls. */
  readonly left?: readonly string[];
}

/**
 * Answers that depend on earlier requests. `window`: answers in windows of two calls; `busy`: the
 * service is busy; `nobody`: nobody listens; `parts`: a run takes parts and refuses the second one
 * once; `changed`: as `parts`, and then lists a part with other rows after the first one; `others`:
 * a run lists a part with other rows before all others; `events`: the events of a run are cut off;
 * `mute`: a server with TLS never answers.
 */
export type Script =
  'window' | 'busy' | 'nobody' | 'parts' | 'changed' | 'others' | 'events' | 'mute';

/**
 * A method of a client. `toFile` downloads the document, `toGivenFile` does so with the SHA-256 of `PDF`
 * as its option, `toSureFile` with the option that demands a digest; `missing` downloads into a folder
 * that is not there; `byReference` asks for the documents with the reference RC-0005.
 */
export type Call =
  | 'generate'
  | 'store'
  | 'named'
  | 'document'
  | 'byReference'
  | 'toFile'
  | 'toGivenFile'
  | 'toSureFile'
  | 'missing'
  | 'manifest'
  | 'rows'
  | 'manifestToFile'
  | 'exceptions'
  | 'upload'
  | 'watch'
  | Mistake;

/**
 * A call that a program makes by mistake: with half of a surrogate pair in `data.customer`; with an
 * array that contains itself as `data.a`; to a file with NUL in its name; for documents whose id
 * contains NUL, is empty, or is `..`; by a client without a key; with `xyz` as the SHA-256 of a
 * file; with an empty reference.
 */
export type Mistake =
  | 'loneSurrogate'
  | 'circular'
  | 'nulPath'
  | 'nulId'
  | 'noId'
  | 'dotId'
  | 'nullKey'
  | 'oddDigest'
  | 'noReference';

export interface Options {
  readonly triesMax?: number;
  readonly silenceMs?: number;
  readonly retryMs?: number;
  readonly requestsMax?: number;
  /** The calls are cancelled this long after they begin. */
  readonly cancelMs?: number;
  /** The calls have this time limit. */
  readonly limitMs?: number;
  /** The service is behind a proxy, which wants a name and a password. */
  readonly isBehindProxy?: true;
  /** A proxy at which nobody listens is set, and the host of the service is excluded from it. */
  readonly isPassedBy?: true;
  /** The service speaks TLS, and wants a certificate of the client. */
  readonly certificate?: 'own' | 'none';
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array;
  /**
   * What follows the body: its end, a cut connection, nothing, blanks without an end, or the same
   * body in ten pieces, 600 ms apart. `dead`: the connection is cut without any answer. `trickle`: a
   * blank each 100 ms, without an end; `trickling head`: headers come in this way. `raw`: the body is
   * the whole answer with its head, and the end of the connection, nothing or a reset follows it.
   */
  readonly end?:
    | 'cut'
    | 'silence'
    | 'endless'
    | 'slow'
    | 'dead'
    | 'trickle'
    | 'trickling head'
    | 'raw'
    | 'raw silence'
    | 'raw reset';
}

/** Names of errors without the endings that languages give them. */
export type Kind =
  | 'Service'
  | 'InvalidData'
  | 'NoAnswer'
  | 'Digest'
  | 'NoDocument'
  | 'BadAnswer'
  | 'Cancelled'
  | 'File'
  | 'InvalidArgument';

/** The expected result of a call. Properties that are omitted are not compared. */
export interface Expected {
  readonly error?: Kind;
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly fields?: readonly { readonly field: string; readonly reason: string }[];
  readonly tries?: number;
  readonly retryAfterMs?: number;
  /** A pattern that the message of the error must match. */
  readonly text?: RegExp;
  readonly sha256?: string;
  /** Whether the client compared the file with a digest. */
  readonly verified?: boolean;
  /** Number of entries in a list. */
  readonly count?: number;
  /** Number of parts that were uploaded, and that were skipped. */
  readonly sent?: number;
  readonly skipped?: number;
  /** Number of parts of the run that do not belong to the file. */
  readonly others?: number;
  /** The last state of a run. */
  readonly state?: string;
}

/** Answers, and the results that they lead to. */
export const OK: Answer = { headers: PDF_TYPE, body: PDF };
export const MADE: Expected = { sha256: PDF_SHA256 };
/** A record of a document, in the service's form. */
export const RECORD = {
  documentId: '01a1f4a2-7b00-7000-8a9d-0123456789ab',
  url: 'http://127.0.0.1:8080/v1/files/a.link',
  sha256: PDF_SHA256,
  expiresAt: '2026-12-28T08:00:00.000Z',
};
/** The record of the document `d`. */
export const STORED: Answer = {
  body: JSON.stringify({ ...RECORD, documentId: 'd', templateId: 'receipt', version: 1 }),
};
export const MADE_RECORD: Answer = { status: 201, body: JSON.stringify(RECORD) };
export const PAGE = '<!doctype html><title>Sign in</title>';
export const LONG = pdfOf('x');
export const tagOf = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('hex')}"`;

/** A refusal of the service. */
export function refusal(status: number, code: string, more: object = {}, headers = {}): Answer {
  const body = JSON.stringify({ error: `${code}.`, code, requestId: 'r-1', ...more });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** Defects of `data`. */
export const fields = [
  { field: 'customer', reason: 'required' },
  { field: 'total', reason: 'number expected' },
];
