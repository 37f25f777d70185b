/** An example of each body that callers send and get, for /openapi.json and /docs. */

const DOCUMENT_ID = '0192f3a4-5b6c-7d8e-9f00-112233445566';
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const CREATED = '2026-11-22T03:04:05.678Z';
const EXPIRES = '2026-12-22T03:04:05.678Z';
const URL = 'https://documents.bank.example/v1/files/0192f3a4-5b6c.mb3x8k1c.5f2c';
const REQUEST_ID = '3f0e2c9a-7d41-4a6e-9b1d-5a0c8e7f6b2d';

const issuedDocument = { documentId: DOCUMENT_ID, templateId: 'receipt', version: 3 };
const issuedTimes = { createdAt: CREATED, expiresAt: EXPIRES, available: true };

/**
 * Data for the receipt of templates/. The demo has that template, so what is sent from /docs works
 * there: the example names neither a version nor a document that might be absent.
 */
const RECEIPT = {
  receiptNo: 'RC-2569-0011873',
  issued: '2026-01-05',
  branch: 'ตลาดตัวอย่าง',
  customer: 'นางสาวสมมติ ตั้งใจเขียน',
  address: '12 ซอยทดสอบ 3 แขวงลายเส้น เขตแกะสลัก กรุงเทพมหานคร 10990',
  accountNo: '9998887776',
  channel: 'แอปพลิเคชัน',
  reference: 'MB-55100',
  items: [['1', 'ค่าธรรมเนียมออกบัตรเดบิตใหม่ (บัตรชำรุด)', '1', '93.46', '93.46']],
  subtotal: '93.46',
  vat: '6.54',
  total: '100.00',
  cashier: 'ระบบอัตโนมัติ',
};

export const EXAMPLES = {
  generate: {
    templateId: 'receipt',
    mode: 'async',
    data: RECEIPT,
    options: {
      metadata: { title: 'Receipt RC-2569-0011873', subject: 'RC-2569-0011873' },
      watermark: { text: 'COPY', opacity: 0.2 },
    },
  },
  acknowledgement: { documentId: DOCUMENT_ID, url: URL, sha256: SHA256, expiresAt: EXPIRES },
  dataSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Receipt',
    type: 'object',
    properties: {
      channel: { title: 'Channel', anyOf: [{ type: 'string', enum: ['APP', 'BRANCH'] }] },
    },
    required: ['channel'],
  },
  contract: {
    templateId: 'receipt',
    version: 3,
    status: 'published',
    fields: [
      {
        name: 'customer',
        type: 'text',
        required: true,
        format: {
          presentation: {
            label: { th: 'ชื่อลูกค้า', en: 'Customer' },
            help: { th: 'ตามบัตรประชาชน', en: 'As on the identity card' },
          },
        },
        validation: { maxLength: 80 },
      },
      {
        name: 'channel',
        type: 'text',
        required: true,
        format: {
          presentation: {
            label: { th: 'ช่องทาง', en: 'Channel' },
            choices: { APP: { th: 'แอปพลิเคชัน', en: 'App' } },
          },
        },
        validation: { choices: ['APP', 'BRANCH'] },
      },
      {
        name: 'total',
        type: 'number',
        required: true,
        format: { decimals: 2, thousandsSeparator: true, prefix: '฿' },
        validation: { min: 0 },
      },
      {
        name: 'issued',
        type: 'date',
        required: false,
        format: { calendar: 'buddhist', pattern: 'd MMMM yyyy' },
      },
    ],
  },
  document: {
    documentId: DOCUMENT_ID,
    templateId: 'receipt',
    version: 3,
    sha256: SHA256,
    createdAt: CREATED,
    expiresAt: EXPIRES,
    url: URL,
  },
  verify: { sha256: SHA256 },
  verification: {
    issued: true,
    sha256: SHA256,
    ...issuedDocument,
    ...issuedTimes,
    documents: [{ ...issuedDocument, ...issuedTimes }],
    madeHere: [{ at: CREATED, requestId: REQUEST_ID, templateId: 'receipt', version: 3 }],
    drafts: [],
  },
  templates: {
    templates: [
      {
        templateId: 'receipt',
        name: 'ใบเสร็จรับเงิน',
        latestVersion: 3,
        hasDraft: false,
        updatedAt: CREATED,
        archivedAt: null,
      },
    ],
    next: null,
  },
  template: {
    templateId: 'note',
    name: 'Note',
    language: 'en',
    fields: [{ name: 'text', type: 'text', required: true }],
    document: { content: [{ text: '{{text}}' }] },
  },
  draft: {
    templateId: 'note',
    status: 'draft',
    findings: [
      { severity: 'warning', path: 'fields[0]', message: 'note is declared, but not used.' },
    ],
  },
  published: { templateId: 'note', version: 1 },
  publish: {},
  identities: {
    teams: [{ teamId: 'retail', name: 'Retail banking', active: true }],
    users: [
      {
        userId: 'anong',
        teamId: 'retail',
        role: 'Editor',
        displayName: 'Anong S.',
        email: 'anong@bank.example',
        active: true,
      },
    ],
  },
  identityCounts: {
    teams: { created: 1, updated: 0, deactivated: 0, unchanged: 0 },
    users: { created: 1, updated: 0, deactivated: 0, unchanged: 0 },
  },
} as const;

export { REQUEST_ID };
