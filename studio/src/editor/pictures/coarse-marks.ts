import { type Diagnostic, linter } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { formatBytes, t } from '../../i18n/i18n.ts';
import { docText } from '../doc-text.ts';
import { type CoarsePicture, coarsePicturesIn } from './coarse.ts';
import { hiddenPictures } from './hidden.ts';
import { choosePicture } from './take.ts';

/** Marks pictures that are printed too large for their pixels, there and where they are printed. */
export const coarsePictures: Extension = linter(({ state }) => marksIn(state), { delay: 600 });

async function marksIn(state: EditorState): Promise<readonly Diagnostic[]> {
  if (state.field(hiddenPictures).length === 0) return [];
  return (await coarsePicturesIn(docText(state.doc))).flatMap(marksOf);
}

function marksOf({ place, printedAt, says }: CoarsePicture): readonly Diagnostic[] {
  const { name, from, to, bytes } = place;
  const mark = {
    severity: 'warning' as const,
    message: says(),
    actions: [
      {
        name: t('picture.replace', { name, size: formatBytes(bytes) }),
        apply: (view: EditorView) => choosePicture(view, place),
      },
    ],
  };
  return [
    { ...mark, from, to },
    { ...mark, from: printedAt.from, to: printedAt.to },
  ];
}
