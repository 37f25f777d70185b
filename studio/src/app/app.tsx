import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { SignIn, SignInLink } from '../pages/sign-in.tsx';
import { TemplatesPage } from '../pages/templates.tsx';
import { Empty, ErrorNotice, NotLoaded, Skeleton } from '../ui/parts.tsx';
import { keepArea, landing } from './landing.ts';
import { Link, navigate, segments } from './router.tsx';
import { mayOpen, pageAt, PAGES, type PageOf, type StudioPage } from './pages.ts';
import { Shell } from './shell.tsx';
import { session, sessionState, startSession } from './state.ts';

/** A page whose script is fetched when it is first opened. */
function lazy(load: () => Promise<PageOf>): PageOf {
  let loaded: PageOf | null = null;
  return function LazyPage(props) {
    const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
    useEffect(() => {
      if (loaded !== null) return;
      const fetchPage = async (): Promise<void> => {
        try {
          loaded = await load();
          setState('ready');
        } catch (error) {
          setState('failed');
          throw error;
        }
      };
      void fetchPage();
    }, []);
    if (loaded === null) {
      return (
        <div class="page">
          {state === 'failed' ? <NotLoaded title={t('state.not_loaded')} /> : <Skeleton />}
        </div>
      );
    }
    const Page: PageOf = loaded;
    return <Page {...props} />;
  };
}

/** What draws each page. The templates need no script of their own: the Studio starts with them. */
const COMPONENTS = new Map<StudioPage, PageOf>(
  PAGES.map((page) => [page, page.load === null ? TemplatesPage : lazy(page.load)]),
);

function restart(): void {
  void startSession();
}

export function App() {
  const current = sessionState.value;
  switch (current.state) {
    case 'loading':
      return (
        <main class="gate">
          <Skeleton />
        </main>
      );
    case 'failed':
      return (
        <main class="gate">
          <ErrorNotice error={current.error} retry={restart} repeats />
        </main>
      );
    case 'link':
      return <SignInLink {...current} />;
    case 'out':
      return <SignIn />;
    case 'in':
      return (
        <Shell>
          <CurrentPage />
        </Shell>
      );
  }
}

/** The address of the Studio alone: finds out where this user starts. */
function Landing() {
  useEffect(() => {
    const open = async (): Promise<void> => {
      const to = await landing();
      // The menu may have been used meanwhile.
      if (segments.value.length === 0) navigate(to, { replace: true });
    };
    void open();
  }, []);
  return (
    <div class="page">
      <Skeleton />
    </div>
  );
}

function CurrentPage() {
  const parts = segments.value;
  const page = pageAt(parts);
  const Page = page === undefined ? undefined : COMPONENTS.get(page);
  const area = page === undefined ? undefined : parts[0];
  useEffect(() => {
    if (area !== undefined) keepArea(area);
  }, [area]);
  const { role, teamId } = session.value;
  if (parts.length === 0) return <Landing />;
  if (page !== undefined && page.role !== null && !mayOpen(role, page)) {
    return (
      <div class="page">
        <Empty icon="keys" title={t('state.needs_role', { needed: t(`role.${page.role}`) })}>
          <p>{t('state.needs_role_hint', { role: t(`role.${role}`) })}</p>
          <Link to="/templates" class="button">
            {t('nav.templates')}
          </Link>
        </Empty>
      </div>
    );
  }
  // What was loaded for one team must not stand under the name of another.
  if (Page !== undefined) return <Page key={[teamId, ...parts].join('/')} parts={parts.slice(1)} />;
  return (
    <div class="page">
      <Empty icon="search" title={t('state.no_page')}>
        <p>{t('state.no_page_hint')}</p>
        <Link to="/templates" class="button">
          {t('nav.templates')}
        </Link>
      </Empty>
    </div>
  );
}
