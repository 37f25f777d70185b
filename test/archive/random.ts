/** A random template, with the texts in the order in which a screen reader should read them. */
export interface RandomTemplate {
  readonly source: string;
  readonly texts: readonly string[];
}

type Level = '2u' | '3u' | '2a' | '3a';

/** Words of several scripts; a number after each makes every text of a template unique. */
const WORDS = ['Balance', 'ยอดคงเหลือ', 'น้ำหนัก', 'Ωμέγα', 'ก้ำ', 'payment of', 'ที่อยู่ 12/3', 'Straße'];
const DEPTH_MAX = 3;

/** Makes a random template; the same seed and level give the same one. */
export function randomTemplate(seed: number, level: Level): RandomTemplate {
  const maker = new Maker(seed);
  const content = Array.from({ length: maker.between(2, 7) }, () => maker.block(0));
  const document = {
    info: { title: `Document ${seed}` },
    compress: maker.chance(0.7),
    pageSize: maker.one(['A4', 'A5', { width: 320, height: 280 }]),
    pageMargins: maker.between(20, 50),
    defaultStyle: { fontSize: maker.between(7, 14), lineHeight: maker.between(10, 15) / 10 },
    ...(maker.chance(0.5) ? { header: { text: 'Header', margin: [20, 5] } } : {}),
    ...(maker.chance(0.5) ? { footer: { text: '{{page}} / {{pages}}', margin: [20, 5] } } : {}),
    ...(maker.chance(0.3) ? { watermark: 'สำเนา' } : {}),
    content,
  };
  const archive = `PDF/A-${level}`;
  const language = maker.one(['th', 'en']);
  const source = JSON.stringify({ templateId: 'random', language, archive, fields: [], document });
  return { source, texts: maker.texts };
}

class Maker {
  readonly texts: string[] = [];
  #state: number;
  #headings = 0;

  constructor(seed: number) {
    this.#state = seed * 0x9e3779b1;
  }

  /** Makes a node of any kind, and records its texts in reading order. */
  block(depth: number): unknown {
    const kinds = ['text', 'text', 'runs', 'heading', 'picture', 'decoration', 'link'] as const;
    const nests = ['stack', 'columns', 'list', 'table', 'layout'] as const;
    switch (this.one(depth < DEPTH_MAX ? [...kinds, ...nests] : kinds)) {
      case 'text':
        return { text: this.#text(this.between(1, 30)), ...this.#style() };
      case 'runs':
        return { text: [this.#text(2), ' ', { text: this.#text(3), ...this.#style() }] };
      case 'heading':
        this.#headings += 1;
        return { text: this.#text(2), role: this.#headings === 1 ? 'h1' : 'h2', bold: true };
      case 'picture':
        return { qr: `https://bank.example/${this.between(1, 999)}`, fit: 40, alt: 'A code' };
      case 'decoration':
        return { text: 'Decoration', role: 'artifact', opacity: 0.4 };
      case 'link':
        return { text: this.#text(2), link: 'https://bank.example/a' };
      case 'stack':
        return { stack: this.#several(depth), margin: this.between(0, 8) };
      case 'columns':
        return { columns: this.#several(depth), columnGap: 5 };
      case 'list':
        return { [this.one(['ul', 'ol'])]: this.#several(depth) };
      case 'table':
        return this.#table(depth);
      case 'layout':
        return { table: { body: [this.#several(DEPTH_MAX)] }, role: 'layout', layout: 'noBorders' };
    }
  }

  #several(depth: number): unknown[] {
    return Array.from({ length: this.between(1, 3) }, () => this.block(depth + 1));
  }

  #table(depth: number): unknown {
    const columns = this.between(1, 3);
    const row = (cell: () => unknown): unknown[] => Array.from({ length: columns }, cell);
    const head = row(() => this.#text(1));
    const rows = Array.from({ length: this.between(1, 12) }, () =>
      row(() => (this.chance(0.1) ? this.block(depth + 1) : this.#text(2))),
    );
    const layout = this.one(['lightHorizontalLines', 'noBorders', 'headerLineOnly']);
    return { table: { headerRows: 1, body: [head, ...rows] }, layout };
  }

  #text(words: number): string {
    const some = Array.from({ length: words }, () => this.one(WORDS));
    const text = `${some.join(' ')} ${this.texts.length + 1}.`;
    this.texts.push(text);
    return text;
  }

  #style(): object {
    return this.one<object>([
      {},
      { bold: true },
      { italics: true, color: '#123456' },
      { decoration: 'underline', background: '#ffeeaa' },
      { characterSpacing: 1 },
      { alignment: 'justify' },
    ]);
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  one<T>(all: readonly T[]): T {
    const chosen = all[Math.floor(this.#next() * all.length)];
    if (chosen === undefined) throw new Error('a choice among nothing');
    return chosen;
  }

  /** A number from 0 up to 1 (mulberry32). */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
