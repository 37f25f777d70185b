import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import { LIMITS } from '../../../limits.ts';
import {
  EncodingFault,
  type NamedEncoding,
  type TextEncoding,
  TextToUtf8,
} from '../../../runtime/encoding/decoder.ts';
import { UnmarkedUtf16 } from '../../../runtime/encoding/utf16.ts';
import { runInSlices, type Steps } from '../../../runtime/time-slice.ts';
import {
  BEGINNING_BYTES,
  isWorkbook,
  readPartStart,
  refuseBeginning,
  WORKBOOK,
} from '../../../runs/part-start.ts';
import { delimiterOf } from '../../../runtime/csv/csv-format.ts';
import { isBlankText } from '../../../runs/row-reader.ts';
import type { NewRunPart, PartRefusal, RowFormat, RunRecord } from '../../../store/runs/types.ts';
import { isIdentity } from '../../http/content.ts';
import { jsonReply, type PendingReply } from '../../reply/reply.ts';
import { json, parameter } from '../../openapi/operation.ts';
import { RUN_ID_PARAMETER } from './parameters.ts';
import * as docs from '../../../api/runs.ts';
import {
  describedEarlyRoute,
  type EarlyCall,
  type GuardedCall,
  type GuardedRoute,
  type Services,
} from '../../route.ts';
import { EXPIRED, record, RETRY_SECONDS, withRun, WRITES } from './run-call.ts';

const unzip = promisify(gunzip);

const PART_MAX = 100_000;
const HINT = 'Cut the file at ends of lines and upload the pieces as parts 1, 2, 3, …';
const RUN_FULL =
  'With this part the run would have more rows, in bytes, than a run may: divide them among runs.';
const TEAM_FULL = {
  team_full:
    'The runs of your team hold as many uploaded bytes as they may: cancel runs that are not needed,' +
    ' or wait until others are done.',
  team_parts:
    'The runs of your team hold as many parts as they may: upload larger parts, cancel runs that are' +
    ' not needed, or wait until others are done.',
} as const;
/** RFC 9530: `sha-256=:BASE64:`, possibly among other digests. */
const DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/;

const FORMATS: Readonly<Record<string, RowFormat>> = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/csv': 'csv',
};

/** A file and no text: generated clients would send a text as a JSON string, in quotes. */
const ROWS = { type: 'string', format: 'binary' } as const;
const SENT = json(docs.sentPart, docs.SENT_PART);
/** Bytes decoded between two pauses: well under a millisecond. */
const PIECE_BYTES = 64 * 1024;
/** Names of charsets in Content-Type, as the WHATWG's Encoding Standard has them. */
const CHARSETS: Readonly<Record<string, NamedEncoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'windows-874': 'windows-874',
  cp874: 'windows-874',
  'tis-620': 'windows-874',
  'iso-8859-11': 'windows-874',
};

