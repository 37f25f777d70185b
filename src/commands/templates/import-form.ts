import type { FormField } from '../../workers/paper/form-field.ts';
import type { PaperPage } from '../../workers/model/paper.ts';

/** The result of importing one field of a form. */
export interface ImportedField {
  /** Its full name in the form. */
  readonly from: string;
  readonly page: number;
  /** The field of the contract; null where it has none. */
  readonly to: string | null;
  readonly kind: FormField['kind'];
  /** A remark, or the reason why it has no counterpart; '' for none. */
  readonly note: string;
}

export interface ImportedForm {
  /** A template file, before it is written as JSON. */
  readonly template: object;
  readonly fields: readonly ImportedField[];
}

interface Contract {
  readonly name: string;
  readonly type: 'text' | 'number' | 'date';
  readonly required?: true;
  readonly description?: string;
  readonly format?: object;
  readonly validation?: object;
}

/** Default text size, as in most readers. */
const SIZE_PT_MAX = 12;
/** Line height of the default fonts, as a multiple of the size. */
const LINE = 1.2;
/** Width of a digit of the default fonts, and of a letter on average. */
const DIGIT = 0.56;
const LETTER = 0.5;
/** Room between the border of a field and its text. */
const PADDING_PT = 2;

/** Makes a draft of a form: its pages as backgrounds, each field where it stands. */
export function importForm(
  id: string,
  pages: readonly PaperPage[],
  url: string,
  fields: readonly FormField[],
): ImportedForm {
  const maker = new FormMaker();
  for (const field of fields) maker.add(field);
  const content = pages.map(({ widthPx, heightPx }, index) => ({
    // A page without fields is kept.
    section: [{ text: '\u00a0', fontSize: 1 }, ...maker.nodesOf(index + 1)],
    pageSize: { width: widthPx, height: heightPx },
    background: { pdf: 'form', page: index + 1 },
  }));
  const template = {
    $schema: './template.schema.json',
    templateId: id,
    name: id,
    fields: maker.contract,
    document: { pdfs: { form: url }, pageMargins: 0, content },
    samples: [{ name: 'empty', data: maker.sample() }],
  };
  return { template, fields: maker.imported };
}

class FormMaker {
  readonly contract: Contract[] = [];
  readonly imported: ImportedField[] = [];
  readonly #nodes = new Map<number, object[]>();
  /** Contract fields by the full name of the form field, which may stand in several places. */
  readonly #names = new Map<string, string>();

  add(field: FormField): void {
    const { kind } = field;
    switch (kind) {
      case 'text':
      case 'multiline':
      case 'comb':
      case 'choice':
        return this.#text(field);
      case 'checkbox':
      case 'radio':
        return this.#tick(field);
      case 'button':
        return this.#skip(field, 'A button does something; a document does nothing.');
      case 'signature':
        return this.#skip(field, 'Documents are signed by the service, not in a field.');
    }
  }

  nodesOf(page: number): readonly object[] {
    return this.#nodes.get(page) ?? [];
  }

  /** Data with which the draft can be checked: something for each needed field. */
  sample(): Record<string, string> {
    const needed = this.contract.filter(({ required }) => required === true);
    return Object.fromEntries(
      needed.map(({ name, type, format, validation }) => [
        name,
        type === 'number' ? '0' : type === 'date' ? '2026-01-01' : sampleText(format, validation),
      ]),
    );
  }

  #text(field: FormField): void {
    const size = sizeOf(field);
    const { type, format, note } = formatOf(field);
    const lines = field.kind === 'multiline' ? linesOf(field, size) : 1;
    const room = Math.max(
      1,
      Math.floor((field.widthPt - 2 * PADDING_PT) / (LETTER * size)) * lines,
    );
    const longest = field.maxLength ?? room;
    const isFixed = type === 'text' && field.kind !== 'choice';
    const known = this.#names.has(field.name);
    const to = this.#declare(field, {
      type,
      ...(format === null ? {} : { format }),
      ...(isFixed ? { validation: { maxLength: longest } } : {}),
      ...(field.kind === 'choice' && field.options.length > 0
        ? { validation: { pattern: `^(?:${field.options.map(literal).join('|')})$` } }
        : {}),
    });
    const notes = [
      note,
      isFixed && field.maxLength === null ? `at most ${longest} characters fit` : '',
    ];
    if (field.kind === 'comb') notes.push('digits are spaced evenly, letters nearly so');
    if (isSideways(field)) notes.push('it stands sideways, its text does not: turn it by hand');
    if (known) notes.push('stands in several places');
    this.#place(field, textNode(field, to, size));
    this.#report(field, to, notes.filter((one) => one !== '').join('; '));
  }

  #tick(field: FormField): void {
    const isRadio = field.kind === 'radio';
    const name = isRadio ? `${field.name}.${field.state}` : field.name;
    const to = this.#declare(
      { ...field, name, isRequired: field.isRequired && !isRadio },
      {
        type: 'text',
        description: 'Send "x" to tick it; leave it out otherwise.',
        validation: { pattern: '^x$' },
      },
    );
    this.#place(field, tickNode(field, to));
    this.#report(field, to, isRadio ? 'one field for each choice: send "x" for one of them' : '');
  }

  #declare(field: FormField, more: Omit<Contract, 'name'>): string {
    const known = this.#names.get(field.name);
    if (known !== undefined) return known;
    const taken = new Set(this.#names.values());
    // A placeholder would read a name of digits alone as the cell of a row.
    const base = field.name.replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, '_').replace(/^(?=\d*$)/, 'field');
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    this.#names.set(field.name, name);
    this.contract.push({ name, ...more, ...(field.isRequired ? { required: true } : {}) });
    return name;
  }

  #place({ page }: FormField, node: object): void {
    const nodes = this.#nodes.get(page) ?? [];
    nodes.push(node);
    this.#nodes.set(page, nodes);
  }

  #skip(field: FormField, note: string): void {
    this.#report(field, null, note);
  }

  #report({ name, page, kind }: FormField, to: string | null, note: string): void {
    this.imported.push({ from: name, page, to, kind, note });
  }
}

