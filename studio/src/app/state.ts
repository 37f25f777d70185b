import { computed, effect, signal } from '@preact/signals';
import { ApiError, believeUser, call, callJson, path, whenSignedOut } from '../api/client.ts';
import { removeLocalCopies, whenCopiesRemoved } from '../editor/local-copy.ts';
import type { SignInFailure } from '../api/sign-in.ts';
import { SIGN_IN_FAILURES } from '../api/sign-in.ts';
import { navigate } from './router.tsx';
import type { Session, SignInLink, SignInLinkUser } from '../api/types.ts';

/** State shared by all pages: session, language, colours and route. */

/** Whether users sign in at an identity provider; else an operator makes links. */
export const hasProvider = document.documentElement.dataset['signIn'] === 'oidc';

export type SessionState =
  | { readonly state: 'loading' }
  | { readonly state: 'in'; readonly session: Session }
  /** `reason`: why nobody is signed in; '' when nobody was signed in before. */
  | { readonly state: 'out'; readonly reason: '' | Ending | 'link' | SignInFailure }
  /** A link was opened: whose it is, and who is signed in meanwhile. */
  | {
      readonly state: 'link';
      readonly token: string;
      readonly user: SignInLinkUser;
      readonly current: SignInLinkUser | null;
    }
  | { readonly state: 'failed'; readonly error: ApiError };

/** How a session ended, if not by signing out here; `elsewhere`: by signing out in another tab. */
const ENDINGS = ['ended', 'everywhere', 'elsewhere'] as const;
type Ending = (typeof ENDINGS)[number];

export const sessionState = signal<SessionState>({ state: 'loading' });

/** The user who is signed in; pages are shown to nobody else. */
export const session = computed<Session>(() => {
  const current = sessionState.value;
  if (current.state === 'in') return current.session;
  return NOBODY;
});

/** The user who has signed in in another tab since, if it is not the user of this tab; else null. */
export const otherUser = signal<Session | null>(null);

const NOBODY: Session = {
  userId: '',
  displayName: '',
  teamId: '',
  role: 'Viewer',
  expiresAt: '',
  publishApprovals: false,
};

/** Tells the other tabs of this browser who is signed in; '' for nobody any more. */
const tabs = new BroadcastChannel('studio.session');
/** The user who was signed in last in this tab; '' for none. */
let lastUserId = '';

effect(() => {
  const { userId } = session.value;
  believeUser(userId);
  otherUser.value = null;
  if (userId === '') return;
  lastUserId = userId;
  tabs.postMessage(userId);
});

/** Calls `listener` when another tab has signed another user in or out, or this tab's user in again. */
export function whenOtherTab(listener: () => void): () => void {
  const hear = ({ data }: MessageEvent<unknown>): void => {
    if (data !== session.value.userId || otherUser.value !== null) listener();
  };
  tabs.addEventListener('message', hear);
  return () => tabs.removeEventListener('message', hear);
}

export const mayEdit = computed(() => session.value.role !== 'Viewer');
export const isAdmin = computed(() => session.value.role === 'Admin');

/** Shows whose link is in the address when there is one; else asks who is signed in. */
export async function startSession(): Promise<void> {
  const token = takeToken();
  const failure = takeFailure();
  try {
    if (token !== '') {
      const found = await callJson<SignInLink>(path`/auth/links/${token}`);
      sessionState.value = { state: 'link', token, ...found };
      return;
    }
    const found = await callJson<Session>('/v1/session');
    sessionState.value = { state: 'in', session: found };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isRefused = error.status === 401 || error.status === 403;
    sessionState.value = isRefused
      ? { state: 'out', reason: token === '' ? failure : 'link' }
      : { state: 'failed', error };
  }
}

/** Uses the link. The session that was there ends. */
export async function useLink(token: string): Promise<void> {
  sessionState.value = { state: 'loading' };
  try {
    await call(path`/auth/links/${token}`, { method: 'POST', body: {} });
    sessionState.value = { state: 'in', session: await callJson<Session>('/v1/session') };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isRefused = error.status === 401 || error.status === 403;
    sessionState.value = isRefused ? { state: 'out', reason: 'link' } : { state: 'failed', error };
  }
}

