import { effect, signal } from '@preact/signals';
import type { ListedApproval } from '../api/types.ts';
import { ApiError } from '../api/client.ts';
import { segments } from '../app/router.tsx';
import { mayEdit, session } from '../app/state.ts';
import { watch } from '../ui/watch.ts';
import { listApprovals } from './api.ts';

/** Requests that the badge counts; with more, it says so. */
const COUNTED_MAX = 100;
/** The badge is read again when a page is opened, at most this often. */
const PAUSE_MS = 5_000;

/** What waits for this user: decisions, and own drafts that were sent back. `3`, `100+`, or ''. */
export const waitingText = signal('');

let readAtMs = Number.NEGATIVE_INFINITY;
/** Counts the reads: the reply to an earlier one may come last. */
let turn = 0;

/** Whether a request is this user's turn. */
export function isMyTurn(approval: ListedApproval): boolean {
  return approval.mayDecide || isBackToMe(approval);
}

/** Whether a draft to which this user contributed was sent back, and nobody changed it since. */
export function isBackToMe({ state, current, askedBy, contributors }: ListedApproval): boolean {
  const me = `user:${session.value.userId}`;
  return state === 'sent_back' && current && (askedBy === me || contributors.includes(me));
}

/** Reads the badge now, as after a decision. */
export async function refreshWaiting(): Promise<void> {
  if (!mayEdit.value) {
    waitingText.value = '';
    return;
  }
  readAtMs = performance.now();
  turn += 1;
  const own = turn;
  try {
    const { items, next } = await listApprovals(COUNTED_MAX, null);
    if (own !== turn) return;
    const count = items.filter(isMyTurn).length;
    waitingText.value = count === 0 ? '' : `${count}${next === null ? '' : '+'}`;
  } catch (error) {
    // The pages themselves say that the service does not answer; the badge keeps what it knew.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Keeps the badge fresh as long as the Studio is shown: within 10 s, as the pages of drafts are. */
export function watchWaiting(): () => void {
  const stop = effect(() => {
    if (segments.value.length === 0 || session.value.userId === '' || document.hidden) return;
    if (performance.now() - readAtMs >= PAUSE_MS) void refreshWaiting();
  });
  const stopWatch = watch(refreshWaiting);
  return () => {
    stop();
    stopWatch();
  };
}
