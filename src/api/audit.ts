import { DOCUMENT_ID, SHA256 } from './documents.ts';
import { REQUEST_ID } from './errors.ts';
import { KEY_ID } from './keys.ts';
import { list, next, object, text, time, type TypeOf, uuid } from './schema.ts';

/** Records of the audit: schemas, types and examples. */

export const outcome = { type: 'string', enum: ['succeeded', 'failed', 'denied'] } as const;

const countOrNull = { type: ['number', 'null'], minimum: 0 } as const;
export const auditRecord = object({
  auditId: uuid,
  at: time,
  requestId: text,
  teamId: text,
  principal: text,
  action: text,
  outcome,
  code: { ...text, description: 'Error code; empty on success.' },
  templateId: text,
  version: { type: ['integer', 'null'] },
  documentId: text,
  mode: { type: 'string', enum: ['', 'sync', 'async'] },
  pages: countOrNull,
  bytes: countOrNull,
  durationMs: countOrNull,
  sha256: text,
  signer: { ...text, description: 'Subject of the certificate that signed; empty: none.' },
  certificateSerial: { ...text, description: 'Its serial number in hexadecimal digits.' },
  draft: {
    type: 'boolean',
    description: 'The document came from a draft; version is the number that it would have got.',
  },
  contributors: {
    ...list(text),
    description: 'Of a publication: who changed the draft since the version before.',
  },
  detail: {
    ...text,
    description: 'What it concerned beyond that: a key with its scopes, a user with a role.',
  },
});
export const auditPage = object({ records: list(auditRecord), next });

export type AuditRecord = TypeOf<typeof auditRecord>;
export type AuditPage = TypeOf<typeof auditPage>;

export const AUDIT_EXAMPLE = {
  records: [
    {
      auditId: DOCUMENT_ID,
      at: '2026-11-22T03:04:05.678Z',
      requestId: REQUEST_ID,
      teamId: 'retail',
      principal: `key:${KEY_ID}`,
      action: 'generate',
      outcome: 'succeeded',
      code: '',
      templateId: 'receipt',
      version: 3,
      documentId: DOCUMENT_ID,
      mode: 'async',
      pages: 1,
      bytes: 31_482,
      durationMs: 6,
      sha256: SHA256,
      signer: '',
      certificateSerial: '',
      draft: false,
      contributors: [],
      detail: '',
    },
  ],
  next: null,
} satisfies AuditPage;
