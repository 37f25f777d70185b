import { createHash } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { newAudit, newDocument } from '../../../test/store/samples.ts';
import { openStore } from '../../store/open.ts';

t.test('verify names a document of a version, however many drafts had its bytes', async (t) => {
  const folder = t.testdir();
  const env = environment(folder);
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  await store.migrate();
  const file = join(folder, 'letter.pdf');
  writeFileSync(file, '%PDF-1.7\n');
  const sha256 = createHash('sha256').update('%PDF-1.7\n').digest('hex');
  const made = { sha256, mode: 'sync', outcome: 'succeeded', templateId: 'letter' } as const;
  for (const teamId of ['a', 'b']) await store.teams.add({ teamId, name: teamId });
  for (let count = 0; count < 22; count += 1) {
    await store.audit.add(newAudit('', { ...made, teamId: 'a', draft: true, version: 1 }));
  }
  await store.audit.add(newAudit('', { ...made, teamId: 'b', draft: false, version: 3 }));
  await store.close();
  const told = await intaglio(env, 'verify', file, '--json');
  t.equal(told.code, 0, told.err);
  const { madeHere, drafts, hasMore } = JSON.parse(told.out) as Record<string, unknown>;
  t.match(madeHere, [{ teamId: 'b', version: 3 }]);
  t.match([drafts, hasMore], [{ length: 20 }, true]);
  const { out } = await intaglio(env, 'verify', file);
  t.match(out, /template letter@3\.\n[^]*There are more: at most 20 of each kind are named\./);
});

t.test('verify says that a file is too large', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'large.pdf');
  writeFileSync(file, '%PDF-1.7\n');
  truncateSync(file, 600 * 1024 ** 2);
  const { code, err } = await intaglio(environment(folder), 'verify', file);
  t.equal(code, 1);
  t.match(err, /large\.pdf has over 256 MB, which is the most that verify checks\n$/);
});

t.test('verify mentions --reference where a number is given as the file', async (t) => {
  const env = environment(t.testdir());
  const number = await intaglio(env, 'verify', 'RC-2569-0045001');
  t.match(number, { code: 1, err: /document: verify --reference RC-2569-0045001\n$/ });
  const file = await intaglio(env, 'verify', 'statement.pdf');
  t.equal(file.code, 1);
  t.notMatch(file.err, '--reference');
});

t.test('verify says of an unknown PDF that print files are no documents', async (t) => {
  const folder = t.testdir();
  const env = await withDocuments(folder);
  const file = join(folder, 'print-1.pdf');
  writeFileSync(file, '%PDF-1.7 merged\n');
  const hint =
    /^Not issued by this service: .* A merged print file of a run is no document, even if/;
  t.match(await intaglio(env, 'verify', file), { code: 1, out: hint });
  const other = join(folder, 'rows.csv');
  writeFileSync(other, 'a,b\n1,2\n');
  t.notMatch((await intaglio(env, 'verify', other)).out, /print file/);
  const { out } = await intaglio(env, 'verify', '--help');
  t.match(out, /A merged print file of a run is no document, so /);
});

