/** A part of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly href: string; readonly inner: readonly Inline[] };

export type Line = readonly Inline[];

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly line: Line }
  | { readonly kind: 'paragraph'; readonly line: Line }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly Line[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'picture'; readonly source: string; readonly alt: string }
  | { readonly kind: 'table'; readonly head: readonly Line[]; readonly rows: readonly Row[] };

interface Row {
  /** The code that its first cell consists of, such as a key; '' for another cell. */
  readonly key: string;
  readonly cells: readonly Line[];
}

/** Reads the part of Markdown that the documentation uses; what it does not know stays text. */
export function parseMarkdown(text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  const ids = new Map<string, number>();
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const end = endOf(lines, at);
    const block = blockOf(lines.slice(at, end), line, ids);
    if (block !== null) blocks.push(block);
    at = end;
  }
  return blocks;
}

const LIST = /^(?:[-*]|\d+\.) /;
const FENCE = '```';

/** Where the block that begins at a line ends: the index of the line after it. */
function endOf(lines: readonly string[], from: number): number {
  const first = lines[from] ?? '';
  if (first.startsWith(FENCE)) {
    const close = lines.findIndex((line, index) => index > from && line.startsWith(FENCE));
    return close === -1 ? lines.length : close + 1;
  }
  if (first.trim() === '' || first.startsWith('#')) return from + 1;
  const isTable = first.startsWith('|');
  let at = from + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || line.startsWith('#') || line.startsWith(FENCE)) break;
    if (isTable !== line.startsWith('|')) break;
    // A list may follow its sentence without an empty line.
    if (!LIST.test(first) && LIST.test(line)) break;
  }
  return at;
}

function blockOf(lines: readonly string[], first: string, ids: Map<string, number>): Block | null {
  if (first.trim() === '') return null;
  const heading = /^(#{1,6}) (.*)$/.exec(first);
  if (heading !== null) {
    const [, signs = '', title = ''] = heading;
    const line = parseLine(title);
    return { kind: 'heading', level: signs.length, id: idOf(plainText(line), ids), line };
  }
  if (first.startsWith(FENCE)) return { kind: 'code', text: lines.slice(1, -1).join('\n') };
  const picture = /^!\[([^\]]*)\]\(([^)]*)\)$/.exec(first);
  if (picture !== null) {
    return { kind: 'picture', alt: picture[1] ?? '', source: picture[2] ?? '' };
  }
  if (first.startsWith('|')) return tableOf(lines);
  if (LIST.test(first)) {
    const items: string[] = [];
    for (const line of lines) {
      if (LIST.test(line)) items.push(line.replace(LIST, ''));
      else items.push(`${items.pop() ?? ''} ${line.trim()}`);
    }
    return { kind: 'list', isOrdered: /^\d/.test(first), items: items.map(parseLine) };
  }
  return { kind: 'paragraph', line: parseLine(lines.join(' ')) };
}

function tableOf(lines: readonly string[]): Block {
  const [head = [], , ...rows] = lines.map((line) => cellsOf(line).map(parseLine));
  return {
    kind: 'table',
    head,
    rows: rows.map((cells) => {
      const [only, ...more] = cells[0] ?? [];
      const isCode = more.length === 0 && only?.kind === 'code';
      return { key: isCode ? only.text : '', cells };
    }),
  };
}

/** The cells of a row; `\|` is a bar in a cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line.replace(/^\|/, '').replace(/\|\s*$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const INLINE =
  /(`+)(.+?)\1(?!`)|\*\*([^*]+)\*\*|(?<![\w*])[*_]([^*_\s][^*_]*)[*_](?![\w*])|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)/g;

export function parseLine(text: string): Line {
  const line: Inline[] = [];
  let end = 0;
  const plain = (to: number): void => {
    if (to > end) line.push({ kind: 'text', text: text.slice(end, to) });
  };
  for (const match of text.matchAll(INLINE)) {
    plain(match.index);
    end = match.index + match[0].length;
    const [, , code, strong, emphasis, title, href] = match;
    if (code !== undefined) line.push({ kind: 'code', text: code });
    else if (strong !== undefined) line.push({ kind: 'strong', text: strong.replaceAll('`', '') });
    else if (emphasis !== undefined) line.push({ kind: 'emphasis', text: emphasis });
    else if (href !== undefined) line.push({ kind: 'link', href, inner: parseLine(title ?? '') });
  }
  plain(text.length);
  return line;
}

export function plainText(line: Line): string {
  return line.map((part) => (part.kind === 'link' ? plainText(part.inner) : part.text)).join('');
}

/** The anchor of a heading, as GitHub makes it. */
function idOf(title: string, ids: Map<string, number>): string {
  const id = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}