/** PUT /v1/runs/:id/parts/:n uploads rows of a run. Repeating a part changes nothing. */
export function runPartRoute(services: Services): GuardedRoute {
  return describedEarlyRoute({
    method: 'PUT',
    path: '/v1/runs/:id/parts/:n',
    access: WRITES,
    counted: 'runs',
    bodyBytesMax: LIMITS.runPartBytesMax,
    bodyHint: HINT,
    takesGzip: true,
    readsBody: true,
    operation: {
      operationId: 'putRunPart',
      summary: 'Upload rows as part n',
      note:
        'The same part again changes nothing. At most 16 MB, unpacked and in UTF-8. Content-Type may' +
        ' name the charset utf-8 or windows-874; without it, UTF-8, UTF-16 with a byte order mark and' +
        ' windows-874 are recognised.',
      parameters: [
        RUN_ID_PARAMETER,
        parameter('path', 'n', { type: 'integer', minimum: 1 }, 1, 'Number of the part, from 1.'),
        parameter(
          'query',
          'firstLine',
          { type: 'integer', minimum: 1 },
          90_001,
          'If the part is a piece of a larger file: the line of that file on which its rows begin.',
        ),
        parameter('header', 'Content-Encoding', { type: 'string' }, 'gzip', 'gzip, or left out.'),
        parameter(
          'header',
          'Content-Digest',
          { type: 'string' },
          'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
          'RFC 9530: SHA-256 of the body as sent. Checked when present.',
        ),
      ],
      body: {
        'application/x-ndjson': { schema: ROWS, example: docs.ROW },
        'text/csv': { schema: ROWS, example: 'refNo,customer,total\nR-1,A,12.50\n' },
      },
      replies: {
        200: { description: 'It was received before.', content: SENT },
        201: { description: 'Received, and durable.', content: SENT },
      },
      errors: [
        'bad_request',
        'not_found',
        'rate_limited',
        'run_conflict',
        'payload_too_large',
        'overloaded',
      ],
    },
    run: async (call) => {
      const { teamId } = call.principal;
      const asked = await judgeEarly(services, call);
      if (!asked.ok) return asked;
      const body = await call.arriving.whole();
      if (!body.ok) return body;
      const whole = { ...call, body: body.value };
      // 16 KB of gzip are 16 MB: teams take turns, and few parts are in memory at a time.
      const bytes = isPacked(call) ? -1 : body.value.byteLength;
      return services.runCalls.store(teamId, bytes, () => receive(services, whole, asked.value));
    },
  });
}

/** A part as the head of its request describes it. */
interface Head {
  readonly part: number;
  readonly format: RowFormat;
  readonly charset: NamedEncoding | null;
}

interface AskedPart extends Head {
  readonly run: RunRecord;
}

/**
 * Refuses a part before its rows have arrived: by the head of its request, by its beginning, or by
 * its run. Its beginning can be refused while the run has yet to be looked up: a header without end
 * neither waits for the database nor has it asked.
 */
async function judgeEarly(services: Services, call: EarlyCall): Promise<Outcome<AskedPart>> {
  const head = readHead(call);
  if (!head.ok) return head;
  const { format } = head.value;
  let isRefused = false;
  const beginning = async (): Promise<Failure | null> => {
    const bytes = await call.arriving.start(BEGINNING_BYTES);
    const refusal = isPacked(call) ? null : refuseBeginning(bytes, format);
    isRefused = refusal !== null;
    return refusal;
  };
  const room = (): Promise<Outcome<AskedPart>> =>
    withRun(services, call, async (run) => {
      const refusal = await refuseByRun(services, call, run, head.value);
      return refusal ?? succeed({ ...head.value, run });
    });
  const begun = beginning();
  const judged = services.runCalls.change(call.principal.teamId, async () =>
    // Nobody waits for this answer any more.
    isRefused ? fail('bad_request') : room(),
  );
  // When the beginning is refused first, nobody is told what became of this.
  judged.catch(() => undefined);
  const first = await Promise.race([begun, judged]);
  if (first !== null && !first.ok) return first;
  return (await begun) ?? judged;
}

/** Reads what the head of the request says of the part. */
function readHead({ exchange, params }: EarlyCall): Outcome<Head> {
  const number = params[1] ?? '';
  const part = /^[1-9]\d{0,5}$/.test(number) ? Number(number) : PART_MAX + 1;
  if (part > PART_MAX) return fail('bad_request', `A part is numbered from 1 to ${PART_MAX}.`);
  const { contentType } = exchange.headers;
  const format = formatOf(contentType);
  if (format === null) {
    return fail('bad_request', 'Content-Type must be application/x-ndjson or text/csv.');
  }
  const charset = charsetOf(contentType);
  if (charset === 'unknown') {
    return fail('bad_request', 'charset must be utf-8 or windows-874, or be left out.');
  }
  return succeed({ part, format, charset });
}

