import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { openStore } from '../../src/store/open.ts';
import type { AuditRecord } from '../../src/store/store.ts';
import { environment, intaglio, serve } from '../../lab/service/command-line.ts';
import { Authority } from './authority.ts';
import { pdfsig } from './judges.ts';

/** Signing over HTTP and by commands, as callers and operators see it. */

const folder = t.testdir();
mkdirSync(join(folder, 'var'));
const authority = new Authority(folder);
authority.issue('rsa', ['rsa:2048'], 'keyUsage=critical,digitalSignature,nonRepudiation');
const signer = { pkcs12: 'rsa.p12', passwordFile: 'password' };
const away = { ...signer, timeStampUrl: 'http://127.0.0.1:1/' };
const signersFile = join(folder, 'signers.json');
writeFileSync(signersFile, JSON.stringify({ teams: { bank: signer, away } }));
const env = environment(join(folder, 'var'), { INTAGLIO_SIGNERS_FILE: signersFile });

const store = await openStore({
  databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
  filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
});
t.teardown(() => store.close());
await store.migrate();

/** Publishes templates for a team and returns one of its keys. */
async function setUp(teamId: string): Promise<string> {
  await store.teams.add({ teamId, name: teamId });
  for (const [templateId, more] of [
    ['letter', {}],
    ['archived', { archive: 'PDF/A-3u' }],
  ] as const) {
    const source = Buffer.from(sampleTemplate({ ...more, templateId }));
    await store.templates.saveDraft(teamId, templateId, templateId, source);
    const draft = await store.templates.draft(teamId, templateId);
    await store.templates.publish(teamId, templateId, draft.found ? draft.value.hash : '');
  }
  const scopes = ['generate', 'documents:read'] as const;
  const added = await store.keys.add({ teamId, name: 'k', scopes, rateLimitPerMinute: null });
  if (!added.ok) throw new Error(added.message);
  return added.value.apiKey;
}

const keys = { bank: await setUp('bank'), away: await setUp('away'), none: await setUp('none') };
const { url, lines } = await serve(t, env);

async function generate(team: keyof typeof keys, body: object): Promise<Response> {
  return fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': keys[team] },
    body: JSON.stringify({ templateId: 'letter', mode: 'sync', data: SAMPLE_DATA, ...body }),
  });
}

/** The audit records of a team, the newest first. */
async function audit(teamId: string): Promise<readonly AuditRecord[]> {
  return store.audit.list({ teamId, newestFirst: true, countMax: 9 });
}

const SIGNED = { options: { signature: true } };

t.test('the audit names the signer and the serial number of its certificate', async (t) => {
  const answer = await generate('bank', SIGNED);
  t.equal(answer.status, 200);
  const pdf = Buffer.from(await answer.arrayBuffer());
  t.match(pdf.toString('latin1'), /\/SubFilter\/ETSI\.CAdES\.detached/);
  t.equal((await generate('bank', { ...SIGNED, mode: 'async' })).status, 201);
  t.equal((await generate('bank', {})).status, 200);
  const certificateSerial = authority.serialOf('rsa');
  const signed = { signer: 'CN=rsa', certificateSerial };
  t.match(await audit('bank'), [
    { mode: 'sync', signer: '', certificateSerial: '' },
    { mode: 'async', ...signed },
    { mode: 'sync', ...signed, sha256: createHash('sha256').update(pdf).digest('hex') },
  ]);
  t.match(
    lines.find(({ msg }) => msg === 'signed'),
    { signer: 'CN=rsa', serialNumber: certificateSerial },
  );
});

t.test('without a signature there is no document', async (t) => {
  for (const team of ['away', 'none'] as const) {
    for (const mode of ['sync', 'async']) {
      const refused = await generate(team, { ...SIGNED, mode });
      t.equal(refused.status, 503);
      t.match(await refused.json(), { code: 'signing_unavailable' });
    }
    const failed = { outcome: 'failed', code: 'signing_unavailable', signer: '', documentId: '' };
    t.match(await audit(team), [failed, failed]);
  }
});

