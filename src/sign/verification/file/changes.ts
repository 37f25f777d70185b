import type { Revision } from './revision.ts';
import { compareStores } from './stores.ts';
import {
  asReference,
  asStream,
  asString,
  canonical,
  eachReference,
  isDictionary,
  isList,
  isName,
  nameIn,
  type PdfDictionary,
  type PdfValue,
} from './values.ts';

/** What an update did to a file. */
export interface Update {
  /** Validation data, signatures with it, or anything else. */
  readonly kind: 'validation data' | 'signatures' | 'changes';
  /** Whether a signature that it added shows something on a page. */
  readonly draws: boolean;
}

const OTHER: Update = { kind: 'changes', draws: false };

/** Keys of a signature field that may be added with a signature (§12.7.5.5, §12.5.6.19). */
const FIELD_KEYS = new Set(
  'FT T TU TM V F Ff Type Subtype Rect P AP AS M DA DR MK Border BS H Q NM Lock'.split(' '),
);
/** Keys that signing may change in a field that was there. */
const SIGNING_KEYS = new Set(['V', 'AP', 'AS', 'M', 'F', 'DA', 'MK']);
const EXTENSION_KEYS = new Set('Type BaseVersion ExtensionLevel ExtensionRevision URL'.split(' '));
/** A date (§7.9.4), which an update may change in the information. */
const DATE = /^D:\d{4,14}(Z|[+-]\d\d'(\d\d'?)?)?$/;

/**
 * Compares a file before and after an update. Every object that is new or different must have a
 * reason that is on the list of allowed ones: a document security store, or a signature field with
 * its signature. All else are changes, because a reader could show a document that was not signed.
 */
export function compareRevisions(before: Revision, after: Revision): Update {
  return new Comparison(before, after).result();
}

class Comparison {
  readonly #before: Revision;
  readonly #after: Revision;
  /** Objects that are new, different or gone, and have no reason yet. */
  readonly #unexplained: Set<number>;
  /** Fields that were added or signed. */
  readonly #fields = new Set<number>();
  #draws = false;
  /** Another program is named as the one that wrote the file. */
  #isReproduced = false;
  /** The document security store has data that was not there. */
  #isMore = false;

  constructor(before: Revision, after: Revision) {
    this.#before = before;
    this.#after = after;
    this.#unexplained = changedObjects(before, after);
  }

