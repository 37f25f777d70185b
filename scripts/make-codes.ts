import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Deflater } from '#engine/inside';
import { shareTemplate, tryRender } from '../lab/render.ts';
import { SHAPES } from '../lab/shapes/index.ts';
import {
  blockHeader,
  CODE_BITS_MAX,
  codeLengths,
  LITERAL_COUNT,
} from '../src/engine/pdf/deflate/codes.ts';

/**
 * Writes known-codes.ts of `src/engine/pdf/deflate/` anew from the pages of sample documents: the
 * sets of codes that pages get. That changes the bytes of all documents.
 */
const FOLDER = new URL('../src/engine/pdf/deflate/', import.meta.url);
const TEMPLATES = new URL('../templates/', import.meta.url);

const SET_COUNT = 6;
const ROUNDS = 20;
/** Each kind of document counts as much as any other, however many pages it has. */
const DOCUMENTS_EACH = 12;
const KIND_WEIGHT = 1_000_000;
const NIBBLES_PER_LINE = 79;

type Frequencies = Float64Array;

/** How often each symbol occurs on the pages of each kind of document. */
async function kindsOfPages(): Promise<Map<string, Frequencies[]>> {
  const kinds = new Map<string, Frequencies[]>();
  let pages: Frequencies[] = [];
  const counter = new Deflater();
  // oxlint-disable-next-line typescript/unbound-method -- It is called with a deflater below.
  const { deflate } = Deflater.prototype;
  Deflater.prototype.deflate = function deflateAndCount(content) {
    pages.push(Float64Array.from(counter.frequencies(content)));
    return deflate.call(this, content);
  };
  const kind = async (name: string, template: object, data: readonly unknown[]): Promise<void> => {
    pages = [];
    kinds.set(name, pages);
    const shared = shareTemplate(JSON.stringify(template));
    for (const one of data) {
      const made = await tryRender(shared, one);
      if (!made.ok) throw new Error(`${name}: ${made.message}`);
    }
  };
  const numbers = Array.from({ length: DOCUMENTS_EACH }, (_, index) => 1000 + index);
  for (const shape of Object.values(SHAPES)) {
    const data = numbers.map((number) => shape.document(number, { cold: false }).data);
    await kind(shape.name, shape.template, data);
  }
  for (const name of readdirSync(TEMPLATES).filter((file) => /^[a-z-]+\.json$/.test(file))) {
    const text = readFileSync(new URL(name, TEMPLATES), 'utf8');
    // The folder belongs to this repository.
    const template = JSON.parse(text) as { samples: { data: unknown }[]; document: object };
    const data = template.samples.map((sample) => sample.data);
    await kind(name, template, data);
    const document = { info: { title: name }, ...template.document };
    await kind(`${name} tagged`, { ...template, document, archive: 'PDF/A-2a' }, data);
  }
  Deflater.prototype.deflate = deflate;
  return kinds;
}

/** Every code is there, as any content may meet any set. */
function lengthsFor(frequencies: Frequencies): Uint8Array {
  const all = frequencies.map((frequency) => 1 + Math.round(frequency));
  const literals = codeLengths(all.subarray(0, LITERAL_COUNT), CODE_BITS_MAX);
  const distances = codeLengths(all.subarray(LITERAL_COUNT), CODE_BITS_MAX);
  return Uint8Array.from([...literals, ...distances]);
}

function headerBits(lengths: Uint8Array): number {
  return blockHeader(lengths.subarray(0, LITERAL_COUNT), lengths.subarray(LITERAL_COUNT)).count;
}

function bitsOf(page: Frequencies, lengths: Uint8Array): number {
  return page.reduce((sum, frequency, symbol) => sum + frequency * lengths[symbol]!, 0);
}

interface Page {
  readonly frequencies: Frequencies;
  readonly weight: number;
}

/** Lloyd's algorithm: pages go to the set that suits them best, and sets suit their pages. */
function cluster(pages: readonly Page[]): Uint8Array[] {
  const sum = (of: readonly Page[]): Frequencies => {
    const total = new Float64Array(pages[0]!.frequencies.length);
    for (const { frequencies, weight } of of) {
      for (let symbol = 0; symbol < total.length; symbol++)
        total[symbol]! += frequencies[symbol]! * weight;
    }
    return total;
  };
  const excess = (page: Page, sets: readonly Uint8Array[]): number => {
    const own = lengthsFor(page.frequencies);
    const best = Math.min(...sets.map((set) => bitsOf(page.frequencies, set)));
    return page.weight * (best - bitsOf(page.frequencies, own));
  };
  let sets = [lengthsFor(sum(pages))];
  while (sets.length < SET_COUNT) {
    const worst = pages.toSorted((one, other) => excess(other, sets) - excess(one, sets))[0]!;
    sets.push(lengthsFor(sum([worst])));
    for (let round = 0; round < ROUNDS; round++) {
      const groups = sets.map((): Page[] => []);
      for (const page of pages) {
        const bits = sets.map((set) => bitsOf(page.frequencies, set));
        groups[bits.indexOf(Math.min(...bits))]!.push(page);
      }
      sets = groups.map((group, index) =>
        group.length === 0 ? sets[index]! : lengthsFor(sum(group)),
      );
    }
  }
  return sets;
}

function write(sets: readonly Uint8Array[]): void {
  const texts = sets.map((set) => {
    const nibbles = Array.from(set, (bits) => bits.toString(16)).join('');
    const lines = nibbles.match(new RegExp(`.{1,${NIBBLES_PER_LINE}}`, 'g')) ?? [];
    return lines.map((line, at) => `${at === 0 ? '  ' : '    '}'${line}'`).join(' +\n');
  });
  writeFileSync(
    new URL('known-codes.ts', FOLDER),
    `/**
 * Lengths in bits of the codes that pages get, a hexadecimal digit each: 286 of literals and lengths,
 * then 30 of distances. \`node scripts/make-codes.ts\` made them from pages of samples.
 */
export const KNOWN_CODES: readonly string[] = [
${texts.join(',\n')},
];
`,
  );
}

const kinds = await kindsOfPages();
const pages = [...kinds.values()].flatMap((own) => {
  const symbols = own.flatMap((page) => [...page]).reduce((sum, one) => sum + one, 0);
  return own.map((frequencies) => ({ frequencies, weight: KIND_WEIGHT / symbols }));
});
const sets = cluster(pages);
write(sets);
for (const [name, own] of kinds) {
  const bits = (page: Frequencies, set: Uint8Array): number => headerBits(set) + bitsOf(page, set);
  const known = own.reduce((sum, page) => sum + Math.min(...sets.map((set) => bits(page, set))), 0);
  const best = own.reduce((sum, page) => sum + bits(page, lengthsFor(page)), 0);
  const part = ((100 * known) / best).toFixed(1);
  process.stdout.write(`${name}: ${own.length} pages, ${part} % of the bits of their own codes\n`);
}
