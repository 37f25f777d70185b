import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { hex } from '../ids.ts';
import type { RunSchema } from './run-schema.ts';
import type { ChunkRow, RowFormat, RunPart, RunRecord, RunSpec, RunState } from './types.ts';

/** Between rows of runs and what the rest of the program knows of them. */

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Digests and ids do not shrink: a higher level would only cost time. */
const LEVEL = { level: 1 };

export function encode(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** What `encode` made; its type is the writer's. */
export function decode(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

/** In a thread of zlib's own: it does not keep requests waiting. */
export async function encodeRows(rows: readonly ChunkRow[]): Promise<Uint8Array> {
  return deflate(encode(rows), LEVEL);
}

export async function decodeRows(bytes: Uint8Array): Promise<readonly ChunkRow[]> {
  // Written by encodeRows.
  return decode(await inflate(bytes)) as readonly ChunkRow[];
}

export function asRun(row: RunSchema['runs']): RunRecord {
  return {
    runId: row.run_id,
    teamId: row.team_id,
    principal: row.principal,
    // Written by Runs.create from a RunSpec.
    spec: decode(row.spec) as RunSpec,
    state: row.state as RunState,
    isDryRun: row.dry_run === 1,
    // Written by Runs.move from the same type.
    reasons: decode(row.reasons) as RunRecord['reasons'],
    counts: {
      received: row.received,
      stored: row.stored,
      invalid: row.invalid,
      failed: row.failed,
      pages: row.pages,
      bytes: row.bytes,
      bytesReceived: row.bytes_received,
      bytesChecked: row.bytes_checked,
    },
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
  };
}

export function asPart(row: RunSchema['run_parts']): RunPart {
  return {
    runId: row.run_id,
    part: row.part,
    sha256: hex(row.sha256),
    // Written by addPart from the same type.
    format: row.format as RowFormat,
    fileId: row.file_id,
    bytes: row.bytes,
    headerBytes: row.header_bytes,
    checkedTo: row.checked_to,
  };
}
