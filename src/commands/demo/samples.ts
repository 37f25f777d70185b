import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { DocumentRequest, Intaglio, Pdf } from '#client';
import { CommandFailed } from '../console/failure.ts';
import { withService } from '../console/service.ts';
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
  await withService(access, async (client) => {
    for (const { templateId, samples } of access.templates) {
      for (const [index, { name, data }] of samples.entries()) {
        for (const mode of MODES) {
          const startMs = performance.now();
          const { bytes: pdf, sha256 } = await generate(client, { templateId, data }, mode);
          const durationMs = performance.now() - startMs;
          const file = `${templateId}-${index + 1}-${mode}.pdf`;
          writeFileSync(join(folder, file), pdf);
          const bytes = pdf.byteLength;
          const request = JSON.stringify({ templateId, mode, data });
          made.push({ file, templateId, sample: name, mode, bytes, sha256, durationMs, request });
        }
      }
    }
  });
  return made;
}

/** Fetches a stored document by its link and by its id; both must match the acknowledged digest. */
async function generate(
  client: Intaglio,
  request: DocumentRequest,
  mode: 'sync' | 'async',
): Promise<Pdf> {
  if (mode === 'sync') return client.generate(request);
  const { documentId, url, sha256 } = await client.store(request);
  const linked = await client.fetchLink(url);
  const downloaded = await client.download(documentId);
  if (linked.sha256 === sha256 && downloaded.sha256 === sha256) return linked;
  throw new CommandFailed(`document ${documentId} does not have its digest`);
}
