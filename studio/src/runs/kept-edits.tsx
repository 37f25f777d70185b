import { useState } from 'preact/hooks';
import { createKeeper } from '../form/kept.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { Button } from '../ui/parts.tsx';
import { type Edits, addressOf } from './exceptions.ts';
import type { RunException } from './types.ts';

/** Corrections of rows that were typed and not checked yet, by run. */
const corrections = createKeeper<Edits>(50);
const NONE: Edits = new Map();

/** The corrections of a run, which are kept while the user visits other pages. */
export function useKeptEdits(
  runId: string,
): readonly [Edits, (change: (e: Edits) => Edits) => void] {
  const [, setTurn] = useState(0);
  const change = (of: (edits: Edits) => Edits): void => {
    const next = of(corrections.of(runId) ?? NONE);
    corrections.keep(runId, next.size === 0 ? null : next);
    setTurn((before) => before + 1);
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
  readonly onDiscard: () => void;
}

/** Says that corrections are kept and for which rows they cannot be sent; offers to discard them. */
export function KeptNote({ edits, rows, isAll, isOpen, onDiscard }: NoteProps) {
  if (edits.size === 0) return null;
  const shown = new Set((rows ?? []).map(addressOf));
  const absent = rows === null ? 0 : [...edits.keys()].filter((key) => !shown.has(key)).length;
  return (
    <div class="row">
      <span class="small soft" role="status">
        {t(isOpen ? 'faulty.kept' : 'faulty.kept_closed', { count: formatNumber(edits.size) })}{' '}
        {absent === 0 || !isOpen
          ? null
          : t(isAll ? 'faulty.kept_gone' : 'faulty.kept_below', { count: formatNumber(absent) })}
      </span>
      <Button kind="quiet" icon="trash" onClick={onDiscard}>
        {t('faulty.discard')}
      </Button>
    </div>
  );
}
