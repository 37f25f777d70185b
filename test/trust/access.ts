import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt, Scene } from './attempt.ts';
import { draftOf, letter, publish, published, save } from './attempt.ts';

async function makeKey({ send }: Scene, who: string, more: object): Promise<string> {
  const body = { name: 'more', scopes: ['generate'], ...more };
  return (await send(who, 'POST', '/v1/keys', { body })).said;
}

const KEYS: readonly Attempt[] = [
  {
    who: 'Admin',
    tries: 'making a key with the scope `identity-sync`',
    ends: '400 bad_request',
    run: (scene) => makeKey(scene, 'ann', { scopes: ['identity-sync'] }),
  },
  {
    who: 'Admin',
    tries: 'making a key of another team',
    ends: '400 bad_request',
    run: (scene) => makeKey(scene, 'ann', { teamId: 'rival' }),
  },
  {
    who: 'Editor',
    tries: 'making a key',
    ends: '403 forbidden',
    run: (scene) => makeKey(scene, 'eve', {}),
  },
  {
    who: 'key `generate`',
    tries: 'making a key',
    ends: '403 insufficient_scope',
    run: (scene) => makeKey(scene, 'key generate', {}),
  },
];

const PEOPLE: readonly Attempt[] = [
  {
    who: 'Editor',
    tries: 'making themselves an Admin',
    ends: '403 forbidden',
    run: async ({ send }) =>
      (await send('eve', 'POST', '/v1/users/eve/role', { body: { role: 'Admin' } })).said,
  },
  {
    who: "another team's Admin",
    tries: 'making an Editor of this team an Admin',
    ends: '404 not_found',
    run: async ({ send }) =>
      (await send('ron', 'POST', '/v1/users/eve/role', { body: { role: 'Admin' } })).said,
  },
  {
    who: 'Admin who was deactivated',
    tries: 'publishing by the session that was open',
    ends: '401 unauthenticated',
    run: async (scene) => {
      await addAdmin(scene, 'lea');
      const id = await draftOf(scene, 'eve');
      await scene.send('ann', 'POST', '/v1/users/lea/deactivate', { body: {} });
      return publish(scene, 'lea', id);
    },
  },
  {
    who: 'Admin who was deactivated',
    tries: 'signing in by a link that was made before',
    ends: '401 unauthenticated',
    run: async (scene) => {
      await addAdmin(scene, 'max');
      const link = await scene.store.signInLinks.add('max', Date.now() + 600_000);
      await scene.send('ann', 'POST', '/v1/users/max/deactivate', { body: {} });
      await scene.send('ann', 'POST', '/v1/users/max/reactivate', { body: {} });
      const path = `/auth/links/${tokenOf(link)}`;
      return (await scene.send('nobody', 'POST', path, { body: {} })).said;
    },
  },
];

async function addAdmin({ store, signIn }: Scene, userId: string): Promise<void> {
  await store.users.add({ userId, teamId: 'bank', role: 'Admin' });
  await signIn(userId);
}

function tokenOf(link: Awaited<ReturnType<Scene['store']['signInLinks']['add']>>): string {
  if (!link.ok) throw new Error(link.message);
  return link.value.token;
}

/** Digest of a document that an Editor made from the own draft. */
async function digestOfDraft(scene: Scene): Promise<readonly [digest: string, file: string]> {
  const templateId = scene.newTemplate();
  await save(scene, 'eve', templateId, letter(templateId, templateId));
  const body = { templateId, draft: true, mode: 'sync', data: {} };
  const { bytes } = await scene.send('eve', 'POST', '/v1/generate', { body });
  return [createHash('sha256').update(bytes).digest('hex'), fileOf(scene, templateId, bytes)];
}

function fileOf({ folder }: Scene, name: string, bytes: Uint8Array): string {
  const file = join(folder, `${name}.pdf`);
  writeFileSync(file, bytes);
  return file;
}

/** A document that was signed and given out. */
async function signed(scene: Scene): Promise<Buffer> {
  const templateId = await published(scene, { signature: true });
  const body = { templateId, mode: 'sync', data: {} };
  return (await scene.send('key generate', 'POST', '/v1/generate', { body })).bytes;
}

async function verify({ send }: Scene, who: string, sha256: string): Promise<string> {
  const { said, status, json } = await send(who, 'POST', '/v1/verify', { body: { sha256 } });
  if (status !== 200) return said;
  const isMade = json['issued'] === true || (json['madeHere'] as readonly object[]).length > 0;
  return isMade ? '200, from a version' : '200, from no version';
}

async function verifySigned(scene: Scene, who: string): Promise<string> {
  return verify(
    scene,
    who,
    createHash('sha256')
      .update(await signed(scene))
      .digest('hex'),
  );
}