/** Why the run takes no such part now; null: it does. */
async function refuseByRun(
  services: Services,
  call: EarlyCall,
  run: RunRecord,
  { part }: Head,
): Promise<Failure | null> {
  if (run.spec.source !== null && !(await services.store.runSources.progress(run.runId)).isRead) {
    return fail(
      'run_conflict',
      'The run has yet to read its source; parts can be added after that.',
    );
  }
  const why = await services.store.runs.refusePart(run, part, leastBytes(call));
  return why === null ? null : refuseRoom(services, call, run, why);
}

function isPacked({ exchange }: GuardedCall): boolean {
  return !isIdentity(exchange.headers.contentEncoding);
}

/** Least size of the rows as UTF-8: ASCII that comes as UTF-16 becomes half as long. */
function leastBytes(call: EarlyCall): number {
  const { announced } = call.arriving;
  return isPacked(call) ? 1 : Math.max(1, Math.floor(announced / 2));
}

async function refuseRoom(
  services: Services,
  { exchange }: GuardedCall,
  { teamId, runId }: RunRecord,
  why: PartRefusal,
): Promise<Failure> {
  switch (why) {
    case 'run_full':
      return fail('payload_too_large', RUN_FULL);
    case 'team_full':
    case 'team_parts':
      exchange.retryAfterSeconds = RETRY_SECONDS;
      return fail('rate_limited', TEAM_FULL[why]);
    case 'closed': {
      // The run may have ended while its part arrived.
      const now = await services.store.runs.find(teamId, runId);
      const { reasons, state } = now.found ? now.value : { reasons: [], state: 'cancelled' };
      if (reasons.some(({ name }) => name === 'not_started')) return fail('run_conflict', EXPIRED);
      return fail('run_conflict', `The run is in state ${state} and takes no rows now.`);
    }
  }
}

async function receive(
  services: Services,
  call: GuardedCall,
  { run, part, format, charset }: AskedPart,
): PendingReply<docs.SentRunPart> {
  const refusal = await refuseDigest(call);
  if (refusal !== null) return refusal;
  const unpacked = await unpack(call);
  if (!unpacked.ok) return unpacked;
  if (isWorkbook(unpacked.value)) return fail('bad_request', WORKBOOK);
  const read = await readText(unpacked.value, charset);
  if (!read.ok) return read;
  const { rows, encoding } = read.value;
  const begin = readPartStart(rows, format, run.spec.idField, delimiterOf(run.spec.csv));
  if (!begin.ok) return begin;
  const { headerBytes, headerLines } = begin.value;
  const firstLine = readFirstLine(call.query, headerLines + 1);
  if (!firstLine.ok) return firstLine;
  const sha256 = await digestOf(rows);
  const bytes = rows.byteLength;
  const sent: NewRunPart = { part, sha256, format, headerBytes, firstLine: firstLine.value };
  const outcome = await services.store.runs.addPart(run, sent, rows);
  const told = { part, sha256, format, bytes, checked: false, encoding };
  switch (outcome) {
    case 'added':
      await record(services, call, run, 'runs.part');
      return succeed(jsonReply<docs.SentRunPart>(201, told));
    case 'there':
      return succeed(jsonReply<docs.SentRunPart>(200, told));
    case 'conflict':
      return fail('run_conflict', `Part ${part} was received before with other rows.`);
    case 'closed':
    case 'run_full':
    case 'team_full':
    case 'team_parts':
      return refuseRoom(services, call, run, outcome);
  }
}

/** The line of the file on which the rows begin; `own`: that in the part itself. */
function readFirstLine(query: string, own: number): Outcome<number> {
  const asked = new URLSearchParams(query).get('firstLine');
  if (asked === null) return succeed(own);
  if (/^[1-9]\d{0,8}$/.test(asked)) return succeed(Number(asked));
  return fail('bad_request', 'firstLine must be a whole number from 1 to 999999999.');
}

