import t from 'tap';
import { loadFonts } from '../font/library.ts';
import { assignCodes, firstFaces } from './codes.ts';

const { library } = loadFonts(null);
const SPACE = 0x20;

/** Whether the fixed font of a template that draws one text alone can draw a space. */
function hasSpace(text: string, bold: boolean): boolean {
  const stack = library.stack('Sarabun', bold, false);
  const uses = [{ stack, texts: [text], freeText: false }];
  const [face] = firstFaces(uses);
  if (face === undefined) throw new Error('a stack has a face');
  return assignCodes(face, uses).pages[0]?.glyphOf[SPACE] !== 0;
}

t.test('a template without spaces has the space that ends a span of moved marks', async (t) => {
  t.ok(hasSpace('ใบกำกับภาษี', true), 'a box was drawn after ำ and ษี');
  t.notOk(hasSpace('Total', false), 'other templates have none');
});
