import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { EXAMPLES } from '../../lab/pages/key-examples.ts';
import { explanationOf, keysOf, PARTS } from '../../lab/pages/key-reference.ts';
import { entriesOf, entryOfKey } from '../../studio/src/editor/guide/find.ts';
import { parseMarkdown } from '../../studio/src/editor/guide/markdown.ts';
import { placeOfKey } from '../../studio/src/editor/guide/place.ts';
import { FRAMES } from '../key-frames.ts';

/** Pointing at a key and the guide (F1) tell of the key what the key reference says of its place. */

const REFERENCE = parseMarkdown(readFileSync(join(HOME, 'docs/template-keys.md'), 'utf8'));
const ENTRIES = entriesOf('template-keys', REFERENCE);
const VECTORS = PARTS.filter(({ title }) => title.startsWith('A vector')).map(({ place }) => place);
const MARK = 'the key in question';

/** A template in which the key stands in this place, and where it stands. */
function textWith(place: string, key: string): { readonly text: string; readonly pos: number } {
  // The type of a vector is its place.
  const value = key === 'type' && VECTORS.includes(place) ? place : MARK;
  const own = { ...EXAMPLES[place]?.[key]?.beside, [key]: value };
  const framed = FRAMES[place]?.(own, key);
  const text = JSON.stringify(
    framed,
    (name, one: unknown) => (name === 'text' && one === null ? undefined : one),
    2,
  );
  return { text, pos: text.indexOf(`"${key}": "${value}"`) + 1 };
}

for (const part of PARTS) {
  const { title, place } = part;
  t.test(`${title} (${place})`, async (t) => {
    for (const key of keysOf(part)) {
      const { text, pos } = textWith(place, key);
      if (!t.ok(pos > 0, `${key} stands in its template`)) continue;
      const found = placeOfKey(text, pos);
      t.equal(found.description, explanationOf(place, key), `pointing at ${key}`);
      const entry = entryOfKey(ENTRIES, found);
      const section = title.replaceAll('`', '');
      t.strictSame([entry?.section, entry?.key], [section, key], `F1 at ${key}`);
    }
  });
}
