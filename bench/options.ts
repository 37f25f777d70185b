import { parseArgs } from 'node:util';
import { nearName, readCall, WrongCall } from './arguments.ts';
import { namesFault, ownBench, spelled } from './names.ts';
import { GATE_USAGE } from './gate/options.ts';
import { OWN_USAGE } from './own/options.ts';
import { PEERS } from './peers/list.ts';
import { SHAPE_NAMES } from '../lab/shapes/sheet.ts';
import type { ShapeName } from '../lab/shapes/sheet.ts';
import type { Settings } from '../lab/service/service.ts';

export const BENCHES = [
  'all',
  'engine',
  'first',
  'rows',
  'pool',
  'micro',
  'http',
  'runs',
  'profile',
  'invoice',
  'month-end',
] as const;
export type BenchName = (typeof BENCHES)[number];

const SETTING = /^(?:INTAGLIO|OTEL)_[A-Z0-9_]+=/;
const ROUNDS_MAX = 1_000;
const DOCUMENTS_MAX = 10_000_000;

/** Number of peers in a line of the help, which must fit into 80 columns. */
const PEERS_A_LINE = 5;

/** The names of the peers for --peers, broken into lines. */
function peerLines(): string {
  const names = PEERS.map(({ name }) => name);
  const lines: string[] = [];
  for (let first = 0; first < names.length; first += PEERS_A_LINE) {
    lines.push(names.slice(first, first + PEERS_A_LINE).join(','));
  }
  return lines.join(`,\n${' '.repeat(19)}`);
}

/** The command line, checked. */
export interface BenchOptions {
  readonly name: BenchName;
  /** The arguments after the name: shapes for `engine`, `profile`, …; a file for `micro`. */
  readonly rest: readonly string[];
  readonly shapes: readonly ShapeName[];
  readonly smoke: boolean;
  readonly json: string | null;
  readonly html: string | null;
  /** A Markdown page whose tables are replaced. */
  readonly page: string | null;
  readonly peers: readonly string[];
  /** Peers may install their packages. */
  readonly install: boolean;
  readonly rounds: number | null;
  /** Documents of the soak. */
  readonly documents: number | null;
  readonly compare: readonly [string, string] | null;
  /** Variables of the two services that --compare … http starts. */
  readonly settings: readonly [Settings, Settings];
  readonly help: boolean;
}

export const USAGE = `intaglio bench [name] [shape …] [options]

  all       everything below except runs, invoice, month-end and profile, and
            runs guarded with 1,000 documents (the default; some 16 minutes with
            all peers)
  engine    CPU per document of the shapes A, B, C, warm and with new words,
            beside the peers
  first     first document of a process and of a template
  rows      cost per row of a table from 10 to 2,000 rows
  pool      one and two pool threads, without HTTP
  micro     single functions (micro qr: one file of bench/micro)
  http      a running service under load, and what the gateway adds to the pool
            (http sync: one load; http gateway: that alone; http soak: 100,000
            documents; http 'over ×2 own', http 'over ×10 own': the overloads
            without wrk, which run only when named)
  runs      a run of --documents receipts (default 100,000) beside async
            generate over HTTP (runs fleet: one instance and two, a core each,
            on MariaDB, Redis and an object store; runs guarded: runs with
            passwords, signatures and both, beside what their steps cost alone;
            runs prints: the merged file of 10,000 statements, its size and who
            opens it)
  invoice   shape D, a Latin invoice of ten lines, beside jsPDF, pdf-lib, pdfkit
            and Typst in turns
  month-end shape Z, --documents statements (default 20,000) of 1, 3 and 50
            pages, signed and PDF/A-2a with PDF/UA-1: over HTTP, then as a run
  profile   where the time goes, by part of the engine and by function
            (profile A)

shapes: A is a Thai receipt of one page (logo, QR code, 25 fields, 10 rows), B
an account statement of 2,000 rows on 45 pages, C a Thai loan contract of three
pages of prose. Without a shape, all three.

Where pdftotext (poppler-utils), qpdf, wrk or openssl is missing, the bench
names what it leaves out and the command that installs them, and measures
everything else. On a busy machine times are too long, and ratios are rough
(docs/performance.md).

  --smoke          seconds instead of minutes; the figures mean nothing
  --peers LIST     ${peerLines()}, or none,
                   or all (default)
  --no-install     leave out peers whose packages are not installed yet
  --rounds N       rounds in which all subjects take turns (default 7; http 3,
                   compared services 6)
  --documents N    documents of the soak (default 100,000), a run or month-end
  --json FILE      all figures with machine and commit
  --html FILE      the same with plots
  --page FILE      replaces the tables of a Markdown page (docs/performance.md)
                   that this run measured
  --set NAME=VALUE a variable (INTAGLIO_… or OTEL_…) of the services of
                   --compare … http; may be repeated. They have none of this
                   shell's INTAGLIO_ variables
  --set-a, --set-b the same for one side: the cost of a setting is that of
                   --compare HEAD HEAD http --set-b INTAGLIO_TRACES=1
  --compare X Y    the engines of two commits in turns; --compare X Y A: for
                   shape A;
                   --compare X Y http [load …]: their services, loads sync mixed
                   attach async '70 %' unless some are named. Both are started
                   anew for every second round, as two starts of one commit
                   differ by up to 10 %; fewer than three starts tell nothing
${OWN_USAGE}${GATE_USAGE}`;

/** Parses the command line; a message for the caller when it is wrong. */
export function parseOptions(argv: readonly string[]): BenchOptions | string {
  try {
    return optionsOf(readArguments(argv));
  } catch (error) {
    if (error instanceof WrongCall) return error.message;
    throw error;
  }
}

