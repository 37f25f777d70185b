import { parseArgs } from 'node:util';
import { readCall, WrongCall } from '../arguments.ts';
import { SHAPE_NAMES, type ShapeName } from '../../lab/shapes/sheet.ts';

/** The command line of `bench --against` and `bench --save`, checked. */
export interface GateOptions {
  /** A file that names a commit, or a commit; null: `save` is given. */
  readonly against: string | null;
  readonly save: string | null;
  /** 0.05 for `5%`. */
  readonly failOver: number;
  readonly shapes: readonly ShapeName[];
  readonly seconds: number;
  readonly json: string | null;
  readonly smoke: boolean;
}

const FAIL_OVER = '5%';
const SECONDS = 240;
const SECONDS_MAX = 3_600;

export const GATE_USAGE = `
a gate for CI:
  intaglio bench --against FILE [A B C] [--fail-over 5%] [--json FILE]

  compares the engine of this checkout with that of the commit which FILE names,
  in turns on this machine, and ends with 1 when it is significantly slower: by
  more than the limit, with the lower end of the 95 % interval above half of it.
  If the machine is too noisy to decide, the gate passes and says so.

  --against FILE   a file of --save or --json, or {"commit": "…"}; or a commit,
                   branch or tag
  --fail-over N%   the limit (default 5%)
  --seconds N      begins no pair of starts that would not end by then, after
                   the first (default 240)
  --json FILE      the decision, by docs/bench-gate.schema.json
  --save FILE      measures this commit and writes its name and figures: a FILE
                   for --against
`;

const OPTIONS = {
  against: { type: 'string' },
  save: { type: 'string' },
  'fail-over': { type: 'string', default: FAIL_OVER },
  seconds: { type: 'string', default: String(SECONDS) },
  json: { type: 'string' },
  smoke: { type: 'boolean', default: false },
} as const;

/** Whether a command line is for the gate. */
export function isGate(argv: readonly string[]): boolean {
  return argv.some((word) => /^--(?:against|save)(?:=|$)/.test(word));
}

/** Parses the command line; a message for the caller when it is wrong. */
export function parseGateOptions(argv: readonly string[]): GateOptions | string {
  let parsed;
  try {
    parsed = readCall(OPTIONS, argv, (args) =>
      parseArgs({ args, options: OPTIONS, allowPositionals: true, tokens: true }),
    );
  } catch (error) {
    if (error instanceof WrongCall) return error.message;
    throw error;
  }
  const { values, positionals } = parsed;
  const { against = null, save = null, json = null, smoke } = values;
  if ((against === null) === (save === null)) return 'give either --against or --save';
  if (against === '' || save === '') return '--against and --save take a file';
  const percent = /^(\d{1,2}(?:\.\d+)?)\s*%?$/.exec(values['fail-over'])?.[1];
  const failOver = Number(percent ?? Number.NaN) / 100;
  if (!(failOver >= 0.01)) return '--fail-over takes a share from 1% to 99%, such as 5%';
  const seconds = Number(values.seconds);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > SECONDS_MAX) {
    return `--seconds takes a whole number from 1 to ${SECONDS_MAX}`;
  }
  const unknown = positionals.find((name) => !SHAPE_NAMES.some((shape) => shape === name));
  if (unknown !== undefined) return `unknown shape ${unknown}: one of ${SHAPE_NAMES.join(', ')}`;
  const named = SHAPE_NAMES.filter((shape) => positionals.includes(shape));
  const shapes = named.length === 0 ? SHAPE_NAMES : named;
  return { against, save, failOver, shapes, seconds, json, smoke };
}
