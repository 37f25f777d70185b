import type { ParseArgsOptionsConfig } from 'node:util';
import { suggestion } from '../src/runtime/nearest.ts';

/** A command line that the bench does not understand; the message says what it takes. */
export class WrongCall extends Error {}

/** The options of the bench's other forms, which need the option of that form beside them. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  '--template': ['data', 'http', 'url', 'key'],
  '--against': ['fail-over', 'seconds'],
};

interface Call {
  readonly tokens: readonly { readonly kind: string; readonly name?: string }[];
}

/**
 * What `parse` reads of a command line with `options`. Throws `WrongCall` for an unknown option, with
 * the nearest one or the form that takes it, and for one that is given twice but takes one value.
 */
export function readCall<T extends Call>(
  options: ParseArgsOptionsConfig,
  argv: readonly string[],
  parse: (args: string[]) => T,
): T {
  const call = callOf(options, () => parse(withNegatives(options, argv)));
  const given = new Set<string>();
  for (const { kind, name = '' } of call.tokens) {
    if (kind !== 'option') continue;
    const { type, multiple } = options[name] ?? {};
    if (type === 'string' && multiple !== true && given.has(name)) {
      throw new WrongCall(`--${name} is given twice`);
    }
    given.add(name);
  }
  return call;
}

/**
 * Writes `--rounds -5` as `--rounds=-5`, which Node takes for a value: the check of the option then
 * names its bounds.
 */
function withNegatives(options: ParseArgsOptionsConfig, argv: readonly string[]): string[] {
  const args: string[] = [];
  for (const word of argv) {
    const before = args.at(-1) ?? '';
    const takesValue = before.startsWith('--') && options[before.slice(2)]?.type === 'string';
    if (takesValue && /^-\d/.test(word)) args[args.length - 1] = `${before}=${word}`;
    else args.push(word);
  }
  return args;
}

function callOf<T extends Call>(options: ParseArgsOptionsConfig, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node adds advice about arguments that begin with a hyphen, which none here does.
    const [sentence = ''] = error.message.split('. ', 1);
    const unknown = /^Unknown option '(-[^']*)'/.exec(sentence)?.[1];
    throw new WrongCall(unknown === undefined ? sentence : unknownOption(unknown, options));
  }
}

function unknownOption(option: string, options: ParseArgsOptionsConfig): string {
  const name = option.replace(/^--?/, '');
  for (const [form, names] of Object.entries(FORMS)) {
    if (names.includes(name)) return `${option} belongs to bench ${form}, which is not given`;
  }
  const known = Object.keys(options).map((one) => `--${one}`);
  return `Unknown option '${option}'${nearName(option, known)}`;
}

/** The text for a wrong call: only the reason, because a page of help would scroll it off the screen. */
export function refusal(reason: string): string {
  return `${reason}\n(./intaglio bench --help lists what it takes)\n`;
}

/** `; did you mean "x"?` for a name of more than two letters that is near a known one, or ''. */
export function nearName(name: string, known: readonly string[]): string {
  return name.length > 2 ? suggestion(name, known) : '';
}
