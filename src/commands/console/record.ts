import type { NewAudit, Store } from '../../store/store.ts';
import { operator } from './names.ts';

/** The facts that the audit record of a command holds. */
export interface RecordedAction {
  readonly action: string;
  readonly teamId: string;
  readonly templateId?: string;
  readonly version?: number;
  readonly detail?: string;
  readonly contributors?: readonly string[];
  readonly startMs?: number;
}

/** Adds the audit record of an action by the command line, with the account that ran it. */
export async function record(store: Store, done: RecordedAction): Promise<void> {
  const { action, teamId, templateId = '', version = null, detail = '', startMs } = done;
  const { contributors = [] } = done;
  const entry: NewAudit = {
    atMs: Date.now(),
    requestId: '',
    teamId,
    principal: operator(),
    action,
    outcome: 'succeeded',
    code: '',
    templateId,
    version,
    documentId: '',
    mode: '',
    pages: null,
    bytes: null,
    durationMs: startMs === undefined ? null : performance.now() - startMs,
    sha256: '',
    signer: '',
    certificateSerial: '',
    draft: false,
    contributors,
    detail,
  };
  await store.audit.add(entry);
}
