import { effect } from '@preact/signals';
import { ApiError, callJson, whenForbidden, whenOtherUser } from '../api/client.ts';
import type { Session } from '../api/types.ts';
import { segments } from './router.tsx';
import { otherUser, sessionState, whenOtherTab } from './state.ts';

/** The session is read again when a page is opened or the window gets focus, once in this time. */
const PAUSE_MS = 15_000;

let readAtMs = performance.now();

/** Reads now who is signed in, and in which role, as after a refusal. */
async function refreshSession(): Promise<void> {
  if (sessionState.value.state !== 'in') return;
  readAtMs = performance.now();
  try {
    const found = await callJson<Session>('/v1/session');
    const current = sessionState.value;
    // The pages are made anew only for another role or team, not for another end of the session.
    if (current.state !== 'in') return;
    // This tab holds what its own user typed, so it stays as it is and says who is signed in.
    const isOther = current.session.userId !== found.userId;
    otherUser.value = isOther ? found : null;
    if (isOther) return;
    const { role, teamId } = current.session;
    if (role !== found.role || teamId !== found.teamId)
      sessionState.value = { state: 'in', session: found };
  } catch (error) {
    // The pages themselves say that the service does not answer.
    if (!(error instanceof ApiError)) throw error;
  }
}

function refreshAfterPause(): void {
  if (!document.hidden && performance.now() - readAtMs >= PAUSE_MS) void refreshSession();
}

/** Keeps user, role and team fresh, which an Admin or an identity provider may change at any time. */
export function watchSession(): () => void {
  const stop = effect(() => {
    if (segments.value.length > 0) refreshAfterPause();
  });
  addEventListener('focus', refreshAfterPause);
  whenForbidden(() => {
    if (!document.hidden) void refreshSession();
  });
  whenOtherUser(() => void refreshSession());
  const stopHearing = whenOtherTab(() => void refreshSession());
  return () => {
    stop();
    stopHearing();
    whenOtherUser(() => undefined);
    removeEventListener('focus', refreshAfterPause);
    whenForbidden(() => undefined);
  };
}
