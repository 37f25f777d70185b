import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { FileKeys } from './file-keys.ts';
import { QPDF, samplePdf } from './fixtures/protector.ts';

const execute = promisify(execFile);
const PASSWORDS = {
  userPassword: Buffer.from('รหัสของผู้ใช้'),
  ownerPassword: Buffer.from('o'.repeat(127)),
};

/** A file that the qpdf program encrypted with these arguments after `--encrypt`. */
async function encrypted(folder: string, ...words: readonly string[]): Promise<Buffer> {
  const [from, to] = [join(folder, 'from.pdf'), join(folder, 'to.pdf')];
  writeFileSync(from, samplePdf());
  await execute(QPDF, ['--encrypt', ...words, '--', from, to]);
  return readFileSync(to);
}

const keys = new FileKeys();

t.test('the new passwords open the file, and the old one no longer does', async (t) => {
  const folder = t.testdir();
  const pdf = await encrypted(folder, 'given', 'given', '256', '--force-R5');
  const before = Buffer.from(pdf);
  t.ok(keys.replacePassword(pdf, Buffer.from('given'), PASSWORDS));
  t.equal(pdf.length, before.length);
  const place = join(folder, 'new.pdf');
  writeFileSync(place, pdf);
  for (const password of Object.values(PASSWORDS)) {
    const { stdout } = await execute(QPDF, ['--check', `--password=${password.toString()}`, place]);
    t.match(stdout, 'R = 6');
    t.match(stdout, 'No syntax or stream encoding errors');
  }
  await t.rejects(execute(QPDF, ['--check', '--password=given', place]));
  await t.rejects(execute(QPDF, ['--check', '--password=', place]));
});

t.test('any other file is refused and stays unchanged', async (t) => {
  const folder = t.testdir();
  const files = {
    'another password': await encrypted(folder, 'other', 'other', '256', '--force-R5'),
    'revision 6': await encrypted(folder, 'given', 'given', '256'),
    'an older method': await encrypted(folder, 'given', 'given', '128', '--use-aes=y'),
    'no encryption': samplePdf(),
    'an incomplete file': Buffer.from('%PDF-1.7'),
    nothing: Buffer.alloc(0),
  };
  for (const [name, pdf] of Object.entries(files)) {
    const before = Buffer.from(pdf);
    t.notOk(keys.replacePassword(pdf, Buffer.from('given'), PASSWORDS), name);
    t.ok(pdf.equals(before), `${name}: unchanged`);
  }
});
