import type { Action, Diagnostic } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { t } from '../i18n/i18n.ts';
import { findSlip } from '../../../src/runtime/json-slips/find.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';
import { slipMessage } from '../../../src/runtime/json-slips/words.ts';

/** The message about the slip, in the user's language. */
export function slipText(slip: Slip): string {
  const { key, values } = slipMessage(slip);
  return t(key, values);
}

/** Why the text is not JSON; null: it is, though it may have a key twice. */
export function slipIn(text: string): Slip | null {
  const slip = findSlip(text);
  return slip?.cause === 'key_repeated' ? null : slip;
}

/** The line of a slip in the text. */
export function lineOfSlip(text: string, { from }: Slip): number {
  return text.slice(0, from).split('\n').length;
}

/** Marks a slip in the editor, with a button that fixes it or goes to the line that is missing. */
export function slipDiagnostic(slip: Slip): Diagnostic {
  const { from, to, cause } = slip;
  return {
    from,
    to,
    severity: cause === 'key_repeated' ? 'warning' : 'error',
    message: slipText(slip),
    actions: actionsOf(slip),
  };
}

function actionsOf(slip: Slip): Action[] {
  const { fix, missing } = slip;
  if (fix !== null) return [{ name: t('slip.fix'), apply: (view) => applyFix(view, slip) }];
  if (missing === null) return [];
  const { line, at } = missing;
  return [{ name: t('slip.go', { line }), apply: (view) => jumpTo(view, at) }];
}

/** Puts the cursor at a place of the text and scrolls there. */
export function jumpTo(view: EditorView, position: number): void {
  // The text may have become shorter since the place was found.
  const anchor = Math.min(position, view.state.doc.length);
  view.dispatch({
    selection: { anchor },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  });
  view.focus();
}

/** Fixes a slip, or a misspelled name, as one step of the undo history, and puts the cursor after the change. */
export function applyFix(view: EditorView, { fix }: Pick<Slip, 'fix'>): void {
  // The text may have become shorter since the slip was found.
  if (fix === null || fix.to > view.state.doc.length) return;
  const end = fix.from + fix.insert.length;
  view.dispatch({
    changes: fix,
    selection: { anchor: end },
    effects: EditorView.scrollIntoView(end, { y: 'center' }),
    userEvent: 'input.fix',
  });
  view.focus();
}
