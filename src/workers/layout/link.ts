import type { Run } from '../model/nodes.ts';
import type { LinkTarget } from '../model/frame.ts';
import { isStaticText, type DataScope } from './scope.ts';

/** The target of a link with its bindings filled in; null when it is empty or not a page number. */
export function resolveLink(link: Run['link'], scope: DataScope): LinkTarget | null {
  if (link === null) return null;
  const to = scope.text(link.to);
  if (to === '') return null;
  switch (link.kind) {
    case 'uri':
      return { kind: 'uri', uri: to };
    case 'destination':
      return { kind: 'destination', name: to };
    case 'page': {
      const page = Number(to);
      return Number.isInteger(page) && page > 0 ? { kind: 'page', pageIndex: page - 1 } : null;
    }
  }
}

export function isStaticLink(link: Run['link']): boolean {
  return link === null || isStaticText(link.to);
}
