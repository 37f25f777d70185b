import type { FormField, LetterheadPage } from '#engine';

/** The result of importing one field of a form. */
export interface ImportedField {
  /** The full name of the field in the form. */
  readonly from: string;
  readonly page: number;
  /** The field of the contract; null: the field has no counterpart. */
  readonly to: string | null;
  readonly kind: FormField['kind'];
  /** A remark, or the reason why there is no counterpart; '' for none. */
  readonly note: string;
}

export interface ImportedForm {
  /** A template file, before it is written as JSON. */
  readonly template: object;
  readonly fields: readonly ImportedField[];
}

/** A field of the contract. */
interface ContractField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'date';
  readonly required?: true;
  readonly description?: string;
  readonly format?: object;
  readonly validation?: object;
}

/** Default text size, as in most readers. */
const SIZE_PT_MAX = 12;
/** Minimum size of a text that shrinks, as in most readers. */
const SIZE_PT_MIN = 4;
/** The pattern for more lines would exceed the limit of steps. */
const LINES_MAX = 200;
/** Line height of the default fonts, as a multiple of the size. */
const LINE_EM = 1.2;
/** Width of a digit of the default fonts, and of a letter on average, as multiples of the size. */
const DIGIT_EM = 0.56;
const LETTER_EM = 0.5;
/** Room between the border of a field and its text. */
const PADDING_PT = 2;

/** Rule for values that are too long for their fields. */
export const OVERFLOW_RULES = ['shrink', 'reject'] as const;
export type OverflowRule = (typeof OVERFLOW_RULES)[number];

/**
 * Makes a draft from a form, with its pages as backgrounds and its fields in their places. Without
 * an overflow rule, a long value shrinks if the form leaves its font size open; otherwise it is
 * refused.
 */
export function importForm(
  id: string,
  pages: readonly LetterheadPage[],
  url: string,
  fields: readonly FormField[],
  overflow: OverflowRule | null = null,
): ImportedForm {
  const maker = new FormMaker(overflow);
  for (const field of fields) maker.add(field);
  const content = pages.map(({ widthPx, heightPx }, index) => ({
    // This keeps a page without fields.
    section: [{ text: '\u00a0', fontSize: 1 }, ...maker.nodesOf(index + 1)],
    pageSize: { width: widthPx, height: heightPx },
    background: { pdf: 'form', page: index + 1 },
  }));
  const template = {
    $schema: './template.schema.json',
    templateId: id,
    name: id,
    missingGlyph: 'reject',
    fields: maker.contract,
    document: { pdfs: { form: url }, pageMargins: 0, content },
    samples: [{ name: 'empty', data: maker.sample() }],
  };
  return { template, fields: maker.imported };
}

class FormMaker {
  readonly contract: ContractField[] = [];
  readonly imported: ImportedField[] = [];
  readonly #nodes = new Map<number, object[]>();
  /**
   * Names of contract fields by the full name of the form field, which may occur in several places.
   */
  readonly #names = new Map<string, string>();
  readonly #overflow: OverflowRule | null;

  constructor(overflow: OverflowRule | null) {
    this.#overflow = overflow;
  }

