import { isolateHistory } from '@codemirror/commands';
import { jsonParseLinter } from '@codemirror/lang-json';
import type { KeyBinding } from '@codemirror/view';
import { EditorView } from '@codemirror/view';
import { tell } from '../../app/state.ts';
import { t } from '../../i18n/i18n.ts';
import { lineInsertion, type Side } from './insert-line.ts';

const parseLinter = jsonParseLinter();

/** Inserts a line or a row beside the one with the cursor, as one step of the undo history. */
export function insertLine(view: EditorView, side: Side): void {
  view.focus();
  if (parseLinter(view).length > 0) return tell('bad', () => t('line.not_json'));
  const made = lineInsertion(view.state, view.state.selection.main.head, side);
  if (made === null) return tell('bad', () => t('line.none'));
  const { from, insert, cursor } = made;
  view.dispatch({
    changes: { from, insert },
    selection: { anchor: cursor },
    annotations: isolateHistory.of('full'),
    effects: EditorView.scrollIntoView(cursor, { y: 'nearest', yMargin: 40 }),
    userEvent: 'input.line',
  });
}

function insertBy(side: Side): (view: EditorView) => boolean {
  return (view) => {
    insertLine(view, side);
    return true;
  };
}

/** As other editors have it for lines of text. */
export const lineKeymap: readonly KeyBinding[] = [
  { key: 'Mod-Enter', run: insertBy('below'), shift: insertBy('above') },
];
