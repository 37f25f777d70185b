import type { Run } from '../model/nodes.ts';
import { isLinkAddress } from '../model/address.ts';
import type { LinkTarget } from '../model/frame.ts';
import { isStaticText, type DataScope } from './scope.ts';

/**
 * The target of a link with its bindings filled in; null when it is empty, not a page number, or an
 * address that links may not open: data must not put actions into a document.
 */
export function resolveLink(link: Run['link'], scope: DataScope): LinkTarget | null {
  if (link === null) return null;
  const to = scope.text(link.to);
  if (to === '') return null;
  switch (link.kind) {
    case 'uri':
      // The address of a fixed link was checked with the template.
      return isStaticLink(link) || isLinkAddress(to) ? { kind: 'uri', uri: to } : null;
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