const VERIFYING: readonly Attempt[] = [
  {
    who: 'key `documents:read`',
    tries: 'having a draft verified as a document of a version',
    ends: '200, from no version',
    run: async (scene) => verify(scene, 'key documents:read', (await digestOfDraft(scene))[0]),
  },
  {
    who: 'Viewer',
    tries: 'verifying a signed document (allowed)',
    ends: '200, from a version',
    run: (scene) => verifySigned(scene, 'vic'),
  },
  {
    who: "another team's Admin",
    tries: 'learning by `POST /v1/verify` that this team gave a document out',
    ends: '200, from no version',
    run: (scene) => verifySigned(scene, 'ron'),
  },
  {
    who: 'key `generate`',
    tries: 'verifying',
    ends: '403 insufficient_scope',
    run: (scene) => verify(scene, 'key generate', '0'.repeat(64)),
  },
  {
    who: 'nobody',
    tries: 'verifying',
    ends: '401 unauthenticated',
    run: (scene) => verify(scene, 'nobody', '0'.repeat(64)),
  },
];

async function ownAudit(scene: Scene): Promise<string> {
  const { json } = await scene.send('ron', 'GET', '/v1/audit?limit=1000');
  const text = JSON.stringify(json);
  return text.includes('letter-') ? 'tells of this team' : 'tells nothing of this team';
}

const AUDIT: readonly Attempt[] = [
  {
    who: 'Editor',
    tries: 'reading the audit',
    ends: '403 forbidden',
    run: async ({ send }) => (await send('eve', 'GET', '/v1/audit')).said,
  },
  {
    who: 'key `documents:read`',
    tries: 'reading the audit',
    ends: '403 insufficient_scope',
    run: async ({ send }) => (await send('key documents:read', 'GET', '/v1/audit')).said,
  },
  {
    who: "another team's Admin",
    tries: "reading this team's audit by `?teamId=`",
    ends: '400 bad_request',
    run: async ({ send }) => (await send('ron', 'GET', '/v1/audit?teamId=bank')).said,
  },
  {
    who: "another team's Admin",
    tries: 'learning by the own audit that a template of this team exists',
    ends: 'tells nothing of this team',
    run: async (scene) => {
      const id = await published(scene);
      await scene.send('ron', 'GET', `/v1/templates/${id}/versions/1`);
      await publish(scene, 'ron', id);
      return ownAudit(scene);
    },
  },
];

/** Commands run under the account of this test, which is their name in the audit. */
const COMMANDS: readonly Attempt[] = [
  {
    who: 'operator',
    tries: '`templates draft` and then `templates publish` by one account',
    ends: 'exit 1',
    run: async (scene) => {
      const id = scene.newTemplate();
      const file = join(scene.folder, `${id}.json`);
      writeFileSync(file, JSON.stringify(letter(id, 'by command')));
      await scene.command('templates', 'draft', file, '--team=bank');
      return scene.command('templates', 'publish', id, '--team=bank');
    },
  },
  {
    who: 'operator who also has a user with the role Admin',
    tries: '`templates draft`, and publishing in the Studio (two identities: see "trusted")',
    ends: '201',
    run: async (scene) => {
      const id = scene.newTemplate();
      const file = join(scene.folder, `${id}.json`);
      writeFileSync(file, JSON.stringify(letter(id, 'by command')));
      await scene.command('templates', 'draft', file, '--team=bank');
      return publish(scene, 'ann', id);
    },
  },
  {
    who: 'operator',
    tries: '`templates rollback` alone (allowed, for emergencies; the audit names the account)',
    ends: 'exit 0',
    run: async (scene) => {
      const id = await published(scene);
      return scene.command('templates', 'rollback', id, '--team=bank', '--version=1');
    },
  },
  {
    who: 'operator',
    tries: '`verify` of a document that came from a draft',
    ends: 'exit 1',
    run: async (scene) => scene.command('verify', (await digestOfDraft(scene))[1]),
  },
  {
    who: 'operator',
    tries: '`verify` of a signed document in which one byte was changed',
    ends: 'exit 1',
    run: async (scene) => {
      const pdf = await signed(scene);
      const at = pdf.indexOf('/Type/Page') + '/Type/'.length;
      pdf[at] = (pdf[at] ?? 0) ^ 1;
      return scene.command('verify', fileOf(scene, scene.newTemplate(), pdf));
    },
  },
];

export const ACCESS_ATTEMPTS: readonly Attempt[] = [
  ...KEYS,
  ...PEOPLE,
  ...VERIFYING,
  ...AUDIT,
  ...COMMANDS,
];