t.test('verify tells what another program has added to or made of a document', async (t) => {
  const folder = t.testdir();
  const env = environment(folder);
  const databaseUrl = env['INTAGLIO_DATABASE_URL'] ?? '';
  const store = await openStore({ databaseUrl, filesUrl: env['INTAGLIO_FILES_URL'] ?? '' });
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  const pdf = Buffer.from('%PDF-1.7\n<</Producer (Intaglio)>>\n%%EOF\nsigned\n%%EOF\n');
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  const audit = (id: string) => newAudit(id, { sha256 });
  await store.documents.add(newDocument(pdf), new Uint8Array(pdf), audit, null);
  await store.close();
  const verify = (bytes: string, ...words: string[]): ReturnType<typeof intaglio> => {
    const file = join(folder, 'sent.pdf');
    writeFileSync(file, bytes);
    return intaglio(env, 'verify', file, ...words);
  };
  const added = `${String(pdf)}a comment\n%%EOF\nanother\n%%EOF\n`;
  const told = await verify(added);
  t.equal(told.code, 1);
  t.match(
    told.out,
    /^Not issued by this service.*\nNot signed\.\nCHANGED: .*\nIssued .* document .*\nFetch the/,
  );
  const { issued, changedFrom } = JSON.parse((await verify(added, '--json')).out) as {
    issued: boolean;
    changedFrom: unknown;
  };
  t.equal(issued, false);
  t.match(changedFrom, { sha256, teamId: 'bank', available: true });
  const anew = await verify('%PDF-1.7\n<< /Producer (Intaglio) >>\n%%EOF\n');
  t.match(anew, {
    code: 1,
    out: /names Intaglio as the program that made it.* --reference NUMBER/,
  });
  const foreign = await verify('%PDF-1.7\n<< /Producer (Intaglio2) >>\n%%EOF\nmore%%EOF\n');
  t.equal(foreign.code, 1);
  t.notMatch(foreign.out, /CHANGED|names Intaglio/);
});

/** A store whose team `bank` has two documents: `altered.pdf` took the place of the file of one. */
async function withDocuments(folder: string): Promise<Record<string, string>> {
  const env = environment(folder);
  const databaseUrl = env['INTAGLIO_DATABASE_URL'] ?? '';
  const store = await openStore({ databaseUrl, filesUrl: env['INTAGLIO_FILES_URL'] ?? '' });
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  const naming = { reference: 'RC 5', keep: 'hash', fileName: '' } as const;
  for (const [text, recorded] of [
    ['true', 'true'],
    ['altered', 'true'],
  ] as const) {
    const pdf = Buffer.from(`%PDF-1.7 ${text}\n`);
    const sha256 = createHash('sha256').update(`%PDF-1.7 ${recorded}\n`).digest('hex');
    writeFileSync(join(folder, `${text}.pdf`), pdf);
    const audit = (id: string) => newAudit(id, { sha256 });
    await store.documents.add(newDocument(pdf), new Uint8Array(pdf), audit, null, naming);
  }
  await store.close();
  return env;
}

t.test('verify says of a ZIP that its documents are to be verified', async (t) => {
  const folder = t.testdir();
  const env = await withDocuments(folder);
  const file = join(folder, 'run.zip');
  // Members of the ZIP of a run are not compressed.
  writeFileSync(file, 'PK\x03\x04 a.pdf %PDF-1.7 \n/Producer (Intaglio)\n%%EOF\nPK\x01\x02');
  const { code, out } = await intaglio(env, 'verify', file);
  t.equal(code, 1);
  t.match(out, /run\.zip is a ZIP file, which is no document: unpack it, and verify its documents/);
  t.notMatch(out, /names Intaglio|print file|Not signed/);
});

t.test('verify believes the audit, not a row that was changed with its file', async (t) => {
  const folder = t.testdir();
  const env = await withDocuments(folder);
  t.match(await intaglio(env, 'verify', join(folder, 'true.pdf')), { code: 0, out: /^Issued / });
  const altered = await intaglio(env, 'verify', join(folder, 'altered.pdf'));
  t.match(altered, { code: 1, out: /^ALTERED: document .*\nNot issued by this service: / });
  const other = join(folder, 'rows.csv');
  writeFileSync(other, 'a,b\n1,2\n');
  const told = await intaglio(env, 'verify', other);
  t.match(told, {
    code: 1,
    out: /rows\.csv is no PDF: is it the right file\?\nNot issued by this/,
  });
  const scrub = await intaglio(env, 'scrub');
  t.match(scrub, { code: 1, out: /^\S{36} altered\n[^]*2 documents compared .*: 1 altered\.\n/ });
});

