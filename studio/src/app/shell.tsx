import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { waitingText, watchWaiting } from '../approvals/waiting.ts';
import { t } from '../i18n/i18n.ts';
import icon from '../icon.svg?no-inline';
import { Icon } from '../ui/icons.tsx';
import { hasUnsavedCopies } from '../editor/local-copy.ts';
import { Button, Dialog, errorTitle } from '../ui/parts.tsx';
import { mayOpen, PAGES } from './pages.ts';
import { Link, segments } from './router.tsx';
import { isAdmin, language, online, session, signOut, tell, theme } from './state.ts';
import { OtherUser } from './other-user.tsx';
import { Toasts } from './toasts.tsx';
import { watchSession } from './watch-session.ts';

/** Number shown beside a menu entry, by the first part of its address: items that await the user. */
const WAITING: Readonly<Record<string, () => string>> = { approvals: () => waitingText.value };

/** The navigation that surrounds a page. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  useEffect(watchWaiting, []);
  useEffect(watchSession, []);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t('nav.skip')}
      </a>
      <Side />
      <main id="main" tabIndex={0}>
        <OtherUser />
        {online.value ? null : (
          <p class="banner" role="status">
            {t('state.offline')}
          </p>
        )}
        {children}
      </main>
      <Toasts />
    </div>
  );
}

function Side() {
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const askOrLeave = (): void =>
    hasUnsavedCopies(session.value.userId) ? setAsking(true) : leave();
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="side-top">
        <Link to="/templates" class="brand">
          <img src={icon} alt="" />
          Intaglio Studio
        </Link>
        <span class="menu-button">
          <Button
            kind="quiet"
            icon={isOpen ? 'close' : 'menu'}
            label={t('nav.menu')}
            pressed={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        </span>
      </div>
      <nav aria-label={t('nav.main')} onClick={() => setOpen(false)}>
        <NavList group="work" />
        {isAdmin.value ? <p class="group">{t('nav.administration')}</p> : null}
        <NavList group="administration" />
        <p class="group">{t('nav.help')}</p>
        <ul>
          <li>
            <a href="/docs">
              <Icon name="docs" />
              {t('nav.reference')}
            </a>
          </li>
        </ul>
      </nav>
      <div class="side-foot">
        <p class="who small">
          <strong>{session.value.displayName}</strong>
          <span class="soft">
            {t(`role.${session.value.role}`)} · {session.value.teamId}
          </span>
        </p>
        <div class="switches">
          <Switches />
          <Button kind="quiet" icon="out" label={t('action.sign_out')} onClick={askOrLeave} />
        </div>
        {isAsking ? <LeaveDialog onClose={() => setAsking(false)} /> : null}
      </div>
    </header>
  );
}

/** Asks before texts are lost that only this browser has. */
function LeaveDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t('sign_out.title')} onClose={onClose}>
      <div class="body">
        <p>{t('sign_out.text')}</p>
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="danger" onClick={leave}>
            {t('action.sign_out')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function leave(): void {
  signOut().catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    tell('bad', () => errorTitle(error));
  });
}

function NavList({ group }: { readonly group: 'work' | 'administration' }) {
  const [here] = segments.value;
  const { role } = session.value;
  return (
    <ul>
      {PAGES.map((page) => {
        const { at, menu } = page;
        if (menu?.group !== group || !mayOpen(role, page)) return null;
        const area = String(at[0]);
        return (
          <li key={area}>
            <Link to={`/${area}`} current={area === here}>
              <Icon name={menu.icon} />
              {t(menu.text)}
              <Count text={WAITING[area]?.() ?? ''} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

/** A number beside an entry, which is read out as a sentence. */
function Count({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <>
      <span class="count" aria-hidden="true">
        {text}
      </span>
      <span class="hidden">{t('approvals.count', { count: text })}</span>
    </>
  );
}

const NEXT_THEME = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const THEME_ICON = { auto: 'auto', light: 'sun', dark: 'moon' } as const;

/** The switches for language and colours. */
export function Switches() {
  const other = language.value === 'en' ? 'th' : 'en';
  return (
    <>
      <Button kind="quiet" title={t('action.language')} onClick={() => (language.value = other)}>
        <span lang={other}>{other === 'th' ? 'ไทย' : 'English'}</span>
      </Button>
      <Button
        kind="quiet"
        icon={THEME_ICON[theme.value]}
        label={t(`theme.${theme.value}`)}
        onClick={() => (theme.value = NEXT_THEME[theme.value])}
      />
    </>
  );
}
