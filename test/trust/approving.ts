import { type Attempt, draftOf, publish, type Scene } from './attempt.ts';

/** Acts on the request for approval of the present draft: asks, or sends it back. */
async function act(
  { send, store }: Scene,
  who: string,
  templateId: string,
  tail: '' | '/send-back',
): Promise<string> {
  const found = await store.templates.draftHash('bank', templateId);
  const draft = found.found ? found.value.hash : '';
  const body = tail === '' ? { draft, note: 'why' } : { draft, comment: 'no' };
  const path = `/v1/templates/${encodeURIComponent(templateId)}/approval${tail}`;
  return (await send(who, 'POST', path, { body })).said;
}

/** Asks for approval of a draft that `author` wrote. */
async function asked(scene: Scene, author: string): Promise<string> {
  const templateId = await draftOf(scene, author);
  await act(scene, 'eve', templateId, '');
  return templateId;
}

function sendingBack(who: string, caller: string, author: string, ends: string): Attempt {
  const tries = author === caller ? 'sending the own draft back' : "sending an Editor's draft back";
  const run = async (scene: Scene): Promise<string> =>
    act(scene, caller, await asked(scene, author), '/send-back');
  return { who, tries, ends, run };
}

/** Attempts to ask for approval, or to decide, without the right. */
export const APPROVING: readonly Attempt[] = [
  {
    who: 'key `generate`',
    tries: 'asking for approval of a draft',
    ends: '403 draft_requires_user',
    run: async (scene) => act(scene, 'key generate', await draftOf(scene, 'eve'), ''),
  },
  {
    who: "another team's Admin",
    tries: 'asking for approval of a draft',
    ends: '404 not_found',
    run: async (scene) => act(scene, 'ron', await draftOf(scene, 'eve'), ''),
  },
  sendingBack('Editor', 'gus', 'eve', '403 forbidden'),
  sendingBack('Admin', 'ann', 'ann', '403 forbidden'),
  sendingBack("another team's Admin", 'ron', 'eve', '404 not_found'),
  {
    who: 'Admin',
    tries: "publishing an Editor's draft that another Admin has sent back",
    ends: '409 approval_conflict',
    run: async (scene) => {
      const templateId = await asked(scene, 'eve');
      await act(scene, 'ben', templateId, '/send-back');
      return publish(scene, 'ann', templateId);
    },
  },
];
