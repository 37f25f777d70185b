import type { Answer, Attempt, Scene } from './attempt.ts';
import { draftOf, letter, published, signedOrNot } from './attempt.ts';

const SIGNED = { signature: true };
const FIELD = { page: 1, x: 300, y: 700, width: 200, height: 40 };
/** Keys of a template that asks for a signature. */
const SIGNING = { signature: true, signatureField: FIELD };

function generate(scene: Scene, who: string, more: object | string): Promise<Answer> {
  const body = typeof more === 'string' ? more : { mode: 'sync', data: {}, ...more };
  return scene.send(who, 'POST', '/v1/generate', { body });
}

async function draftSigned(scene: Scene, who: string, path: string): Promise<string> {
  const templateId = await draftOf(scene, 'eve');
  const body = { templateId, draft: true, mode: 'sync', data: {}, options: SIGNED };
  return signedOrNot(await scene.send(who, 'POST', path, { body }));
}

async function draftOfSigning(scene: Scene, path: string): Promise<string> {
  const templateId = await draftOf(scene, 'eve', SIGNING);
  const body = { templateId, draft: true, mode: 'sync', data: {} };
  return signedOrNot(await scene.send('eve', 'POST', path, { body }));
}

async function versionSigned(scene: Scene, who: string, more: object = {}): Promise<string> {
  const templateId = await published(scene);
  return signedOrNot(await generate(scene, who, { templateId, options: SIGNED, ...more }));
}

async function storedSigned(scene: Scene): Promise<string> {
  const templateId = await published(scene, SIGNING);
  const { json } = await generate(scene, 'key generate', { templateId, mode: 'async' });
  return String(json['documentId']);
}

const DRAFTS: readonly Attempt[] = [
  {
    who: 'Editor',
    tries: 'a signed draft by `POST /v1/generate`',
    ends: '400 bad_request',
    run: (scene) => draftSigned(scene, 'eve', '/v1/generate'),
  },
  {
    who: 'Editor',
    tries: 'a signed draft by `POST /v1/previews`',
    ends: '400 bad_request',
    run: (scene) => draftSigned(scene, 'eve', '/v1/previews'),
  },
  {
    who: 'Admin',
    tries: 'a signed draft by `POST /v1/generate`',
    ends: '400 bad_request',
    run: (scene) => draftSigned(scene, 'ann', '/v1/generate'),
  },
  {
    who: 'Editor',
    tries: 'the draft of a signing template by `POST /v1/generate`',
    ends: '200, not signed',
    run: (scene) => draftOfSigning(scene, '/v1/generate'),
  },
  {
    who: 'Editor',
    tries: 'the draft of a signing template by `POST /v1/previews`',
    ends: '200, not signed',
    run: (scene) => draftOfSigning(scene, '/v1/previews'),
  },
  {
    who: 'Editor',
    tries: 'the draft of a signing template by saving with `preview=0`',
    ends: '200, not signed',
    run: async (scene) => {
      const id = scene.newTemplate();
      const samples = [{ name: 'one', data: {} }];
      const body = letter(id, 'first', { ...SIGNING, samples });
      const path = `/v1/templates/${id}/draft?preview=0`;
      return signedOrNot(await scene.send('eve', 'PUT', path, { body }));
    },
  },
  {
    who: 'key `generate`',
    tries: 'a signed draft by `POST /v1/generate`',
    ends: '403 draft_requires_user',
    run: (scene) => draftSigned(scene, 'key generate', '/v1/generate'),
  },
  {
    who: 'Editor',
    tries: 'a draft as `"draft": "true"`, signed',
    ends: '400 bad_request',
    run: async (scene) => {
      const templateId = await draftOf(scene, 'eve');
      return (await generate(scene, 'eve', { templateId, draft: 'true', options: SIGNED })).said;
    },
  },
  {
    who: 'Editor',
    tries: 'a body that says `draft` twice, `true` and then `false`, signed',
    ends: '404 not_found',
    run: async (scene) => {
      const templateId = await draftOf(scene, 'eve');
      const rest = `"mode":"sync","data":{},"options":{"signature":true},"draft":false`;
      const body = `{"templateId":"${templateId}","draft":true,${rest}}`;
      return signedOrNot(await generate(scene, 'eve', body));
    },
  },
  {
    who: 'key `generate`',
    tries: 'the number that the draft will have, as `version`',
    ends: '404 not_found',
    run: async (scene) => {
      const templateId = await draftOf(scene, 'eve', SIGNING);
      return (await generate(scene, 'key generate', { templateId, version: 1 })).said;
    },
  },
  {
    who: 'key `runs`',
    tries: 'a run with `"draft": true`',
    ends: '400 bad_request',
    run: async (scene) => {
      const templateId = await draftOf(scene, 'eve', SIGNING);
      const body = { templateId, idField: 'id', draft: true };
      return (await scene.send('key runs', 'POST', '/v1/runs', { body })).said;
    },
  },
  {
    who: 'Editor',
    tries: 'a run of a signing template that is only a draft',
    ends: '404 not_found',
    run: async (scene) => {
      const templateId = await draftOf(scene, 'eve', SIGNING);
      const body = { templateId, idField: 'id' };
      return (await scene.send('eve', 'POST', '/v1/runs', { body })).said;
    },
  },
];

const VERSIONS: readonly Attempt[] = [
  {
    who: 'key `generate`',
    tries: 'a signed version (allowed: what was published may be signed)',
    ends: '200, signed',
    run: (scene) => versionSigned(scene, 'key generate'),
  },
  {
    who: 'key `generate`',
    tries: 'a signed version under a watermark (the signature comes last)',
    ends: '200, signed',
    run: (scene) => {
      const options = { ...SIGNED, watermark: { text: 'COPY' } };
      return versionSigned(scene, 'key generate', { options });
    },
  },
  {
    who: 'key `generate`',
    tries: 'a signed document attached to an unsigned one, to keep its signature',
    ends: '200, not signed',
    run: async (scene) => {
      const attach = [await storedSigned(scene)];
      const templateId = await published(scene);
      return signedOrNot(
        await generate(scene, 'key generate', { templateId, options: { attach } }),
      );
    },
  },
  {
    who: "another team's key `generate`",
    tries: 'attaching a signed document of this team',
    ends: '404 not_found',
    run: async (scene) => {
      const attach = [await storedSigned(scene)];
      const templateId = scene.newTemplate();
      const { templates } = scene.store;
      const source = Buffer.from(JSON.stringify(letter(templateId, 'ours')));
      await templates.saveDraft('rival', templateId, templateId, source);
      const draft = await templates.draft('rival', templateId);
      await templates.publish('rival', templateId, draft.found ? draft.value.hash : '');
      const body = { templateId, options: { attach, ...SIGNED } };
      return signedOrNot(await generate(scene, 'rival key generate', body));
    },
  },
  {
    who: 'nobody',
    tries: 'a signed version',
    ends: '401 unauthenticated',
    run: (scene) => versionSigned(scene, 'nobody'),
  },
  {
    who: 'Viewer',
    tries: 'a signed version',
    ends: '403 forbidden',
    run: (scene) => versionSigned(scene, 'vic'),
  },
  {
    who: 'key `documents:read`',
    tries: 'a signed version',
    ends: '403 insufficient_scope',
    run: (scene) => versionSigned(scene, 'key documents:read'),
  },
  {
    who: "another team's Admin",
    tries: 'a signed version of this team',
    ends: '404 not_found',
    run: (scene) => versionSigned(scene, 'ron'),
  },
];

export const SIGNING_ATTEMPTS: readonly Attempt[] = [...DRAFTS, ...VERSIONS];
