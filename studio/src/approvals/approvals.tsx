import { useEffect } from 'preact/hooks';
import type { ListedApproval } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { isAdmin, session } from '../app/state.ts';
import { ChangedBy } from '../audit/principals.tsx';
import { t, type TextKey } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { ListingView, useListing } from '../ui/list.tsx';
import { Badge, Empty, PageHead } from '../ui/parts.tsx';
import { useWatch } from '../ui/watch.ts';
import { listApprovals } from './api.ts';
import { decidersText, lacksApprover } from './publisher.ts';
import { RequestNotice } from './request-view.tsx';
import { isMyTurn, refreshWaiting } from './waiting.ts';

const LIMIT = 100;

/** What waits for this user, and what became of the team's other requests. */
export function ApprovalsPage() {
  const listing = useListing((after, signal) => listApprovals(LIMIT, after, signal), []);
  useEffect(() => void refreshWaiting(), []);
  const known = JSON.stringify(listing.items.slice(0, LIMIT));
  useWatch(async (signal) => {
    if (listing.state === 'loading') return;
    const page = await listApprovals(LIMIT, null, signal);
    if (signal.aborted || JSON.stringify(page.items) === known) return;
    listing.replace(page);
    void refreshWaiting();
  }, `${known} ${listing.state}`);
  return (
    <div class="page">
      <PageHead title={t('approvals.title')} intro={t('approvals.intro')} />
      {isAdmin.value ? null : <p class="soft">{t(decidersText('approvals.admin_decides'))}</p>}
      <ListingView listing={listing} empty={<Nothing />}>
        {(approvals) => <Groups approvals={approvals} />}
      </ListingView>
    </div>
  );
}

function Nothing() {
  return (
    <Empty icon="check" title={t('approvals.empty')}>
      <p>{t('approvals.empty_hint')}</p>
    </Empty>
  );
}

type GroupName = 'turn' | 'own' | 'others';
const GROUPS: Readonly<Record<GroupName, TextKey>> = {
  turn: 'approvals.turn',
  own: 'approvals.own',
  others: 'approvals.others',
};

function Groups({ approvals }: { readonly approvals: readonly ListedApproval[] }) {
  const grouped = Map.groupBy(approvals, groupOf);
  return (
    <div class="stack">
      {(['turn', 'own', 'others'] as const).map((name) => {
        const items = (grouped.get(name) ?? []).toSorted(byAge);
        if (items.length === 0 && name !== 'turn') return null;
        return (
          <section class="stack tight" key={name}>
            <h2>{t(GROUPS[name])}</h2>
            {items.length === 0 ? <p class="soft">{t('approvals.no_turn')}</p> : null}
            {name === 'own' && items.some(isOwnOfAdmin) ? (
              <p class="soft">{t(decidersText('approvals.own_wait'))}</p>
            ) : null}
            {items.map((approval) => (
              <Request key={approval.templateId} approval={approval} />
            ))}
          </section>
        );
      })}
    </div>
  );
}

/** Whether a request is not this Admin's turn only because they changed its draft. */
function isOwnOfAdmin(approval: ListedApproval): boolean {
  const { state, mayDecide, contributors } = approval;
  const isOwn = contributors.includes(`user:${session.value.userId}`);
  return isAdmin.value && state === 'open' && !mayDecide && isOwn && !lacksApprover(approval);
}

function groupOf(approval: ListedApproval): GroupName {
  if (isMyTurn(approval)) return 'turn';
  const me = `user:${session.value.userId}`;
  return approval.askedBy === me || approval.contributors.includes(me) ? 'own' : 'others';
}

/** The longest waiting first. */
function byAge(a: ListedApproval, b: ListedApproval): number {
  return a.askedAt.localeCompare(b.askedAt);
}

function Request({ approval }: { readonly approval: ListedApproval }) {
  const { templateId, name, version, contributors, mayDecide } = approval;
  const base = `/templates/${encodeURIComponent(templateId)}`;
  return (
    <article class="card request" aria-label={name || templateId}>
      <div class="row">
        <Link class="name" to={base}>
          {name || templateId}
        </Link>
        <Badge>{t('version.short', { version })}</Badge>
      </div>
      <RequestNotice approval={approval} lacksApprover={lacksApprover(approval)} />
      <div class="row">
        <ChangedBy contributors={contributors} />
        <Link class={mayDecide ? 'button main' : 'button'} to={`${base}/publish`}>
          <Icon name="compare" />
          {t(mayDecide ? 'approvals.decide' : 'approvals.look')}
        </Link>
      </div>
    </article>
  );
}