const protection = { userPassword: 'open it', ownerPassword: 'own it' };

t.test('a document is protected and then signed, on request', async (t) => {
  const options = { signature: true, protection };
  const sync = await generate('bank', { options });
  t.equal(sync.status, 200);
  const pdf = Buffer.from(await sync.arrayBuffer());
  t.match(await pdfsig(authority, pdf, ['-upw', 'open it']), /Signature is Valid/);
  await t.rejects(pdfsig(authority, pdf), 'it opens by its password alone');
  const stored = await generate('bank', { options, mode: 'async' });
  t.equal(stored.status, 201);
  const { documentId } = (await stored.json()) as { documentId: string };
  const fetched = await fetch(`${url}/v1/documents/${documentId}?download=1`, {
    headers: { 'x-api-key': keys.bank },
  });
  const file = Buffer.from(await fetched.arrayBuffer());
  t.match(await pdfsig(authority, file, ['-opw', 'own it']), /Signature is Valid/);
  const signed = { signer: 'CN=rsa', certificateSerial: authority.serialOf('rsa') };
  const made = (await audit('bank')).filter(({ action }) => action === 'generate');
  t.match(made.slice(0, 2), [
    { mode: 'async', ...signed, sha256: createHash('sha256').update(file).digest('hex') },
    { mode: 'sync', ...signed, sha256: createHash('sha256').update(pdf).digest('hex') },
  ]);
  const unsigned = await generate('away', { options });
  t.equal(unsigned.status, 503, 'without the signature it is not delivered');
  t.match(await unsigned.json(), { code: 'signing_unavailable' });
});

t.test('protection is refused in an archive document', async (t) => {
  for (const body of [
    { templateId: 'archived', options: { protection } },
    { templateId: 'archived', options: { signature: true, protection } },
  ]) {
    const refused = await generate('bank', body);
    t.equal(refused.status, 400);
    t.match(await refused.json(), { code: 'bad_request', error: /^options\.protection: / });
  }
});

/** Stores a signed document and returns its id. */
async function issued(templateId: string): Promise<string> {
  const made = await generate('bank', { ...SIGNED, templateId, mode: 'async' });
  return ((await made.json()) as { documentId: string }).documentId;
}

async function attach(attached: string): Promise<Response> {
  const options = { attach: [await issued(attached)], signature: true };
  return generate('bank', { templateId: 'archived', options });
}

t.test('a document attached to an archive document must be one, too', async (t) => {
  t.equal((await attach('archived')).status, 200);
  const refused = await attach('letter');
  t.equal(refused.status, 400);
  t.match(await refused.json(), { code: 'bad_request', error: /options\.attach/ });
});

t.test('verify reports issue, digest and signature, and every change to them', async (t) => {
  const answer = await generate('bank', SIGNED);
  const pdf = Buffer.from(await answer.arrayBuffer());
  const file = join(folder, 'signed.pdf');
  writeFileSync(file, pdf);
  const ca = join(folder, 'ca.pem');
  const good = await intaglio(env, 'verify', '--trust', ca, file);
  t.equal(good.code, 0, good.err);
  // Documents of the same second have the same bytes, so there may be more lines.
  t.match(
    good.out,
    /^Made here at .*template letter@1\.\n(?:.*\n)?Signature by CN=rsa, .* B-B: valid\.\n/m,
  );
  t.match(good.out, /the whole file is as it was signed\.\n .*it leads to one that --trust names/);
  const { out } = await intaglio(env, 'verify', '--json', file);
  t.match(JSON.parse(out), { signatures: [{ isValid: true, isTrusted: null, level: 'B-B' }] });
  pdf.writeUInt8(pdf.readUInt8(200) ^ 1, 200);
  writeFileSync(file, pdf);
  const changed = await intaglio(env, 'verify', '--trust', ca, file);
  t.equal(changed.code, 1);
  t.match(changed.out, /Not issued by this service.*\n.*NOT VALID\.\n.*has changed/);
});
