import { createHash } from 'node:crypto';
import type { RenderJob, SharedTemplate } from './job.ts';

/**
 * Copies a template file into memory that threads can share. Make it once for each version: the
 * engine finds the compiled template by the hash.
 */
export function shareTemplate(file: Uint8Array, templateId: string, version = 1): SharedTemplate {
  const source = new SharedArrayBuffer(file.byteLength);
  new Uint8Array(source).set(file);
  const hash = createHash('sha256').update(file).digest('hex');
  return { hash, source, templateId, version };
}

/** A job without options; `data` is JSON, UTF-8. `atMs` is the date that the document bears. */
export function renderJob(template: SharedTemplate, data: Uint8Array, atMs: number): RenderJob {
  return {
    kind: 'render',
    template,
    body: data,
    dataStart: 0,
    dataEnd: data.length,
    atMs,
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    signature: null,
    isProtected: false,
    isPreview: false,
    digest: true,
  };
}