/** Leaves the link unused and goes on as before. */
export async function declineLink(current: SignInLinkUser | null): Promise<void> {
  if (current === null) sessionState.value = { state: 'out', reason: '' };
  else await startSession();
}

/** The token of a one-time link. It leaves the address, and with it the history, at once. */
function takeToken(): string {
  const [, token = ''] = /^#sign-in=([\w-]+)$/.exec(location.hash) ?? [];
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
}

/** Why a sign-in at the identity provider failed; it leaves the address, so a reload forgets it. */
function takeFailure(): SignInFailure | '' {
  const [, name] = /^#sign-in-failed=(\w+)$/.exec(location.hash) ?? [];
  if (name === undefined) return '';
  history.replaceState(null, '', location.pathname + location.search);
  return SIGN_IN_FAILURES.find((known) => known === name) ?? '';
}

/** Ends the session and removes the texts of drafts that this browser keeps of the user, for all tabs. */
export async function signOut(): Promise<void> {
  const { userId } = session.value;
  try {
    await call('/auth/logout', { method: 'POST', body: {} });
  } catch (error) {
    // The session had ended already.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  removeLocalCopies(userId);
  // The next user must not land on the page of this one.
  navigate('', { replace: true });
  sessionState.value = { state: 'out', reason: '' };
}

/** The user has ended all own sessions, this one too: the next person must not read on. */
export function leaveEverywhere(): void {
  sessionState.value = { state: 'out', reason: 'everywhere' };
  tabs.postMessage('');
}

whenCopiesRemoved((userId) => {
  const current = sessionState.value;
  // This tab may have found out before that the session has ended, and said that texts are kept.
  const hasEnded = current.state === 'out' && ENDINGS.some((ending) => ending === current.reason);
  if (userId !== lastUserId || (current.state !== 'in' && !hasEnded)) return;
  navigate('', { replace: true });
  sessionState.value = { state: 'out', reason: 'elsewhere' };
});

whenSignedOut(() => {
  if (sessionState.value.state === 'in') sessionState.value = { state: 'out', reason: 'ended' };
});

/** Whether the browser has a network. */
export const online = signal(navigator.onLine);
addEventListener('online', () => (online.value = true));
addEventListener('offline', () => (online.value = false));

export type Language = 'en' | 'th';
export type Theme = 'auto' | 'light' | 'dark';

/** A choice kept by the browser; `preset` when there is none. */
function storedChoice<T extends string>(name: string, allowed: readonly T[], preset: T): T {
  const value = localStorage.getItem(name);
  return allowed.find((known) => known === value) ?? preset;
}

const browserLanguage: Language = navigator.language.startsWith('th') ? 'th' : 'en';
export const language = signal<Language>(
  storedChoice('studio.language', ['en', 'th'], browserLanguage),
);
export const theme = signal<Theme>(storedChoice('studio.theme', ['auto', 'light', 'dark'], 'auto'));

effect(() => {
  document.documentElement.lang = language.value;
  localStorage.setItem('studio.language', language.value);
});
effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem('studio.theme', theme.value);
});

/** A short message that the user need not confirm. */
export interface Toast {
  readonly id: number;
  readonly kind: 'good' | 'warn' | 'bad';
  /** In the language of the moment: it may be switched while the message is shown. */
  readonly text: () => string;
  /** Where the next step is taken. */
  readonly next?: { readonly to: string; readonly text: () => string };
}

export const toasts = signal<readonly Toast[]>([]);
let toastCount = 0;
const TOAST_MS = 6_000;
/** A warning has figures to read, a link is to be pressed. */
const LONG_TOAST_MS = 15_000;

export function tell(kind: Toast['kind'], text: Toast['text'], next?: Toast['next']): void {
  toastCount += 1;
  const id = toastCount;
  const toast = { id, kind, text, ...(next === undefined ? {} : { next }) };
  toasts.value = [...toasts.value.slice(-3), toast];
  setTimeout(() => dismiss(id), kind === 'warn' || next !== undefined ? LONG_TOAST_MS : TOAST_MS);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
