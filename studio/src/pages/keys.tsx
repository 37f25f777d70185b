import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, callJson, path, query } from '../api/client.ts';
import { serviceNowMs } from '../api/service-time.ts';
import type { CreatedKey, Key, KeyList } from '../api/types.ts';
import { tell } from '../app/state.ts';
import { formatAgo, formatDay, formatNumber, t } from '../i18n/i18n.ts';
import { ListingView, useListing } from '../ui/list.tsx';
import {
  Badge,
  Button,
  CopyButton,
  Dialog,
  Empty,
  ErrorNotice,
  errorTitle,
  Notice,
  PageHead,
} from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';

const SCOPES = ['generate', 'documents:read', 'templates:read', 'runs'] as const;

/** Keys on a page of the list. */
const LIMIT = 50;
const DAY_MS = 86_400_000;

/** A page of the team's keys, the newest first. */
async function listKeys(
  after: string | null,
  signal: AbortSignal,
): Promise<{ items: readonly Key[]; next: string | null }> {
  const asked = query({ after, limit: LIMIT });
  const page = await callJson<KeyList>(`/v1/keys${asked}`, {
    signal,
  });
  return { items: page.keys, next: page.next };
}

/** API keys of the team, for Admins. */
export function KeysPage() {
  const [created, setCreated] = useState(0);
  // Shown instead of the rows as loaded: a reload of the list would lose the pages after the first.
  const [revoked, setRevoked] = useState<readonly Key[]>([]);
  const [dialog, setDialog] = useState<'new' | Key | null>(null);
  const listing = useListing(listKeys, [created]);
  return (
    <div class="page">
      <PageHead title={t('keys.title')} intro={t('keys.intro')}>
        <Button kind="main" icon="add" onClick={() => setDialog('new')}>
          {t('keys.new')}
        </Button>
      </PageHead>
      <ListingView
        listing={listing}
        empty={
          <Empty icon="keys" title={t('keys.empty')}>
            <p>{t('keys.empty_hint')}</p>
          </Empty>
        }
      >
        {(keys) => <KeyTable keys={keys} revoked={revoked} onRevoke={setDialog} />}
      </ListingView>
      {dialog === 'new' ? (
        <NewKey onClose={() => setDialog(null)} onMade={() => setCreated(created + 1)} />
      ) : null}
      {dialog === null || dialog === 'new' ? null : (
        <Revoke
          apiKey={dialog}
          onClose={() => setDialog(null)}
          onDone={(key) => setRevoked([...revoked, key])}
        />
      )}
    </div>
  );
}

interface KeyTableProps {
  readonly keys: readonly Key[];
  /** Keys revoked since they were loaded. */
  readonly revoked: readonly Key[];
  readonly onRevoke: (key: Key) => void;
}