function sampleText(_format: object | undefined, validation: object | undefined): string {
  const pattern =
    validation !== undefined && 'pattern' in validation ? String(validation.pattern) : '';
  const first = /^\^\(\?:(.*?)(?:\||\)\$$)/.exec(pattern)?.[1];
  return first === undefined ? 'x' : first.replaceAll(/\\(.)/g, '$1');
}

/** A line of text in a field that is higher than wide: its page or the field itself is turned. */
export function isSideways({ kind, widthPt, heightPt }: FormField): boolean {
  return kind !== 'multiline' && widthPt < heightPt;
}

function sizeOf({ fontSizePt, heightPt, kind }: FormField): number {
  if (fontSizePt > 0) return fontSizePt;
  const fitting = kind === 'multiline' ? SIZE_PT_MAX : heightPt / (LINE * 1.1);
  return Math.max(4, Math.min(SIZE_PT_MAX, Math.floor(fitting * 2) / 2));
}

function linesOf({ heightPt }: FormField, size: number): number {
  return Math.max(1, Math.floor((heightPt - 2 * PADDING_PT) / (size * LINE)));
}

/** Format and type by the script that formats the value: the calls of Acrobat's own menus. */
function formatOf({ script }: FormField): {
  type: Contract['type'];
  format: object | null;
  note: string;
} {
  const number = /AFNumber_Format\(\s*(\d+)\s*,\s*(\d)/.exec(script);
  if (number !== null) {
    const format = { decimals: Number(number[1]), thousandsSeparator: number[2] === '0' };
    return { type: 'number', format, note: 'a number, as its format script says' };
  }
  const date = /AFDate_Format(?:Ex)?\(\s*["']([^"']+)["']/.exec(script);
  const pattern = date === null ? null : datePattern(date[1] ?? '');
  if (pattern !== null) {
    return { type: 'date', format: { pattern }, note: 'a day, as its format script says' };
  }
  const note = script === '' ? '' : 'its format script is left out';
  return { type: 'text', format: null, note };
}

/** Acrobat's letters of a day as those of CLDR; null where it has a time. */
function datePattern(format: string): string | null {
  if (/[HhMs]{1,2}:|tt/.test(format)) return null;
  if (!/^[dmy\s./,-]+$/.test(format)) return null;
  return format.replaceAll('m', 'M').replaceAll('yyyy', 'y');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function textNode(field: FormField, to: string, size: number): object {
  const { x, y, widthPt, heightPt, alignment, kind } = field;
  const isTall = kind === 'multiline';
  const top = isTall ? y + PADDING_PT : y + Math.max(0, (heightPt - size * LINE) / 2);
  const cell = kind === 'comb' && field.maxLength !== null ? widthPt / field.maxLength : null;
  const left = cell === null ? PADDING_PT : Math.max(0, (cell - DIGIT * size) / 2);
  const text = {
    width: round(widthPt - left),
    text: `{{${to}}}`,
    fontSize: size,
    lineHeight: 1,
    ...(alignment === 'left' ? {} : { alignment }),
    ...(isTall ? { maxHeight: round(heightPt) } : { noWrap: true }),
    ...(cell === null ? {} : { characterSpacing: round(cell - DIGIT * size) }),
  };
  return { absolutePosition: { x: round(x + left), y: round(top) }, columns: [text] };
}

/** A tick in the middle of its box. */
function tickNode({ x, y, widthPt, heightPt }: FormField, to: string): object {
  const side = Math.min(widthPt, heightPt);
  const at = (across: number, down: number): object => ({
    x: round((widthPt - side) / 2 + across * side),
    y: round((heightPt - side) / 2 + down * side),
  });
  const points = [at(0.2, 0.55), at(0.42, 0.78), at(0.82, 0.25)];
  return {
    if: to,
    absolutePosition: { x: round(x), y: round(y) },
    canvas: [{ type: 'polyline', points, lineWidth: round(Math.max(1, side / 9)) }],
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
