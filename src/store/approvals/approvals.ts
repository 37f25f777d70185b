import type { Kysely } from 'kysely';
import { auditRow } from '../audit.ts';
import type { Role } from '../accounts/types.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { isId } from '../../runtime/id-rule.ts';
import { clip, fromHex } from '../ids.ts';
import { contributorsOf } from './contributors.ts';
import type { TemplateName } from '../terms.ts';
import { approvalPage } from './inbox.ts';
import { asApproval, type RequestRow } from './request-row.ts';
import { hasRole } from '../accounts/roles.ts';
import type {
  Approval,
  ApprovalChange,
  ApprovalOutcome,
  ApprovalRefusal,
  ApprovalStore,
} from './types.ts';
import { cellOf, textOf } from './version-notes.ts';

const NAME_CHARACTERS_MAX = 255;

/**
 * Requests for approval. Each change is one transaction that first locks the row of the template, as
 * saves and publications do: of two decisions at once the second sees the first.
 */
export function approvals(database: Database, wallMs: () => number): ApprovalStore {
  return {
    find: (teamId, templateId) => findApproval(database, { teamId, templateId }),
    page: (teamId, after, countMax, search) =>
      approvalPage(database, { teamId, after, countMax, search }),
    ask: ({ note, ...change }) =>
      decide(database, change, ['Editor', 'Admin'], (step) => ask(step, note, wallMs())),
    sendBack: ({ comment, ...change }) =>
      decide(database, change, ['Admin'], (step) => sendBack(step, comment, wallMs())),
    withdraw: (change) =>
      decide(database, change, ['Editor', 'Admin'], (step) => withdraw(step, wallMs())),
  };
}

async function findApproval(database: Database, name: TemplateName): Promise<Approval | null> {
  if (!isId(name.templateId)) return null;
  const draft = await database.read((db) => selectDraft(db, name).executeTakeFirst());
  if (draft === undefined || draft.draft_hash === null) return null;
  const row = await database.read((db) => selectRequest(db, name).executeTakeFirst());
  return row === undefined ? null : asApproval(row, draft.draft_hash);
}

function selectDraft(db: Kysely<Schema>, { teamId, templateId }: TemplateName) {
  return db
    .selectFrom('templates')
    .select(['draft_hash', 'latest_version'])
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId);
}

function selectRequest(db: Kysely<Schema>, { teamId, templateId }: TemplateName) {
  return db
    .selectFrom('approval_requests')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId);
}

/** A decision under way, in the transaction that holds the lock. */
interface Step {
  readonly trx: Kysely<Schema>;
  readonly change: ApprovalChange;
  readonly by: string;
  /** Hash of the draft that the caller has seen. */
  readonly seen: Uint8Array;
  /** Hash of the present draft; null: there is none. */
  readonly draft: Uint8Array | null;
  readonly request: RequestRow | undefined;
}

/** The row as it is to be; the request that is there already, and nothing to write; or a refusal. */
type Decision = { readonly row: RequestRow } | 'done' | ApprovalRefusal;

async function decide(
  database: Database,
  change: ApprovalChange,
  roles: readonly Role[],
  judge: (step: Step) => Promise<Decision>,
): Promise<ApprovalOutcome> {
  const seen = fromHex(change.draft);
  if (seen === null || !isId(change.templateId))
    return { ok: false, why: 'absent', approval: null };
  const by = clip(change.by, NAME_CHARACTERS_MAX);
  return database.transact(async (trx) => {
    const locked = selectDraft(trx, change);
    const template = await (
      database.dialect === 'mysql' ? locked.forUpdate() : locked
    ).executeTakeFirst();
    const request = await selectRequest(trx, change).executeTakeFirst();
    const draft = template?.draft_hash ?? null;
    const refuse = (why: ApprovalRefusal): ApprovalOutcome => {
      return {
        ok: false,
        why,
        approval: request === undefined ? null : asApproval(request, draft),
      };
    };
    if (template === undefined) return refuse('absent');
    if (!(await hasRole(trx, change.teamId, change.by, roles))) return refuse('role_lost');
    const decision = await judge({ trx, change, by, seen, draft, request });
    if (decision === 'done') {
      if (request === undefined) throw new Error('a request that is done exists');
      return { ok: true, approval: asApproval(request, draft) };
    }
    if (typeof decision === 'string') return refuse(decision);
    await put(trx, decision.row, request !== undefined);
    const version = template.latest_version + 1;
    await trx
      .insertInto('audit')
      .values(auditRow(database, { ...change.audit, version }))
      .execute();
    return { ok: true, approval: asApproval(decision.row, draft) };
  });
}

async function put(trx: Kysely<Schema>, row: RequestRow, isThere: boolean): Promise<void> {
  if (!isThere) {
    await trx.insertInto('approval_requests').values(row).execute();
    return;
  }
  const { team_id: teamId, template_id: templateId, ...cells } = row;
  await trx
    .updateTable('approval_requests')
    .set(cells)
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .execute();
}

async function ask(step: Step, note: string, nowMs: number): Promise<Decision> {
  const { change, by, seen, draft, request } = step;
  if (draft === null) return 'absent';
  if (!isSame(draft, seen)) return 'changed';
  if (request?.state === 'open' && isSame(request.draft_hash, draft)) {
    return request.asked_by === by && textOf(request.note) === note ? 'done' : 'decided';
  }
  const row = {
    team_id: change.teamId,
    template_id: change.templateId,
    draft_hash: draft,
    asked_by: by,
    asked_at_ms: nowMs,
    note: cellOf(note),
    state: 'open',
    // A publication by whoever asks says whom it overrules.
    decided_by: sentBackBy(request),
    decided_at_ms: null,
    comment: null,
  };
  return { row };
}

/** The approver who last sent the draft back, whatever happened to it since; null: there is none. */
function sentBackBy(request: RequestRow | undefined): string | null {
  if (request === undefined) return null;
  const { state, decided_by: decidedBy } = request;
  return state === 'sent_back' || state === 'open' ? decidedBy : null;
}

async function sendBack(step: Step, comment: string, nowMs: number): Promise<Decision> {
  const { trx, change, by, seen, draft, request } = step;
  if (request === undefined) return 'absent';
  if (!isSame(request.draft_hash, seen)) return 'changed';
  const { state, decided_by: decidedBy } = request;
  if (state !== 'open') {
    const isOwn = state === 'sent_back' && decidedBy === by && textOf(request.comment) === comment;
    return isOwn ? 'done' : 'decided';
  }
  if (draft === null || !isSame(draft, seen)) return 'changed';
  if ((await contributorsOf(trx, change)).includes(by)) return 'contributed';
  const ended = { state: 'sent_back', decided_by: by, decided_at_ms: nowMs };
  return { row: { ...request, ...ended, comment: cellOf(comment) } };
}

async function withdraw(step: Step, nowMs: number): Promise<Decision> {
  const { trx, change, by, seen, request } = step;
  if (request === undefined) return 'absent';
  // Somebody else's request would vanish from the approvers' list without a word to its author.
  const isOwn = request.asked_by === by;
  if (!isOwn && !(await hasRole(trx, change.teamId, change.by, ['Admin']))) return 'foreign';
  if (!isSame(request.draft_hash, seen)) return 'changed';
  if (request.state === 'withdrawn') return 'done';
  if (request.state !== 'open') return 'decided';
  return { row: { ...request, state: 'withdrawn', decided_by: by, decided_at_ms: nowMs } };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
