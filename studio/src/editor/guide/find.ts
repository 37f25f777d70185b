import type { Path } from '../schema.ts';
import type { Block } from './markdown.ts';
import { plainText } from './markdown.ts';

/** Pages of the documentation that the guide has. */
export const GUIDE_PAGES = ['templates', 'template-keys', 'contract'] as const;
export type GuidePage = (typeof GUIDE_PAGES)[number];

/** A place in the guide that has an anchor: a section, or a key in a table. */
export interface Entry {
  readonly page: GuidePage;
  readonly anchor: string;
  /** The key of a row; '' for a section. */
  readonly key: string;
  /** The title of the section. */
  readonly section: string;
  /** What is said there, for the search. */
  readonly text: string;
}

/** The anchor of a key in the table of a section. */
export function rowAnchor(section: string, key: string): string {
  return `${section}--${key}`;
}

/** The entries of a page, in its order. */
export function entriesOf(page: GuidePage, blocks: readonly Block[]): readonly Entry[] {
  const entries: Entry[] = [];
  let id = '';
  let section = '';
  for (const block of blocks) {
    if (block.kind === 'heading') {
      id = block.id;
      section = plainText(block.line);
      entries.push({ page, anchor: id, key: '', section, text: '' });
      continue;
    }
    if (block.kind === 'table') {
      for (const { key, cells } of block.rows) {
        const text = cells.map(plainText).join(' ');
        if (key === '') addText(entries, text);
        else entries.push({ page, anchor: rowAnchor(id, key), key, section, text });
      }
    } else {
      addText(entries, textOf(block));
    }
  }
  return entries;
}

/** Adds words to the section that the last entry belongs to. */
function addText(entries: Entry[], text: string): void {
  const index = entries.findLastIndex(({ key }) => key === '');
  const entry = entries[index];
  if (entry !== undefined) entries[index] = { ...entry, text: `${entry.text} ${text}`.trim() };
}

function textOf(block: Exclude<Block, { kind: 'heading' | 'table' }>): string {
  switch (block.kind) {
    case 'paragraph':
      return plainText(block.line);
    case 'list':
      return block.items.map(plainText).join(' ');
    case 'code':
      return block.text;
    case 'picture':
      return '';
  }
}

/** Results of one search. */
const RESULTS_MAX = 60;

/** Words of questions that do not help the search. */
const FILLERS: ReadonlySet<string> = new Set(
  'a an and are at be by can do does every for from how i in is it my of make on or set the to what with'.split(
    ' ',
  ),
);
/**
 * Endings that are ignored: columns and column, repeated and repeat. Very short words keep theirs.
 */
const ENDINGS = [/(?<=.{5})(?:ing|ed)$/, /(?<=.{3})(?:es|s)$/];

/** What people call things for which the documentation has another word. */
const MEANINGS: Readonly<Record<string, string>> = {
  logo: 'image',
  photo: 'image',
  picture: 'image',
};

/** How well an entry matches the typed text. Higher is better; the first difference decides. */
type Rank = readonly number[];

/**
 * Entries with all the words, in any order; if there are none, the entries with the most words.
 * Keys and titles come first: those that equal the typed text, begin with it, or contain its words.
 */
export function search(entries: readonly Entry[], typed: string): readonly Entry[] {
  const all = typed
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/[?!,;]+$/, ''))
    .filter((word) => word !== '');
  const telling = all.filter((word) => !FILLERS.has(word));
  const stems = (telling.length === 0 ? all : telling).map(wordsFor);
  if (stems.length === 0) return [];
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry, all.join(' '), stems) }));
  const most = Math.max(...ranked.map(({ rank }) => rank[0] ?? 0));
  return ranked
    .filter(({ rank: [words = 0] }) => words === most && 2 * words >= stems.length)
    .toSorted((one, other) => compareRanks(other.rank, one.rank))
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry);
}

function stemOf(word: string): string {
  return ENDINGS.reduce((rest, ending) => rest.replace(ending, ''), word);
}

/** The stem of a word, and the word of the documentation for it. */
function wordsFor(word: string): readonly string[] {
  const one = word.replace(/s$/, '');
  const meaning = Object.hasOwn(MEANINGS, one) ? MEANINGS[one] : undefined;
  return meaning === undefined ? [stemOf(word)] : [stemOf(word), meaning];
}

function rankOf(
  { key, section, text }: Entry,
  whole: string,
  stems: readonly (readonly string[])[],
): Rank {
  const name = (key === '' ? section : key).toLowerCase();
  const title = `${name} ${section.toLowerCase()}`;
  const said = text.toLowerCase();
  const count = (place: string): number =>
    stems.filter((words) => words.some((word) => place.includes(word))).length;
  const isName = name === whole ? (key === '' ? 3 : 4) : name.startsWith(whole) ? 2 : 0;
  return [
    count(`${title} ${said}`),
    isName || Number(count(name) === stems.length),
    count(title),
    Number(said.includes(whole)),
  ];
}

function compareRanks(one: Rank, other: Rank): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A key of a template, as far as it tells which of several keys of that name it is. */
export interface KeyPlace {
  readonly path: Path;
  /** The keys beside it. */
  readonly siblings: readonly string[];
  /** The text of the key `type` beside it; '' without one. */
  readonly type: string;
  /** Whether the object that it stands in may be a node of a document. */
  readonly isOfNode: boolean;
  /** The schema's description of it, which the reference repeats. */
  readonly description: string;
}

/** The row of the reference that is about a key; of a key that has none, about the one around it. */
export function entryOfKey(
  entries: readonly Entry[],
  { path, siblings, type, isOfNode, description }: KeyPlace,
): Entry | null {
  const names = path.filter((step) => typeof step === 'string');
  for (let end = names.length; end > 0; end -= 1) {
    const key = names[end - 1];
    const parent = names[end - 2] ?? '';
    const isOwn = end === names.length;
    const scoreOf = ({ section, text }: Entry): number => {
      let score = 0;
      if (isOwn && description !== '' && text.includes(description)) score += 4;
      if (isOwn && section === `A vector of type ${type}`) score += 5;
      if (isOwn && isOfNode && siblings.some((one) => section === `A node with ${one}`)) score += 5;
      if (isOwn && isOfNode && section === 'Every node also') score += 3;
      if (section === parent || singularOf(parent) === section) score += 2;
      return score;
    };
    const found = entries
      .filter((entry) => entry.page === 'template-keys' && entry.key === key)
      .map((entry) => ({ entry, score: scoreOf(entry) }))
      .toSorted((one, other) => other.score - one.score)[0];
    if (found !== undefined) return found.entry;
  }
  return null;
}

/** Keys whose value is a list of objects, with the section on one of these. */
const SINGULARS: Readonly<Record<string, string>> = {
  fields: 'A field',
  samples: 'A sample',
  choices: 'A choice',
  body: 'A row',
  text: 'An inline run also',
};

/** The title of the section on the items of a list. */
function singularOf(key: string): string {
  return SINGULARS[key] ?? '';
}
