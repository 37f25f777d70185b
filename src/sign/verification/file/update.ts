import { countIn, type Section } from './cross-references.ts';
import type { Revision } from './revision.ts';
import { asStream, eachReference, nameIn, type PdfDictionary, UnreadableFile } from './values.ts';

/*
 * The bytes of an update, all of them. Readers that find a fault in a file search it for objects, and
 * take whatever looks like one. An update is read alike by all of them if it has no fault, and if a
 * search finds exactly the objects that its cross-references name:
 *
 *   … %%EOF ↵ │ 12 0 obj … endobj   14 0 obj … endobj   xref … trailer <<…>>   startxref … %%EOF
 *   signed    │ objects that the section names           the section
 *               between them: white space and comments without any meaning
 */

const LATIN = 'latin1';

/** White space, and comments that no search takes for something else. */
const FILLER = /^(?:[\t\n\r ]|%(?!PDF|%EOF)[ -~]{0,120}[\r\n])*$/;
const LINE_END = /[\r\n]$/;
const ENDING = /^(?:\r\n|\r|\n)(0|[1-9]\d*)(?:\r\n|\r|\n)%%EOF(?:\r\n|\r|\n)?$/;
const AFTER_STREAM = /^(?:\r\n|\r|\n)?endstream[\t\n\r ]*endobj/;

const TRAILER_KEYS = new Set(['Size', 'Root', 'Info', 'ID', 'Prev', 'Encrypt']);
const STREAM_KEYS = new Set([
  ...TRAILER_KEYS,
  'Type',
  'W',
  'Index',
  'Length',
  'Filter',
  'DecodeParms',
]);
const OBJECT_STREAM_KEYS = new Set(['Type', 'N', 'First', 'Length', 'Filter', 'DecodeParms']);

/** What a search looks for, comments between its words included. */
const SPACE = String.raw`(?:[\0\t\n\f\r ]|%[^\r\n]*[\r\n])`;
const OBJECT = new RegExp(String.raw`\d${SPACE}+\d+${SPACE}*obj`, 'g');

/** Bytes of the file that something takes. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Demands that all readers understand the last update of a file alike; throws `UnreadableFile`. */
export function demandPlainUpdate(before: Revision, after: Revision): void {
  const [section] = after.sections;
  if (section === undefined) throw new UnreadableFile('there is no section');
  const text = after.bytes.toString(LATIN, before.bytes.length);
  demandTrailer(section, before);
  const numbers = namedIn(section, before, after);
  const spans = numbers.map((number) => spanOf(number, after));
  if (section.stream !== null && !numbers.includes(section.stream)) {
    spans.push({ from: section.at, to: section.end });
  }
  demandNothingBetween(spans, section, before, after);
  demandFinds(text, spans.length, section);
}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new UnreadableFile(`an update: ${what}`);
}

function demandKeys(dictionary: PdfDictionary, keys: ReadonlySet<string>): void {
  for (const key of dictionary.keys()) demand(keys.has(key), `/${key} has no place there`);
}

/** The entries of the trailer that say how the file is read (§7.5.5). */
function demandTrailer({ trailer, stream, rows }: Section, before: Revision): void {
  demandKeys(trailer, stream === null ? TRAILER_KEYS : STREAM_KEYS);
  let highest = stream ?? 0;
  for (const { number } of rows) highest = Math.max(highest, number);
  const size = Math.max(countIn(before.trailer, 'Size') ?? 0, highest + 1);
  demand(countIn(trailer, 'Size') === size, '/Size is not the number of objects');
}

/** Numbers of the objects that the update itself holds, outside object streams. */
function namedIn({ at, stream, rows }: Section, before: Revision, after: Revision): number[] {
  const numbers: number[] = [];
  const packed: number[] = [];
  for (const { number, entry } of rows) {
    if (entry === null) demand(number === 0, 'an object is called free');
    else if (!after.sharesPlace(number, before)) {
      const place = entry.isPacked ? before.has(entry.at) : entry.at < before.bytes.length;
      demand(!place, 'an entry leads into the signed part');
      if (number === stream) demand(entry.at === at, 'the cross-references are elsewhere');
      // Poppler gives new objects the generation 1.
      const generation = before.generation(number) ?? after.generation(number);
      demand(generation === after.generation(number), 'an object has another generation');
      (entry.isPacked ? packed : numbers).push(number);
    }
  }
  const held: number[] = [];
  for (const number of numbers) held.push(...numbersHeld(number, after));
  const isSame = held.length === packed.length && packed.every((number) => held.includes(number));
  demand(isSame, 'an object stream holds objects that no entry names');
  return numbers;
}

/** Numbers of the objects in an object stream; none for another object. */
function numbersHeld(number: number, after: Revision): readonly number[] {
  const stream = asStream(after.object(number));
  if (nameIn(stream?.dictionary.get('Type')) !== 'ObjStm' || stream === null) return [];
  demandKeys(stream.dictionary, OBJECT_STREAM_KEYS);
  return after.numbersIn(number);
}

function spanOf(number: number, after: Revision): Span {
  const { from, to } = after.placeOf(number);
  const head = `${number} ${after.generation(number)} obj`;
  const text = after.bytes.toString(LATIN, from, from + head.length + 1);
  demand(text.startsWith(head) && /[\t\n\r (/<[]$/.test(text), `object ${number} is elsewhere`);
  const value = after.object(number);
  const stream = asStream(value);
  if (stream !== null) {
    const end = stream.data.byteOffset - after.bytes.byteOffset + stream.data.length;
    const rest = after.bytes.toString(LATIN, end, end + 64);
    demand(AFTER_STREAM.test(rest), `stream ${number} is longer than its length`);
  }
  eachReference(value, (reference) => {
    const generation = after.generation(reference.number);
    demand(generation === null || generation === reference.generation, 'a reference names nothing');
  });
  return { from, to };
}

/** Demands that objects and section follow one another, with nothing but filler between. */
function demandNothingBetween(
  spans: readonly Span[],
  section: Section,
  before: Revision,
  after: Revision,
): void {
  const { bytes } = after;
  const between = (from: number, to: number): string => bytes.toString(LATIN, from, to);
  let end = before.bytes.length;
  const isLine = LINE_END.test(between(end - 1, end)) || /^[\r\n]/.test(between(end, end + 1));
  demand(isLine, 'it begins in the line of %%EOF');
  const parts = section.stream === null ? [...spans, { from: section.at, to: section.end }] : spans;
  for (const { from, to } of parts.toSorted((one, other) => one.from - other.from)) {
    demand(from >= end && FILLER.test(between(end, from)), 'bytes belong to no object');
    end = to;
  }
  demand(end === section.end, 'an object follows the cross-references');
  const word = bytes.indexOf('startxref', end);
  demand(word >= 0 && FILLER.test(between(end, word)), 'bytes follow the cross-references');
  const ending = ENDING.exec(between(word + 'startxref'.length, bytes.length));
  demand(ending?.[1] === String(section.at), 'it does not end as a file does');
}

/** Demands that a search through the text of the update finds what was read, and no more. */
function demandFinds(text: string, objects: number, { stream }: Section): void {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const isExact =
    count(OBJECT) === objects &&
    count(/endobj/g) === objects &&
    count(/trailer/g) === (stream === null ? 1 : 0) &&
    count(/startxref/g) === 1 &&
    count(/%%EOF/g) === 1 &&
    count(/%PDF-/g) === 0 &&
    count(/endstream/g) === count(/>>[\t\n\r ]*stream[\r\n]/g);
  demand(isExact, 'a search finds other objects than its cross-references name');
}
