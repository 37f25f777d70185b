import type { Held, Kid } from './structure.ts';

/** Everything that the objects of an element are made of, except for the numbers of the file. */
export function keyOf(held: Held): string {
  const { element, kids } = held;
  sortKids(kids);
  const { type, alt, lang, cell } = element;
  let key: string = type;
  if (alt !== null) key += JSON.stringify(alt);
  if (lang !== null) key += `@${JSON.stringify(lang)}`;
  if (cell !== null) key += `#${cell.colSpan},${cell.rowSpan},${cell.scope}`;
  key += '(';
  for (const kid of kids) {
    switch (kid.kind) {
      case 'element':
        key += keyOf(kid.held);
        break;
      case 'content':
        key += `${kid.page}.${kid.mcid} `;
        break;
      case 'annotation':
        key += `${kid.page}&${kid.object} `;
        break;
      case 'rows': {
        const { page, firstMcid, isFilled, rows } = kid.run;
        key += `${page}.${firstMcid}[${rows.scopes.join(',')}|${String.fromCharCode(...isFilled)}]`;
        break;
      }
    }
  }
  return `${key})`;
}

/** Brings what an element holds into reading order. */
export function sortKids(kids: Kid[]): void {
  let last = -1;
  for (const { order } of kids) {
    if (order < last) {
      kids.sort((one, other) => one.order - other.order);
      return;
    }
    last = order;
  }
}
