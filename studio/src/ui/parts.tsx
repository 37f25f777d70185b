import type { ComponentChildren } from 'preact';
import type { FieldError } from '../api/types.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { t } from '../i18n/i18n.ts';
import type { IconName } from './icons.tsx';
import { Icon } from './icons.tsx';
import type { Loaded } from './use-load.ts';

interface ButtonProps {
  readonly kind?: 'main' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  readonly label?: string;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly title?: string;
  readonly pressed?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children?: ComponentChildren;
}

/** A button; with `label` and no children it shows its icon alone. */
export function Button(props: ButtonProps) {
  const { kind = 'plain', icon, label, busy = false, disabled = false, type = 'button' } = props;
  const { title, onClick, children, pressed } = props;
  const isIconOnly = children === undefined;
  return (
    <button
      type={type}
      class={`button ${kind}${isIconOnly ? ' icon-only' : ''}`}
      disabled={disabled || busy}
      aria-busy={busy}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...(title === undefined && label === undefined ? {} : { title: title ?? label })}
      {...(onClick === undefined ? {} : { onClick })}
    >
      {busy ? <Spinner /> : icon === undefined ? null : <Icon name={icon} />}
      {children === undefined ? null : <span>{children}</span>}
    </button>
  );
}

export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}

type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: Tone;
  children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface NoticeProps {
  readonly tone: 'good' | 'warn' | 'bad' | 'info';
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A message within the page; unlike a toast, it does not disappear after a while. */
export function Notice({ tone, title, children }: NoticeProps) {
  const icon = { good: 'check', warn: 'warn', bad: 'error', info: 'info' } as const;
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={icon[tone]} size={20} />
      <div>
        <strong>{title}</strong>
        {children === undefined ? null : <div class="notice-body">{children}</div>}
      </div>
    </div>
  );
}

/**
 * Says that a script of the Studio could not be fetched. An updated service has other scripts, and
 * browsers do not fetch a failed module again, so only a reload of the page helps.
 */
export function NotLoaded({ title }: { readonly title: string }) {
  return (
    <Notice tone="bad" title={title}>
      <p>{t('state.not_loaded_hint')}</p>
      <Button onClick={() => location.reload()}>{t('action.reload')}</Button>
    </Notice>
  );
}

const FIELDS_SHOWN_MAX = 5;

/** A field of an error in the words of a form, where there is one. */
export type DescribeReason = (reason: FieldError) => {
  readonly name: string;
  readonly text: string;
  readonly lang?: 'en';
};

interface ErrorDetailProps {
  readonly error: ApiError;
  readonly describe?: DescribeReason;
}

/** The fields that are wrong, where the service names them; its own message otherwise. */
export function ErrorDetail({ error, describe }: ErrorDetailProps) {
  const { code, fields, message, isOfLostFile } = error;
  if (isOfLostFile) return <p>{t('document.damaged_hint')}</p>;
  if (code === 'gone') return <p>{t('document.gone_hint')}</p>;
  if (code !== 'invalid_data' || fields.length === 0) {
    return message === '' ? null : <p lang="en">{message}</p>;
  }
  const hidden = fields.length - FIELDS_SHOWN_MAX;
  return (
    <ul>
      {fields.slice(0, FIELDS_SHOWN_MAX).map((one) => {
        const spoken = describe?.(one);
        return spoken === undefined ? (
          <li key={one.field} lang="en">
            <code>{one.field}</code> {one.reason}
          </li>
        ) : (
          <li key={one.field}>
            <strong>{spoken.name}:</strong> <span lang={spoken.lang}>{spoken.text}</span>
          </li>
        );
      })}
      {hidden > 0 ? <li>{t('error.more_fields', { count: hidden })}</li> : null}
    </ul>
  );
}

interface ErrorNoticeProps extends ErrorDetailProps {
  readonly retry?: () => void;
  /** Whether `retry` only reads, so that it is called again and again while the fault may pass. */
  readonly repeats?: boolean;
}

/** Pause after which a reading that failed is repeated. */
const REPEAT_MS = 10_000;
/** Not reached, too many requests, and busy or absent behind a proxy (RFC 9110, RFC 6585). */
const PASSING: ReadonlySet<number> = new Set([0, 429, 502, 503, 504]);

/**
 * Explains an error in the user's language, with the service's own words and the request id. What
 * failed without a network is retried when the browser has one.
 */
