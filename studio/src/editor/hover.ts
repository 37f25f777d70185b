import { syntaxTree } from '@codemirror/language';
import type { Tooltip } from '@codemirror/view';
import { hoverTooltip } from '@codemirror/view';
import { keyAt } from './complete/key-at.ts';
import { docText } from './doc-text.ts';
import { describeAt } from './schema.ts';

/** Shows the schema's description of the key under the pointer. */
export const hoverTemplate = hoverTooltip((view, pos): Tooltip | null => {
  const node = syntaxTree(view.state).resolveInner(pos, 1);
  if (node.name !== 'PropertyName') return null;
  const text = describeAt(keyAt(docText(view.state.doc), node.from + 1));
  if (text === '') return null;
  return {
    pos: node.from,
    end: node.to,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-note';
      dom.textContent = text;
      return { dom };
    },
  };
});