  add(field: FormField): void {
    const { kind } = field;
    if (field.isReadOnly && isPreset(field)) return this.#fixed(field);
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

  /** Data to check the draft with: a value for each required field. */
  sample(): Record<string, string> {
    const required = this.contract.filter((field) => field.required === true);
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field)]));
  }

  #text(field: FormField): void {
    const size = sizeOf(field);
    const { type, format, note } = formatOf(field);
    const rule = this.#overflow ?? (field.fontSizePt > 0 ? 'reject' : 'shrink');
    const smallestSize = Math.min(size, rule === 'shrink' ? SIZE_PT_MIN : size);
    const lines = field.kind === 'multiline' ? linesOf(field, smallestSize) : 1;
    const longest = field.maxLength ?? roomOf(field, smallestSize) * lines;
    const hasMaxLength = type === 'text' && field.kind !== 'choice';
    const isRepeated = this.#names.has(field.name);
    const to = this.#declare(field, {
      type,
      ...(format === null ? {} : { format }),
      ...(hasMaxLength ? { validation: { maxLength: longest, ...linePattern(field, lines) } } : {}),
      ...(field.kind === 'choice' && field.options.length > 0
        ? { validation: { pattern: `^(?:${field.options.map(literal).join('|')})$` } }
        : {}),
    });
    const notes = [note, hasMaxLength ? overflowNote(field, rule, longest, lines) : ''];
    if (field.kind === 'comb') notes.push('digits are spaced evenly, letters nearly so');
    if (field.turn !== 0) notes.push(`turned by ${field.turn} degrees, as in the form`);
    if (isRepeated) notes.push('stands in several places');
    this.#place(field, textNode(field, `{{${to}}}`, size));
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

  /** Prints what the form says itself: the caller could send nothing else. */
  #fixed(field: FormField): void {
    if (field.kind === 'checkbox' || field.kind === 'radio') {
      const isTicked = field.value === field.state;
      if (isTicked) this.#place(field, tickNode(field, null));
      return this.#skip(
        field,
        `read-only: ${isTicked ? 'always' : 'never'} ticked, as in the form`,
      );
    }
    this.#place(field, textNode(field, literalText(field.value), sizeOf(field)));
    this.#skip(field, 'read-only: its value is printed as it stands in the form');
  }

  #declare(field: FormField, more: Omit<ContractField, 'name'>): string {
    const declared = this.#names.get(field.name);
    if (declared !== undefined) return declared;
    const taken = new Set(this.#names.values());
    // A placeholder with only digits would mean a cell of a row.
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

/** A value that a field accepts. */
function sampleOf({ type, validation }: ContractField): string {
  switch (type) {
    case 'number':
      return '0';
    case 'date':
      return '2026-01-01';
    case 'text':
      return sampleText(validation);
  }
}

/** The first choice of a pattern of choices, or a letter. */
function sampleText(validation: object | undefined): string {
  const pattern =
    validation !== undefined && 'pattern' in validation ? String(validation.pattern) : '';
  const first = /^\^\(\?:(.*?)(?:\||\)\$$)/.exec(pattern)?.[1];
  return first === undefined ? 'x' : first.replaceAll(/\\(.)/g, '$1');
}

/** Width and height in the direction of the text: swapped for a field turned by 90° or 270°. */
function uprightSize({ turn, widthPt, heightPt }: FormField): {
  readonly width: number;
  readonly height: number;
} {
  const isOnSide = turn === 90 || turn === 270;
  return isOnSide ? { width: heightPt, height: widthPt } : { width: widthPt, height: heightPt };
}

/** Converts a position in a field, in the direction of its text, to one on the page. */
function placeIn(field: FormField, across: number, down: number): object {
  const { x, y, widthPt, heightPt, turn } = field;
  const at = (left: number, top: number): object => ({
    x: round(left),
    y: round(top),
    ...(turn === 0 ? {} : { rotate: turn }),
  });
  switch (turn) {
    case 0:
      return at(x + across, y + down);
    case 90:
      return at(x + widthPt - down, y + across);
    case 180:
      return at(x + widthPt - across, y + heightPt - down);
    case 270:
      return at(x + down, y + heightPt - across);
  }
}

/** Estimates the characters that fit in a line. */
function roomOf(field: FormField, size: number): number {
  const { width } = uprightSize(field);
  return Math.max(1, Math.floor((width - 2 * PADDING_PT) / (LETTER_EM * size)));
}

/** A pattern that allows no more lines than fit. */
function linePattern({ kind }: FormField, lines: number): object {
  if (kind !== 'multiline' || lines > LINES_MAX) return {};
  return { pattern: String.raw`^[^\n]*(?:\n[^\n]*){0,${lines - 1}}$` };
}

function overflowNote(
  { maxLength, kind }: FormField,
  rule: OverflowRule,
  longest: number,
  lines: number,
): string {
  const room =
    kind === 'multiline' ? `${longest} characters in ${lines} lines` : `${longest} characters`;
  if (maxLength !== null) return `at most ${room}, as the form says`;
  return rule === 'shrink'
    ? `long values shrink; more than ${room} are refused`
    : `more than ${room} are refused`;
}

function sizeOf(field: FormField): number {
  const { fontSizePt, kind } = field;
  if (fontSizePt > 0) return fontSizePt;
  const fitting = kind === 'multiline' ? SIZE_PT_MAX : uprightSize(field).height / (LINE_EM * 1.1);
  return Math.max(4, Math.min(SIZE_PT_MAX, Math.floor(fitting * 2) / 2));
}

function linesOf(field: FormField, size: number): number {
  const { height } = uprightSize(field);
  return Math.max(1, Math.floor((height - 2 * PADDING_PT) / (size * LINE_EM)));
}

/** Type and format from the field's format script, if it is a call that Acrobat's menus write. */
function formatOf({ script }: FormField): {
  type: ContractField['type'];
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

/** Converts Acrobat's date pattern to CLDR's letters; null: it has a time. */
function datePattern(format: string): string | null {
  if (/[HhMs]{1,2}:|tt/.test(format)) return null;
  if (!/^[dmy\s./,-]+$/.test(format)) return null;
  return format.replaceAll('m', 'M').replaceAll('yyyy', 'y');
}

/** Whether what a field shows can be printed as it is: a script would change how its value looks. */
function isPreset({ kind, value, script }: FormField): boolean {
  if (kind === 'button' || kind === 'signature') return false;
  // A box without a value is not ticked (§12.7.5.2.3).
  if (kind === 'checkbox' || kind === 'radio') return true;
  return value !== '' && script === '';
}

/** A text of a template that prints these characters, braces included. */
function literalText(text: string): string {
  return text.replaceAll('{{', String.raw`\{{`);
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function textNode(field: FormField, content: string, size: number): object {
  const { alignment, kind, maxLength } = field;
  const { width, height } = uprightSize(field);
  const isTall = kind === 'multiline';
  const top = isTall ? PADDING_PT : Math.max(0, (height - size * LINE_EM) / 2);
  const cell = kind === 'comb' && maxLength !== null ? width / maxLength : null;
  const side = cell === null ? PADDING_PT : Math.max(0, (cell - DIGIT_EM * size) / 2);
  const text = {
    width: round(Math.max(1, width - 2 * side)),
    text: content,
    fontSize: size,
    lineHeight: 1,
    ...(alignment === 'left' ? {} : { alignment }),
    ...(isTall ? { maxHeight: round(Math.max(1, height - PADDING_PT)) } : { noWrap: true }),
    // Shrinking also covers wide letters, because the length is bounded by an estimate.
    ...(cell === null
      ? { shrink: SIZE_PT_MIN }
      : { characterSpacing: round(cell - DIGIT_EM * size) }),
  };
  return { absolutePosition: placeIn(field, side, top), columns: [text] };
}

/** A tick in the middle of the box, where the field `to` of the contract has a value; null: always. */
function tickNode(field: FormField, to: string | null): object {
  const { width: widthPt, height: heightPt } = uprightSize(field);
  const side = Math.min(widthPt, heightPt);
  const at = (across: number, down: number): object => ({
    x: round((widthPt - side) / 2 + across * side),
    y: round((heightPt - side) / 2 + down * side),
  });
  const points = [at(0.2, 0.55), at(0.42, 0.78), at(0.82, 0.25)];
  return {
    ...(to === null ? {} : { if: to }),
    absolutePosition: placeIn(field, 0, 0),
    canvas: [{ type: 'polyline', points, lineWidth: round(Math.max(1, side / 9)) }],
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
