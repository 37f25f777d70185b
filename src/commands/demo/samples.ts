import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Acknowledgement } from '../../api/documents.ts';
import { serviceError } from '#client';
import { CommandFailed } from '../console/failure.ts';
import type { Access } from './set-up.ts';

/** A PDF that the demo wrote. */
export interface MadeDocument {
  readonly file: string;
  readonly templateId: string;
  readonly sample: string;
  readonly mode: 'sync' | 'async';
  readonly bytes: number;
  readonly sha256: string;
  readonly durationMs: number;
  /** The body of the request that made it. */
  readonly request: string;
}

const MODES = ['sync', 'async'] as const;

/** Makes every sample in both modes, and checks each stored document against its digest. */
export async function makeSamples(access: Access, folder: string): Promise<MadeDocument[]> {
  mkdirSync(folder, { recursive: true });
  const made: MadeDocument[] = [];
  for (const { templateId, samples } of access.templates) {
    for (const [index, { name, data }] of samples.entries()) {
      for (const mode of MODES) {
        const request = JSON.stringify({ templateId, mode, data });
        const startMs = performance.now();
        const pdf = await generate(access, request, mode);
        const durationMs = performance.now() - startMs;
        const file = `${templateId}-${index + 1}-${mode}.pdf`;
        writeFileSync(join(folder, file), pdf);
        const sha256 = digest(pdf);
        const bytes = pdf.byteLength;
        made.push({ file, templateId, sample: name, mode, bytes, sha256, durationMs, request });
      }
    }
  }
  return made;
}

async function generate(
  { url, apiKey }: Access,
  request: string,
  mode: 'sync' | 'async',
): Promise<Buffer> {
  const response = await fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: request,
  });
  const body = await bytesOf(response, mode === 'sync' ? 200 : 201);
  return mode === 'sync' ? body : fetchStored(body, url, apiKey);
}

/** Fetches the document by its link and by its id; both must match the acknowledged digest. */
async function fetchStored(response: Buffer, url: string, apiKey: string): Promise<Buffer> {
  // A response with status 201 has the shape that the spec gives it.
  const document = JSON.parse(response.toString('utf8')) as Acknowledgement;
  const linked = await bytesOf(await fetch(document.url), 200);
  const address = `${url}/v1/documents/${document.documentId}?download=1`;
  const downloaded = await bytesOf(await fetch(address, { headers: { 'x-api-key': apiKey } }), 200);
  if (digest(linked) !== document.sha256 || !downloaded.equals(linked)) {
    throw new CommandFailed(`document ${document.documentId} does not have its digest`);
  }
  return linked;
}

async function bytesOf(response: Response, expected: number): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === expected) return body;
  const { detail, code, fields } = serviceError(response.status, body.toString(), null);
  const defects = fields.map(({ field, reason }) => `\n  ${field}: ${reason}`).join('');
  throw new CommandFailed(`${new URL(response.url).pathname}: ${detail} (${code})${defects}`);
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