export function ErrorNotice({ error, describe, retry, repeats = false }: ErrorNoticeProps) {
  const isRepeated = repeats && retry !== undefined && PASSING.has(error.status);
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    if (!isRepeated) return undefined;
    const pauseMs = Math.max(REPEAT_MS, error.retryAfterSeconds * 1_000);
    // A hidden page asks nothing, and looks again after the same pause.
    const timer = setInterval(() => document.hidden || latest.current?.(), pauseMs);
    return () => clearInterval(timer);
  }, [error, isRepeated]);
  useEffect(() => {
    if (retry === undefined || error.code !== 'offline') return undefined;
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, [error, retry]);
  return (
    <Notice tone="bad" title={errorTitle(error)}>
      <ErrorDetail error={error} {...(describe === undefined ? {} : { describe })} />
      {error.requestId === '' ? null : (
        <p class="small">
          {t('error.request')} <code>{error.requestId}</code>
        </p>
      )}
      {isRepeated ? <p class="small">{t('error.repeats')}</p> : null}
      {retry === undefined || error.isOfLostThing ? null : (
        <Button onClick={retry}>{t('action.retry')}</Button>
      )}
    </Notice>
  );
}

export function errorTitle(error: ApiError): string {
  switch (error.code) {
    case 'offline':
      return t('error.offline');
    case 'file_changed':
      return t('runs.file_changed');
    case 'forbidden':
      return t('error.forbidden');
    case 'not_found':
      return t('error.not_found');
    case 'gone':
      return t('error.gone');
    case 'invalid_data':
      return t(error.isOfLayout ? 'error.no_room' : 'error.invalid_data');
    case 'payload_too_large':
      return t('error.too_large');
    case 'approval_conflict':
      return t('approval.conflict');
    case 'session_changed':
      return t('other_user.refused');
    case 'precondition_failed':
      return t('error.changed');
    case 'rate_limited':
      return t('error.rate_limited');
    case 'overloaded':
    case 'storage_unavailable':
      return t('error.busy');
    case 'protection_unavailable':
      return t('error.protection');
    case 'render_failed':
      return t('error.render');
    default:
      if (error.isOfLostFile) return t('document.file_lost');
      return error.status >= 500 ? t('error.server') : t('error.refused');
  }
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={36} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Shows the loaded value; until then a skeleton, or the error with a button to retry. */
export function Load<T>(props: {
  readonly loaded: Loaded<T>;
  readonly reload: () => void;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { loaded, reload, children } = props;
  switch (loaded.state) {
    case 'loading':
      return <Skeleton />;
    case 'failed':
      return <ErrorNotice error={loaded.error} retry={reload} repeats />;
    case 'ready':
      return <>{children(loaded.value)}</>;
  }
}

/** Grey bars in place of content; CSS delays them so that a quick response does not flicker. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label={t('state.loading')}>
      <span />
      <span />
      <span />
    </div>
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** The inputs of a dialog; of a group of radio buttons only the chosen one. */
const INPUTS =
  ':is(input:not([type="radio"]), input[type="radio"]:checked, select, textarea):enabled';

/**
 * Focuses the first input. The platform would focus the close button, which stands first, so that the
 * first space somebody types closes the dialog. A dialog without inputs gets the focus itself.
 */
function focusInside(dialog: HTMLDialogElement): void {
  (dialog.querySelector<HTMLElement>(INPUTS) ?? dialog).focus();
}

/** The platform's modal dialog: it traps the focus, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    if (ref.current !== null) focusInside(ref.current);
    // The platform gives the focus back when a dialog closes, not when it is removed while open.
    return () => {
      const isLost = document.activeElement === document.body;
      if (isLost && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog ref={ref} class={wide ? 'wide' : ''} tabIndex={-1} onClose={onClose} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button
          kind="quiet"
          icon="close"
          label={t('action.close')}
          onClick={() => ref.current?.close()}
        />
      </header>
      {children}
    </dialog>
  );
}

const OUTCOME_MS = 3_000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'not_copied' | null>(null);
  const copy = async (): Promise<void> => {
    setOutcome((await writeClipboard(text)) ? 'copied' : 'not_copied');
    setTimeout(() => setOutcome(null), OUTCOME_MS);
  };
  const icon = outcome === null ? 'copy' : outcome === 'copied' ? 'check' : 'error';
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={outcome === null ? label : t(`state.${outcome}`)}
      onClick={() => void copy()}
    />
  );
}

/** Browsers offer the clipboard only to pages from https or localhost, and may refuse it. */
async function writeClipboard(text: string): Promise<boolean> {
  if (!isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

interface PageHeadProps {
  readonly title: string;
  readonly intro?: string;
  readonly back?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function PageHead({ title, intro, back, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Intaglio Studio`;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {back}
        <h1>{title}</h1>
        {intro === undefined ? null : <p class="intro">{intro}</p>}
      </div>
      {children === undefined ? null : <div class="page-actions">{children}</div>}
    </header>
  );
}
