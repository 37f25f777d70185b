import { NOTE_CHARACTERS_MAX } from '../store/store.ts';
import { SHA256 } from './documents.ts';
import { hasApprover } from './drafts.ts';
import {
  digest,
  flag,
  list,
  next,
  object,
  text,
  time,
  timeOrNull,
  type TypeOf,
  version,
} from './schema.ts';

/** Requests for approval of drafts: schemas, types and examples. */

/** Texts of several lines. */
const NOTE_PATTERN = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$';

/** What people write about a draft or a version. */
export const NOTE_TEXT = {
  type: 'string',
  maxLength: NOTE_CHARACTERS_MAX,
  pattern: NOTE_PATTERN,
} as const;

const seenDraft = {
  ...digest,
  description: 'Hash of the draft, as getTemplate tells it.',
} as const;

export const ASK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft'],
  properties: {
    draft: seenDraft,
    note: { ...NOTE_TEXT, description: 'What was changed and why. No personal data.' },
  },
} as const;

export const SEND_BACK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft', 'comment'],
  properties: {
    draft: seenDraft,
    comment: {
      ...NOTE_TEXT,
      pattern: `^(?=[^]*\\S)${NOTE_PATTERN.slice(1)}`,
      description: 'What the authors have to change. No personal data.',
    },
  },
} as const;

export const WITHDRAW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft'],
  properties: { draft: seenDraft },
} as const;

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
} as const;

export const approval = object(ofApproval);

export const listedApproval = object({
  ...ofApproval,
  name: text,
  version: { ...version, description: 'The number that the draft would get.' },
  contributors: { ...list(text), description: 'Who changed the draft since the last version.' },
  hasApprover,
  mayDecide: {
    ...flag,
    description:
      'Whether the caller may both publish it and send it back. Who changed the draft may not send ' +
      'it back, and publishes it only where INTAGLIO_PUBLISH_APPROVALS is off.',
  },
});

export const approvalList = object({ approvals: list(listedApproval), next });

export type AskForApprovalRequest = TypeOf<typeof ASK_SCHEMA>;
export type SendBackDraftRequest = TypeOf<typeof SEND_BACK_SCHEMA>;
export type WithdrawApprovalRequest = TypeOf<typeof WITHDRAW_SCHEMA>;
export type Approval = TypeOf<typeof approval>;
export type ListedApproval = TypeOf<typeof listedApproval>;
export type ApprovalList = TypeOf<typeof approvalList>;

const AT = '2026-11-22T03:04:05.678Z';
const NOTE = 'The address of the branch at Siam has changed.';
const COMMENT = 'The postcode is still the old one.';

export const APPROVAL_EXAMPLE = {
  templateId: 'receipt',
  draft: SHA256,
  state: 'open',
  current: true,
  askedBy: 'user:mali',
  askedAt: AT,
  note: NOTE,
  decidedBy: '',
  decidedAt: null,
  comment: '',
} satisfies Approval;
export const SENT_BACK_EXAMPLE = {
  ...APPROVAL_EXAMPLE,
  state: 'sent_back',
  decidedBy: 'user:anong',
  decidedAt: AT,
  comment: COMMENT,
} satisfies Approval;
export const WITHDRAWN_EXAMPLE = {
  ...APPROVAL_EXAMPLE,
  state: 'withdrawn',
  decidedBy: 'user:mali',
  decidedAt: AT,
} satisfies Approval;
export const APPROVALS_EXAMPLE = {
  approvals: [
    {
      ...APPROVAL_EXAMPLE,
      name: 'ใบเสร็จรับเงิน',
      version: 4,
      contributors: ['user:mali', 'user:somchai'],
      hasApprover: true,
      mayDecide: true,
    },
  ],
  next: null,
} satisfies ApprovalList;
export const ASKING_EXAMPLE = { draft: SHA256, note: NOTE } satisfies AskForApprovalRequest;
export const SENDING_BACK_EXAMPLE = {
  draft: SHA256,
  comment: COMMENT,
} satisfies SendBackDraftRequest;
export const WITHDRAWING_EXAMPLE = { draft: SHA256 } satisfies WithdrawApprovalRequest;
