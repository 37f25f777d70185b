import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Finding, RenderedDocument, RenderJob, RenderResult, SharedTemplate } from '#engine';
import { PLAIN_TYPES } from '#engine/light';
import run from '../src/workers/render.ts';

/** Renders in the test's own process, as a worker does. */

/** A template file as jobs carry it. */
export function shareTemplate(source: string | Uint8Array): SharedTemplate {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  return { hash, source: shared, templateId: 'test', version: 1 };
}

type JobOptions = Partial<
  Pick<
    RenderJob,
    | 'attachments'
    | 'watermark'
    | 'metadata'
    | 'atMs'
    | 'checkOnly'
    | 'isProtected'
    | 'signature'
    | 'isPreview'
  >
>;

export async function tryRender(
  template: SharedTemplate,
  data: unknown,
  options: JobOptions = {},
): Promise<RenderResult> {
  const body = Buffer.from(JSON.stringify(data));
  const result = await run({
    kind: 'render',
    template,
    body,
    dataStart: 0,
    dataEnd: body.length,
    atMs: Date.UTC(2026, 10, 21),
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    signature: null,
    isProtected: false,
    isPreview: false,
    digest: true,
    ...options,
  });
  if (result === undefined || !('ok' in result)) throw new Error('a render job was not rendered');
  return result;
}

/** Renders a document; throws when the job fails. */
export async function render(
  template: SharedTemplate,
  data: unknown,
  options: JobOptions = {},
): Promise<RenderedDocument> {
  const result = await tryRender(template, data, options);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

/** What a check reports about a template file. */
export async function check(source: string): Promise<readonly Finding[]> {
  const template = shareTemplate(source);
  const result = await run({ kind: 'check', template, renderSamples: false, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('nothing was checked');
  return result.findings;
}

/** Fields of every type of single values, named as their type. */
const FIELDS = PLAIN_TYPES.map((type) => ({ name: type, type, required: false }));

/** Findings of a document that may bind each of `FIELDS`; that some are unused does not count. */
export async function findingsOf(document: object, more: object = {}): Promise<readonly Finding[]> {
  const findings = await check(
    JSON.stringify({ templateId: 'test', fields: FIELDS, document, ...more }),
  );
  return findings.filter(({ message }) => !message.includes('nothing is bound to it'));
}

/** The file's text as poppler reads it, page by page. */
export function pageTexts(file: string, pdf: Uint8Array): string[] {
  writeFileSync(file, pdf);
  const text = execFileSync('pdftotext', ['-layout', file, '-'], { maxBuffer: 1 << 28 });
  return text.toString().split('\f').slice(0, -1);
}

/** The report of `qpdf --check`; '' when it finds nothing. */
export function faultsOf(file: string, pdf: Uint8Array): string {
  writeFileSync(file, pdf);
  const report = execFileSync('qpdf', ['--check', file], { stdio: 'pipe' }).toString();
  return report.includes('No syntax or stream encoding errors found') ? '' : report;
}