function formatOf(contentType: string): RowFormat | null {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return FORMATS[type] ?? null;
}

/** Checks Content-Digest; null: it is absent or matches the body as sent. */
async function refuseDigest({ exchange, body }: GuardedCall): Promise<Outcome<never> | null> {
  const { contentDigest } = exchange.headers;
  if (contentDigest === '') return null;
  const sent = DIGEST.exec(contentDigest)?.[1];
  if (sent === undefined) {
    return fail('bad_request', 'Content-Digest must be sha-256=:BASE64: (RFC 9530).');
  }
  const found = Buffer.from(await digestOf(body), 'hex').toString('base64');
  if (found === sent) return null;
  return fail('bad_request', 'The body does not have the digest of Content-Digest: send it again.');
}

async function unpack(call: GuardedCall): Promise<Outcome<Uint8Array>> {
  return isPacked(call) ? inflate(call.body) : succeed(call.body);
}

/** The encoding that Content-Type names; null: it names none. */
function charsetOf(contentType: string): NamedEncoding | null | 'unknown' {
  const charset = /;\s*charset\s*=\s*"?([^";]*)"?/i.exec(contentType)?.[1];
  if (charset === undefined) return null;
  return CHARSETS[charset.trim().toLowerCase()] ?? 'unknown';
}

interface ReadText {
  readonly rows: Uint8Array;
  readonly encoding: TextEncoding;
}

/** The rows in UTF-8. */
async function readText(
  bytes: Uint8Array,
  named: NamedEncoding | null,
): Promise<Outcome<ReadText>> {
  const read = await decode(bytes, named);
  if (!read.ok) return read;
  const { rows } = read.value;
  if (rows.byteLength > LIMITS.runPartBytesMax) {
    const most = LIMITS.runPartBytesMax;
    return fail('payload_too_large', `The rows are larger than ${most} bytes as UTF-8. ${HINT}`);
  }
  return isBlankText(rows) ? fail('bad_request', 'The part holds no row.') : read;
}

async function decode(bytes: Uint8Array, named: NamedEncoding | null): Promise<Outcome<ReadText>> {
  // Nearly all rows are UTF-8, which this finds much faster than the decoder.
  if (named !== 'windows-874' && isUtf8(bytes) && new UnmarkedUtf16().find(bytes) === null) {
    return succeed({ rows: bytes, encoding: 'utf-8' });
  }
  try {
    return succeed(await runInSlices(decoding(bytes, named)));
  } catch (error) {
    if (!(error instanceof EncodingFault)) throw error;
    const remedy =
      named === null
        ? 'Send the rows as UTF-8, or with charset=windows-874 in Content-Type if they are Thai of Windows.'
        : 'Send the rows as UTF-8, or leave the charset out.';
    return fail('bad_request', `In the rows, ${error.message}. ${remedy}`);
  }
}

/** Decodes piece by piece, because megabytes would block the event loop. */
function* decoding(bytes: Uint8Array, named: NamedEncoding | null): Steps<ReadText> {
  const text = new TextToUtf8(named);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    pieces.push(text.add(bytes.subarray(at, at + PIECE_BYTES)));
    yield;
  }
  pieces.push(text.end());
  const rows = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    rows.set(piece, at);
    at += piece.length;
    yield;
  }
  return { rows, encoding: text.encoding };
}

async function inflate(body: Uint8Array): Promise<Outcome<Uint8Array>> {
  try {
    return succeed(await unzip(body, { maxOutputLength: LIMITS.runPartBytesMax }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      const most = LIMITS.runPartBytesMax;
      return fail('payload_too_large', `The rows are larger than ${most} bytes. ${HINT}`);
    }
    if (code.startsWith('Z_')) return fail('bad_request', 'The body is not valid gzip.');
    throw error;
  }
}

/** Decompresses in libuv's thread pool, because megabytes would block the event loop. */
async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return Buffer.from(digest).toString('hex');
}
