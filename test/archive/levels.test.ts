import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, render, shareTemplate } from '../render.ts';
import { HOME, sourceFiles } from '../source.ts';
import { readModel } from './model.ts';
import type { Profile } from './rules.ts';
import { violationsOf } from './rules.ts';
import { SAMPLE_DATA, sampleTemplate } from './sample.ts';

/** Every document that this project comes with keeps every level. */

const LEVELS = ['2u', '3u'] as const;

interface Source {
  readonly samples?: readonly { readonly data: unknown }[];
}

async function archived(source: Source, level: Profile, data: unknown): Promise<Uint8Array> {
  const template = shareTemplate(JSON.stringify({ ...source, archive: `PDF/A-${level}` }));
  return (await render(template, data)).pdf;
}

t.test('the samples of all templates keep each level', async (t) => {
  for (const { path } of sourceFiles('templates/*.json')) {
    if (path.endsWith('.schema.json') || /\.\d+\.json$/.test(path)) continue;
    const source = JSON.parse(readFileSync(join(HOME, path), 'utf8')) as Source;
    for (const level of LEVELS) {
      for (const [index, { data }] of (source.samples ?? []).entries()) {
        const pdf = await archived(source, level, data);
        t.strictSame(violationsOf(readModel(pdf), level), [], `${path}, sample ${index}, ${level}`);
      }
    }
  }
});

t.test('information dictionary and metadata say the same', async (t) => {
  const source = sampleTemplate({ archive: 'PDF/A-2u' });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA, {
    metadata: { title: 'a\u0001b & <c>', subject: 'ทดสอบ' },
  });
  const { document, metadata } = readModel(pdf);
  const info = document.resolve(document.trailer.get('Info'));
  const dc = 'http://purl.org/dc/elements/1.1/';
  const pdfNs = 'http://ns.adobe.com/pdf/1.3/';
  t.equal(document.textAt(info, 'Title'), 'ab & <c>');
  t.equal(metadata.get(`${dc}title`), document.textAt(info, 'Title'));
  t.equal(metadata.get(`${dc}description`), document.textAt(info, 'Subject'));
  t.equal(metadata.get(`${dc}creator`), document.textAt(info, 'Author'));
  t.equal(metadata.get(`${pdfNs}Keywords`), document.textAt(info, 'Keywords'));
  t.equal(metadata.get(`${pdfNs}Producer`), document.textAt(info, 'Producer'));
  t.equal(metadata.get('http://ns.adobe.com/xap/1.0/CreateDate'), '2026-11-21T00:00:00Z');
  t.equal(document.textAt(info, 'CreationDate'), 'D:20261121000000Z');
});

t.test('other readers take the file', async (t) => {
  const file = join(t.testdir(), 'a.pdf');
  const source = sampleTemplate({ archive: 'PDF/A-3u' });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  t.equal(faultsOf(file, pdf), '');
  const about = execFileSync('pdfinfo', [file]).toString();
  t.match(about, /Metadata Stream: *yes/);
});
