import { createHash } from 'node:crypto';
import type { RenderJob, SharedTemplate } from '#engine';
import type { Shape, ShapeDocument } from './sheet.ts';

/** An arbitrary fixed time; rendering reads no other clock. */
const AT_MS = Date.UTC(2026, 10, 21, 3, 0, 0);

/** A template as the service shares it between threads; `version` changes its hash. */
export function shareTemplate(shape: Shape, version: number): SharedTemplate {
  const name = `${String(shape.template['name'])} ${version}`;
  const bytes = Buffer.from(JSON.stringify({ ...shape.template, name }));
  const source = new SharedArrayBuffer(bytes.length);
  new Uint8Array(source).set(bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { hash, source, templateId: String(shape.template['templateId']), version };
}

/** The body of a request and where its `data` lies. */
export function requestBody(
  shape: Shape,
  document: ShapeDocument,
): { body: Uint8Array<ArrayBuffer>; dataStart: number; dataEnd: number } {
  const head = `{"templateId":${JSON.stringify(shape.template['templateId'])},"mode":"sync","data":`;
  const data = Buffer.from(JSON.stringify(document.data));
  const dataStart = Buffer.byteLength(head);
  // A separate array, because the memory of a pooled Buffer cannot be transferred.
  const body = new Uint8Array(dataStart + data.length + 1);
  body.set(Buffer.from(head));
  body.set(data, dataStart);
  body[body.length - 1] = 0x7d;
  return { body, dataStart, dataEnd: dataStart + data.length };
}

/** A job as the gateway makes it, without options. */
export function renderJob(
  shape: Shape,
  document: ShapeDocument,
  template: SharedTemplate,
  digest: boolean,
): RenderJob {
  return {
    kind: 'render',
    template,
    ...requestBody(shape, document),
    atMs: AT_MS,
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    signature: null,
    isProtected: false,
    isPreview: false,
    digest,
  };
}
