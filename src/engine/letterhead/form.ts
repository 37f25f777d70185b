import { LIMITS } from '../../limits.ts';
import type { FormField } from './form-field.ts';
import { LetterheadFault } from './faults.ts';
import type { ForeignFile, ForeignPage } from './parse.ts';
import { cornersOf, name } from './parse.ts';
import { turnedBox, uprightMatrix, uprightSize } from './upright.ts';
import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFRawStream,
  PDFString,
} from './pdf-lib.ts';
import type { PDFObject } from './pdf-lib.ts';

/** Flags of fields (§12.7.4.1, §12.7.5), by their bit. */
const READ_ONLY = 1 << 0;
const REQUIRED = 1 << 1;
const MULTILINE = 1 << 12;
const RADIO = 1 << 15;
const PUSH_BUTTON = 1 << 16;
const COMB = 1 << 24;

/** Entries that a field hands down to its kids (§12.7.4.2). */
const INHERITED = ['FT', 'Ff', 'V', 'DA', 'Q', 'MaxLen', 'Opt', 'AA'] as const;
type Inherited = Readonly<Partial<Record<(typeof INHERITED)[number], PDFObject>>>;

/** The fields of a file's form, one for each place where a field stands; in the form's order. */
export function readForm({ catalog, pages }: ForeignFile): readonly FormField[] {
  const form = catalog.lookup(name('AcroForm'));
  return form instanceof PDFDict ? new FormReader(pages).read(form) : [];
}

/** Walks the tree of fields; those that stand on a page, its leaves, are found. */
class FormReader {
  readonly #pages: readonly ForeignPage[];
  readonly #pageOf: ReadonlyMap<PDFDict, number>;
  readonly #found: FormField[] = [];
  readonly #seen = new Set<PDFDict>();

  constructor(pages: readonly ForeignPage[]) {
    this.#pages = pages;
    this.#pageOf = widgetPages(pages);
  }

  read(form: PDFDict): readonly FormField[] {
    this.#visitAll(form.lookup(name('Fields')), '', inherit(form, {}), 0);
    return this.#found;
  }

  #visitAll(fields: PDFObject | undefined, path: string, outer: Inherited, depth: number): void {
    if (!(fields instanceof PDFArray)) return;
    for (let index = 0; index < fields.size(); index++) {
      const field = fields.lookup(index);
      if (field instanceof PDFDict) this.#visit(field, path, outer, depth);
    }
  }

  #visit(field: PDFDict, outerPath: string, outer: Inherited, depth: number): void {
    if (this.#seen.has(field) || depth > LIMITS.pdfDepthMax) throw new LetterheadFault('deep');
    this.#seen.add(field);
    if (this.#seen.size > LIMITS.pdfObjectsMax) throw new LetterheadFault('large');
    const path = joinNames(outerPath, textOf(field.lookup(name('T'))));
    const entries = inherit(field, outer);
    const page = this.#pageOf.get(field);
    if (page !== undefined) this.#found.push(fieldOf(field, path, entries, page, this.#pages));
    this.#visitAll(field.lookup(name('Kids')), path, entries, depth + 1);
  }
}

/** The fully qualified name of a field (§12.7.4.2); a widget without a name has its field's. */
function joinNames(outer: string, partial: string): string {
  if (partial === '') return outer;
  return outer === '' ? partial : `${outer}.${partial}`;
}

function inherit(field: PDFDict, outer: Inherited): Inherited {
  const own: Partial<Record<(typeof INHERITED)[number], PDFObject>> = { ...outer };
  for (const key of INHERITED) {
    const value = field.lookup(name(key));
    if (value !== undefined) own[key] = value;
  }
  return own;
}

/** The page that each annotation stands on, from 0. */
function widgetPages(pages: readonly ForeignPage[]): ReadonlyMap<PDFDict, number> {
  const found = new Map<PDFDict, number>();
  for (const [number, { dict }] of pages.entries()) {
    const list = dict.lookup(name('Annots'));
    if (!(list instanceof PDFArray)) continue;
    for (let index = 0; index < list.size(); index++) {
      const annotation = list.lookup(index);
      if (annotation instanceof PDFDict) found.set(annotation, number);
    }
  }
  return found;
}

