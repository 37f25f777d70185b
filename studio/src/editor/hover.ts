import { syntaxTree } from '@codemirror/language';
import type { Tooltip } from '@codemirror/view';
import { hoverTooltip } from '@codemirror/view';
import { docText } from './doc-text.ts';
import { t } from '../i18n/i18n.ts';
import { placeOfKey } from './guide/place.ts';
import { openGuideAt } from './guide/target.ts';

/** Shows the schema's description of the key under the pointer. */
export const hoverTemplate = hoverTooltip((view, pos): Tooltip | null => {
  const node = syntaxTree(view.state).resolveInner(pos, 1);
  if (node.name !== 'PropertyName') return null;
  const text = placeOfKey(docText(view.state.doc), node.from + 1).description;
  if (text === '') return null;
  return {
    pos: node.from,
    end: node.to,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-note';
      const more = document.createElement('button');
      more.type = 'button';
      more.className = 'cm-more';
      more.textContent = t('guide.more');
      more.addEventListener('click', () => openGuideAt(docText(view.state.doc), node.from + 1));
      const says = document.createElement('p');
      says.lang = 'en';
      says.textContent = text;
      dom.append(says, more);
      return { dom };
    },
  };
});
