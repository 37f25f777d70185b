import { refreshWaiting, waitingText } from '../approvals/waiting.ts';
import { mayOpen, PAGES } from './pages.ts';
import { BASE } from './router.tsx';
import { session } from './state.ts';

/** Where the browser keeps the page that somebody asked for before signing in by a link. */
const ASKED = 'studio.asked';
/** A link is asked for and opened within this time. */
const ASKED_MS_MAX = 3_600_000;

interface Asked {
  /** Below /studio, with its query. */
  readonly to: string;
  readonly atMs: number;
}

/** Keeps the page of this address: a link opens another tab, which does not know it. */
export function keepAsked(): void {
  const to = `${location.pathname.slice(BASE.length)}${location.search}`;
  if (!location.pathname.startsWith(`${BASE}/`) || to === '/') return;
  const asked: Asked = { to, atMs: Date.now() };
  localStorage.setItem(ASKED, JSON.stringify(asked));
}

/** The page that was asked for, once; '' if there is none. */
function takeAsked(): string {
  const kept = localStorage.getItem(ASKED);
  localStorage.removeItem(ASKED);
  // Only this module writes it; the page itself is looked up when it is opened.
  const asked = JSON.parse(kept ?? 'null') as Asked | null;
  if (asked === null || Date.now() - asked.atMs > ASKED_MS_MAX) return '';
  return asked.to;
}

function areaName(): string {
  const { teamId, userId } = session.value;
  return `studio.area.${JSON.stringify([teamId, userId])}`;
}

/**
 * Keeps in which part of the Studio an Editor works: the role does not tell who writes templates and
 * who makes documents. The inbox is left out, which is opened when something waits there.
 */
export function keepArea(area: string): void {
  if (session.value.role !== 'Editor' || area === 'approvals') return;
  localStorage.setItem(areaName(), area);
}

/**
 * The page on which this user starts, if the address names none: what was asked for before signing in,
 * the inbox if something waits there, else the page of this user's work.
 */
export async function landing(): Promise<string> {
  const asked = takeAsked();
  if (asked !== '') return asked;
  await refreshWaiting();
  if (waitingText.value !== '') return '/approvals';
  const { role } = session.value;
  switch (role) {
    case 'Viewer':
      return '/documents';
    case 'Editor':
      return `/${keptArea() ?? 'generate'}`;
    case 'Admin':
      return '/templates';
  }
}

/** The part of the menu that was kept; undefined: none was, or it is not there any more. */
function keptArea(): string | undefined {
  const kept = localStorage.getItem(areaName());
  const page = PAGES.find(({ at, menu }) => menu !== undefined && at[0] === kept);
  return page !== undefined && mayOpen(session.value.role, page) ? String(page.at[0]) : undefined;
}
