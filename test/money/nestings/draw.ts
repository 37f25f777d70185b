import { Chance } from '../chance.ts';

/** Random documents of tables, columns, stacks and lists in each other, with amounts in them. */

export interface NestingCase {
  readonly template: object;
  readonly data: object;
  /** The text of each amount, which is printed once. */
  readonly amounts: readonly string[];
  /** Nothing but the length of values decides whether they fit: no fixed width, no `noWrap`. */
  readonly isFlexible: boolean;
}

const DEPTH_MAX = 3;
const MARGIN_PT = 20;
const FORMAT = { decimals: 2, thousandsSeparator: true };
const WORDS = 'the balance of your account after the monthly fee reference Kontokorrent'.split(' ');
const WIDTHS = ['auto', 'auto', '*', '*', '*', 'fixed', 'percent'] as const;

/** One document while it is drawn. */
class Drawing {
  readonly chance: Chance;
  readonly fields: object[] = [];
  readonly data: Record<string, unknown> = {};
  readonly amounts: string[] = [];
  readonly #mayBeFixed: boolean;

  constructor(chance: Chance, mayBeFixed: boolean) {
    this.chance = chance;
    this.#mayBeFixed = mayBeFixed;
  }

  node(depth: number): object {
    const { chance } = this;
    const kinds = depth >= DEPTH_MAX ? LEAVES : chance.oneIn(5) ? LEAVES : CONTAINERS;
    const node = this.#content(chance.pick(kinds), depth);
    const fontSize = chance.oneIn(4) ? { fontSize: chance.whole(6, 16) } : {};
    const margin = chance.oneIn(8) ? { margin: [chance.whole(0, 12), 0] } : {};
    const alignment = chance.oneIn(3) ? { alignment: chance.pick(['right', 'center']) } : {};
    return { ...node, ...fontSize, ...margin, ...alignment };
  }

  #content(kind: (typeof LEAVES)[number] | (typeof CONTAINERS)[number], depth: number): object {
    switch (kind) {
      case 'amount':
        return { text: `{{${this.#amountField()}}}` };
      case 'sentence':
        return { text: `${this.#words()} {{${this.#amountField()}}} ${this.#words()}` };
      case 'value':
        return { text: `{{${this.#textField()}}}` };
      case 'beside':
        return { text: `{{${this.#textField()}}} {{${this.#amountField()}}}`, ...this.#wrap() };
      case 'words':
        return { text: this.#words(), ...this.#wrap() };
      case 'rows':
        return this.#rows();
      case 'stack':
        return { stack: this.#children(depth, 3) };
      case 'list':
        return { [this.chance.pick(['ul', 'ol'])]: this.#children(depth, 2) };
      case 'columns': {
        const columns = this.#children(depth, 3).map((child) => ({ ...child, ...this.#width() }));
        return { columns, columnGap: this.chance.pick([6, 10]) };
      }
      case 'table':
        return this.#table(depth);
    }
  }

  #children(depth: number, most: number): object[] {
    const length = depth === 0 ? this.chance.whole(1, most) : this.chance.whole(1, 2);
    return Array.from({ length }, () => this.node(depth + 1));
  }

  #table(depth: number): object {
    const widths = this.#widths(depth === 0 ? this.chance.whole(1, 3) : this.chance.whole(1, 2));
    const rows = this.chance.whole(1, 2);
    const body = Array.from({ length: rows }, () => widths.map(() => this.node(depth + 1)));
    const layout = this.chance.oneIn(2) ? { layout: 'noBorders' } : {};
    return { table: { widths, body }, ...layout };
  }

  /** A table with a row for each entry of a field; its amounts are sums of a statement, too. */
  #rows(): object {
    const { chance } = this;
    const name = this.#field('table', {});
    const columns = chance.whole(1, 3);
    this.data[name] = Array.from({ length: chance.whole(1, 3) }, () => [
      this.#longText(),
      ...Array.from({ length: columns }, () => this.#amount()),
    ]);
    const cells = Array.from({ length: columns }, (_, column) => ({
      text: `{{${column + 1}}}`,
      format: FORMAT,
    }));
    const widths = this.#widths(columns + 1);
    return { table: { widths, body: [{ each: name, cells: ['{{0}}', ...cells] }] } };
  }

  #widths(count: number): unknown[] {
    return Array.from({ length: count }, () => this.#width().width);
  }

  #width(): { readonly width: string | number } {
    const kind = this.chance.pick(WIDTHS);
    if (kind === 'auto' || kind === '*') return { width: kind };
    if (!this.#mayBeFixed) return { width: '*' };
    if (kind === 'fixed') return { width: this.chance.whole(20, 160) };
    return { width: `${this.chance.whole(10, 60)}%` };
  }

  #wrap(): object {
    return this.#mayBeFixed && this.chance.oneIn(3) ? { noWrap: true } : {};
  }

  #words(): string {
    const words = Array.from({ length: this.chance.whole(1, 4) }, () => this.chance.pick(WORDS));
    return words.join(' ');
  }

  #longText(): string {
    if (this.chance.oneIn(6)) return 'W'.repeat(this.chance.whole(1, 30));
    return this.#words();
  }

  #textField(): string {
    const name = this.#field('text', {});
    this.data[name] = this.#longText();
    return name;
  }

  #amountField(): string {
    const name = this.#field('number', { format: FORMAT });
    this.data[name] = this.#amount();
    return name;
  }

  #field(type: string, more: object): string {
    const name = `f${this.fields.length}`;
    this.fields.push({ name, type, ...more });
    return name;
  }

  /** A new amount: no other of the document has its digits. */
  #amount(): string {
    const { chance } = this;
    for (;;) {
      const digits = chance.oneIn(60) ? chance.whole(10, 16) : chance.whole(1, 6);
      let whole = String(chance.whole(1, 9));
      while (whole.length < digits) whole += String(chance.whole(0, 9));
      const fraction = String(chance.whole(0, 99)).padStart(2, '0');
      const printed = `${whole.replace(/\B(?=(?:\d{3})+$)/gu, ',')}.${fraction}`;
      if (this.amounts.includes(printed)) continue;
      this.amounts.push(printed);
      return `${whole}.${fraction}`;
    }
  }
}

const LEAVES = ['amount', 'amount', 'sentence', 'value', 'beside', 'words', 'rows'] as const;
const CONTAINERS = ['stack', 'list', 'columns', 'columns', 'table', 'table'] as const;

export function drawNesting(seed: number): NestingCase {
  const chance = new Chance(seed);
  const isFlexible = chance.oneIn(2);
  const drawing = new Drawing(chance, !isFlexible);
  const width = chance.whole(200, 700);
  const content = [drawing.node(0), drawing.node(0)];
  const { fields, data, amounts } = drawing;
  const document = {
    pageSize: { width, height: 2_000 },
    pageMargins: MARGIN_PT,
    defaultStyle: { fontSize: chance.pick([6, 8, 10]) },
    content,
  };
  const samples = [{ name: 'drawn', data }];
  const template = { templateId: 'nested', language: 'en', fields, document, samples };
  return { template, data, amounts, isFlexible };
}
