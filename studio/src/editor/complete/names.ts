import { isAmount } from '../../../../src/engine/contract/format/amount.ts';
import type { FieldType, LocalText } from '../../api/field-types.ts';
import type { Level } from './reading.ts';

/** A field of the contract, as far as its text can be read. */
export interface NamedField {
  readonly name: string;
  /** '' while it is not typed. */
  readonly type: FieldType | '';
  readonly label: LocalText;
  /** Headings of the columns of a table, by language. */
  readonly columns: readonly LocalText[];
}

/** The names that a template declares. */
export interface Names {
  readonly fields: ReadonlyMap<string, NamedField>;
  readonly styles: ReadonlySet<string>;
  readonly images: ReadonlySet<string>;
  readonly pdfs: ReadonlySet<string>;
  readonly patterns: ReadonlySet<string>;
  readonly tableLayouts: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly fonts: ReadonlySet<string>;
  /** Columns that tables have in the samples, by field. */
  readonly widths: ReadonlyMap<string, number>;
  /** Columns of tables that hold an amount in some sample, as `items.2`. */
  readonly amounts: ReadonlySet<string>;
}

/** Keys of `document` whose own keys are names. */
const LISTS = ['styles', 'images', 'pdfs', 'patterns', 'tableLayouts'] as const;
/** Levels around a cell of a table in a sample: `samples`, their list, one, its data, rows, a row. */
const CELL_LEVELS = 6;
/** The key for texts without a language. */
const ANY = '';

/** Collects the names of a template while its text is read. */
export class NameCollector implements Names {
  readonly fields = new Map<string, NamedField>();
  readonly styles = new Set<string>();
  readonly images = new Set<string>();
  readonly pdfs = new Set<string>();
  readonly patterns = new Set<string>();
  readonly tableLayouts = new Set<string>();
  readonly ids = new Set<string>();
  readonly fonts = new Set<string>();
  readonly widths = new Map<string, number>();
  readonly amounts = new Set<string>();
  #label: Record<string, string> = {};
  #columns: Record<string, string>[] = [];

  /** A key was read in the third of three levels. */
  key([root, second, third]: readonly Level[]): void {
    if (root?.key !== 'document') return;
    const list = LISTS.find((one) => one === second?.key);
    if (list !== undefined && third !== undefined) this[list].add(third.key);
  }

  /** Whether a string at the levels' keys may be a name. */
  wants(levels: readonly Level[]): boolean {
    const root = levels[0]?.key;
    if (root === 'fields') return levels.length <= 5;
    if (root === 'samples') return levels.length === CELL_LEVELS;
    const last = levels.at(-1);
    // Most keys are told apart without making a string of them.
    if (last?.keyLength !== '"id"'.length && last?.keyLength !== '"font"'.length) return false;
    return last.key === 'id' || last.key === 'font';
  }

  /** A string was read as the value at the levels' keys. */
  value(levels: readonly Level[], value: string): void {
    const [root, , third, fourth] = levels;
    const last = levels.at(-1);
    if (root?.key === 'fields') {
      if (third?.key === 'label' && levels.length <= 4) {
        this.#label[levels.length === 3 ? ANY : (last?.key ?? ANY)] = value;
      }
      if (third?.key === 'columns' && fourth?.isList === true) {
        const column = (this.#columns[fourth.index] ??= {});
        column[levels.length === 4 ? ANY : (last?.key ?? ANY)] = value;
      }
      return;
    }
    if (root?.key === 'samples') {
      if (isAmount(value)) this.amounts.add(`${fourth?.key}.${last?.index}`);
      return;
    }
    if (root?.key !== 'document' || value === '') return;
    if (last?.key === 'id') this.ids.add(value);
    if (last?.key === 'font') this.fonts.add(value);
  }

  /** The innermost of the levels has ended, or the text has. */
  end(levels: readonly Level[]): void {
    if (levels.length === CELL_LEVELS && levels[0]?.key === 'samples') {
      const name = levels[3]?.key ?? '';
      const width = (levels[5]?.index ?? 0) + 1;
      this.widths.set(name, Math.max(width, this.widths.get(name) ?? 0));
    }
    if (levels.length !== 3 || levels[0]?.key !== 'fields') return;
    const name = levels[2]?.member('name') ?? '';
    const type = (levels[2]?.member('type') ?? '') as FieldType | '';
    const columns = Array.from(this.#columns, (column) => column ?? {});
    if (name !== '') this.fields.set(name, { name, type, label: this.#label, columns });
    this.#label = {};
    this.#columns = [];
  }
}

/** The names in `names`, and those that `earlier` had before the text stopped being JSON. */
export function together(names: Names, earlier: Names | null): Names {
  if (earlier === null) return names;
  const joined = (key: Exclude<keyof Names, 'fields' | 'widths'>): ReadonlySet<string> =>
    new Set([...names[key], ...earlier[key]]);
  return {
    fields: new Map([...earlier.fields, ...names.fields]),
    styles: joined('styles'),
    images: joined('images'),
    pdfs: joined('pdfs'),
    patterns: joined('patterns'),
    tableLayouts: joined('tableLayouts'),
    ids: joined('ids'),
    fonts: joined('fonts'),
    widths: new Map([...earlier.widths, ...names.widths]),
    amounts: joined('amounts'),
  };
}
