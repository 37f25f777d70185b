import type { Model } from '../../tools/pdfa/model.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { findViolations } from '../../tools/pdfa/rules.ts';
import type { StructElement } from '../../tools/pdfa/structure.ts';
import { render, shareTemplate } from '../../lab/render.ts';

/** A tagged document of a content, with the structure tree as indented lines. */
export interface TaggedDocument {
  readonly pdf: Uint8Array;
  readonly model: Model;
  /** Violations of ISO 14289-1. */
  readonly violations: readonly unknown[];
  /** One line an element: two spaces a level, type, attributes, text. */
  readonly lines: readonly string[];
}

export async function renderTagged(
  content: unknown,
  more: object = {},
  data: object = {},
): Promise<TaggedDocument> {
  const { document = {}, ...rest } = more as { document?: object };
  const info = { title: 'Letter' };
  const source = JSON.stringify({
    templateId: 'tagged',
    language: 'th',
    document: { tagged: true, info, content, ...document },
    ...rest,
  });
  const { pdf } = await render(shareTemplate(source), data);
  const model = readModel(pdf);
  const lines: string[] = [];
  for (const element of model.structure.root) addLines(model, element, '', lines);
  return { pdf, model, violations: findViolations(pdf, 'ua'), lines };
}

function addLines(model: Model, element: StructElement, indent: string, lines: string[]): void {
  let text = '';
  let objects = 0;
  const inner: string[] = [];
  for (const leaf of element.leaves) {
    if ('dictionary' in leaf) addLines(model, leaf, `${indent}  `, inner);
    else if (leaf.kind === 'object') objects++;
    else text += model.texts.get(leaf.page)?.get(leaf.mcid) ?? '';
  }
  const attributes = model.document.get(element.dictionary, 'A');
  const scope = model.document.nameAt(attributes, 'Scope');
  const language = model.document.textAt(element.dictionary, 'Lang');
  const words = [
    element.type,
    language === null ? '' : `@${language}`,
    scope === null ? '' : `scope=${scope}`,
    objects === 0 ? '' : `links=${objects}`,
    text.trim() === '' ? '' : JSON.stringify(text.trim()),
  ];
  lines.push(indent + words.filter((word) => word !== '').join(' '), ...inner);
}
