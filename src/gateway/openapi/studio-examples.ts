import { EXAMPLES } from './examples.ts';

/** An example of each body that browser users send and get. */

const AT = '2026-11-22T03:04:05.678Z';
const KEY_ID = '5d0f7c1e-3b2a-4c6d-8e9f-0a1b2c3d4e5f';
const REQUEST_ID = '3f0e2c9a-7d41-4a6e-9b1d-5a0c8e7f6b2d';
const { documentId, sha256, createdAt, expiresAt } = EXAMPLES.document;

const key = {
  keyId: KEY_ID,
  name: 'core banking',
  scopes: ['generate', 'documents:read'],
  rateLimitPerMinute: null,
  createdAt: AT,
  revokedAt: null,
  expiresAt: null,
  lastUsedAt: AT,
};

const USER = {
  userId: 'mali',
  displayName: 'มะลิ ใจงาม',
  email: 'mali@bank.example',
  role: 'Editor',
  active: true,
  lastSignInAt: AT,
};

const NOTE = 'The address of the branch at Siam has changed.';

const APPROVAL = {
  templateId: 'receipt',
  draft: sha256,
  state: 'open',
  current: true,
  askedBy: 'user:mali',
  askedAt: AT,
  note: NOTE,
  decidedBy: '',
  decidedAt: null,
  comment: '',
};
const SENT_BACK = {
  state: 'sent_back',
  decidedBy: 'user:anong',
  decidedAt: AT,
  comment: 'The postcode is still the old one.',
};

export const STUDIO_EXAMPLES = {
  after: documentId,
  requestId: REQUEST_ID,
  keyId: KEY_ID,
  template: {
    templateId: 'receipt',
    name: 'ใบเสร็จรับเงิน',
    latestVersion: 3,
    updatedAt: AT,
    archivedAt: null,
    draft: {
      hash: sha256,
      version: 4,
      savedBy: 'user:somchai',
      savedAt: AT,
      contributors: ['user:mali', 'user:somchai'],
    },
    approval: APPROVAL,
    versions: [
      {
        version: 3,
        hash: sha256,
        bytes: 37_168,
        publishedAt: AT,
        publishedBy: 'user:anong',
        withdrawnAt: null,
        note: 'The tax rate of 2026.',
        authors: ['user:mali'],
      },
    ],
  },
  approval: APPROVAL,
  sentBack: { ...APPROVAL, ...SENT_BACK },
  withdrawn: { ...APPROVAL, state: 'withdrawn', decidedBy: 'user:mali', decidedAt: AT },
  archived: { templateId: 'receipt', archived: true },
  discarded: { templateId: 'note', removed: true },
  asking: { draft: sha256, note: NOTE },
  sendingBack: { draft: sha256, comment: SENT_BACK.comment },
  withdrawing: { draft: sha256 },
  approvals: {
    approvals: [
      {
        ...APPROVAL,
        name: 'ใบเสร็จรับเงิน',
        version: 4,
        contributors: ['user:mali', 'user:somchai'],
        mayDecide: true,
      },
    ],
    next: null,
  },
  preview: { templateId: 'note', draft: true, mode: 'sync', data: { text: 'As it may look' } },
  draftCheck: {
    templateId: 'receipt',
    version: 4,
    findings: [],
    samples: [{ name: 'one item', pages: 1 }],
    published: sha256,
    changes: [
      {
        id: '9f86d081884c7d65',
        path: 'document.content[3].text',
        change: 'changed',
        before: '"Thank you"',
        after: '"Thank you very much"',
        words: 'Thank you very much',
        line: 31,
        lineBefore: 31,
      },
    ],
  },
  documentPage: {
    documents: [
      {
        documentId,
        templateId: 'receipt',
        version: 3,
        sha256,
        bytes: 31_482,
        pages: 1,
        protected: false,
        createdAt,
        expiresAt,
        available: true,
      },
    ],
    next: null,
  },
  auditPage: {
    records: [
      {
        auditId: documentId,
        at: AT,
        requestId: REQUEST_ID,
        principal: `key:${KEY_ID}`,
        action: 'generate',
        outcome: 'succeeded',
        code: '',
        templateId: 'receipt',
        version: 3,
        documentId,
        mode: 'async',
        pages: 1,
        bytes: 31_482,
        durationMs: 6,
        sha256,
        signer: '',
        certificateSerial: '',
        draft: false,
        contributors: [],
        detail: '',
      },
    ],
    next: null,
  },
  keys: { keys: [key], next: null },
  user: USER,
  newUser: { userId: 'mali', displayName: 'มะลิ ใจงาม', role: 'Editor' },
  createdUser: { ...USER, email: '', lastSignInAt: null },
  users: { users: [USER], next: null },
  newKey: { name: 'core banking', scopes: ['generate', 'documents:read'] },
  createdKey: { ...key, lastUsedAt: null, apiKey: `ik_${'x'.repeat(43)}` },
  revokedKey: { ...key, revokedAt: AT },
  session: {
    userId: 'somchai',
    displayName: 'สมชาย ใจดี',
    teamId: 'retail',
    role: 'Admin',
    expiresAt: AT,
    publishApprovals: false,
  },
};
