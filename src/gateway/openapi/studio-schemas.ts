import { digest, keysOf, next, object, text, time, uuid, version } from '../../api/schema.ts';
import { TEAM_SCOPES } from '../body/schemas.ts';
import { findings, naming, role } from './schemas.ts';

/** Schemas of the responses to browser users. */

const count = { type: 'integer', minimum: 0 };
const flag = { type: 'boolean' };
const timeOrNull = { type: ['string', 'null'], format: 'date-time' };

function list(items: object): object {
  return { type: 'array', items };
}

export const limit = { type: 'integer', minimum: 1, maximum: 200 };
export const outcome = { type: 'string', enum: ['succeeded', 'failed', 'denied'] };

export const draft = object({
  hash: digest,
  version,
  savedBy: text,
  savedAt: time,
  contributors: { ...list(text), description: 'Who changed it since the last version.' },
});

export const templateVersion = object({
  version,
  hash: digest,
  bytes: count,
  publishedAt: time,
  publishedBy: text,
  withdrawnAt: timeOrNull,
  note: { ...text, description: 'Why it was published; empty: nobody said.' },
  authors: { ...list(text), description: 'Who wrote it; empty: not recorded.' },
});

const ofApproval = {
  templateId: text,
  draft: { ...digest, description: 'Hash of the draft that was asked about.' },
  state: {
    type: 'string',
    enum: ['open', 'outdated', 'sent_back', 'withdrawn', 'published'],
    description: 'outdated: the draft was changed since.',
  },
  current: { ...flag, description: 'Whether the draft is still the one that was asked about.' },
  askedBy: text,
  askedAt: time,
  note: text,
  decidedBy: { ...text, description: 'Who sent it back, withdrew it or published the draft.' },
  decidedAt: timeOrNull,
  comment: { ...text, description: 'Why it was sent back.' },
};

export const approval = object(ofApproval);

export const listedApproval = object({
  ...ofApproval,
  name: text,
  version: { ...version, description: 'The number that the draft would get.' },
  contributors: { ...list(text), description: 'Who changed the draft since the last version.' },
  mayDecide: { ...flag, description: 'Whether the caller may publish it or send it back.' },
});

export const approvalList = object({ approvals: list(listedApproval), next });

export const template = object({
  templateId: text,
  name: text,
  latestVersion: { type: ['integer', 'null'], description: 'null: nothing is published.' },
  updatedAt: time,
  archivedAt: { ...timeOrNull, description: 'null: it is in use.' },
  draft: { oneOf: [draft, { type: 'null' }] },
  approval: {
    oneOf: [approval, { type: 'null' }],
    description: 'The last request for approval, while there is a draft; null: none.',
  },
  versions: list(templateVersion),
});

export const archived = object({ templateId: text, archived: flag });

export const discarded = object({
  templateId: text,
  removed: {
    ...flag,
    description: 'The template was never published, so nothing is left of it.',
  },
});

export const draftChange = object({
  id: { ...text, description: 'Confirms the change in publishTemplate.' },
  path: { ...text, description: 'JSON path; empty: the whole file is new.' },
  change: { type: 'string', enum: ['added', 'removed', 'changed'] },
  before: { ...text, description: 'The value as JSON, shortened; empty: none.' },
  after: text,
  words: { ...text, description: 'The new text, if it is printed as it stands; else empty.' },
  line: { type: ['integer', 'null'], description: 'Line in the draft.' },
  lineBefore: { type: ['integer', 'null'], description: 'Line in the version in use.' },
});

export const draftCheck = object({
  templateId: text,
  version,
  findings,
  samples: list(object({ name: text, pages: count })),
  published: { type: ['string', 'null'], description: 'Hash of the version in use; null: none.' },
  changes: list(draftChange),
});

const ofSummary = {
  documentId: uuid,
  templateId: text,
  version,
  sha256: digest,
  bytes: count,
  pages: count,
  protected: flag,
  createdAt: time,
  expiresAt: time,
  available: { ...flag, description: 'false: expired, or its file is damaged.' },
};
export const documentSummary = object({ ...ofSummary, ...naming }, keysOf(ofSummary));

export const documentPage = object({
  documents: list(documentSummary),
  next,
});

const countOrNull = { type: ['number', 'null'], minimum: 0 };
export const auditRecord = object({
  auditId: uuid,
  at: time,
  requestId: text,
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

export const auditPage = object({
  records: list(auditRecord),
  next,
});

const keyFields = {
  keyId: uuid,
  name: text,
  scopes: list({ type: 'string', enum: TEAM_SCOPES }),
  rateLimitPerMinute: { type: ['integer', 'null'], description: "null: the service's default." },
  createdAt: time,
  revokedAt: timeOrNull,
  expiresAt: timeOrNull,
  lastUsedAt: { ...timeOrNull, description: 'Exact to a minute.' },
};
export const key = object(keyFields);
export const user = object({
  userId: text,
  displayName: text,
  email: text,
  role,
  active: { ...flag, description: 'false: the user cannot sign in.' },
  lastSignInAt: { ...timeOrNull, description: 'null: never since this is recorded.' },
});
export const userList = object({ users: list(user), next });
export const keyList = object({ keys: list(key), next });
export const createdKey = object({ ...keyFields, apiKey: text });

export const session = object({
  userId: text,
  displayName: text,
  teamId: text,
  role,
  expiresAt: time,
  publishApprovals: {
    ...flag,
    description: 'A draft must be published by an Admin other than its last editor.',
  },
});
