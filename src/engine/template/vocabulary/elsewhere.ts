/** Keys that authors look for at a place, and what stands for them there or elsewhere. */
interface Elsewhere {
  /** A place is known by these keys, which it has. */
  readonly beside: readonly string[];
  readonly keys: readonly string[];
  readonly hint: string;
}

const CHOICES = 'write "choices": ["A", "B"]';
const ELSEWHERE: readonly Elsewhere[] = [
  {
    beside: ['if', 'unless'],
    keys: ['else', 'otherwise', 'elseIf', 'elseif'],
    hint: 'write a second node or row with "unless" and the condition of "if".',
  },
  {
    beside: ['minLength', 'maxLength'],
    keys: ['choices', 'enum', 'options', 'values'],
    hint: `${CHOICES} in the field, beside "validation".`,
  },
  {
    beside: ['minLength', 'maxLength'],
    keys: ['required', 'format'],
    hint: 'write it in the field, beside "validation".',
  },
  { beside: ['minLength', 'min'], keys: ['minimum'], hint: 'write "min".' },
  { beside: ['maxLength', 'max'], keys: ['maximum'], hint: 'write "max".' },
  {
    beside: ['choices', 'validation'],
    keys: ['enum', 'options', 'values'],
    hint: `${CHOICES}.`,
  },
  {
    beside: ['choices', 'validation'],
    keys: ['min', 'max', 'minLength', 'maxLength'],
    hint: 'write it in "validation".',
  },
];

/** Keys of other languages, which are too unlike the key of here to resemble it. */
const ALIGNMENTS = new Set(['align', 'textAlign', 'text-align', 'textAlignment']);

/** The key of here that a key of another language stands for; null if none of these does. */
export function keyMeant(key: string, known: object): string | null {
  return ALIGNMENTS.has(key) && Object.hasOwn(known, 'alignment') ? 'alignment' : null;
}

/** What to write for a key that is not one of these; null if nothing is known to stand for it. */
export function elsewhereHint(key: string, known: object): string | null {
  const found = ELSEWHERE.find(
    ({ beside, keys }) => keys.includes(key) && beside.every((one) => Object.hasOwn(known, one)),
  );
  return found?.hint ?? null;
}
