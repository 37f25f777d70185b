import { name } from './parse.ts';
import { PDFArray, PDFDict, PDFName, PDFRawStream, PDFRef } from './pdf-lib.ts';
import type { PDFObject } from './pdf-lib.ts';

/** A name in a content stream: `/` and regular characters (§7.2.3, §7.3.5). */
const NAME = /\/[^\0\t\n\f\r ()<>[\]{}/%]*/g;

/** Resources that may hold images. A graphics state may have one in its soft mask. */
const KINDS = ['XObject', 'Pattern', 'ExtGState'];

/**
 * The resources of a page without images, forms, patterns and graphics states that its content does
 * not name. Many programs give all pages one dictionary: a page would have the pictures of all others
 * in its file.
 */
export function drawnResources(resources: PDFDict, content: Uint8Array): PDFDict {
  const named = namesIn(content);
  if (named === null) return resources;
  const own = resources.clone();
  let isLess = false;
  for (const kind of KINDS) {
    const objects = resources.lookup(name(kind));
    if (!(objects instanceof PDFDict)) continue;
    const drawn = PDFDict.withContext(resources.context);
    for (const [key, value] of objects.entries()) {
      if (isNamed(key, named)) drawn.set(key, value);
    }
    isLess ||= drawn.keys().length < objects.keys().length;
    own.set(name(kind), drawn);
  }
  return !isLess || usesOuterResources(own) ? resources : own;
}

/** The names in a content stream, in strings and inline images, too; null: one has an escape. */
function namesIn(content: Uint8Array): ReadonlySet<string> | null {
  const { buffer, byteOffset, byteLength } = content;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
  const names = new Set<string>();
  for (const [found] of text.matchAll(NAME)) names.add(found);
  return [...names].some((found) => found.includes('#')) ? null : names;
}

/** A key with an escape may be named without it. */
function isNamed(key: PDFName, named: ReadonlySet<string>): boolean {
  const text = key.asString();
  return text.includes('#') || named.has(text);
}

/**
 * Whether something below a dictionary has content but no resources: the content then takes those of
 * the page (§7.8.3).
 */
function usesOuterResources(root: PDFDict): boolean {
  const seen = new Set<PDFObject>();
  const pending: PDFObject[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const object = value instanceof PDFRef ? root.context.lookup(value) : value;
    if (object === undefined || seen.has(object)) continue;
    if (object instanceof PDFArray) {
      seen.add(object);
      for (const item of object.asArray()) pending.push(item);
      continue;
    }
    const dict = object instanceof PDFRawStream ? object.dict : object;
    if (!(dict instanceof PDFDict)) continue;
    seen.add(object);
    if (hasContent(object, dict) && !(dict.lookup(name('Resources')) instanceof PDFDict))
      return true;
    for (const member of dict.values()) pending.push(member);
  }
  return false;
}

/** Whether an object has a content stream: a form, a Type 3 font or a tiling pattern has one. */
function hasContent(object: PDFObject, dict: PDFDict): boolean {
  const subtype = dict.lookup(name('Subtype'));
  if (subtype === name('Form') || subtype === name('Type3')) return true;
  return object instanceof PDFRawStream && dict.get(name('PatternType')) !== undefined;
}
