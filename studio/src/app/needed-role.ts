import type { Role } from '../api/types.ts';

/** The least role that opens the page at an address; null: anybody, or there is no such page. */
export function neededRole(parts: readonly string[]): Exclude<Role, 'Viewer'> | null {
  const [area = '', id, view = ''] = parts;
  switch (area) {
    case 'templates':
      return /^(?:edit|publish|version-\d+)$/.test(view) ? 'Editor' : null;
    case 'runs':
      return id === 'new' ? 'Editor' : null;
    case 'generate':
    case 'approvals':
      return 'Editor';
    case 'audit':
    case 'keys':
    case 'users':
    case 'operations':
      return 'Admin';
    default:
      return null;
  }
}

/** Whether somebody with this role may open the page at an address. */
export function mayOpen(role: Role, parts: readonly string[]): boolean {
  const needed = neededRole(parts);
  return needed === null || role === 'Admin' || role === needed;
}
