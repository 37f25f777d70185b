import { signal } from '@preact/signals';
import { callJson, query } from '../api/client.ts';
import type { Key, UserName } from '../api/types.ts';
import { NameBook, type Names } from '../app/name-book.ts';
import { isAdmin, session } from '../app/state.ts';
import { formatPrincipal, t } from '../i18n/i18n.ts';

/** Users and keys read at a time, and how many of each are read at most for their names. */
const PAGE = 200;
const PAGES_MAX = 10;

const book = new NameBook(readNames);
/** Users of the team who cannot sign in, of those whose names were read. */
const inactive = signal<ReadonlySet<string>>(new Set());

interface LabelProps {
  readonly principal: string;
  /** The name, where a reply has it: only Admins may list keys. */
  readonly known?: string | undefined;
}

/** A user by the displayed name, or a key by its name, with its identifier in small letters. */
export function PrincipalLabel({ principal, known }: LabelProps) {
  const listed = book.useName(principal);
  const name = known ?? listed;
  const id = formatPrincipal(principal);
  if (name === null || name === id) return <span class="mono">{id}</span>;
  return (
    <span class="template-label">
      {name}
      <span class="id soft mono">{id}</span>
    </span>
  );
}

/** Only the name; the identifier while there is none. */
export function PrincipalName({ principal }: { readonly principal: string }) {
  return <>{book.useName(principal) ?? formatPrincipal(principal)}</>;
}

/** A hook. Returns what to call these users and keys in a sentence: by name, if they have one. */
export function usePersons(principals: readonly string[]): (principal: string) => string {
  const known = book.useNames(principals);
  const { userId, displayName } = session.value;
  return (principal) => {
    const own = principal === `user:${userId}` ? displayName : '';
    return known(principal) ?? (own || formatPrincipal(principal));
  };
}

/** A hook, as above; adds that a person is not active any more. */
export function useColleagues(principals: readonly string[]): (principal: string) => string {
  const nameOf = usePersons(principals);
  return (principal) => {
    const who = nameOf(principal);
    return inactive.value.has(principal) ? t('users.name_inactive', { who }) : who;
  };
}

/** Names who changed a draft since the last version. */
export function ChangedBy({ contributors }: { readonly contributors: readonly string[] }) {
  const nameOf = usePersons(contributors);
  if (contributors.length === 0) return null;
  return (
    <span class="small soft">{t('publish.by', { who: contributors.map(nameOf).join(', ') })}</span>
  );
}

/** Gives the names of these users and keys; '' for what has none. */
export async function namesOf(principals: Iterable<string>): Promise<(id: string) => string> {
  const names = await book.load(principals);
  return (id) => names(id) ?? '';
}

/** Users and keys of the team, by identifier. */
export function readPrincipals(): Promise<Names> {
  return readNames(new Set(['user:', 'key:']));
}

async function readNames(principals: ReadonlySet<string>): Promise<Names> {
  const kinds = new Set([...principals].map((principal) => principal.split(':')[0]));
  const users = kinds.has('user') ? await all<UserName>('user-names', 'users') : [];
  if (kinds.has('user')) {
    // An older instance does not say it while the service is updated.
    const gone = users.filter(({ active = true }: Partial<UserName>) => !active);
    inactive.value = new Set(gone.map(({ userId }) => `user:${userId}`));
  }
  // Only Admins see keys.
  const keys = kinds.has('key') && isAdmin.value ? await all<Key>('keys', 'keys') : [];
  return [
    ...users.map(({ userId, displayName }) => [`user:${userId}`, displayName] as const),
    ...keys.map(({ keyId, name }) => [`key:${keyId}`, name] as const),
  ];
}

async function all<T>(address: 'user-names' | 'keys', list: string): Promise<readonly T[]> {
  const items: T[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const from: string = `/v1/${address}${query({ after, limit: PAGE })}`;
    const found: Record<string, unknown> = await callJson(from);
    items.push(...(found[list] as T[]));
    after = found['next'] as string | null;
    if (after === null) break;
  }
  return items;
}
