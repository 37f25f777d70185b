import type { ErrorCode } from '../errors.ts';
import type { SignedBy } from '../sign/signing.ts';
import type { AuditOutcome, NewAudit } from '../store/store.ts';
import type { AuditAction } from './audit-actions.ts';
import type { Exchange } from './exchange.ts';
import type { Principal } from './types.ts';

export type { AuditAction };

const DETAIL_CHARACTERS_MAX = 200;

/** Details of a record beyond who, what and when. Ids, counts and digests only: never payload. */
export interface AuditSubject {
  readonly templateId?: string;
  readonly version?: number | null;
  /** The document was made from a draft. */
  readonly draft?: boolean;
  readonly contributors?: readonly string[];
  readonly documentId?: string;
  readonly mode?: 'sync' | 'async';
  readonly pages?: number;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly signedBy?: SignedBy | null;
  readonly detail?: string;
}

/** A request and its caller, as an audit record names them. */
export interface AuditedCall {
  readonly exchange: Exchange;
  readonly principal: Pick<Principal, 'id' | 'teamId'>;
}

/** How an action ended. */
export interface AuditResult {
  readonly outcome: AuditOutcome;
  /** '' on success. */
  readonly code: ErrorCode | '';
}

export const SUCCEEDED: AuditResult = { outcome: 'succeeded', code: '' };
export const FORBIDDEN: AuditResult = { outcome: 'denied', code: 'forbidden' };

/** A longer id than any template has is cut. */
const TEMPLATE_ID_LENGTH_MAX = 128;

/** The audit record of an action that a call asked for, to be added to the store. */
export function auditRecord(
  { exchange, principal }: AuditedCall,
  atMs: number,
  action: AuditAction,
  { outcome, code }: AuditResult,
  subject: AuditSubject = {},
): NewAudit {
  return {
    atMs,
    requestId: exchange.requestId,
    teamId: principal.teamId,
    principal: principal.id,
    action,
    outcome,
    code,
    templateId: (subject.templateId ?? '').slice(0, TEMPLATE_ID_LENGTH_MAX),
    version: subject.version ?? null,
    documentId: subject.documentId ?? '',
    mode: subject.mode ?? '',
    pages: subject.pages ?? null,
    bytes: subject.bytes ?? null,
    durationMs: Math.round((performance.now() - exchange.startedAtMs) * 1000) / 1000,
    sha256: subject.sha256 ?? '',
    signer: subject.signedBy?.subject ?? '',
    certificateSerial: subject.signedBy?.serialNumber ?? '',
    draft: subject.draft ?? false,
    contributors: subject.contributors ?? [],
    detail: subject.detail ?? '',
  };
}

/** A note or comment as the detail of an audit record: on one line, and clipped. */
export function detailOf(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/gu, ' '));
  if (characters.length <= DETAIL_CHARACTERS_MAX) return characters.join('');
  return `${characters.slice(0, DETAIL_CHARACTERS_MAX - 1).join('')}…`;
}

/** The detail of a rollback: the version whose content was published again, and the note. */
export function rollBackDetail(version: number, note = ''): string {
  return detailOf(`Version ${version} again. ${note}`.trim());
}
