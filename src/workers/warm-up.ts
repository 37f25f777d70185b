import { readFileSync } from 'node:fs';
import type { RenderJob, RenderResult } from '#engine';
import { shareTemplate } from '#engine/light';

/**
 * A document of what most documents have: Thai and Latin text, a table with a row for each entry, a QR
 * code. One with more (places of table layouts, lists, a justified paragraph) gained nothing more, and
 * V8 compiled less well what had met its objects: later documents took 2 % longer.
 */
const FILE = new URL('warm-up.json', import.meta.url);

/**
 * Renders a built-in document before a thread takes jobs: the first document of a caller would
 * otherwise take some 90 ms more, for what is loaded and compiled once. A second document gains
 * nothing. Throws when it cannot be rendered: no other document could be, either.
 */
export async function warmUp(render: (job: RenderJob) => Promise<RenderResult>): Promise<void> {
  const file = readFileSync(FILE);
  // A file of this folder, whose test renders it.
  const { samples } = JSON.parse(file.toString()) as { samples: readonly { data: unknown }[] };
  const body = new Uint8Array(Buffer.from(JSON.stringify(samples[0]?.data)));
  const result = await render({
    kind: 'render',
    template: shareTemplate(file, 'warm-up'),
    body,
    dataStart: 0,
    dataEnd: body.length,
    atMs: 0,
    attachments: [],
    watermark: null,
    metadata: null,
    checkOnly: false,
    signature: null,
    isProtected: false,
    isPreview: false,
    digest: true,
  });
  if (!result.ok) throw new Error(`the warm-up document failed: ${result.message}`);
}
