import { PLAIN_TYPES } from '../contract/types.ts';
import type { FontLibrary } from '../font/font.ts';
import { loadFonts } from '../font/library.ts';
import { ownDecodeBudget } from '../image/decode-budget.ts';
import type { Finding } from '../job.ts';
import { compileTemplate } from './compile.ts';
import type { Compilation, ReadyTemplate } from './compile.ts';
import type { Node } from '../model/nodes.ts';
import type { Surroundings } from './context.ts';

/** Test fixtures: templates in one line. */

/** The resources of an engine that has no words of an institution. */
export function plainSurroundings(fonts: FontLibrary): Surroundings {
  return { fonts, words: [], decodeBudget: ownDecodeBudget() };
}

const surroundings = plainSurroundings(loadFonts(null).library);

export function compileFile(file: unknown): Promise<Compilation> {
  const source = new TextEncoder().encode(JSON.stringify(file));
  return compileTemplate(source, { hash: 'test' }, surroundings);
}

/** Fields of every type of single values, named as their type. */
export const FIELDS = PLAIN_TYPES.map((type) => ({
  name: type,
  type,
  required: false,
}));

/** Findings of a document, without those about unused fields, which these tests do not examine. */
export async function findingsOf(document: object, more: object = {}): Promise<readonly Finding[]> {
  const file = { templateId: 'test', fields: FIELDS, document, ...more };
  const { findings } = await compileFile(file);
  return findings.filter(({ message }) => !message.includes('nothing is bound to it'));
}

/** A template that must compile. */
export async function compiled(document: object, more: object = {}): Promise<ReadyTemplate> {
  const file = { templateId: 'test', fields: FIELDS, document, ...more };
  const { template, findings } = await compileFile(file);
  if (template === null) throw new Error(JSON.stringify(findings));
  return template;
}

/** The nodes of the first section. */
export async function nodesOf(content: unknown, more: object = {}): Promise<readonly Node[]> {
  const { sections } = await compiled({ content, ...more });
  return sections[0]?.content.children ?? [];
}

/** The first node, which is of the given kind. */
export async function nodeOf<K extends Node['kind']>(
  kind: K,
  node: unknown,
  more: object = {},
): Promise<Extract<Node, { kind: K }>> {
  const [first] = await nodesOf([node], more);
  if (first?.kind !== kind) throw new Error(`expected a ${kind}, got a ${first?.kind}`);
  // The kind was compared just now.
  return first as Extract<Node, { kind: K }>;
}
