import type { Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * The text in which CodeMirror tells screen readers how many matches were replaced; '': none were. The
 * changes do not show the number, because CodeMirror joins adjacent ones.
 */
export function replacedText(transactions: readonly Transaction[]): string {
  for (const transaction of transactions) {
    if (!transaction.isUserEvent('input.replace.all')) continue;
    const effect = transaction.effects.find((one) => one.is(EditorView.announce));
    if (effect?.is(EditorView.announce) === true) return effect.value.replace(/\.$/, '');
  }
  return '';
}
