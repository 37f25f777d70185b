import t from 'tap';
import type { RenderedDocument, RenderJob } from '#engine';
import { succeed } from '../../errors.ts';
import { packDocument, packTask, unpackAnswer, unpackTask } from './packed.ts';

const PLAIN: RenderJob = {
  kind: 'render',
  template: {
    hash: 'a'.repeat(64),
    source: new SharedArrayBuffer(8),
    templateId: 'receipt',
    version: 7,
  },
  body: new Uint8Array([1, 2, 3]),
  dataStart: 1,
  dataEnd: 2,
  atMs: 1_764_300_000_123,
  attachments: [],
  watermark: null,
  metadata: null,
  checkOnly: false,
  signature: null,
  isProtected: false,
  digest: false,
  isPreview: false,
};

const JOBS: readonly RenderJob[] = [
  PLAIN,
  { ...PLAIN, checkOnly: true },
  { ...PLAIN, isProtected: true },
  { ...PLAIN, digest: true },
  { ...PLAIN, isPreview: true },
  { ...PLAIN, attachments: [new Uint8Array([4]), new Uint8Array([5, 6])] },
  { ...PLAIN, watermark: { text: 'สำเนา', opacity: 0.2 } },
  { ...PLAIN, metadata: { title: 'ใบเสร็จ', subject: 'RC-1' } },
  { ...PLAIN, signature: { isAsked: true, bytesMax: 9_000, signer: 'บริษัท' } },
];

t.test('a render job crosses as a list and is the same behind it', async (t) => {
  for (const job of JOBS) {
    for (const jobNumber of [null, 12]) {
      const packed = structuredClone(packTask({ jobNumber, cell: 3, job }));
      t.ok(Array.isArray(packed));
      t.strictSame(unpackTask(packed), { jobNumber, cell: 3, job });
    }
  }
});

t.test('other jobs and answers cross as they are', async (t) => {
  const task = {
    jobNumber: null,
    cell: 0,
    job: { kind: 'warm', template: PLAIN.template },
  } as const;
  t.equal(packTask(task), task);
  t.equal(unpackTask(task), task);
  const answer = { ranMs: 1, result: succeed(null) };
  t.equal(unpackAnswer(answer), answer);
  t.equal(unpackAnswer('skipped'), 'skipped');
});

const DOCUMENT: RenderedDocument = {
  pdf: new Uint8Array([37, 80]),
  pages: 2,
  sha256: 'b'.repeat(64),
  times: { contractMs: 0.1, templateMs: 0.2, layoutMs: 0.3, pdfMs: 0.4, postMs: 0.5 },
  missingCharacters: 6,
  naming: { reference: 'RC-1', keep: 'hash', fileName: 'receipt-RC-1.pdf' },
};

t.test('a document crosses as a list and is the same behind it', async (t) => {
  const documents: readonly RenderedDocument[] = [
    DOCUMENT,
    { ...DOCUMENT, naming: null },
    { ...DOCUMENT, signature: { from: 10, to: 20, catalogAt: 5 } },
  ];
  for (const value of documents) {
    for (const told of [{ ranMs: 1.5 }, { ranMs: 1.5, drafts: ['c', 'd'] }]) {
      const packed = structuredClone(packDocument(told, value));
      t.ok(Array.isArray(packed));
      t.strictSame(unpackAnswer(packed), { ...told, result: succeed(value) });
    }
  }
});
