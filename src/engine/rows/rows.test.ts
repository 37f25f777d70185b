import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { shareTemplate } from '../../../lab/render.ts';
import { createEngine } from '../engine.ts';
import type { RenderedRows } from '../job.ts';

const SOURCE = JSON.stringify({
  templateId: 'x',
  name: 'x',
  fields: [{ name: 'n', type: 'number', required: true }],
  document: { content: '{{n}}' },
});
const ROWS = ['{"n":1}\n', '{"n":"no number"}\n', '{"n":22}\n'];

async function render(slab?: Uint8Array): Promise<RenderedRows> {
  const rows = new Uint8Array(Buffer.from(ROWS.join('')));
  const ends = ROWS.map((_, index) => ROWS.slice(0, index + 1).join('').length);
  const template = shareTemplate(SOURCE);
  const job = { kind: 'render_rows', template, rows, ends, header: null, atMs: 0 } as const;
  const made = await createEngine().renderRows({ ...job, watermark: null, metadata: null, slab });
  if ('ok' in made) throw new Error(made.message);
  return made;
}

await t.test(
  'files are the same in a slab, beside one that is too small, and without',
  async (t) => {
    const plain = await render();
    const [first, , last] = plain.rows.map(({ bytes }) => bytes);
    const whole = plain.files.byteLength;
    t.equal(whole, (first ?? 0) + (last ?? 0));
    for (const bytes of [0, whole - 1, whole, whole + 100]) {
      const slab = new Uint8Array(new SharedArrayBuffer(bytes + 10), 10);
      const { rows, files } = await render(slab);
      t.equal(files.buffer === slab.buffer, bytes >= whole, `a slab of ${bytes} bytes`);
      t.strictSame(rows, plain.rows);
      t.ok(Buffer.from(files).equals(plain.files));
    }
  },
);

await t.test('each row has the digests of its file', async (t) => {
  const { rows, files } = await render();
  let from = 0;
  for (const row of rows.filter(({ failure }) => failure === null)) {
    const file = files.subarray(from, from + row.bytes);
    t.equal(row.sha256, hash('sha256', file, 'hex'));
    t.equal(row.crc32, crc32(file));
    from += row.bytes;
  }
});
