import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { SignIn, SignInLink } from '../pages/sign-in.tsx';
import { TemplatesPage } from '../pages/templates.tsx';
import { Empty, ErrorNotice, NotLoaded, Skeleton } from '../ui/parts.tsx';
import { Link, navigate, segments } from './router.tsx';
import { mayOpen, neededRole } from './needed-role.ts';
import { Shell } from './shell.tsx';
import { session, sessionState, startSession } from './state.ts';

interface PageProps {
  readonly parts: readonly string[];
}

type PageOf = FunctionComponent<PageProps>;

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
    const Page: ComponentType<PageProps> = loaded;
    return <Page {...props} />;
  };
}

const TemplatePage = lazy(async () => (await import('../pages/template.tsx')).TemplatePage);
const EditorPage = lazy(async () => (await import('../pages/editor.tsx')).EditorPage);
const VersionPage = lazy(async () => (await import('../template-actions/version.tsx')).VersionPage);
const PublishPage = lazy(async () => (await import('../pages/publish.tsx')).PublishPage);
const GeneratePage = lazy(async () => (await import('../pages/generate.tsx')).GeneratePage);
const ApprovalsPage = lazy(async () => (await import('../approvals/approvals.tsx')).ApprovalsPage);
const RunsPage = lazy(async () => (await import('../runs/runs.tsx')).RunsPage);
const NewRunPage = lazy(async () => (await import('../runs/run-new.tsx')).NewRunPage);
const RunPage = lazy(async () => (await import('../runs/run.tsx')).RunPage);
const DocumentsPage = lazy(async () => (await import('../pages/documents.tsx')).DocumentsPage);
const VerifyPage = lazy(async () => (await import('../pages/verify.tsx')).VerifyPage);
const AuditPage = lazy(async () => (await import('../audit/audit.tsx')).AuditPage);
const KeysPage = lazy(async () => (await import('../pages/keys.tsx')).KeysPage);
const UsersPage = lazy(async () => (await import('../users/users.tsx')).UsersPage);
const OperationsPage = lazy(async () => (await import('../pages/operations.tsx')).OperationsPage);

/** The page at an address; null when no page exists there. */
function pageOf(parts: readonly string[]): PageOf | null {
  const [area = 'templates', id, view] = parts;
  switch (area) {
    case 'templates':
      if (id === undefined) return TemplatesPage;
      if (view === undefined) return TemplatePage;
      if (view === 'edit') return EditorPage;
      if (/^version-\d+$/.test(view)) return VersionPage;
      return view === 'publish' ? PublishPage : null;
    case 'generate':
      return GeneratePage;
    case 'runs':
      if (id === undefined) return RunsPage;
      if (id !== 'new') return RunPage;
      return NewRunPage;
    case 'approvals':
      return ApprovalsPage;
    case 'documents':
      return DocumentsPage;
    case 'verify':
      return VerifyPage;
    case 'audit':
      return AuditPage;
    case 'keys':
      return KeysPage;
    case 'users':
      return UsersPage;
    case 'operations':
      return OperationsPage;
    default:
      return null;
  }
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
          <ErrorNotice error={current.error} retry={() => void startSession()} />
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

function CurrentPage() {
  const parts = segments.value;
  const Page = pageOf(parts);
  useEffect(() => {
    if (parts.length === 0) navigate('/templates', { replace: true });
  }, [parts.length]);
  const { role } = session.value;
  const needed = neededRole(parts);
  if (needed !== null && !mayOpen(role, parts)) {
    return (
      <div class="page">
        <Empty icon="keys" title={t('state.needs_role', { needed: t(`role.${needed}`) })}>
          <p>{t('state.needs_role_hint', { role: t(`role.${role}`) })}</p>
          <Link to="/templates" class="button">
            {t('nav.templates')}
          </Link>
        </Empty>
      </div>
    );
  }
  if (Page !== null) return <Page key={parts.join('/')} parts={parts.slice(1)} />;
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
