import { useState } from 'preact/hooks';
import type { User } from '../api/types.ts';
import { hasProvider, session } from '../app/state.ts';
import { formatAgo, formatTime, t } from '../i18n/i18n.ts';
import { ListingView, useListing } from '../ui/list.tsx';
import { Badge, Button, Empty, PageHead } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { listUsers, type UserAction } from './api.ts';
import { ActDialog, LinkDialog, NewUserDialog, RoleDialog } from './dialogs.tsx';

type Asked = { readonly user: User; readonly about: 'role' | 'link' | UserAction };

/** Users of the team, for Admins: who may do what, and how somebody who leaves is out at once. */
export function UsersPage() {
  // Shown instead of the rows as loaded: a reload of the list would lose the pages after the first.
  const [changed, setChanged] = useState<readonly User[]>([]);
  const [made, setMade] = useState(0);
  const [asked, setAsked] = useState<Asked | 'new' | null>(null);
  const listing = useListing(listUsers, [made]);
  const close = (): void => setAsked(null);
  const onChanged = (user: User): void => setChanged((before) => [...before, user]);
  return (
    <div class="page">
      <PageHead
        title={t('users.title')}
        intro={`${t('users.of_team', { team: session.value.teamId })} ${t(hasProvider ? 'users.intro' : 'users.intro_local')}`}
      >
        <Button kind="main" icon="add" onClick={() => setAsked('new')}>
          {t('users.new')}
        </Button>
      </PageHead>
      <ListingView listing={listing} empty={<Empty icon="users" title={t('users.empty')} />}>
        {(users) => (
          <UserTable
            users={users.map(
              (user) => changed.findLast(({ userId }) => userId === user.userId) ?? user,
            )}
            onAsk={(user, about) => setAsked({ user, about })}
          />
        )}
      </ListingView>
      {asked === 'new' ? (
        <NewUserDialog onClose={close} onMade={() => setMade((before) => before + 1)} />
      ) : null}
      {asked === null || asked === 'new' ? null : (
        <ChosenDialog asked={asked} onClose={close} onChanged={onChanged} />
      )}
    </div>
  );
}

interface ChosenProps {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onChanged: (user: User) => void;
}

function ChosenDialog({ asked: { user, about }, ...rest }: ChosenProps) {
  if (about === 'role') return <RoleDialog user={user} {...rest} />;
  if (about === 'link') return <LinkDialog user={user} onClose={rest.onClose} />;
  return <ActDialog user={user} action={about} {...rest} />;
}

interface TableProps {
  readonly users: readonly User[];
  readonly onAsk: (user: User, about: Asked['about']) => void;
}

function UserTable({ users, onAsk }: TableProps) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('users.title')}>
      <table class="table cards" role="table">
        <TableHead
          columns={['users.user', 'users.role', 'users.last_sign_in', 'keys.state']}
          hasActions
        />
        <tbody role="rowgroup">
          {users.map((user) => (
            <UserRow key={user.userId} user={user} onAsk={onAsk} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly user: User;
  readonly onAsk: TableProps['onAsk'];
}

function UserRow({ user, onAsk }: RowProps) {
  const { userId, displayName, email, role, active, lastSignInAt } = user;
  return (
    <tr role="row">
      <td role="cell" class="title breaks">
        <strong>{displayName || userId}</strong>
        <br />
        <span class="small soft mono">{userId}</span>
        {email === '' ? null : <span class="small soft"> · {email}</span>}
      </td>
      <td role="cell" class="fit" data-label={t('users.role')}>
        {t(`role.${role}`)}
      </td>
      <td
        role="cell"
        class="fit"
        data-label={t('users.last_sign_in')}
        {...(lastSignInAt === null ? {} : { title: formatTime(lastSignInAt, true) })}
      >
        {lastSignInAt === null ? t('users.never') : formatAgo(lastSignInAt)}
      </td>
      <td role="cell" class="fit" data-label={t('keys.state')}>
        <Badge tone={active ? 'good' : 'bad'}>
          {t(active ? 'users.active' : 'users.inactive')}
        </Badge>
      </td>
      <td role="cell" class="actions">
        <span class="row">
          <Actions user={user} onAsk={onAsk} />
        </span>
      </td>
    </tr>
  );
}

function Actions({ user, onAsk }: RowProps) {
  const isOwn = user.userId === session.value.userId;
  return (
    <>
      {isOwn ? (
        // Whoever changes others stays an Admin, so that a team is never left without one.
        <span class="small soft">{t('users.own')}</span>
      ) : (
        <Button kind="quiet" icon="edit" onClick={() => onAsk(user, 'role')}>
          {t('users.change')}
        </Button>
      )}
      {hasProvider || isOwn || !user.active ? null : (
        <Button kind="quiet" icon="keys" onClick={() => onAsk(user, 'link')}>
          {t('users.link')}
        </Button>
      )}
      {user.active ? (
        <Button kind="quiet" icon="out" onClick={() => onAsk(user, 'sign-out')}>
          {t('users.sign-out')}
        </Button>
      ) : null}
      {isOwn ? null : (
        <Button
          kind="quiet"
          icon={user.active ? 'close' : 'check'}
          onClick={() => onAsk(user, user.active ? 'deactivate' : 'reactivate')}
        >
          {t(user.active ? 'users.deactivate' : 'users.reactivate')}
        </Button>
      )}
    </>
  );
}
