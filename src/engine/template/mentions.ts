import { isObject } from '../../runtime/json-object.ts';

/** Names used anywhere in the layout, also in nodes that a fault keeps from being compiled. */
export interface Mentions {
  readonly fields: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
  readonly pdfs: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

const FIELD_KEYS: ReadonlySet<string> = new Set(['if', 'unless', 'each', 'opening']);

/**
 * Collects the names in a layout, also from faulty nodes. A field in a row that lacks a cell must
 * not be reported as unused, nor an id in a node with a mistyped kind as missing: the row and the
 * node are reported.
 */
export function mentionsIn(document: unknown): Mentions {
  const fields = new Set<string>();
  const images = new Set<string>();
  const pdfs = new Set<string>();
  const ids = new Set<string>();
  const pending: unknown[] = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') addFields(value, fields);
    else if (Array.isArray(value)) for (const item of value) pending.push(item);
    else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const member = value[key];
        if (typeof member === 'object') pending.push(member);
        if (typeof member !== 'string') continue;
        addFields(member, fields);
        if (FIELD_KEYS.has(key)) {
          fields.add(member);
          addNames(member, fields);
        }
        if (key === 'image') images.add(member);
        if (key === 'pdf') pdfs.add(member);
        if (key === 'id') ids.add(member);
      }
    }
  }
  return { fields, images, pdfs, ids };
}

function addFields(text: string, fields: Set<string>): void {
  if (!text.includes('{{')) return;
  // Names in a placeholder that lacks its "}}" count as used, too.
  for (const [, open = ''] of text.matchAll(/\{\{([^{}]*)(?=\{|\}(?!\})|$)/gu))
    addNames(open, fields);
  for (const [, name = ''] of text.matchAll(/\{\{([^{}]*)\}\}/gu)) {
    fields.add(name.trim());
    if (name.trimStart().startsWith('=')) addNames(name, fields);
    const table = /^sum\s+(.+?)\.\d+$/u.exec(name.trim())?.[1];
    if (table !== undefined) fields.add(table);
  }
}

/** Adds each path of an expression, and the beginnings of the path: `a.b.c`, `a.b` and `a`. */
function addNames(expression: string, fields: Set<string>): void {
  for (const [path] of expression.matchAll(/[\p{L}_][\p{L}\p{M}\p{N}_.]*/gu)) {
    for (let end = path.indexOf('.'); end >= 0; end = path.indexOf('.', end + 1)) {
      fields.add(path.slice(0, end));
    }
    fields.add(path);
  }
}
