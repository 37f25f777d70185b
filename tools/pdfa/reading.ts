import type { Model } from './model.ts';
import type { StructElement } from './structure.ts';

/** What a screen reader reads aloud: a leaf element of the structure with its text. */
export interface Passage {
  readonly type: string;
  readonly text: string;
}

export function readAloud({ structure, texts }: Model): Passage[] {
  const passages: Passage[] = [];
  const visit = (element: StructElement): string => {
    let text = '';
    for (const leaf of element.leaves) {
      if ('dictionary' in leaf) {
        const inner = visit(leaf);
        // A link is part of the sentence that contains it.
        if (leaf.type === 'Link') text += inner;
      } else if (leaf.kind === 'mcid') {
        text += texts.get(leaf.page)?.get(leaf.mcid) ?? '';
      }
    }
    if (text !== '' && element.type !== 'Link') passages.push({ type: element.type, text });
    return text;
  };
  for (const element of structure.root) visit(element);
  return passages;
}
