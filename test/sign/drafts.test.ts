import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { environment, intaglio, serve } from '../../lab/service/command-line.ts';
import { Authority } from './authority.ts';

/** A draft is never signed, and no document of a draft counts as one of a version. */

const folder = t.testdir();
mkdirSync(join(folder, 'var'));
const authority = new Authority(folder);
authority.issue('rsa', ['rsa:2048'], 'keyUsage=critical,digitalSignature,nonRepudiation');
const signersFile = join(folder, 'signers.json');
const signer = { pkcs12: 'rsa.p12', passwordFile: 'password' };
writeFileSync(signersFile, JSON.stringify({ teams: { bank: signer } }));
const env = environment(join(folder, 'var'), {
  INTAGLIO_SIGNERS_FILE: signersFile,
  INTAGLIO_PUBLISH_APPROVALS: '1',
});

const store = await openStore({
  databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
  filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
});
t.teardown(() => store.close());
await store.migrate();
await store.teams.add({ teamId: 'bank', name: 'Bank' });
await store.users.add({ userId: 'mali', teamId: 'bank', role: 'Editor' });
const session = await store.sessions.add('mali', Date.now() + 3_600_000);
if (!session.ok) throw new Error(session.message);
const headers = {
  'content-type': 'application/json',
  cookie: `intaglio_session=${session.value.token}`,
};
const { url } = await serve(t, env);

const FIELD = { page: 1, x: 300, y: 700, width: 200, height: 40 };
const SIGNING = { signature: true, signatureField: FIELD };

function send(method: string, path: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
}

/** Saves a draft of a template that asks for a signature; answers the reply. */
function saveDraft(templateId: string, more: object, query = ''): Promise<Response> {
  const source = JSON.parse(sampleTemplate({ ...more, templateId })) as object;
  const samples = [{ name: 'one', data: SAMPLE_DATA }];
  return send('PUT', `/v1/templates/${templateId}/draft${query}`, { ...source, samples });
}

const DRAFT = { draft: true, mode: 'sync', data: SAMPLE_DATA };

/** The words of a PDF in its page contents. */
function wordsOf(pdf: Uint8Array): string {
  const file = join(folder, 'words.pdf');
  writeFileSync(file, pdf);
  return execFileSync('pdftotext', ['-layout', file, '-']).toString().normalize('NFC');
}

t.test('a request for a signed draft is refused', async (t) => {
  t.equal((await saveDraft('note', {})).status, 200);
  for (const path of ['/v1/generate', '/v1/previews']) {
    const refused = await send('POST', path, {
      ...DRAFT,
      templateId: 'note',
      options: { signature: true },
    });
    t.equal(refused.status, 400, path);
    t.match(await refused.json(), { code: 'bad_request', error: /a draft is never signed/ }, path);
    const plain = await send('POST', path, { ...DRAFT, templateId: 'note' });
    t.equal(plain.status, 200, path);
    await plain.arrayBuffer();
  }
});

t.test('the draft of a signing template has an empty field with the word for it', async (t) => {
  for (const [language, words] of [
    ['en', 'Signature – draft'],
    ['th', 'ลายเซ็น – ฉบับร่าง'],
  ] as const) {
    for (const tagged of [false, true]) {
      const more = { ...SIGNING, language, ...(tagged ? { archive: 'PDF/A-3a' } : {}) };
      const templateId = `letter-${language}-${tagged}`;
      const saved = await saveDraft(templateId, more, '?preview=0');
      t.match(saved.headers.get('content-type'), 'multipart/mixed', 'the save brings its preview');
      t.notMatch(await saved.text(), /\/ByteRange/);
      for (const path of ['/v1/generate', '/v1/previews']) {
        const made = await send('POST', path, { ...DRAFT, templateId });
        t.equal(made.status, 200, `${path} ${templateId}`);
        const pdf = Buffer.from(await made.arrayBuffer());
        t.notMatch(pdf.toString('latin1'), /\/ByteRange|\/FT ?\/Sig/, `${path} ${templateId}`);
        t.match(wordsOf(pdf), words, `${path} ${templateId}`);
      }
    }
  }
});

t.test('the audit marks drafts, and verify never counts one as a version', async (t) => {
  const more = { ...SIGNING, language: 'de' };
  t.equal((await saveDraft('marked', more)).status, 200);
  const made = await send('POST', '/v1/generate', { ...DRAFT, templateId: 'marked' });
  const pdf = Buffer.from(await made.arrayBuffer());
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  const [record] = await store.audit.list({
    action: 'generate',
    newestFirst: true,
    countMax: 1,
  });
  t.match(record, { draft: true, sha256, signer: '' });
  const told = (await (await send('POST', '/v1/verify', { sha256 })).json()) as object;
  t.match(told, { issued: false, madeHere: [], drafts: [{ templateId: 'marked' }] });
  const file = join(folder, 'draft.pdf');
  writeFileSync(file, pdf);
  const verified = await intaglio(env, 'verify', file);
  t.equal(verified.code, 1, 'a draft was not made from a version');
  t.match(verified.out, /from a draft of template marked, which is no published version/);
  t.notMatch(verified.out, /marked@/);
  const listed = await intaglio(env, 'audit', '--action', 'generate', '--limit', '1');
  t.match(listed.out, /marked@1 \(draft\)/);
});
