import type { FieldType } from '../../api/field-types.ts';
import type { Path } from '../schema.ts';
import type { Names } from './names.ts';
import type { Speech } from './placeholders.ts';
import { placeholdersAt, typeText } from './placeholders.ts';
import type { Place } from './reading.ts';

/** Something that has a name, which the value of a key may be. */
export interface Reference {
  readonly name: string;
  readonly detail: string;
}

/** Font families that every service has. */
const FONTS = ['Roboto', 'Sarabun'];
const LAYOUTS = ['noBorders', 'headerLineOnly', 'lightHorizontalLines'];
const PAGE_SIZES = ['A4', 'A5', 'A3', 'LETTER', 'LEGAL'];
const PATTERNS = ['d MMMM yyyy', 'd MMM yyyy', 'dd/MM/yyyy', 'yyyy-MM-dd', 'EEEE d MMMM yyyy'];
const CURRENCIES = ['THB', 'USD', 'EUR', 'GBP', 'JPY', 'CNY', 'SGD'];

/** The names that the value at a place may be; empty: the key names nothing. */
export function referencesAt(place: Place, names: Names, speech: Speech): readonly Reference[] {
  const { path } = place;
  const key = path.findLast((one) => typeof one === 'string') ?? '';
  const inFormat = path.at(-2) === 'format';
  if (path[0] === 'fields' && !inFormat) return [];
  switch (key) {
    case 'language':
      return plain(['th', 'en']);
    case 'currency':
      return inFormat ? plain(CURRENCIES) : [];
    case 'pattern':
      return inFormat ? plain(PATTERNS) : [];
    default:
      return path[0] === 'document' || path[0] === 'signatureField'
        ? inDocument(place, key, names, speech)
        : [];
  }
}

function inDocument(place: Place, key: string, names: Names, speech: Speech): readonly Reference[] {
  const { path } = place;
  switch (key) {
    case 'if':
    case 'unless':
      return fields(names, null, speech);
    case 'each':
      return fields(names, 'table', speech);
    case 'opening':
      return fields(names, 'number', speech);
    case 'style':
    case 'tocStyle':
    case 'tocNumberStyle':
    case 'textStyle':
    case 'numberStyle':
      return path.at(-2) === 'format' ? [] : plain(names.styles);
    case 'extends':
      return path[1] === 'styles' ? plain(others(names.styles, path[2])) : [];
    case 'font':
      return plain(new Set([...FONTS, ...names.fonts]));
    case 'image':
    case 'svg':
    case 'qr':
      return [...(key === 'image' ? plain(names.images) : []), ...bound(place, names, speech)];
    case 'pdf':
      return plain(names.pdfs);
    case 'layout':
      return plain([...names.tableLayouts, ...LAYOUTS]);
    case 'linkToDestination':
    case 'pageReference':
    case 'textReference':
    case 'outlineParentId':
    case 'at':
      return plain(names.ids);
    case 'pageSize':
      return plain(PAGE_SIZES);
    case 'fillColor':
    case 'overlayPattern':
      return path.at(-1) === 0 ? plain(names.patterns) : [];
    case 'widths':
      return plain(['auto', '*']);
    case 'width':
      return path.at(-3) === 'columns' ? plain(['auto', '*']) : [];
    default:
      return [];
  }
}

function plain(names: Iterable<string>): readonly Reference[] {
  return Array.from(names, (name) => ({ name, detail: '' }));
}

function others(names: ReadonlySet<string>, own: Path[number] | undefined): readonly string[] {
  return [...names].filter((name) => name !== own);
}

function fields(names: Names, type: FieldType | null, speech: Speech): readonly Reference[] {
  return [...names.fields.values()]
    .filter((field) => type === null || field.type === type)
    .map((field) => ({ name: field.name, detail: typeText(field, speech) }));
}

/** Placeholders as the whole of a value. */
function bound(place: Place, names: Names, speech: Speech): readonly Reference[] {
  return placeholdersAt(place, names, speech).map(({ name, detail }) => ({
    name: `{{${name}}}`,
    detail,
  }));
}

const FORMATS: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  text: ['mask', 'case', 'language'],
  number: [
    'decimals',
    'thousandsSeparator',
    'prefix',
    'suffix',
    'style',
    'digits',
    'words',
    'currency',
    'case',
    'language',
  ],
  date: ['calendar', 'pattern', 'digits', 'case', 'language'],
};

/** Keys of a format that fit a type, in the contract's order; a test compares them with it. */
export function formatKeysOf(type: FieldType): readonly string[] {
  return FORMATS[type] ?? [];
}

/** The types of the values that the format object at a place prints; empty: not known. */
export function formattedTypes({ path, levels }: Place, names: Names): ReadonlySet<FieldType> {
  const owner = levels.at(-2);
  const types = new Set<FieldType>();
  if (path[0] === 'fields') {
    const type = owner?.member('type') ?? '';
    if (type !== '') types.add(type as FieldType);
    return types;
  }
  for (const [, name = ''] of (owner?.member('text') ?? '').matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
    const type = names.fields.get(name)?.type ?? '';
    // A cell of a table may be anything.
    if (/^\d+$/.test(name)) return new Set();
    if (/^(?:sum |statement\.)/.test(name)) types.add('number');
    else if (type !== '') types.add(type);
  }
  return types;
}
