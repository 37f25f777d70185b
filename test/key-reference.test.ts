import { createHash } from 'node:crypto';
import t from 'tap';
import { EXAMPLES } from '../lab/pages/key-examples.ts';
import type { KeyExample } from '../lab/pages/key-examples.ts';
import { keysOf, PARTS } from '../lab/pages/key-reference.ts';
import { loadFonts } from '../src/engine/font/library.ts';
import { noteOf, NOTES } from '../src/engine/template/vocabulary/notes.ts';
import { compileTemplate } from '../src/engine/template/compile.ts';
import { DATA, FRAMES, PDF, PNG } from './key-frames.ts';
import { shareTemplate, tryRender } from '../lab/render.ts';
import { plainSurroundings } from '../src/engine/template/fixtures.ts';

/** Every key of docs/template-keys.md has a description, and an example that has an effect. */

const { library } = loadFonts(null);

/** A template around the place, as a file. */
function fileOf(place: string, key: string, own: Readonly<Record<string, unknown>>): string {
  const frame = FRAMES[place];
  if (frame === undefined) throw new Error(`no frame for ${place}`);
  // `text: null` beside an example removes the text of the frame.
  const framed = JSON.stringify(frame(own, key), (name, value: unknown) =>
    name === 'text' && value === null ? undefined : value,
  );
  return framed
    .replaceAll('data:image/png;base64,…', PNG)
    .replaceAll('data:application/pdf;base64,…', PDF);
}

/**
 * The document's bytes, or the reason why there is none. Some keys have an effect in signed
 * documents only.
 */
async function outcomeOf(file: string, place: string): Promise<string> {
  const signature = { isAsked: place === 'signatureField', bytesMax: 100, signer: 'A signer' };
  const result = await tryRender(shareTemplate(file), DATA, { signature });
  if (!result.ok) return `${result.code} ${JSON.stringify(result.fields ?? [])}`;
  return createHash('sha256').update(result.value.pdf).digest('hex');
}

for (const part of PARTS) {
  const { title, place } = part;
  t.test(`${title} (${place})`, async (t) => {
    for (const key of keysOf(part)) {
      t.not(noteOf(place, key), '', `${key} has a text`);
      const example: KeyExample | undefined = EXAMPLES[place]?.[key];
      if (!t.ok(example, `${key} has an example`) || example === undefined) continue;
      const own = { ...example.beside, [key]: example.value };
      const file = fileOf(place, key, own);
      const { findings } = await compileTemplate(
        Buffer.from(file),
        { hash: key },
        plainSurroundings(library),
      );
      const telling = findings.filter(({ message }) => !message.includes('nothing is bound to it'));
      t.same(telling, [], `${key} compiles without a finding`);
      // Without the key, even if the frame has it.
      const bare = fileOf(place, key, { ...own, [key]: undefined });
      const isSame = (await outcomeOf(file, place)) === (await outcomeOf(bare, place));
      t.equal(isSame, example.inert !== undefined, `${key} changes the document, or is inert`);
    }
    const keys = new Set(keysOf(part));
    t.same(
      Object.keys(EXAMPLES[place] ?? {}).filter((key) => !keys.has(key)),
      [],
      'no more examples',
    );
  });
}

t.test('every note is about a key of its place', async (t) => {
  const shown = new Map(PARTS.map(({ place, table }) => [place, new Set(Object.keys(table))]));
  const groups: Readonly<Record<string, string>> = {
    margin: 'node',
    flow: 'node',
    anchor: 'node',
    vector: 'polyline',
  };
  const vectors = ['line', 'rect', 'ellipse', 'polyline'];
  for (const [place, notes] of Object.entries(NOTES)) {
    const places = place === 'vector' ? vectors : [groups[place] ?? place];
    for (const key of Object.keys(notes)) {
      const isKnown = places.some((one) => shown.get(one)?.has(key));
      t.ok(isKnown, `${place}.${key}`);
    }
  }
});