const NONE: string[] = [];
const OPTIONS = {
  smoke: { type: 'boolean', default: false },
  json: { type: 'string' },
  html: { type: 'string' },
  page: { type: 'string' },
  peers: { type: 'string' },
  'no-install': { type: 'boolean', default: false },
  rounds: { type: 'string' },
  documents: { type: 'string' },
  compare: { type: 'boolean', default: false },
  set: { type: 'string', multiple: true, default: NONE },
  'set-a': { type: 'string', multiple: true, default: NONE },
  'set-b': { type: 'string', multiple: true, default: NONE },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readArguments(argv: readonly string[]) {
  return readCall(OPTIONS, argv, (args) =>
    parseArgs({ args, options: OPTIONS, allowPositionals: true, tokens: true }),
  );
}

type Arguments = ReturnType<typeof readArguments>;

function optionsOf(given: Arguments): BenchOptions {
  const { values } = given;
  const { compare, positionals } = values.compare
    ? comparedIn(given)
    : { compare: null, positionals: given.positionals };
  // `--compare X Y A`: engines draw a shape.
  const isShape = compare !== null && shapeNamed(positionals[0] ?? '') !== undefined;
  const [word, ...words] = isShape ? ['engine', ...positionals] : positionals;
  const name = benchNamed(word ?? (compare === null ? 'all' : 'engine'));
  if (compare !== null && name !== 'engine' && name !== 'http') {
    throw new WrongCall('--compare takes two commits and engine (the default) or http');
  }
  if (values.smoke && values.page !== undefined) {
    throw new WrongCall('--smoke makes no figures for a page');
  }
  const rest = spelled(name, words, compare !== null);
  const fault = namesFault(name, rest, compare !== null);
  if (fault !== null) throw new WrongCall(fault);
  const shapes = SHAPE_NAMES.filter((shape) => rest.includes(shape));
  return {
    name,
    rest,
    shapes: shapes.length === 0 ? SHAPE_NAMES : shapes,
    smoke: values.smoke,
    json: values.json ?? null,
    html: values.html ?? null,
    page: values.page ?? null,
    peers: peersNamed(values.peers ?? (values.smoke ? 'none' : 'all')),
    install: !values['no-install'],
    rounds: countOf('--rounds', values.rounds, ROUNDS_MAX),
    documents: countOf('--documents', values.documents, DOCUMENTS_MAX),
    compare,
    settings: settingsOf(values, compare !== null && name === 'http'),
    help: values.help,
  };
}

/** `--compare X Y`: the two words behind it are commits, the others a bench and its arguments. */
function comparedIn({ tokens }: Arguments): {
  readonly compare: readonly [string, string];
  readonly positionals: readonly string[];
} {
  const at = tokens.findIndex((token) => token.kind === 'option' && token.name === 'compare');
  const wordsOf = (part: typeof tokens): string[] =>
    part.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const before = wordsOf(tokens.slice(0, at));
  const [first, second, ...after] = wordsOf(tokens.slice(at));
  if (first === undefined || second === undefined) {
    throw new WrongCall('--compare takes two commits');
  }
  return { compare: [first, second], positionals: [...before, ...after] };
}

function shapeNamed(word: string): ShapeName | undefined {
  return SHAPE_NAMES.find((known) => known === word.toUpperCase());
}

function benchNamed(word: string): BenchName {
  const name = BENCHES.find((known) => known === word.toLowerCase());
  if (name === undefined) {
    const shape = shapeNamed(word);
    if (shape !== undefined) {
      throw new WrongCall(
        `${word} is a shape, which a bench draws: ./intaglio bench engine ${shape}`,
      );
    }
    const own = ownBench(word);
    if (own !== '') throw new WrongCall(`${word} is no bench; ${own}`);
    throw new WrongCall(
      `unknown bench ${word}${nearName(word, BENCHES) || `: one of ${BENCHES.join(', ')}`}`,
    );
  }
  return name;
}

function peersNamed(list: string): readonly string[] {
  const names = PEERS.map(({ name }) => name);
  if (list === 'all') return names;
  if (list === 'none') return [];
  const wanted = list.split(',');
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new WrongCall(
      `unknown peer ${unknown}${nearName(unknown, names)}: ${names.join(', ')}, all, none`,
    );
  }
  return wanted;
}

function countOf(option: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > max) {
    throw new WrongCall(`${option} takes a whole number from 1 to ${max}`);
  }
  return count;
}

/** The options that take a setting. */
const SETTING_OPTIONS = ['set', 'set-a', 'set-b'] as const;

/** The settings of the two services; `isCompared`: the call starts two. */
function settingsOf(
  values: Arguments['values'],
  isCompared: boolean,
): readonly [Settings, Settings] {
  for (const option of SETTING_OPTIONS) {
    for (const text of values[option]) demandSetting(`--${option}`, text, isCompared);
  }
  const { set: both, 'set-a': onA, 'set-b': onB } = values;
  return [byName([...both, ...onA]), byName([...both, ...onB])];
}

function demandSetting(option: string, text: string, isCompared: boolean): void {
  if (!SETTING.test(text)) {
    throw new WrongCall(
      `${option} takes INTAGLIO_NAME=value or OTEL_NAME=value, not ${JSON.stringify(text)}`,
    );
  }
  if (text.startsWith('INTAGLIO_LOG_LEVEL=')) {
    throw new WrongCall(
      `${option} leaves INTAGLIO_LOG_LEVEL alone: the bench waits for the log line "listening"`,
    );
  }
  if (!isCompared) throw new WrongCall(`${option} belongs to --compare … http`);
}

/** `NAME=value` texts as a record; the last one of a name counts. */
function byName(texts: readonly string[]): Settings {
  const pairs = texts.map((text): [string, string] => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  return Object.fromEntries(pairs);
}