function fieldOf(
  widget: PDFDict,
  path: string,
  entries: Inherited,
  pageIndex: number,
  pages: readonly ForeignPage[],
): FormField {
  const page = pages[pageIndex];
  const corners = cornersOf(widget.lookup(name('Rect'))) ?? [0, 0, 0, 0];
  if (page === undefined) throw new LetterheadFault('broken');
  const [x0, y0, x1, y1] = turnedBox(corners, uprightMatrix(page));
  const flags = entries.Ff instanceof PDFNumber ? entries.Ff.asNumber() : 0;
  const size = /(-?[\d.]+)\s+Tf/.exec(textOf(entries.DA))?.[1] ?? '0';
  const maxLength = entries.MaxLen instanceof PDFNumber ? entries.MaxLen.asNumber() : null;
  const quadding = entries.Q instanceof PDFNumber ? entries.Q.asNumber() : 0;
  return {
    name: path,
    kind: kindOf(entries, flags, maxLength),
    page: pageIndex + 1,
    x: x0,
    y: uprightSize(page).heightPt - y1,
    widthPt: x1 - x0,
    heightPt: y1 - y0,
    turn: turnOf(widget, page),
    fontSizePt: Math.min(Math.abs(Number(size)) || 0, FONT_SIZE_PT_MAX),
    alignment: ALIGNMENTS.get(quadding) ?? 'left',
    isRequired: (flags & REQUIRED) !== 0,
    maxLength: maxLength !== null && maxLength > 0 ? maxLength : null,
    options: optionsOf(entries.Opt),
    state: stateOf(widget),
    script: scriptOf(entries.AA),
    isReadOnly: (flags & READ_ONLY) !== 0,
    value: valueOf(entries),
  };
}

/**
 * A text, the option chosen as it is shown (§12.7.5.4), or the name of a button's state; several
 * chosen options are none.
 */
function valueOf({ FT, V, Opt }: Inherited): string {
  if (V instanceof PDFName) return V.decodeText();
  const value = textOf(V).slice(0, VALUE_LENGTH_MAX);
  if (!(FT instanceof PDFName) || FT.asString() !== '/Ch' || !(Opt instanceof PDFArray))
    return value;
  for (let index = 0; index < Math.min(Opt.size(), OPTIONS_MAX); index++) {
    const option = Opt.lookup(index);
    if (!(option instanceof PDFArray) || textOf(option.lookup(0)) !== value) continue;
    return textOf(option.lookup(1));
  }
  return value;
}

const VALUE_LENGTH_MAX = 10_000;

/** A field's rotation is counterclockwise, that of its page clockwise (§12.5.6.19). */
function turnOf(widget: PDFDict, page: ForeignPage): FormField['turn'] {
  const look = widget.lookup(name('MK'));
  const turned = look instanceof PDFDict ? look.lookup(name('R')) : undefined;
  const own = turned instanceof PDFNumber ? turned.asNumber() / 90 : 0;
  const quarters = page.turns - (Number.isInteger(own) ? own : 0);
  return TURNS[((quarters % 4) + 4) % 4] ?? 0;
}

const TURNS = [0, 90, 180, 270] as const;

/** By the quadding of a field (§12.7.4.3); 0 is left. */
const ALIGNMENTS: ReadonlyMap<number, FormField['alignment']> = new Map([
  [1, 'center'],
  [2, 'right'],
]);

const FONT_SIZE_PT_MAX = 200;

function kindOf(entries: Inherited, flags: number, maxLength: number | null): FormField['kind'] {
  const type = entries.FT instanceof PDFName ? entries.FT.asString() : '';
  switch (type) {
    case '/Tx':
      if ((flags & COMB) !== 0 && maxLength !== null) return 'comb';
      return (flags & MULTILINE) !== 0 ? 'multiline' : 'text';
    case '/Btn':
      if ((flags & PUSH_BUTTON) !== 0) return 'button';
      return (flags & RADIO) !== 0 ? 'radio' : 'checkbox';
    case '/Ch':
      return 'choice';
    case '/Sig':
      return 'signature';
    default:
      return 'button';
  }
}

/** Options of a choice field: the exported value where it differs from the one shown. */
function optionsOf(value: PDFObject | undefined): readonly string[] {
  if (!(value instanceof PDFArray)) return [];
  const count = Math.min(value.size(), OPTIONS_MAX);
  return Array.from({ length: count }, (_, index) => {
    const option = value.lookup(index);
    return textOf(option instanceof PDFArray ? option.lookup(0) : option);
  }).filter((option) => option !== '');
}

const OPTIONS_MAX = 500;

/** The name of the appearance that shows a button as ticked. */
function stateOf(widget: PDFDict): string {
  const appearance = widget.lookup(name('AP'));
  const normal = appearance instanceof PDFDict ? appearance.lookup(name('N')) : undefined;
  if (!(normal instanceof PDFDict)) return '';
  const states = normal.keys().map((key) => key.decodeText());
  return states.find((state) => state !== 'Off') ?? '';
}

/** The JavaScript that formats a field's value: read for its format, never kept. */
function scriptOf(actions: PDFObject | undefined): string {
  const format = actions instanceof PDFDict ? actions.lookup(name('F')) : undefined;
  const script = format instanceof PDFDict ? format.lookup(name('JS')) : undefined;
  if (script instanceof PDFRawStream) return '';
  return textOf(script).slice(0, SCRIPT_LENGTH_MAX);
}

const SCRIPT_LENGTH_MAX = 500;

function textOf(value: PDFObject | undefined): string {
  if (value instanceof PDFString || value instanceof PDFHexString) return value.decodeText();
  return '';
}
