import type { FunctionComponent } from 'preact';
import type { Role } from '../api/types.ts';
import type { TextKey } from '../i18n/i18n.ts';
import type { IconName } from '../ui/icons.tsx';

/** A page gets the parts of its address behind the first one: `receipt`, `edit`. */
export type PageOf = FunctionComponent<{ readonly parts: readonly string[] }>;

/** A page of the Studio: its address, who may open it, its script and its menu entry. */
export interface StudioPage {
  /** The parts of its address below /studio. */
  readonly at: readonly (string | RegExp)[];
  /** The least role that opens it; null: anybody who is signed in. */
  readonly role: Exclude<Role, 'Viewer'> | null;
  /** Fetches its script, when it is first opened; null: the page that the Studio itself brings. */
  readonly load: (() => Promise<PageOf>) | null;
  /** Its entry of the menu, which is shown to those who may open the page. */
  readonly menu?: MenuEntry;
}

interface MenuEntry {
  readonly group: 'work' | 'administration';
  readonly text: TextKey;
  readonly icon: IconName;
}

const ANY = /^/;

/** All pages. The first one at an address counts; the menu has its entries in this order. */
export const PAGES: readonly StudioPage[] = [
  {
    at: ['templates'],
    role: null,
    load: null,
    menu: { group: 'work', text: 'nav.templates', icon: 'templates' },
  },
  {
    at: ['templates', ANY],
    role: null,
    load: async () => (await import('../pages/template.tsx')).TemplatePage,
  },
  {
    at: ['templates', ANY, 'edit'],
    role: 'Editor',
    load: async () => (await import('../pages/editor.tsx')).EditorPage,
  },
  {
    at: ['templates', ANY, /^version-\d+$/],
    role: 'Editor',
    load: async () => (await import('../template-actions/version.tsx')).VersionPage,
  },
  {
    at: ['templates', ANY, 'publish'],
    role: 'Editor',
    load: async () => (await import('../pages/publish.tsx')).PublishPage,
  },
  {
    at: ['approvals'],
    role: 'Editor',
    load: async () => (await import('../approvals/approvals.tsx')).ApprovalsPage,
    menu: { group: 'work', text: 'nav.approvals', icon: 'check' },
  },
  {
    at: ['generate'],
    role: 'Editor',
    load: async () => (await import('../pages/generate.tsx')).GeneratePage,
    menu: { group: 'work', text: 'nav.generate', icon: 'generate' },
  },
  {
    at: ['runs'],
    role: null,
    load: async () => (await import('../runs/runs.tsx')).RunsPage,
    menu: { group: 'work', text: 'nav.runs', icon: 'runs' },
  },
  {
    at: ['runs', 'new'],
    role: 'Editor',
    load: async () => (await import('../runs/run-new.tsx')).NewRunPage,
  },
  {
    at: ['runs', ANY],
    role: null,
    load: async () => (await import('../runs/run.tsx')).RunPage,
  },
  {
    at: ['documents'],
    role: null,
    load: async () => (await import('../pages/documents.tsx')).DocumentsPage,
    menu: { group: 'work', text: 'nav.documents', icon: 'documents' },
  },
  {
    at: ['verify'],
    role: null,
    load: async () => (await import('../pages/verify.tsx')).VerifyPage,
    menu: { group: 'work', text: 'nav.verify', icon: 'verify' },
  },
  {
    at: ['audit'],
    role: 'Admin',
    load: async () => (await import('../audit/audit.tsx')).AuditPage,
    menu: { group: 'administration', text: 'nav.audit', icon: 'audit' },
  },
  {
    at: ['keys'],
    role: 'Admin',
    load: async () => (await import('../pages/keys.tsx')).KeysPage,
    menu: { group: 'administration', text: 'nav.keys', icon: 'keys' },
  },
  {
    at: ['users'],
    role: 'Admin',
    load: async () => (await import('../users/users.tsx')).UsersPage,
    menu: { group: 'administration', text: 'nav.users', icon: 'users' },
  },
  {
    at: ['operations'],
    role: 'Admin',
    load: async () => (await import('../pages/operations.tsx')).OperationsPage,
    menu: { group: 'administration', text: 'nav.operations', icon: 'operations' },
  },
];

/** The page at an address; undefined when there is none. */
export function pageAt(parts: readonly string[]): StudioPage | undefined {
  return PAGES.find(
    ({ at }) =>
      at.length === parts.length &&
      at.every((one, index) => {
        const part = parts[index] ?? '';
        return typeof one === 'string' ? one === part : one.test(part);
      }),
  );
}

/** Whether somebody with this role may open a page. */
export function mayOpen(role: Role, page: StudioPage): boolean {
  return page.role === null || role === 'Admin' || role === page.role;
}
