import { parseArgs } from 'node:util';
import { readCall, WrongCall } from '../arguments.ts';

const ROUNDS_MAX = 200;

/** The command line of `bench --template`, checked. */
export interface OwnOptions {
  /** A template file; with `url` the id of a published template. */
  readonly template: string;
  readonly data: string | null;
  readonly url: string | null;
  readonly key: string | null;
  readonly http: boolean;
  readonly json: string | null;
  readonly rounds: number | null;
  readonly smoke: boolean;
}

export const OWN_USAGE = `
your own documents:
  intaglio bench --template FILE [--data ROWS.ndjson] [--http] [--json FILE]

  measures CPU of a document cold and warm, bytes by kind, where the time goes
  by node of the template, first document, memory, documents a second by number
  of threads, and what a service of N cores would give. Takes a minute and
  a half, with --http two.

  --template FILE  a template file; with --url the id of a template that a
                   running service published, which is then measured there,
                   without the figures that need the file
  --data FILE      a JSON object a line, at most 512 of them; without it rows
                   are made from the samples of the template or from its
                   contract
  --http           the same through a service that the bench starts, beside the
                   forecast
  --url URL        a running service, http:// only; --key KEY: an API key of it
                   that may generate, with a limit above what is measured:
                   refused requests end the bench; without --data with the scope
                   templates:read, too
  --json FILE      all figures
  --rounds N       rounds in which a plain and a watched process take turns
                   (default 60)
`;

const OPTIONS = {
  template: { type: 'string' },
  data: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  http: { type: 'boolean', default: false },
  json: { type: 'string' },
  rounds: { type: 'string' },
  smoke: { type: 'boolean', default: false },
} as const;

/** Whether a command line is for this bench. */
export function isOwn(argv: readonly string[]): boolean {
  return argv.some((word) => word === '--template' || word.startsWith('--template='));
}

/** Parses the command line; a message for the caller when it is wrong. */
export function parseOwnOptions(argv: readonly string[]): OwnOptions | string {
  let values;
  try {
    ({ values } = readCall(OPTIONS, argv, (args) =>
      parseArgs({ args, options: OPTIONS, allowPositionals: false, tokens: true }),
    ));
  } catch (error) {
    if (error instanceof WrongCall) return error.message;
    throw error;
  }
  const { template, data = null, url = null, key = null, http, json = null, smoke } = values;
  if (template === undefined || template === '') return '--template takes a file';
  const rounds = values.rounds === undefined ? null : Number(values.rounds);
  if (rounds !== null && (!Number.isInteger(rounds) || rounds < 2 || rounds > ROUNDS_MAX)) {
    return `--rounds takes a whole number from 2 to ${ROUNDS_MAX}`;
  }
  if ((url === null) !== (key === null)) return '--url and --key belong together';
  if (url !== null && !URL.canParse(url))
    return `--url takes an address such as http://host:8080, not ${url}`;
  if (url !== null && new URL(url).protocol !== 'http:') {
    return `--url takes an http:// address: the load generator speaks no TLS; measure the service behind its proxy, not ${url}`;
  }
  return { template, data, url, key, http, json, rounds, smoke };
}
