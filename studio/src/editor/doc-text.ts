import type { Text } from '@codemirror/state';

const texts = new WeakMap<Text, string>();

/**
 * The whole text of a document, which several parts of the editor read after each change. Joining
 * its lines is kept, because it takes as long as all that they do with it.
 */
export function docText(doc: Text): string {
  const known = texts.get(doc);
  if (known !== undefined) return known;
  const text = doc.toString();
  texts.set(doc, text);
  return text;
}
