import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findingsOf, faultsOf, render, shareTemplate } from '../../lab/render.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';

/** Files that documents embed, such as the data of an electronic invoice. */

const INVOICE = '<?xml version="1.0"?><Invoice>ใบกำกับภาษี & {{name}}</Invoice>';
const FILES = [
  { name: 'invoice.xml', mediaType: 'text/xml', relationship: 'Alternative', data: INVOICE },
  { name: 'notes.json', mediaType: 'application/ld+json', data: '{"of": "{{name}}"}' },
];

t.test('embedded files are extracted unchanged, and the level is kept', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'a.pdf');
  for (const level of ['3u', '3a'] as const) {
    for (const compress of [true, false]) {
      const source = sampleTemplate({ archive: `PDF/A-${level}`, files: FILES }, { compress });
      const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
      t.strictSame(findViolations(pdf, level), []);
      t.equal(faultsOf(file, pdf), '');
      writeFileSync(file, pdf);
      t.match(execFileSync('pdfdetach', ['-list', file]).toString(), /2 embedded files/);
      execFileSync('pdfdetach', ['-saveall', '-o', folder, file]);
      const read = readFileSync(join(folder, 'invoice.xml'), 'utf8');
      t.equal(read, INVOICE.replace('{{name}}', SAMPLE_DATA.name));
    }
  }
});

t.test('findings name what is wrong with a file', async (t) => {
  const content = { content: '{{text}}' };
  const paths = async (files: unknown, more: object = {}): Promise<string[]> =>
    (await findingsOf(content, { files, ...more })).map(({ path }) => path);
  t.strictSame(await paths(FILES.slice(1).map((one) => ({ ...one, data: '{{text}}' }))), []);
  const plain = { name: 'a', mediaType: 'text/xml', data: 'x' };
  t.strictSame(await paths([plain], { archive: 'PDF/A-2u' }), ['files']);
  t.strictSame(await paths([plain, plain]), ['files[1].name']);
  t.strictSame(await paths([{ name: 'a', mediaType: 'xml', data: 'x' }]), [
    'files[0]',
    'files[0].mediaType',
  ]);
  t.strictSame(await paths(Array.from({ length: 11 }, (_, i) => ({ ...plain, name: `${i}` }))), [
    'files',
  ]);
});
