import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete';
import { docText } from '../doc-text.ts';
import { keysAt, valuesAt } from '../schema.ts';
import { itemsAt } from './items.ts';
import type { Names } from './names.ts';
import { together } from './names.ts';
import { itemOption, keyOption, placeholderOption, valueOption } from './options.ts';
import type { Speech } from './placeholders.ts';
import { placeholdersAt, takesPlaceholders } from './placeholders.ts';
import type { Place } from './reading.ts';
import { readAt } from './reading.ts';
import { formatKeysOf, formattedTypes, referencesAt } from './references.ts';

/** A place of the text with the names of the template. */
export interface Scene {
  readonly text: string;
  readonly pos: number;
  readonly place: Place;
  readonly names: Names;
  readonly speech: Speech;
}

/** Candidates for completion; the typed text selects among them. */
interface Offer {
  readonly from: number;
  readonly options: readonly Completion[];
  readonly validFor: RegExp;
}

const IN_STRING = /^"?[^"\\{}]*$/;
const IN_WORD = /^"?[\w$-]*$/;
const IN_PLACEHOLDER = /^[^{}"]*$/;
const IN_BRACKET = /^[{[]?$/;

/**
 * Completes a template with the keys, values, names and placeholders that may stand at the cursor.
 * Names of a text that could be read whole, `text` at first, are offered also while it is broken.
 */
export function completeTemplate(text: string, speech: Speech): CompletionSource {
  let earlier = namesIfWhole(text);
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos, explicit } = context;
    const typed = state.sliceDoc(Math.max(0, pos - 1), pos);
    // Behind a space, comma or bracket nothing is being typed.
    if (!explicit && !/[^\s,:[\]}]/.test(typed)) return null;
    const source = docText(state.doc);
    const { place, finish } = readAt(source, pos);
    // Behind a closing quote Enter must end the line, not take an option.
    if (!explicit && (place.isClosed || !isTyped(place))) return null;
    const open = openPlaceholder(source, pos, place);
    if (!explicit && isProse(place, open)) return null;
    const whole = finish();
    const names = whole.isBalanced ? whole.names : together(whole.names, earlier);
    if (whole.isBalanced) earlier = whole.names;
    const offer = offerAt({ text: source, pos, place, names, speech }, open, explicit);
    if (offer.options.length === 0) return null;
    return place.kind === 'key' ? offer : { ...offer, options: inOrder(offer.options) };
  };
}

/** Names and items stay in the order of the template; keys are sorted by their letters. */
function inOrder(options: readonly Completion[]): readonly Completion[] {
  return options.map((option, index) => ({
    ...option,
    sortText: String(index).padStart(5, '0'),
  }));
}

function namesIfWhole(text: string): Names | null {
  const { names, isBalanced } = readAt(text, 0).finish();
  return isBalanced ? names : null;
}

function isTyped({ from, to }: Place): boolean {
  return to > from;
}

/** Whether words are typed that nothing can know. */
function isProse({ kind, isString, path }: Place, open: number): boolean {
  const key = path.findLast((one) => typeof one === 'string');
  return kind === 'value' && isString && open === -1 && key === 'text';
}

/** The offset behind the `{{` that is open before the cursor; -1: none is. */
function openPlaceholder(text: string, pos: number, place: Place): number {
  if (!place.isString || place.isClosed || !takesPlaceholders(place)) return -1;
  const head = text.slice(place.from, pos);
  const at = head.lastIndexOf('{{');
  // `\{{`, in JSON `\\{{`, is literal.
  if (at === -1 || head[at - 1] === '\\' || /[{}]/.test(head.slice(at + 2))) return -1;
  return place.from + at + 2;
}

function offerAt(scene: Scene, open: number, explicit: boolean): Offer {
  const { text, pos, place, names, speech } = scene;
  if (open !== -1) {
    const from = open + (/^\s*/.exec(text.slice(open, pos))?.[0].length ?? 0);
    const options = placeholdersAt(place, names, speech).map((one) =>
      placeholderOption(scene, one),
    );
    return { from, options, validFor: IN_PLACEHOLDER };
  }
  const from = isTyped(place) ? place.from : pos;
  switch (place.kind) {
    case 'none':
      return { from, options: [], validFor: IN_WORD };
    case 'key':
      return { from, options: keyOptions(scene), validFor: IN_WORD };
    case 'value':
      return { from, ...valueOffer(scene, explicit) };
  }
}

/** A whole item or a value; in a text, if it is asked for, a placeholder. */
function valueOffer(scene: Scene, explicit: boolean): Omit<Offer, 'from'> & { from?: number } {
  const { pos, place, names, speech } = scene;
  const items = isTyped(place) ? [] : itemsAt(scene);
  if (items.length > 0) {
    return { options: items.map((item) => itemOption(scene, item)), validFor: IN_BRACKET };
  }
  const values = valueOptions(scene);
  if (values.length > 0) return { options: values, validFor: IN_STRING };
  const takes = explicit && place.isString && !place.isClosed && takesPlaceholders(place);
  const options = takes ? placeholdersAt(place, names, speech) : [];
  return {
    from: pos,
    options: options.map((one) => placeholderOption(scene, one)),
    validFor: IN_PLACEHOLDER,
  };
}

/** Keys of the object; of a sample's data these are the fields. */
function keyOptions(scene: Scene): readonly Completion[] {
  const { text, place, names, speech } = scene;
  const { levels, path, from, to } = place;
  const own = text.slice(from, to).replaceAll('"', '');
  const level = levels.at(-1);
  const present = (level?.keys() ?? []).filter((key) => key !== own);
  if (path[0] === 'samples' && path.length === 3 && path[2] === 'data') {
    return [...names.fields.values()]
      .filter(({ name }) => !present.includes(name))
      .map(({ name, type }) => {
        const shape = type === 'table' ? 'list' : 'text';
        const key = { label: name, detail: type, info: '', shape, rank: 1 } as const;
        return keyOption(scene, key, false);
      });
  }
  const keys = keysAt(path, present);
  const fits = path.at(-1) === 'format' ? formattedTypes(place, names) : new Set<never>();
  const wanted = new Set([...fits].flatMap((type) => formatKeysOf(type)));
  return keys
    .filter(({ label }) => wanted.size === 0 || wanted.has(label))
    .map((key) => {
      const at = [...path, key.label];
      const isKnown =
        valuesAt(at).length > 0 ||
        referencesAt({ ...place, kind: 'value', path: at }, names, speech).length > 0;
      return keyOption(scene, key, isKnown);
    });
}

function valueOptions(scene: Scene): readonly Completion[] {
  const { place, names, speech } = scene;
  const named = referencesAt(place, names, speech).map(({ name, detail }) => ({
    label: JSON.stringify(name),
    detail,
    info: '',
  }));
  const labels = new Set(named.map(({ label }) => label));
  const listed = valuesAt(place.path).filter(({ label }) => !labels.has(label));
  // Inside quotation marks only strings are offered, not true or 12.
  const fits = (label: string): boolean => !place.isString || label.startsWith('"');
  return [...named, ...listed]
    .filter(({ label }) => fits(label))
    .map((value) => valueOption(scene, value));
}
