import type { DraftChange } from '../api/types.ts';
import { type QuotedFile, withFileNames } from '../compare/file-names.ts';
import { formatBytes, t } from '../i18n/i18n.ts';
import { Badge, Notice } from '../ui/parts.tsx';

interface ChangeListProps {
  readonly changes: readonly DraftChange[];
  /** Ids of the changes that a sample shows. */
  readonly shown: ReadonlySet<string>;
  /** Ids of the changes that a sample shows, or one with the same words elsewhere. */
  readonly unclear: ReadonlySet<string>;
  /** False: samples are still being compared. */
  readonly isDone: boolean;
  readonly confirmed: ReadonlySet<string>;
  /** Null: this user only reads the list. */
  readonly onConfirm: ((id: string, isConfirmed: boolean) => void) | null;
}

/** The changes of the template's text. A publisher confirms those that no sample shows one by one. */
export function ChangeList(props: ChangeListProps) {
  const { changes, shown, unclear, isDone, confirmed, onConfirm } = props;
  if (changes.length === 0) {
    return (
      <Notice tone="warn" title={t('publish.text_same')}>
        <p>{t('publish.text_same_hint')}</p>
      </Notice>
    );
  }
  const hidden = changes.filter(({ id }) => !shown.has(id)).length;
  return (
    <section class="card stack" aria-label={t('publish.changes')}>
      <h2>{t('publish.changes')}</h2>
      {isDone && hidden > 0 ? (
        <Notice
          tone="warn"
          title={t(onConfirm === null ? 'publish.hidden_reader' : 'publish.hidden', {
            count: hidden,
            all: changes.length,
          })}
        >
          <p>{t(onConfirm === null ? 'publish.hidden_reader_hint' : 'publish.hidden_hint')}</p>
        </Notice>
      ) : null}
      <ul class="changes">
        {changes.map((change) => (
          <li key={change.id}>
            {shown.has(change.id) || onConfirm === null ? (
              <div class="row">
                {shown.has(change.id) ? <Badge tone="good">{t('publish.shown')}</Badge> : null}
                <Place change={change} isRead={false} />
              </div>
            ) : (
              <label class="choice">
                <input
                  type="checkbox"
                  checked={confirmed.has(change.id)}
                  disabled={!isDone}
                  onChange={(event) => onConfirm(change.id, event.currentTarget.checked)}
                />
                <Place change={change} isRead />
              </label>
            )}
            {unclear.has(change.id) ? <p class="small soft">{t('publish.shown_less')}</p> : null}
            <Values change={change} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface PlaceProps {
  readonly change: DraftChange;
  /** Whether the text is one that the user confirms. */
  readonly isRead: boolean;
}

function Place({ change: { path, change, line, lineBefore }, isRead }: PlaceProps) {
  if (path === '') return <span>{t(isRead ? 'publish.whole_text' : 'publish.all_new')}</span>;
  const number = line ?? lineBefore;
  return (
    <span>
      {t(`change.${change}`)} <code>{path}</code>{' '}
      {number === null ? null : (
        <span class="small soft">
          {t(line === null ? 'publish.line_before' : 'publish.line', { line: number })}
        </span>
      )}
    </span>
  );
}

function Values({ change: { before, after } }: { readonly change: DraftChange }) {
  if (before === '' && after === '') return null;
  return (
    <div class="diff">
      {before === '' ? null : <Value kind="removed" text={before} />}
      {after === '' ? null : <Value kind="added" text={after} />}
    </div>
  );
}

function Value({ kind, text }: { readonly kind: 'removed' | 'added'; readonly text: string }) {
  return (
    <p class={`${kind} mono breaks`}>
      <span class="hidden">{t(`diff.${kind}`)}</span>
      <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span> {withFileNames(text, nameOf)}
    </p>
  );
}

function nameOf({ type, sizeBytes, pixels, digest }: QuotedFile): string {
  const facts = { type, size: pixels + formatBytes(sizeBytes), digest };
  return t(type.startsWith('image/') ? 'change.picture' : 'change.file', facts);
}
