import { isObject } from '../../src/runtime/json-object.ts';

/** Keys that tell the kind of a node in a template file, and the word for it. */
const KINDS: readonly (readonly [key: string, kind: string])[] = [
  ['table', 'table'],
  ['columns', 'columns'],
  ['stack', 'stack'],
  ['ul', 'list'],
  ['ol', 'list'],
  ['image', 'image'],
  ['pdf', 'letterhead'],
  ['svg', 'drawing'],
  ['qr', 'QR code'],
  ['barcode', 'barcode'],
  ['canvas', 'canvas'],
  ['toc', 'table of contents'],
  ['text', 'text'],
];
/** The time of everything inside such a node is counted with that node. */
const INSIDE = /\.(?:table|ul|ol|toc)(?=[.[]).*$/;

/** The node that time is charged to: a table or list as a whole, any other node by itself. */
export function chargedPath(path: string): string {
  return path.replace(INSIDE, '');
}

/** `table at content[4]` for `document.content[4]`; `template` is the parsed template file. */
export function nodeName(path: string, template: unknown): string {
  const place = path.replace(/^document\./, '');
  if (/^(?:header|footer|background)$/.test(place)) return place;
  return `${kindOf(valueAt(template, path))} at ${place}`;
}

function kindOf(node: unknown): string {
  if (typeof node === 'string') return 'text';
  if (Array.isArray(node)) return 'stack';
  if (!isObject(node)) return 'node';
  return KINDS.find(([key]) => key in node)?.[1] ?? 'node';
}

function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    const key = name ?? index ?? '';
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}
