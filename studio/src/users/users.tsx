import { useState } from 'preact/hooks';
import { ApiError, callJson, path, query } from '../api/client.ts';
import type { Role, User } from '../api/types.ts';
import { session } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { ListingView, useListing } from '../ui/list.tsx';
import { Badge, Button, Dialog, Empty, ErrorNotice, PageHead } from '../ui/parts.tsx';

const ROLES: readonly Role[] = ['Viewer', 'Editor', 'Admin'];
/** Users on a page of the list. */
const LIMIT = 50;

async function listUsers(
  after: string | null,
  signal: AbortSignal,
): Promise<{ items: readonly User[]; next: string | null }> {
  const asked = query({ after, limit: LIMIT });
  const page = await callJson<{ users: readonly User[]; next: string | null }>(
    `/v1/users${asked}`,
    { signal },
  );
  return { items: page.users, next: page.next };
}

/** Users of the team, for Admins: roles, and how somebody who leaves is out at once. */
export function UsersPage() {
  // Shown instead of the rows as loaded: a reload of the list would lose the pages after the first.
  const [changed, setChanged] = useState<readonly User[]>([]);
  const [dialog, setDialog] = useState<{ user: User; about: 'role' | 'active' } | null>(null);
  const listing = useListing(listUsers, []);
  return (
    <div class="page">
      <PageHead title={t('users.title')} intro={t('users.intro')} />
      <ListingView listing={listing} empty={<Empty icon="users" title={t('users.empty')} />}>
        {(users) => (
          <UserTable
            users={users.map(
              (user) => changed.findLast(({ userId }) => userId === user.userId) ?? user,
            )}
            onChange={(user, about) => setDialog({ user, about })}
          />
        )}
      </ListingView>
      {dialog === null ? null : (
        <ChangeUser
          {...dialog}
          onClose={() => setDialog(null)}
          onDone={(user) => {
            setChanged([...changed, user]);
            setDialog(null);
          }}
        />
      )}
    </div>
  );
}

interface UserTableProps {
  readonly users: readonly User[];
  readonly onChange: (user: User, about: 'role' | 'active') => void;
}

function UserTable({ users, onChange }: UserTableProps) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('users.title')}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('users.user')}</th>
            <th scope="col">{t('users.role')}</th>
            <th scope="col">{t('keys.state')}</th>
            <th scope="col">
              <span class="hidden">{t('template.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.userId}>
              <td class="breaks">
                <strong>{user.displayName || user.userId}</strong>
                <br />
                <span class="small soft mono">{user.userId}</span>
              </td>
              <td class="fit">{t(`role.${user.role}`)}</td>
              <td class="fit">
                <Badge tone={user.active ? 'good' : 'bad'}>
                  {t(user.active ? 'users.active' : 'users.inactive')}
                </Badge>
              </td>
              <td class="fit actions">
                {/* Nobody changes the own user: the team could be left without an Admin. */}
                {user.userId === session.value.userId ? null : (
                  <>
                    <Button kind="quiet" icon="edit" onClick={() => onChange(user, 'role')}>
                      {t('users.change')}
                    </Button>
                    <Button kind="quiet" icon="out" onClick={() => onChange(user, 'active')}>
                      {t(user.active ? 'users.deactivate' : 'users.reactivate')}
                    </Button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ChangeUserProps {
  readonly user: User;
  readonly about: 'role' | 'active';
  readonly onClose: () => void;
  readonly onDone: (user: User) => void;
}

function ChangeUser({ user, about, onClose, onDone }: ChangeUserProps) {
  const [role, setRole] = useState<Role>(user.role);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const act = async (action: string, body: object = {}): Promise<void> => {
    setBusy(true);
    try {
      const address = path`/v1/users/${user.userId}/${action}`;
      onDone(await callJson<User>(address, { method: 'POST', body }));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setBusy(false);
    }
  };
  const name = user.displayName || user.userId;
  return (
    <Dialog title={t('users.change_title', { name })} onClose={onClose}>
      <div class="body">
        {about === 'role' ? (
          <label class="field">
            <span class="field-label">{t('users.role')}</span>
            <select
              class="input"
              value={role}
              onChange={(event) =>
                setRole(ROLES.find((one) => one === event.currentTarget.value) ?? role)
              }
            >
              {ROLES.map((one) => (
                <option key={one} value={one}>
                  {t(`role.${one}`)}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <p>{user.active ? t('users.deactivate_text') : null}</p>
        )}
        {error === null ? null : <ErrorNotice error={error} />}
        <div class="dialog-actions">
          {about === 'role' ? (
            <>
              <Button busy={isBusy} onClick={() => void act('sign-out')}>
                {t('users.sign_out')}
              </Button>
              <Button kind="main" busy={isBusy} onClick={() => void act('role', { role })}>
                {t('users.set_role')}
              </Button>
            </>
          ) : (
            <>
              <Button onClick={onClose}>{t('action.cancel')}</Button>
              <Button
                kind="danger"
                busy={isBusy}
                onClick={() => void act(user.active ? 'deactivate' : 'reactivate')}
              >
                {t(user.active ? 'users.deactivate' : 'users.reactivate')}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
