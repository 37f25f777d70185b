import type { Attempt, Scene } from './attempt.ts';
import { comparedOf, draftOf, letter, publish, published, save } from './attempt.ts';

/** The attempt of a caller to publish the draft of an Editor. */
function publishing(who: string, caller: string, ends: string): Attempt {
  const run = async (scene: Scene): Promise<string> =>
    publish(scene, caller, await draftOf(scene, 'eve'));
  return { who, tries: "publishing an Editor's draft", ends, run };
}

/** Which caller publishes at all: the page of permissions, on the service itself. */
const CALLERS: readonly Attempt[] = [
  publishing('nobody', 'nobody', '401 unauthenticated'),
  publishing('Viewer', 'vic', '403 forbidden'),
  publishing('Editor', 'eve', '403 forbidden'),
  publishing('key `generate`', 'key generate', '403 draft_requires_user'),
  publishing('key `templates:read`', 'key templates:read', '403 draft_requires_user'),
  publishing('key `documents:read`', 'key documents:read', '403 draft_requires_user'),
  publishing('key `runs`', 'key runs', '403 draft_requires_user'),
  publishing('key `identity-sync`', 'key identity-sync', '403 draft_requires_user'),
  publishing("another team's Admin", 'ron', '404 not_found'),
  publishing('Admin who did not contribute', 'ann', '201'),
];

/** Saves by others after that of an Admin, who then publishes. */
async function afterSaves(
  scene: Scene,
  saves: readonly (readonly [who: string, words: string])[],
  publisher = 'ann',
): Promise<string> {
  const id = await draftOf(scene, 'ann');
  for (const [who, words] of saves) await save(scene, who, id, letter(id, words));
  return publish(scene, publisher, id);
}

const CONTRIBUTORS: readonly Attempt[] = [
  {
    who: 'Admin',
    tries: 'publishing the own draft',
    ends: '403 forbidden',
    run: (scene) => afterSaves(scene, []),
  },
  {
    who: 'Admin and Editor',
    tries: 'publishing the own draft after the Editor saved the same bytes',
    ends: '403 forbidden',
    run: (scene) => afterSaves(scene, [['eve', 'first']]),
  },
  {
    who: 'Admin and Editor',
    tries: 'publishing the own draft after the Editor typed one space',
    ends: '403 forbidden',
    run: (scene) => afterSaves(scene, [['eve', 'first ']]),
  },
  {
    who: 'two Admins',
    tries: 'publishing a draft to which both contributed, by the second',
    ends: '403 forbidden',
    run: (scene) => afterSaves(scene, [['ben', 'second']], 'ben'),
  },
  {
    who: 'Admin',
    tries: 'publishing the own draft in a new session',
    ends: '403 forbidden',
    run: async (scene) => {
      const id = await draftOf(scene, 'ann');
      await scene.signIn('ann');
      return publish(scene, 'ann', id);
    },
  },
  {
    who: 'two Admins',
    tries: 'one lowers and raises the role of the other, who then publishes the own draft',
    ends: '403 forbidden',
    run: async (scene) => {
      const id = await draftOf(scene, 'ann');
      for (const role of ['Editor', 'Admin']) {
        await scene.send('ben', 'POST', '/v1/users/ann/role', { body: { role } });
      }
      return publish(scene, 'ann', id);
    },
  },
  {
    who: 'key `identity-sync` and Editor',
    tries: 'the sync makes the Editor an Admin, who then publishes the own draft',
    ends: '403 forbidden',
    run: async (scene) => {
      const id = await draftOf(scene, 'eve');
      await syncRole(scene, 'Admin');
      const said = await publish(scene, 'eve', id);
      await syncRole(scene, 'Editor');
      return said;
    },
  },
  {
    who: 'Admin',
    tries: 'restoring version 1 as the draft and publishing it',
    ends: '403 forbidden',
    run: async (scene) => {
      const id = await withTwoVersions(scene);
      const old = await scene.send('ann', 'GET', `/v1/templates/${id}/versions/1`);
      await save(scene, 'ann', id, old.bytes.toString());
      return publish(scene, 'ann', id);
    },
  },
  {
    who: 'Admin',
    tries: 'rolling back alone',
    ends: '403 forbidden',
    run: async (scene) => rollBack(scene, 'ann', await withTwoVersions(scene)),
  },
  {
    who: 'Editor',
    tries: 'rolling back',
    ends: '403 forbidden',
    run: async (scene) => rollBack(scene, 'eve', await published(scene)),
  },
  {
    who: 'key `templates:read`',
    tries: 'rolling back',
    ends: '403 insufficient_scope',
    run: async (scene) => rollBack(scene, 'key templates:read', await published(scene)),
  },
];

async function withTwoVersions(scene: Scene): Promise<string> {
  const id = await published(scene);
  await save(scene, 'eve', id, letter(id, 'second'));
  await publish(scene, 'ben', id);
  return id;
}

async function rollBack({ send }: Scene, who: string, id: string): Promise<string> {
  const path = `/v1/templates/${id}/rollback`;
  return (await send(who, 'POST', path, { body: { version: 1 } })).said;
}

