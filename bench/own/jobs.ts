import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RenderJob } from '#engine';
import { shareTemplate } from '#engine/light';

/** An arbitrary fixed time; rendering reads no other clock. */
const AT_MS = Date.UTC(2026, 10, 21, 3, 0, 0);
/** What a service reserves for a signature of P-256 with its certificates. */
const SIGNATURE_BYTES = 16_384;

/** What is measured: a template, and the data of its documents. */
export interface Work {
  readonly template: Uint8Array;
  readonly templateId: string;
  /** JSON, UTF-8, a document each. */
  readonly rows: readonly Uint8Array[];
}

const [TEMPLATE, ROWS] = ['template.json', 'rows.json'];

/** Writes the work for the processes that measure it. */
export function keepWork({ template, templateId, rows }: Work, folder: string): void {
  writeFileSync(join(folder, TEMPLATE), template);
  const texts = rows.map((row) => Buffer.from(row).toString());
  writeFileSync(join(folder, ROWS), JSON.stringify({ templateId, rows: texts }));
}

/** A job for each row, as the gateway makes it for a request without options. */
export function jobsOf(folder: string): readonly RenderJob[] {
  // Written by `keepWork`.
  const { templateId, rows } = JSON.parse(readFileSync(join(folder, ROWS), 'utf8')) as {
    readonly templateId: string;
    readonly rows: readonly string[];
  };
  const template = shareTemplate(readFileSync(join(folder, TEMPLATE)), templateId);
  return rows.map((row) => renderJob(template, Buffer.from(row)));
}

export function renderJob(template: RenderJob['template'], row: Uint8Array): RenderJob {
  // A copy of its own, so that a pool can transfer it.
  const body = Uint8Array.from(row);
  return {
    kind: 'render',
    template,
    body,
    dataStart: 0,
    dataEnd: body.length,
    atMs: AT_MS,
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    signature: { isAsked: false, bytesMax: SIGNATURE_BYTES, signer: 'Bench' },
    isProtected: false,
    digest: true,
    isPreview: false,
  };
}
