import { t } from '../i18n/i18n.ts';
import { Button, Notice } from '../ui/parts.tsx';
import { hasProvider, otherUser, session, sessionState } from './state.ts';

/**
 * Says that another user has signed in with this browser. The service refuses what this tab sends, so
 * the page stays as it is: what was typed can still be read and copied.
 */
export function OtherUser() {
  const other = otherUser.value;
  if (other === null) return null;
  const named = { name: other.displayName, role: t(`role.${other.role}`), team: other.teamId };
  return (
    <div class="other-user">
      <Notice tone="bad" title={t('other_user.title', named)}>
        <p>
          {t('other_user.text', { name: session.value.displayName, team: session.value.teamId })}
        </p>
        <div class="row">
          <Button kind="main" onClick={() => location.reload()}>
            {t('other_user.go_on', { name: other.displayName })}
          </Button>
          <Button onClick={signInAgain}>{t('other_user.sign_in')}</Button>
        </div>
      </Notice>
    </div>
  );
}

function signInAgain(): void {
  if (hasProvider) {
    const back = location.pathname + location.search;
    location.assign(`/auth/login?return_to=${encodeURIComponent(back)}`);
    return;
  }
  sessionState.value = { state: 'out', reason: '' };
}