t.test('a stored document whose file is damaged or lost is named as such', async (t) => {
  const folder = t.testdir();
  const env = await withDocuments(folder);
  const filesUrl = env['INTAGLIO_FILES_URL'] ?? '';
  const store = await openStore({ databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '', filesUrl });
  const pdf = Buffer.from('%PDF-1.7 intact\n');
  const naming = { reference: 'RC 8', keep: 'hash', fileName: '' } as const;
  const document = newDocument(pdf, Date.now());
  const bytes = new Uint8Array(pdf);
  const added = await store.documents.add(document, bytes, (id) => newAudit(id), null, naming);
  await store.close();
  t.notMatch((await intaglio(env, 'verify', '--reference', 'RC 8')).out, 'damaged');
  const id = added.documentId;
  const place = join(filesUrl.slice('file:'.length), id.slice(0, 5), id.slice(5, 8), `${id}.pdf`);
  writeFileSync(place, readFileSync(place).fill(0, 9, 12));
  t.equal((await intaglio(env, 'scrub')).code, 1);
  t.match(await intaglio(env, 'verify', '--reference', 'RC 8'), {
    code: 0,
    out: /^Issued .*@1\. Its stored file is damaged: see \.\/intaglio scrub\.\n/,
  });
  rmSync(place);
  t.equal((await intaglio(env, 'scrub')).code, 1);
  t.match(await intaglio(env, 'verify', '--reference', 'RC 8'), {
    code: 0,
    out: /^Issued .*@1\. Its stored file is lost: see \.\/intaglio scrub\.\n/,
  });
});

t.test('a reference that is not found may be that of an expired document', async (t) => {
  const folder = t.testdir();
  const env = await withDocuments(folder);
  const pdf = Buffer.from('%PDF-1.7 expired\n');
  const store = await openStore({
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
  });
  const naming = { reference: 'RC 7', keep: 'hash', fileName: '' } as const;
  const longAgo = newDocument(pdf, Date.now() - 30 * 86_400_000);
  await store.documents.add(longAgo, new Uint8Array(pdf), (id) => newAudit(id), null, naming);
  await store.documents.sweep(Date.now());
  await store.close();
  const told = await intaglio(env, 'verify', '--reference', 'RC 7');
  t.equal(told.code, 1);
  // No date is said: the service cannot know which documents are forgotten.
  const [none, ...words] = told.out.split('\n').slice(0, 4);
  t.equal(none, 'No stored document has this reference.');
  t.equal(
    words.join(' '),
    'That does not prove that it was never issued: documents that were only shown, or made without' +
      ' storing (mode sync), have no stored reference, and the reference of a stored document is' +
      ' forgotten when it expires. The file itself can still be verified: ./intaglio verify FILE.pdf',
  );
  const file = join(folder, 'expired.pdf');
  writeFileSync(file, pdf);
  t.match(await intaglio(env, 'verify', file), {
    code: 0,
    out: /^Issued .*@1\. It expired \S+Z: its file is gone\.\n/,
  });
});

t.test('verify and audit find documents by their reference', async (t) => {
  const env = await withDocuments(t.testdir());
  const found = await intaglio(env, 'verify', '--reference', ' RC  5 ');
  t.match(found, {
    code: 0,
    out: /^Issued .* by team bank: document .*\nIssued .*@1\.\nAny paper can bear this .*: only the file shows/,
  });
  const small = await intaglio(env, 'verify', '--reference', 'rc 5');
  t.strictSame(small, found, 'small letters are tried as capitals');
  const none = await intaglio(env, 'verify', '--reference', 'RC 6', '--json');
  t.match(none, { code: 1, out: '{"documents":[],"hasMore":false}\n' });
  t.match(await intaglio(env, 'verify'), { code: 2, err: /give either a file or --reference/ });
  const records = await intaglio(env, 'audit', '--reference', 'RC 5', '--json');
  t.match(JSON.parse(records.out), [{ action: 'generate' }, { action: 'generate' }]);
  const unknown = await intaglio(env, 'audit', '--reference', 'RC 6');
  t.match(unknown, { code: 1, err: /no stored document has this reference/ });
});
