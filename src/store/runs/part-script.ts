import { storedStatesSql } from './guarded/states.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import type { RunUsage } from './bounds.ts';
import type { ScriptStatement } from '../database/script.ts';
import { fromHex } from '../ids.ts';
import type { NewRunPart, RunRecord, RunState } from './types.ts';

/** Lifetime of the file of a part. When the run ends earlier, the file expires then. */
const PART_MS = 30 * 86_400_000;

/** The stored file of a part. */
export interface NewPartFile {
  readonly fileId: string;
  readonly bytes: number;
  /** null: the file is not encrypted. */
  readonly wrappedKey: Uint8Array | null;
  readonly nowMs: number;
}

/** The transaction that adds a part to a run, which must be in one of `states` and have room for it. */
export function addPartScript(
  { runId, teamId }: Pick<RunRecord, 'runId' | 'teamId'>,
  { part, sha256, format, headerBytes, firstLine }: NewRunPart,
  { fileId, bytes, wrappedKey, nowMs }: NewPartFile,
  states: readonly RunState[],
  usage: RunUsage,
): readonly ScriptStatement[] {
  const { available } = DOCUMENT_STATES;
  const row = [runId, part, fromHex(sha256), format, fileId, bytes];
  const { runBytesMax } = usage.bounds;
  return [
    usage.taking(teamId, bytes),
    {
      sql:
        'update runs set bytes_received = bytes_received + ?, bytes_checked = bytes_checked + ?,' +
        ' part_count = part_count + 1,' +
        ' part_at_ms = case when started_at_ms is null then ? else null end' +
        ` where run_id = ? and state in ${storedStatesSql(states)}` +
        ' and bytes_received <= ?',
      parameters: [bytes, headerBytes, nowMs, runId, runBytesMax - bytes],
      changes: 1,
    },
    {
      sql:
        'insert into run_parts (run_id, part, sha256, format, file_id, bytes, header_bytes,' +
        ' checked_to, checked_line, owner, lease_until_ms)' +
        ' values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, 0)',
      parameters: [...row, headerBytes, headerBytes, firstLine],
      changes: 1,
    },
    {
      sql:
        'insert into run_files (file_id, run_id, kind, bytes, expires_at_ms, state, wrapped_key)' +
        ' values (?, ?, ?, ?, ?, ?, ?)',
      parameters: [fileId, runId, 'part', bytes, nowMs + PART_MS, available, wrappedKey],
      changes: 1,
    },
  ];
}
