import type { Store } from '../../src/store/store.ts';

/** An attempt to publish, sign, seal or verify what must not be, or to learn of it. */
export interface Attempt {
  /** The caller, in words. */
  readonly who: string;
  /** What the caller tries, in words. */
  readonly tries: string;
  /** How it ends: what `run` answers. */
  readonly ends: string;
  readonly run: (scene: Scene) => Promise<string>;
}

/** What an attempt has at hand. Callers are named `ann`, `key generate`, `rival key runs`, … */
export interface Scene {
  readonly url: string;
  readonly store: Store;
  readonly folder: string;
  /** An identifier that no other attempt uses. */
  readonly newTemplate: () => string;
  readonly send: (who: string, method: string, path: string, call?: Call) => Promise<Answer>;
  /** Gives a user a new session, which the next calls use. */
  readonly signIn: (who: string) => Promise<void>;
  /** Runs a command of the operator; `exit 0`. */
  readonly command: (...args: readonly string[]) => Promise<string>;
}

export interface Call {
  /** A text is sent as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  /** Status and code: `403 forbidden`. */
  readonly said: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** The source of a template that prints `words`; `more` are keys beside its document. */
export function letter(templateId: string, words: string, more: object = {}): object {
  const document = { content: [{ text: words }] };
  return { templateId, name: templateId, language: 'en', fields: [], document, ...more };
}

/** Saves a draft; answers status and code. */
export async function save(
  { send }: Scene,
  who: string,
  templateId: string,
  source: object | string = letter(templateId, 'first'),
): Promise<string> {
  const path = `/v1/templates/${encodeURIComponent(templateId)}/draft`;
  return (await send(who, 'PUT', path, { body: source })).said;
}

/** Publishes the present draft, compared with the version in use; every change is confirmed. */
export async function publish(scene: Scene, who: string, templateId: string): Promise<string> {
  const body = { compared: await comparedOf(scene, templateId) };
  const path = `/v1/templates/${encodeURIComponent(templateId)}/publish`;
  return (await scene.send(who, 'POST', path, { body })).said;
}

/** What a publisher confirms: both hashes, and the changes as another Admin reads them. */
export async function comparedOf(scene: Scene, templateId: string): Promise<object> {
  const { store, send } = scene;
  const path = `/v1/templates/${encodeURIComponent(templateId)}/draft/check`;
  const { json } = await send('checker', 'GET', path);
  const listed = (json['changes'] ?? []) as readonly { readonly id: string }[];
  const changes = listed.map(({ id }) => id);
  const draft = await store.templates.draft('bank', templateId);
  const latest = await store.templates.publishedHash('bank', templateId);
  return { draft: draft.found ? draft.value.hash : '0'.repeat(64), published: latest, changes };
}

/** A template whose version 1 was written by an Editor and published by an Admin. */
export async function published(scene: Scene, more: object = {}): Promise<string> {
  const templateId = scene.newTemplate();
  const saved = await save(scene, 'gus', templateId, letter(templateId, 'first', more));
  const done = await publish(scene, 'ben', templateId);
  if (saved !== '200' || done !== '201') throw new Error(`not published: ${saved}, ${done}`);
  return templateId;
}

/** A draft that `who` wrote. */
export async function draftOf(scene: Scene, who: string, more: object = {}): Promise<string> {
  const templateId = scene.newTemplate();
  const saved = await save(scene, who, templateId, letter(templateId, 'first', more));
  if (saved !== '200') throw new Error(`not saved: ${saved}`);
  return templateId;
}

/** Whether an answer is a signed PDF. */
export function signedOrNot({ said, status, bytes }: Answer): string {
  if (status !== 200) return said;
  return bytes.includes('/ByteRange') ? '200, signed' : '200, not signed';
}
