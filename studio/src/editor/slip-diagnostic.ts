import type { Diagnostic } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { t } from '../i18n/i18n.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';
import { shownSign } from '../../../src/runtime/json-slips/words.ts';

/** The message about the slip, in the user's language. */
export function slipText(slip: Slip): string {
  return t(`slip.${slip.cause}`, { sign: shownSign(slip) });
}

/** Marks a slip in the editor, with a button that fixes it. */
export function slipDiagnostic(slip: Slip): Diagnostic {
  const { from, to, fix, cause } = slip;
  return {
    from,
    to,
    severity: cause === 'key_repeated' ? 'warning' : 'error',
    message: slipText(slip),
    actions: fix === null ? [] : [{ name: t('slip.fix'), apply: (view) => applyFix(view, slip) }],
  };
}

/** Fixes the slip as one step of the undo history, and puts the cursor after the change. */
export function applyFix(view: EditorView, { fix }: Slip): void {
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
