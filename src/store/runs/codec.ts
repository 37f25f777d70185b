import { stateOf } from './guarded/states.ts';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { hex } from '../ids.ts';
import type { PrintSegment, WholePrint } from './prints/types.ts';
import type { RunSchema } from '../database/tables/runs.ts';
import type {
  ChunkRow,
  RowFormat,
  RunCounts,
  RunPart,
  RunRecord,
  RunSource,
  RunSpec,
} from './types.ts';

/** Converts between database rows of runs and the types that the rest of the program uses. */

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Digests and ids barely compress: a higher level would only cost time. */
const DEFLATE_OPTIONS = { level: 1 };

export function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Decodes what `encode` made; the caller names the type that was encoded. */
export function decode(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** Encodes and deflates, in libuv's thread pool, so that requests do not wait for it. */
export async function encodeRows(rows: readonly ChunkRow[]): Promise<Uint8Array> {
  return deflate(encode(rows), DEFLATE_OPTIONS);
}

export async function decodeRows(bytes: Uint8Array): Promise<readonly ChunkRow[]> {
  // `encodeRows` wrote them from this type.
  return decode(await inflate(bytes)) as readonly ChunkRow[];
}

/** `Prints.finish` wrote them from this type; older versions without digests. */
export function decodeSegments(bytes: Uint8Array): readonly PrintSegment[] {
  type Segment = Omit<PrintSegment, 'sha256'> & Partial<PrintSegment>;
  const segments = decode(bytes) as readonly Segment[];
  return segments.map(({ sha256 = null, ...segment }) => ({ ...segment, sha256 }));
}

/** Segments and digest of a finished print file; older versions recorded no digest of the whole. */
export function wholeOf(segments: Uint8Array, sha256: Uint8Array | null): WholePrint {
  return { segments: decodeSegments(segments), sha256: sha256 === null ? null : hex(sha256) };
}

export function asRun(row: RunSchema['runs']): RunRecord {
  return {
    runId: row.run_id,
    teamId: row.team_id,
    principal: row.principal,
    spec: asSpec(row.spec),
    state: stateOf(row.state),
    isDryRun: row.dry_run === 1,
    // `Runs.move` wrote them from this type.
    reasons: decode(row.reasons) as RunRecord['reasons'],
    counts: asCounts(row),
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    starts: row.starts ?? 0,
  };
}

/** `received` of the database counts no identical rows. Earlier versions counted none of them. */
function asCounts(row: RunSchema['runs']): RunCounts {
  const { stored, invalid, failed } = row;
  const [identical, withdrawn] = [row.identical ?? 0, row.withdrawn ?? 0];
  return {
    received: row.received + identical,
    stored,
    pending: row.received - stored - invalid - failed - withdrawn,
    invalid,
    failed,
    withdrawn,
    identical,
    refused: row.refused ?? 0,
    pages: row.pages,
    bytes: row.bytes,
    bytesReceived: row.bytes_received,
    bytesChecked: row.bytes_checked,
  };
}

/**
 * `Runs.create` wrote it from a RunSpec; older versions had no source, or none with an encoding, and
 * made documents while rows were invalid.
 */
export function asSpec(bytes: Uint8Array): RunSpec {
  const spec = decode(bytes) as Omit<
    RunSpec,
    'source' | 'onInvalid' | 'protection' | 'signature'
  > & {
    readonly protection?: RunSpec['protection'];
    readonly signature?: boolean;
    readonly onInvalid?: RunSpec['onInvalid'];
    readonly source?: (Omit<RunSource, 'encoding'> & Partial<RunSource>) | null;
  };
  const { source = null, onInvalid = 'skip', protection = null, signature = false } = spec;
  const named = source === null ? null : { encoding: null, ...source };
  return { ...spec, onInvalid, protection, signature, source: named };
}

export function asPart(row: RunSchema['run_parts']): RunPart {
  return {
    runId: row.run_id,
    part: row.part,
    sha256: hex(row.sha256),
    // `addPart` wrote it from this type.
    format: row.format as RowFormat,
    fileId: row.file_id,
    bytes: row.bytes,
    headerBytes: row.header_bytes,
    checkedTo: row.checked_to,
    checkedLine: row.checked_line,
  };
}
