import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, render, shareTemplate } from '../../../lab/render.ts';

const PARAGRAPH = 'Interest is due on the last day of each month. รับเงินเรียบร้อยแล้ว 12,500.00 ';
const OPTIONS = {
  watermark: { text: 'สำเนา', opacity: 0.2 },
  metadata: { title: 'Statement' },
};

function templateWith(compress: boolean | undefined): ReturnType<typeof shareTemplate> {
  const header = { text: 'Page {{page}} of {{pages}}', margin: 20 };
  return shareTemplate(
    JSON.stringify({
      templateId: 'readable',
      name: 'Readable',
      fields: [{ name: 'text', type: 'text', required: true }],
      document: {
        ...(compress === undefined ? {} : { compress }),
        header,
        content: [{ text: '{{text}}' }, { text: '{{text}}', bold: true }],
      },
    }),
  );
}

t.test('compress: false only makes every stream but images readable', async (t) => {
  const folder = t.testdir();
  // The letters of another script need a composite font beside the fixed ones.
  const data = { text: `${PARAGRAPH.repeat(30)} Ωμέγα` };
  const plain = await render(templateWith(false), data, OPTIONS);
  const packed = await render(templateWith(undefined), data, OPTIONS);
  const syntax = Buffer.from(plain.pdf).toString('latin1');
  t.notMatch(syntax, 'FlateDecode');
  t.match(syntax, /BT\n[^]*12,500.00[^]*ET\n/, 'content');
  t.match(syntax, /beginbfchar[^]*endcmap/, 'character maps');
  t.match(syntax, '/CIDToGIDMap', 'a composite font');
  t.match(Buffer.from(packed.pdf).toString('latin1'), 'FlateDecode');
  t.ok(packed.pdf.length < plain.pdf.length / 2, 'packed by default');
  t.equal(faultsOf(join(folder, 'plain.pdf'), plain.pdf), '');
  t.same(unpacked(folder, 'a', plain.pdf), unpacked(folder, 'b', packed.pdf), 'the same document');
});

/** The file with all streams as they are; without its identifier, which is made of its bytes. */
function unpacked(folder: string, name: string, pdf: Uint8Array): string {
  const file = join(folder, `${name}.pdf`);
  writeFileSync(file, pdf);
  const args = ['--qdf', '--no-original-object-ids', '--static-id', file, '-'];
  const text = execFileSync('qpdf', args, { maxBuffer: 1 << 26 }).toString('latin1');
  return text.replace(/\/ID \[.*\]/, '');
}
