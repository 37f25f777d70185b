import type { Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * What CodeMirror announces to screen readers of a replacement of all matches, which has their number;
 * '': nothing was replaced. The changes themselves do not tell it: neighbours are joined.
 */
export function replacedText(transactions: readonly Transaction[]): string {
  for (const transaction of transactions) {
    if (!transaction.isUserEvent('input.replace.all')) continue;
    const effect = transaction.effects.find((one) => one.is(EditorView.announce));
    if (effect?.is(EditorView.announce) === true) return effect.value.replace(/\.$/, '');
  }
  return '';
}
