import type { Store } from '../../store/store.ts';

/** The name of a user or key of the team; '' if it has none. */
export async function nameOf(
  { users, keys }: Store,
  teamId: string,
  principal: string,
): Promise<string> {
  const [, kind, id = ''] = /^(user|key):(.+)$/s.exec(principal) ?? [];
  if (kind === 'key') return (await keys.get(teamId, id))?.name ?? '';
  const user = kind === 'user' ? await users.find(id) : null;
  return user?.teamId === teamId ? user.displayName : '';
}