  result(): Update {
    const root = asReference(this.#after.trailer.get('Root'));
    const isSame = (['Root', 'Info', 'Encrypt'] as const).every((key) => this.#hasSame(key));
    if (root === null || !isSame || !this.#hasSameId() || this.#fillsGaps()) return OTHER;
    this.#explain(root.number);
    this.#explainFile();
    const explained = this.#catalog() && this.#pages();
    // No other object that was there before may change.
    if (!explained || [...this.#unexplained].some((number) => this.#before.has(number))) {
      return OTHER;
    }
    // Poppler leaves new objects, to which nothing leads, beside a signature.
    if (this.#fields.size > 0) return { kind: 'signatures', draws: this.#draws };
    // An update that adds nothing has no reason.
    const isPlain = this.#isMore && this.#unexplained.size === 0 && !this.#isReproduced;
    if (!isPlain || !this.#hasSameForm()) return OTHER;
    return { kind: 'validation data', draws: false };
  }

  #hasSame(key: string): boolean {
    const [one, other] = [this.#before, this.#after].map(({ trailer }) => trailer.get(key) ?? null);
    return canonical(one ?? null) === canonical(other ?? null);
  }

  /** The first half of the identifier stays for the life of a file (§14.4). */
  #hasSameId(): boolean {
    const [one, other] = [this.#before, this.#after].map(({ trailer }) => trailer.get('ID') ?? []);
    const [first, later] = [this.#before.list(one), this.#after.list(other)];
    return (
      first.length === later.length && canonical(first[0] ?? null) === canonical(later[0] ?? null)
    );
  }

  /** Without a signature, a form may only be told that there are signatures. */
  #hasSameForm(): boolean {
    const one = this.#before.dictionary(this.#before.catalog.get('AcroForm'));
    const other = this.#after.dictionary(this.#after.catalog.get('AcroForm'));
    if (one === null || other === null) return one === other;
    return isSameBut(one, other, new Set(['SigFlags']));
  }

  /** Whether a reference that led nowhere leads to a new object now. */
  #fillsGaps(): boolean {
    const added = [...this.#unexplained].filter((number) => !this.#before.has(number));
    if (added.length === 0) return false;
    const news = new Set(added);
    let fills = false;
    const look = (value: PdfValue): void =>
      eachReference(value, ({ number }) => (fills ||= news.has(number)));
    look(this.#before.trailer);
    for (const number of this.#before.numbers) look(this.#before.object(number));
    return fills;
  }

  /** The objects that hold the file together, and in its information the date and the program. */
  #explainFile(): void {
    for (const number of this.#unexplained) {
      const stream = asStream(this.#after.object(number));
      const type = nameIn(stream?.dictionary.get('Type'));
      if (!this.#before.has(number) && (type === 'XRef' || type === 'ObjStm')) {
        this.#explain(number);
      }
    }
    const info = asReference(this.#after.trailer.get('Info'));
    if (info === null || !this.#unexplained.has(info.number)) return;
    const [one, other] = this.#both(info.number);
    if (one === null || other === null) return;
    if (!isSameBut(one, other, new Set(['ModDate', 'Producer']))) return;
    const date = asString(other.get('ModDate'))?.bytes.toString('latin1') ?? '';
    const producers = [one, other].map((information) =>
      canonical(information.get('Producer') ?? null),
    );
    this.#isReproduced = producers[0] !== producers[1];
    if (DATE.test(date)) this.#explain(info.number);
  }

  #explain(number: number): void {
    this.#unexplained.delete(number);
  }

  /** A dictionary before and after. */
  #both(number: number): [PdfDictionary | null, PdfDictionary | null] {
    const [one, other] = [this.#before.object(number), this.#after.object(number)];
    return [isDictionary(one) ? one : null, isDictionary(other) ? other : null];
  }

  #catalog(): boolean {
    const [before, after] = [this.#before.catalog, this.#after.catalog];
    const own = new Set(['AcroForm', 'DSS', 'Extensions']);
    if (!isSameBut(before, after, own) || !this.#extensions(before, after)) return false;
    const { numbers, isMore } = compareStores(this.#before, this.#after);
    for (const number of numbers) this.#explain(number);
    this.#isMore = isMore;
    return this.#form();
  }

  /** An update may name extensions, and remove none. */
  #extensions(before: PdfDictionary, after: PdfDictionary): boolean {
    const key = 'Extensions';
    const [one, other] = [before.get(key) ?? null, after.get(key) ?? null];
    if (canonical(one) === canonical(other)) return true;
    if (!isDictionary(other) || !(one === null || (isDictionary(one) && isWithin(one, other)))) {
      return false;
    }
    return [...other.values()].every((value) => isExtension(value));
  }

  /** Explains new objects below a value. */
  #explainNew(value: PdfValue): void {
    eachReference(value, ({ number }) => {
      if (this.#before.has(number) || !this.#unexplained.has(number)) return;
      this.#explain(number);
      this.#explainNew(this.#after.object(number));
    });
  }

  /** The form: fields of signatures may be added or signed. */
  #form(): boolean {
    const [before, after] = [this.#before, this.#after].map((one) => one.catalog.get('AcroForm'));
    const one = this.#before.dictionary(before);
    const other = this.#after.dictionary(after);
    if (other === null) return one === null;
    if (one === null && (other.has('XFA') || other.get('NeedAppearances') === true)) return false;
    const own = new Set(['Fields', 'SigFlags', 'DR', 'DA']);
    if (one !== null && !isSameBut(one, other, own)) return false;
    if (one !== null && !this.#hasResources(one, other)) return false;
    if (
      one !== null &&
      one.has('DA') &&
      canonical(one.get('DA') ?? null) !== canonical(other.get('DA') ?? null)
    )
      return false;
    const fields = this.#after.list(other.get('Fields'));
    const former = this.#before.list(one?.get('Fields'));
    if (!beginsWith(fields, former)) return false;
    this.#explainReplaced(before, after);
    this.#explainReplaced(one?.get('Fields'), other.get('Fields'));
    this.#explainNew(other.get('DR') ?? null);
    const added = fields.slice(former.length).every((field) => this.#addedField(field));
    return added && this.#signedFields();
  }

  /** Explains an object that takes the place of another one, or is new. */
  #explainReplaced(before: PdfValue | undefined, after: PdfValue | undefined): void {
    const reference = asReference(after);
    if (reference === null) return;
    const isReplaced = asReference(before)?.number === reference.number;
    if (isReplaced || !this.#before.has(reference.number)) this.#explain(reference.number);
  }

  /** Resources of the form: fonts may be added, and none replaced. */
  #hasResources(before: PdfDictionary, after: PdfDictionary): boolean {
    const one = this.#before.dictionary(before.get('DR'));
    const other = this.#after.dictionary(after.get('DR'));
    if (one === null) return true;
    if (other === null || !isSameBut(one, other, new Set(['Font']))) return false;
    this.#explainReplaced(before.get('DR'), after.get('DR'));
    const fonts = this.#before.dictionary(one.get('Font'));
    const more = this.#after.dictionary(other.get('Font'));
    this.#explainReplaced(one.get('Font'), other.get('Font'));
    return fonts === null || (more !== null && isWithin(fonts, more));
  }

  #addedField(value: PdfValue): boolean {
    const reference = asReference(value);
    const field = this.#after.dictionary(value);
    if (reference === null || field === null || this.#before.has(reference.number)) return false;
    if (!isName(field.get('FT'), 'Sig')) return false;
    if (![...field.keys()].every((key) => FIELD_KEYS.has(key))) return false;
    return this.#takeField(reference.number, field);
  }

  /** Fields that were there and are signed now. */
  #signedFields(): boolean {
    for (const number of this.#unexplained) {
      const [one, other] = this.#both(number);
      if (one === null || other === null || !isName(one.get('FT'), 'Sig')) continue;
      if (this.#before.resolve(one.get('V')) !== null) return false;
      if (!isSameBut(one, other, SIGNING_KEYS) || !this.#takeField(number, other)) return false;
    }
    return true;
  }

  #takeField(number: number, field: PdfDictionary): boolean {
    const signature = this.#after.dictionary(field.get('V'));
    const type = nameIn(signature?.get('Type'));
    if (signature === null || (type !== null && type !== 'Sig' && type !== 'DocTimeStamp')) {
      return false;
    }
    this.#explain(number);
    this.#fields.add(number);
    for (const [key, value] of field) if (key !== 'P') this.#explainNew(value);
    const [left = 0, bottom = 0, right = 0, top = 0] = this.#after
      .list(field.get('Rect'))
      .map(Number);
    if (field.has('AP') && left !== right && bottom !== top) this.#draws = true;
    return true;
  }

  /**
   * Pages may differ in their list of annotations alone, by the fields that were added. Poppler does
   * not list a new field in a form that is part of the catalog.
   */
  #pages(): boolean {
    for (const number of this.#unexplained) {
      const [one, other] = this.#both(number);
      if (one === null || other === null || !isName(one.get('Type'), 'Page')) continue;
      if (!isSameBut(one, other, new Set(['Annots']))) return false;
      if (!this.#annotations(one, other)) return false;
      this.#explain(number);
    }
    // A list of annotations that is an object changes without its page.
    for (const number of this.#before.numbers) {
      if (this.#unexplained.size === 0) return true;
      const page = this.#before.object(number);
      if (!isDictionary(page) || !isName(page.get('Type'), 'Page')) continue;
      const list = asReference(page.get('Annots'));
      if (list !== null && this.#unexplained.has(list.number) && !this.#annotations(page, page)) {
        return false;
      }
    }
    return true;
  }

  #annotations(before: PdfDictionary, after: PdfDictionary): boolean {
    const former = this.#before.list(before.get('Annots'));
    const annotations = this.#after.list(after.get('Annots'));
    if (!beginsWith(annotations, former)) return false;
    this.#explainReplaced(before.get('Annots'), after.get('Annots'));
    return annotations
      .slice(former.length)
      .every(
        (added) => this.#fields.has(asReference(added)?.number ?? -1) || this.#addedField(added),
      );
  }
}

/** Numbers of the objects that are not the same in both revisions. */
function changedObjects(before: Revision, after: Revision): Set<number> {
  const changed = new Set<number>();
  for (const number of new Set([...before.numbers, ...after.numbers])) {
    if (before.sharesPlace(number, after)) continue;
    const isThere = before.has(number) && after.has(number);
    const isSame = isThere && canonical(before.object(number)) === canonical(after.object(number));
    if (!isSame) changed.add(number);
  }
  return changed;
}

/** Whether a value only names an extension (§7.12). */
function isExtension(value: PdfValue): boolean {
  if (isList(value)) return value.every(isExtension);
  if (!isDictionary(value)) return false;
  return [...value].every(([key, one]) => {
    const isPlain = typeof one === 'number' || nameIn(one) !== null || asString(one) !== null;
    return EXTENSION_KEYS.has(key) && isPlain;
  });
}

/** Whether two dictionaries have the same entries, apart from some keys. */
function isSameBut(one: PdfDictionary, other: PdfDictionary, but: ReadonlySet<string>): boolean {
  const rest = (entries: PdfDictionary): PdfDictionary =>
    new Map([...entries].filter(([key, value]) => !but.has(key) && value !== null));
  return canonical(rest(one)) === canonical(rest(other));
}

/** Whether each entry of one dictionary is in the other. */
function isWithin(one: PdfDictionary, other: PdfDictionary): boolean {
  return [...one].every(([key, value]) => canonical(value) === canonical(other.get(key) ?? null));
}

function beginsWith(list: readonly PdfValue[], head: readonly PdfValue[]): boolean {
  return isList(list) && canonical(list.slice(0, head.length)) === canonical(head);
}
