import type { ErrorCode } from '../../errors.ts';
import type { AuditAction, OperatorAction } from '../../gateway/audit-actions.ts';
import type { Backup } from '../../store/backup/restore.ts';
import type { NewAudit, Store } from '../../store/store.ts';
import { clip } from '../../store/ids.ts';
import { operator } from './names.ts';
import { sudoUser } from './user-name.ts';

/** The facts that the audit record of a command holds. */
export interface RecordedAction {
  readonly action: AuditAction | OperatorAction;
  readonly teamId: string;
  readonly templateId?: string;
  readonly version?: number;
  readonly detail?: string;
  readonly contributors?: readonly string[];
  readonly startMs?: number;
  /** The action was refused with this code. */
  readonly denied?: ErrorCode;
}

/** Limit of a detail's characters: a longer one would lose the account at its end. */
const DETAIL_CHARACTERS = 255;
const SEPARATOR = '; ';

/** The detail, followed by the account that called the command through sudo, if there was one. */
function withCaller(detail: string): string {
  const user = sudoUser();
  if (user === null) return detail;
  const caller = `by ${user} through sudo`;
  if (detail === '') return caller;
  const room = DETAIL_CHARACTERS - caller.length - SEPARATOR.length;
  return `${clip(detail, room)}${SEPARATOR}${caller}`;
}
/** Adds the audit record of an action by the command line, with the accounts that ran and called it. */
export async function record(store: Store, done: RecordedAction): Promise<void> {
  await store.audit.add(recordOf(done));
}

/** That record, for changes that the store commits together with their record. */
export function recordOf(done: RecordedAction): NewAudit {
  const { action, teamId, templateId = '', version = null, detail = '', startMs } = done;
  const { contributors = [], denied } = done;
  return {
    atMs: Date.now(),
    requestId: '',
    teamId,
    principal: operator(),
    action,
    outcome: denied === undefined ? 'succeeded' : 'denied',
    code: denied ?? '',
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
    detail: withCaller(detail),
  };
}

/** Adds the audit record of an operator who let this database take files over. */
export async function recordAcceptedFiles(store: Store): Promise<void> {
  const detail = `the files belong to this database, ${await store.databaseId()}`;
  await record(store, { action: 'files.accept', teamId: '', detail });
}

/** How far the seal of a restored backup shows that it is the one that was written. */
const SEALS = {
  sealed: 'its seal was compared',
  unsealed: 'it has no seal',
  accepted: 'its seal was not compared',
} as const;

/** The audit record of a restore, which the store commits together with the rows of the backup. */
export function restoreRecord({
  manifest: { createdAt },
  authenticity,
}: Pick<Backup, 'manifest' | 'authenticity'>): NewAudit {
  const detail = `the backup of ${createdAt} was restored; ${SEALS[authenticity]}`;
  return recordOf({ action: 'backup.restore', teamId: '', detail });
}

/** Returns a function that adds the audit record of an operator who vouched for a backup. */
export function recordAcceptedBackup(createdAt: string): (store: Store) => Promise<void> {
  const detail = `the backup of ${createdAt} was restored without a seal by the key of the audit`;
  return (store) => record(store, { action: 'backup.accept', teamId: '', detail });
}
