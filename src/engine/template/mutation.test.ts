import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { compileFile } from './fixtures.ts';

/** Whatever an author breaks in a template gives findings, never an exception. */

const folder = new URL('../../../templates/', import.meta.url);

function readTemplate(name: string): unknown {
  const text = readFileSync(new URL(`${name}.json`, folder), 'utf8');
  // A small image replaces the logo, because decoding is not tested here.
  return JSON.parse(text.replace(/"data:image[^"]*"/g, '"data:image/png;base64,AAAA"'));
}

const originals = ['receipt', 'statement', 'contract'].map(readTemplate);

/** A document with the nodes that the samples do not have. */
const EXOTIC = {
  templateId: 'exotic',
  fields: [{ name: 'rows', type: 'table' }],
  document: {
    content: [
      { toc: { title: 'x', textStyle: { bold: true }, numberStyle: ['a', {}] } },
      { section: ['x'], pageSize: 'A5', header: { first: 'a', rest: 'b' } },
      { canvas: [{ type: 'polyline', points: [{ x: 1, y: 1 }], dash: { length: 2 } }] },
      { ol: ['a', { ul: [['b']] }], separator: ['(', ')'], start: 2, reversed: true },
      {
        text: ['a', { text: ['b', { text: 'c', pageReference: 'i' }] }],
        tocItem: ['x', true],
        id: 'i',
      },
      { text: 'x', pageBreak: 'after', pageOrientation: 'landscape' },
      {
        table: {
          body: [
            [{ text: 'a', rowSpan: 2, colSpan: 2 }, {}],
            [{}, {}],
          ],
          heights: [1, 'auto'],
        },
        layout: { fillColor: ['red', null], hLineStyle: { first: { dash: { length: 1 } } } },
      },
    ],
    styles: { a: { extends: ['b'], margin: [1, 2] }, b: { extends: 'a' } },
    patterns: { p: { xStep: 1, yStep: 1, pattern: '1 w 0 0 m 1 1 l S' } },
    tableLayouts: { l: { hLineWidth: { first: 1, even: 2 } } },
    watermark: { text: 'x', fontSize: 'auto' },
    breakBefore: { headlineLevel: 1 },
  },
};

/** Places of a JSON value: paths of keys from the root. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, member]) => placesOf(member, [...path, key]));
  return [path, ...inner];
}

function replaceAt(value: unknown, path: readonly string[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? replaceAt(item, rest, by) : item));
  }
  const object = value as Record<string, unknown>;
  return { ...object, [key]: replaceAt(object[key], rest, by) };
}

const WORDS = ['text', 'stack', 'table', 'each', 'toc', 'section', 'image', 'items', '{{0}}', '{{'];

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, -1, 0, 1e9, '', '*', '50%', [], {}, [[]], [null], ...WORDS),
  fc.dictionary(fc.constantFrom(...WORDS), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);

for (const [index, original] of [...originals, EXOTIC].entries()) {
  t.test(`a mutated template ${index} gives findings, not an exception`, async (t) => {
    const places = placesOf(original);
    const place = fc.constantFrom(...places);
    await fc.assert(
      fc.asyncProperty(place, junk, place, junk, async (one, value, two, other) => {
        let file = replaceAt(original, one, value);
        // The second place may be gone by now.
        if (placesOf(file).some((path) => path.join() === two.join())) {
          file = replaceAt(file, two, other);
        }
        const { template, findings } = await compileFile(file);
        const failed = findings.some(({ severity }) => severity === 'error');
        t.equal(template === null, failed);
      }),
      { numRuns: 60 },
    );
  });
}
