import { useEffect } from 'preact/hooks';
import { keepAsked } from '../app/landing.ts';
import { Switches } from '../app/shell.tsx';
import type { SessionState } from '../app/state.ts';
import { declineLink, hasProvider, sessionState, useLink } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import icon from '../icon.svg?no-inline';
import { Button, Notice } from '../ui/parts.tsx';

/** The sign-in page: through the identity provider or by a link, as the service is configured. */
export function SignIn() {
  const current = sessionState.value;
  const isHere = location.pathname.startsWith('/studio');
  const back = isHere ? location.pathname + location.search : '/studio';
  useEffect(() => {
    document.title = `${t('sign_in.title')} · Intaglio Studio`;
  });
  // The identity provider leads back to the page itself.
  useEffect(() => {
    if (!hasProvider) keepAsked();
  }, []);
  return (
    <main class="gate">
      <div class="gate-card">
        <p class="brand">
          <img src={icon} alt="" />
          Intaglio Studio
        </p>
        <h1>{t('sign_in.title')}</h1>
        <Reason reason={current.state === 'out' ? current.reason : ''} />
        {hasProvider ? (
          <>
            <p class="soft">{t('sign_in.provider_intro')}</p>
            <a class="button main" href={`/auth/login?return_to=${encodeURIComponent(back)}`}>
              {t('sign_in.provider')}
            </a>
          </>
        ) : (
          <p class="soft">
            {t('sign_in.link_intro')} <code>./intaglio sessions link</code>
          </p>
        )}
        <div class="switches">
          <Switches />
        </div>
      </div>
    </main>
  );
}

type LinkProps = Extract<SessionState, { state: 'link' }>;

/**
 * Shows whose link was opened and asks: another site can lead here with a link of an account of its
 * own, whose owner would then see what is entered.
 */
export function SignInLink({ token, user, current }: LinkProps) {
  useEffect(() => {
    document.title = `${t('sign_in.title')} · Intaglio Studio`;
  });
  return (
    <main class="gate">
      <div class="gate-card">
        <p class="brand">
          <img src={icon} alt="" />
          Intaglio Studio
        </p>
        <h1>{t('sign_in.as_title', { name: user.displayName })}</h1>
        <p>{t('sign_in.as_text', { user: user.userId, team: user.teamId })}</p>
        {current === null ? null : (
          <Notice
            tone="warn"
            title={t('sign_in.as_replaces', { name: current.displayName, team: current.teamId })}
          />
        )}
        <p class="soft">{t('sign_in.as_warning')}</p>
        <div class="dialog-actions">
          <Button onClick={() => void declineLink(current)}>{t('sign_in.as_no')}</Button>
          <Button kind="main" onClick={() => void useLink(token)}>
            {t('sign_in.provider')}
          </Button>
        </div>
        <div class="switches">
          <Switches />
        </div>
      </div>
    </main>
  );
}

type SignedOutReason = Extract<SessionState, { state: 'out' }>['reason'];

function Reason({ reason }: { readonly reason: SignedOutReason }) {
  if (reason === '') return null;
  if (reason === 'ended') return <Notice tone="warn" title={t('sign_in.ended')} />;
  if (reason === 'elsewhere') return <Notice tone="warn" title={t('sign_in.elsewhere')} />;
  if (reason === 'everywhere') return <Notice tone="good" title={t('sign_in.everywhere')} />;
  const key = reason === 'link' ? 'sign_in.link_used' : (`sign_in.${reason}` as const);
  return <Notice tone="bad" title={t(key)} />;
}
