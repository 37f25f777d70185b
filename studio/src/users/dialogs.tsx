import type { Ref } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { hasVisible } from '../../../src/runtime/readable-name.ts';
import { ApiError } from '../api/client.ts';
import type { Role, User } from '../api/types.ts';
import { hasProvider, leaveEverywhere, session, tell } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { CopyButton, Notice } from '../ui/parts.tsx';
import { actOnUser, createUser, setRole, type UserAction } from './api.ts';
import { OpenWork } from './open-work.tsx';
import { RoleChoice } from './role-choice.tsx';
import { emailFault, idFault, idRefusal, linkCommand } from './typed.ts';

interface DialogProps {
  readonly user: User;
  readonly onClose: () => void;
  /** Shows the user as changed; the dialog stays open if somebody else changed it. */
  readonly onChanged: (user: User) => void;
}

export function nameOf({ displayName, userId }: User): string {
  return displayName || userId;
}

export function RoleDialog({ user, onClose, onChanged }: DialogProps) {
  const [role, setChosen] = useState<Role>(user.role);
  const name = nameOf(user);
  const act = async (): Promise<boolean> => {
    onChanged(await setRole(user.userId, role, user.role));
    tell('good', () => t('users.role_set', { name, role: t(`role.${role}`) }));
    return true;
  };
  return (
    <ActionDialog
      title={t('users.role_title', { name })}
      action={t('users.set_role')}
      isReady={role !== user.role}
      onClose={onClose}
      act={() => explained(act)}
    >
      <RoleChoice role={role} onChange={setChosen} />
      <p class="small soft">{t('users.role_hint')}</p>
    </ActionDialog>
  );
}

/** Tells that another Admin was faster, instead of speaking of a precondition. */
async function explained(act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    throw new ApiError(412, { error: t('users.stale') });
  }
}

interface ActProps extends DialogProps {
  readonly action: UserAction;
}

/** Asks before somebody is signed out, shut out or let in again; names the person. */
export function ActDialog({ user, action, onClose, onChanged }: ActProps) {
  const name = nameOf(user);
  const isOwn = user.userId === session.value.userId;
  const act = async (): Promise<boolean> => {
    const changed = await actOnUser(user.userId, action);
    if (isOwn) {
      leaveEverywhere();
      return true;
    }
    onChanged(changed);
    tell('good', () => t(`users.done_${action}`, { name }));
    return true;
  };
  return (
    <ActionDialog
      title={t(`users.ask_${action}`, { name })}
      action={t(`users.${action}`)}
      kind={action === 'reactivate' ? 'main' : 'danger'}
      isReady
      onClose={onClose}
      act={act}
    >
      <p>{t(isOwn ? 'users.text_own_sign-out' : `users.text_${action}`)}</p>
      {action === 'deactivate' ? <OpenWork user={user} /> : null}
      <p class="small soft mono">{user.userId}</p>
    </ActionDialog>
  );
}

interface NewUserProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

export function NewUserDialog({ onClose, onMade }: NewUserProps) {
  const [made, setMade] = useState<User | null>(null);
  const [userId, setUserId] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setChosen] = useState<Role>('Viewer');
  const [refused, setRefused] = useState<RefusedId | null>(null);
  const idInput = useRef<HTMLInputElement>(null);
  if (made !== null) return <Made user={made} onClose={onClose} />;
  const act = async (): Promise<boolean> => {
    const user = {
      userId: userId.trim(),
      displayName: displayName.trim(),
      email: email.trim(),
      role,
    };
    const added = await createUnlessTaken(user);
    if ('text' in added) {
      setRefused(added);
      idInput.current?.focus();
      return false;
    }
    setMade(added);
    onMade();
    return false;
  };
  const blank = idFault(userId);
  const emailWrong = emailFault(email);
  // What was refused stays wrong until something else is typed.
  const taken = refused !== null && refused.userId === userId.trim() ? refused.text : null;
  return (
    <ActionDialog
      title={t('users.new')}
      action={t('users.create')}
      isReady={
        userId.trim() !== '' &&
        hasVisible(displayName) &&
        blank === null &&
        taken === null &&
        emailWrong === null
      }
      onClose={onClose}
      act={act}
    >
      <Text label={t('users.name')} value={displayName} lengthMax={255} onInput={setDisplayName} />
      <Text
        label={t('users.id')}
        hint={t(hasProvider ? 'users.id_hint' : 'users.id_hint_local')}
        fault={blank === null ? taken : t(blank)}
        input={idInput}
        value={userId}
        lengthMax={128}
        onInput={setUserId}
      />
      <Text
        label={t('users.email')}
        fault={emailWrong === null ? null : t(emailWrong)}
        value={email}
        lengthMax={255}
        onInput={setEmail}
      />
      <RoleChoice role={role} onChange={setChosen} />
    </ActionDialog>
  );
}

/** An identifier that the service has refused, and why. */
interface RefusedId {
  readonly userId: string;
  readonly text: string;
}

/** Adds the user; that the identifier is taken is told in the language of the page, at its field. */
async function createUnlessTaken(
  user: Parameters<typeof createUser>[0],
): Promise<User | RefusedId> {
  try {
    return await createUser(user);
  } catch (error) {
    const refusal = error instanceof ApiError ? idRefusal(error.message) : null;
    if (refusal === null) throw error;
    const { similar } = refusal;
    const text = similar === null ? t('users.exists') : t('users.similar', { user: similar });
    return { userId: user.userId, text };
  }
}

interface TextProps {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the value. */
  readonly fault?: string | null;
  readonly input?: Ref<HTMLInputElement>;
  readonly value: string;
  readonly lengthMax: number;
  readonly onInput: (value: string) => void;
}

function Text({ label, hint, fault = null, input = null, value, lengthMax, onInput }: TextProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        ref={input}
        class="input"
        autocomplete="off"
        maxLength={lengthMax}
        value={value}
        aria-invalid={fault !== null}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {fault === null ? null : <span class="reason">{fault}</span>}
      {hint === undefined ? null : <span class="hint">{hint}</span>}
    </label>
  );
}

/** How the new user signs in: nobody gets a session by being added. */
function Made({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  return (
    <ActionDialog
      title={t('users.made', { name: nameOf(user) })}
      action={t('action.close')}
      isReady
      isNews
      onClose={onClose}
      act={async () => true}
    >
      <Notice tone="good" title={t(hasProvider ? 'users.made_next' : 'users.made_link')} />
      {hasProvider ? null : <LinkCommand userId={user.userId} />}
    </ActionDialog>
  );
}

/**
 * How a user signs in where no identity provider is set up. Only the operator makes links: whoever
 * holds one is that user, so an Admin who made links could act under the names of colleagues.
 */
export function LinkDialog({ user, onClose }: Pick<DialogProps, 'user' | 'onClose'>) {
  return (
    <ActionDialog
      title={t('users.link_title', { name: nameOf(user) })}
      action={t('action.close')}
      isReady
      isNews
      onClose={onClose}
      act={async () => true}
    >
      <p>{t('users.link_text')}</p>
      <LinkCommand userId={user.userId} />
    </ActionDialog>
  );
}

function LinkCommand({ userId }: { readonly userId: string }) {
  const command = linkCommand(userId);
  return (
    <>
      <div class="row nowrap secret">
        <code>{command}</code>
        <CopyButton text={command} label={t('action.copy')} />
      </div>
      <p class="small soft">{t('users.link_where')}</p>
    </>
  );
}