async function syncRole({ send }: Scene, role: string): Promise<void> {
  const users = [{ userId: 'eve', teamId: 'bank', role, displayName: '', email: '', active: true }];
  const teams = [{ teamId: 'bank', name: 'bank', active: true }];
  const body = { full: false, teams, users };
  const { said } = await send('key identity-sync', 'POST', '/v1/sync/identities', { body });
  if (said !== '200') throw new Error(`the sync was refused: ${said}`);
}

const GAMES: readonly Attempt[] = [
  {
    who: 'Admin',
    tries: 'publishing the own draft with `If-Match: *`',
    ends: '400 bad_request',
    run: (scene) => withMatch(scene, 'ann', () => '*'),
  },
  {
    who: 'two Admins',
    tries: 'publishing with the `If-Match` of a draft that was replaced since',
    ends: '412 precondition_failed',
    run: async (scene) => {
      const id = await draftOf(scene, 'ann');
      const { draft } = (await comparedOf(scene, id)) as { draft: string };
      await save(scene, 'ann', id, letter(id, 'second'));
      const compared = await comparedOf(scene, id);
      const headers = { 'if-match': `"${draft}"` };
      const path = `/v1/templates/${id}/publish`;
      return (await scene.send('ben', 'POST', path, { body: { compared }, headers })).said;
    },
  },
  {
    who: 'Admin',
    tries: 'publishing the next version without saying what it was compared with',
    ends: '400 bad_request',
    run: async (scene) => {
      const id = await published(scene);
      await save(scene, 'eve', id, letter(id, 'second'));
      return (await scene.send('ann', 'POST', `/v1/templates/${id}/publish`)).said;
    },
  },
  {
    who: 'Admin',
    tries: 'publishing the next version without confirming what it changes',
    ends: '400 bad_request',
    run: async (scene) => {
      const id = await published(scene);
      await save(scene, 'eve', id, letter(id, 'second'));
      const compared = { ...(await comparedOf(scene, id)), changes: [] };
      return (
        await scene.send('ann', 'POST', `/v1/templates/${id}/publish`, { body: { compared } })
      ).said;
    },
  },
  {
    who: 'two Admins',
    tries: 'publishing one draft twice at once',
    ends: '201 once',
    run: async (scene) => {
      const id = await draftOf(scene, 'eve');
      const said = await Promise.all(['ann', 'ben'].map((who) => publish(scene, who, id)));
      return `201 ${said.filter((one) => one === '201').length === 1 ? 'once' : said.join()}`;
    },
  },
  {
    who: 'Admin',
    tries: "publishing an Editor's draft while saving an own one, eight times",
    ends: 'no own change is published',
    run: raceSaves,
  },
  {
    who: 'Admin',
    tries: 'a draft whose id differs by a zero-width space',
    ends: '400 bad_request',
    run: async (scene) => {
      const id = `${scene.newTemplate()}\u200bx`;
      return save(scene, 'ann', id, letter(id, 'own'));
    },
  },
  {
    who: 'Admin',
    tries: 'a draft whose file names another template',
    ends: '400 bad_request',
    run: (scene) => save(scene, 'ann', scene.newTemplate(), letter('receipt', 'own')),
  },
  {
    who: 'Admin',
    tries: 'publishing the own draft by an address with a coded slash',
    ends: '404 not_found',
    run: async (scene) => {
      const id = await draftOf(scene, 'ann');
      return (await scene.send('ann', 'POST', `/v1/templates%2F${id}/publish`)).said;
    },
  },
  {
    who: 'a page of another origin, in the browser of an Admin',
    tries: "publishing an Editor's draft",
    ends: '403 forbidden',
    run: async (scene) => {
      const id = await draftOf(scene, 'eve');
      const headers = { origin: 'https://evil.example' };
      return (await scene.send('ann', 'POST', `/v1/templates/${id}/publish`, { headers })).said;
    },
  },
];

async function withMatch(scene: Scene, who: string, match: () => string): Promise<string> {
  const id = await draftOf(scene, who);
  const body = { compared: await comparedOf(scene, id) };
  const headers = { 'if-match': match() };
  return (await scene.send(who, 'POST', `/v1/templates/${id}/publish`, { body, headers })).said;
}

async function raceSaves(scene: Scene): Promise<string> {
  const id = await draftOf(scene, 'eve');
  for (let n = 0; n < 8; n += 1) {
    await save(scene, 'eve', id, letter(id, `by eve ${n}`));
    const own = letter(id, `by ann ${n}`);
    await Promise.all([publish(scene, 'ann', id), save(scene, 'ann', id, own)]);
  }
  const history = await scene.store.templates.history('bank', id);
  for (const { version, publishedBy } of history) {
    const file = await scene.store.templates.version('bank', id, version);
    const isOwn = Buffer.from(file?.source ?? []).includes('by ann');
    if (publishedBy === 'user:ann' && isOwn) return `version ${version} is an own change`;
  }
  return 'no own change is published';
}

export const PUBLISHING_ATTEMPTS: readonly Attempt[] = [...CALLERS, ...CONTRIBUTORS, ...GAMES];
