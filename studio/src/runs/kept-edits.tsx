import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { createKeeper } from '../form/kept.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { Button, CopyButton, Notice } from '../ui/parts.tsx';
import { type Edits, addressOf } from './exceptions.ts';
import type { RunException } from './types.ts';

/** Corrections of rows that were typed and not checked yet, by run. */
const corrections = createKeeper<Edits>(50);
const NONE: Edits = new Map();
/** Counts the changes, so that each page that shows corrections renders again. */
const changes = signal(0);

/** The corrections of a run, which are kept while the user visits other pages. */
export function useKeptEdits(
  runId: string,
): readonly [Edits, (change: (e: Edits) => Edits) => void] {
  void changes.value;
  const change = (of: (edits: Edits) => Edits): void => {
    const next = of(corrections.of(runId) ?? NONE);
    corrections.keep(runId, next.size === 0 ? null : next);
    changes.value += 1;
  };
  return [corrections.of(runId) ?? NONE, change];
}

interface NoteProps {
  readonly edits: Edits;
  /** Rows that are shown; null: not loaded yet. */
  readonly rows: readonly RunException[] | null;
  /** Whether these are all rows that need a correction. */
  readonly isAll: boolean;
  /** Whether the run takes corrections now. */
  readonly isOpen: boolean;
  /** Whether the run will never take corrections again. */
  readonly isEnded: boolean;
  readonly onDiscard: () => void;
}

/**
 * Says that corrections are kept and for which rows they cannot be sent; offers to discard them. Those
 * that can never be sent are shown to be copied, because the page has no inputs for them any more.
 */
export function KeptNote({ edits, rows, isAll, isOpen, isEnded, onDiscard }: NoteProps) {
  if (edits.size === 0) return null;
  const shown = new Set((rows ?? []).map(addressOf));
  const absent = rows === null ? [] : [...edits].filter(([key]) => !shown.has(key));
  const useless = isEnded ? [...edits] : isAll && isOpen ? absent : [];
  const discard = (
    <Button kind="quiet" icon="trash" onClick={onDiscard}>
      {t('faulty.discard')}
    </Button>
  );
  if (useless.length > 0 && useless.length === edits.size) {
    return <Useless edits={useless} isEnded={isEnded} discard={discard} />;
  }
  return (
    <>
      <div class="row">
        <span class="small soft" role="status">
          {t(isOpen ? 'faulty.kept' : 'faulty.kept_closed', { count: formatNumber(edits.size) })}{' '}
          {absent.length === 0 || !isOpen || isAll
            ? null
            : t('faulty.kept_below', { count: formatNumber(absent.length) })}
        </span>
        {discard}
      </div>
      {useless.length === 0 ? null : <Useless edits={useless} isEnded={isEnded} discard={null} />}
    </>
  );
}

interface UselessProps {
  readonly edits: readonly (readonly [string, Readonly<Record<string, string>>])[];
  readonly isEnded: boolean;
  readonly discard: VNode | null;
}

/** Corrections that cannot be sent any more, as text to copy. */
function Useless({ edits, isEnded, discard }: UselessProps) {
  const text = edits.map(([key, cells]) => lineText(key, cells)).join('\n');
  const count = formatNumber(edits.length);
  return (
    <Notice tone="warn" title={t(isEnded ? 'faulty.kept_ended' : 'faulty.kept_gone', { count })}>
      <p>{t('faulty.kept_useless')}</p>
      <pre class="faulty-text">{text}</pre>
      <div class="row">
        <CopyButton text={text} label={t('faulty.kept_copy')} />
        {discard}
      </div>
    </Notice>
  );
}

/** A corrected row: where it stands, and its cells as they were typed. */
function lineText(key: string, cells: Readonly<Record<string, string>>): string {
  const [part = 1, line = 1] = key.split(':').map(Number);
  const typed = Object.entries(cells).map(([name, value]) => `${name} = ${value}`);
  return `${placeText({ part, line })}: ${typed.join('; ')}`;
}

/** Where a row stands in the files of its run. */
export function placeText({ part, line }: Pick<RunException, 'part' | 'line'>): string {
  const key = part === 1 ? 'faulty.line' : 'faulty.line_of';
  return t(key, { line: formatNumber(line), part: formatNumber(part) });
}