function KeyTable({ keys, revoked, onRevoke }: KeyTableProps) {
  return (
    <div class="table-wrap" role="region" tabIndex={0} aria-label={t('keys.title')}>
      <table class="table cards" role="table">
        <TableHead
          columns={['keys.name', 'keys.scopes', { num: 'keys.limit' }, 'keys.used', 'keys.state']}
          hasActions
        />
        <tbody role="rowgroup">
          {keys.map((key) => (
            <KeyRow
              key={key.keyId}
              apiKey={revoked.find(({ keyId }) => keyId === key.keyId) ?? key}
              onRevoke={onRevoke}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeyRowProps {
  readonly apiKey: Key;
  readonly onRevoke: (key: Key) => void;
}

function KeyRow({ apiKey, onRevoke }: KeyRowProps) {
  const { name, keyId, scopes, rateLimitPerMinute, lastUsedAt, revokedAt } = apiKey;
  const row = useRef<HTMLTableRowElement>(null);
  const wasRevoked = useRef(revokedAt !== null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (revokedAt !== null && !wasRevoked.current) row.current?.focus();
  }, [revokedAt]);
  return (
    <tr role="row" ref={row} tabIndex={-1}>
      <td role="cell" class="title breaks">
        <strong>{name}</strong>
        <br />
        <span class="small soft mono">{keyId}</span>
      </td>
      <td role="cell" data-label={t('keys.scopes')}>
        <span class="row">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </td>
      <td role="cell" class="num" data-label={t('keys.limit')}>
        {rateLimitPerMinute === null ? t('keys.default') : formatNumber(rateLimitPerMinute)}
      </td>
      <td role="cell" class="when" data-label={t('keys.used')}>
        {lastUsedAt === null ? t('keys.never') : formatAgo(lastUsedAt)}
      </td>
      <td role="cell" class="when" data-label={t('keys.state')}>
        <KeyState apiKey={apiKey} />
      </td>
      <td role="cell" class="fit actions">
        {revokedAt === null ? (
          <Button kind="quiet" icon="trash" onClick={() => onRevoke(apiKey)}>
            {t('keys.revoke')}
          </Button>
        ) : null}
      </td>
    </tr>
  );
}

function KeyState({ apiKey }: { readonly apiKey: Key }) {
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt !== null) return <Badge tone="bad">{t('keys.revoked')}</Badge>;
  if (expiresAt === null) return <Badge tone="good">{t('keys.valid')}</Badge>;
  const isOver = Date.parse(expiresAt) <= serviceNowMs();
  if (isOver) return <Badge tone="warn">{t('keys.expired')}</Badge>;
  return (
    <>
      <Badge tone="good">{t('keys.valid')}</Badge>
      <br />
      <span class="small soft">{t('keys.until', { when: formatDay(expiresAt) })}</span>
    </>
  );
}

interface NewKeyProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

function NewKey({ onClose, onMade }: NewKeyProps) {
  const [made, setMade] = useState('');
  return (
    <Dialog title={t('keys.new')} onClose={onClose}>
      {made === '' ? (
        <NewKeyForm
          onClose={onClose}
          onMade={(apiKey) => {
            setMade(apiKey);
            onMade();
          }}
        />
      ) : (
        <div class="body">
          <Notice tone="warn" title={t('keys.once')} />
          <div class="row nowrap secret">
            <code>{made}</code>
            <CopyButton text={made} label={t('action.copy')} />
          </div>
          <div class="dialog-actions">
            <Button kind="main" onClick={onClose}>
              {t('keys.kept')}
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

interface NewKeyFormProps {
  readonly onClose: () => void;
  readonly onMade: (apiKey: string) => void;
}

function NewKeyForm({ onClose, onMade }: NewKeyFormProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['generate']);
  const [limit, setLimit] = useState('');
  const [days, setDays] = useState('365');
  const [error, setError] = useState<ApiError | null>(null);
  // Prevents a second click, whose key would never be shown.
  const [isBusy, setBusy] = useState(false);
  const create = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    const expiresAt = new Date(serviceNowMs() + Number(days) * DAY_MS).toISOString();
    const body = {
      name: name.trim(),
      scopes,
      ...(limit === '' ? {} : { rateLimitPerMinute: Number(limit) }),
      ...(days === '' ? {} : { expiresAt }),
    };
    try {
      const { apiKey } = await callJson<CreatedKey>('/v1/keys', { method: 'POST', body });
      onMade(apiKey);
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setBusy(false);
    }
  };
  const isReady = scopes.length > 0 && name.trim() !== '';
  return (
    <form class="body" onSubmit={(event) => void create(event)}>
      <label class="field">
        <span class="field-label">{t('keys.name')}</span>
        <input
          class="input"
          required
          maxLength={100}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="hint">{t('keys.name_hint')}</span>
      </label>
      <ScopeChoice scopes={scopes} onChange={setScopes} />
      <div class="filters">
        <NumberInput
          label={t('keys.limit')}
          placeholder={t('keys.default')}
          max={1_000_000}
          value={limit}
          onInput={setLimit}
        />
        <NumberInput
          label={t('keys.days')}
          placeholder={t('keys.no_end')}
          max={3_650}
          value={days}
          onInput={setDays}
        />
      </div>
      <p class="small soft">{t('keys.limit_hint')}</p>
      <p class="small soft">{t('keys.days_hint')}</p>
      {error === null ? null : <ErrorNotice error={error} />}
      <div class="dialog-actions">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button kind="main" type="submit" busy={isBusy} disabled={!isReady}>
          {t('keys.create')}
        </Button>
      </div>
    </form>
  );
}

interface ScopeChoiceProps {
  readonly scopes: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
}

function ScopeChoice({ scopes, onChange }: ScopeChoiceProps) {
  const toggle = (scope: string): void =>
    onChange(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <fieldset class="field plain">
      <legend class="field-label">{t('keys.scopes')}</legend>
      {SCOPES.map((scope) => (
        <label class="choice" key={scope}>
          <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
          <span>
            <code>{scope}</code> <span class="small soft">{t(`scope.${scope}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly max: number;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function NumberInput({ label, placeholder, max, value, onInput }: NumberInputProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input
        class="input"
        type="number"
        min="1"
        max={String(max)}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

interface RevokeProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
  readonly onDone: (revoked: Key) => void;
}

function Revoke({ apiKey, onClose, onDone }: RevokeProps) {
  const [isBusy, setBusy] = useState(false);
  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      const address = path`/v1/keys/${apiKey.keyId}/revoke`;
      onDone(await callJson<Key>(address, { method: 'POST', body: {} }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell('bad', () => errorTitle(error));
    }
    onClose();
  };
  return (
    <Dialog title={t('keys.revoke_title', { name: apiKey.name })} onClose={onClose}>
      <div class="body">
        <p>{t('keys.revoke_text')}</p>
        <div class="dialog-actions">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="danger" busy={isBusy} onClick={() => void revoke()}>
            {t('keys.revoke')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
