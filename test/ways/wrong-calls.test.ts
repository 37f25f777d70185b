import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment } from '../../lab/service/command-line.ts';
import { command } from './service.ts';

/** Makes the same wrong calls of every command and subcommand. */

interface Described {
  /** The words that name it, such as `runs create`. */
  readonly words: readonly string[];
  readonly help: string;
  readonly subcommands: readonly string[];
  /** Its options that take a value, such as `--team`. */
  readonly valued: readonly string[];
  /** Its arguments, as the usage has them: `<runId>`, `[path...]`. */
  readonly arguments: readonly string[];
}

/** Commands that leave their arguments to another program. */
const PASSED_ON: ReadonlySet<string> = new Set(['bench']);
/** Options that may be given several times. */
const REPEATABLE = /^--(?:scope|sum|font|field)$/;
/** A line of a stack. */
const STACK = /\n\s+at .*:\d+|unexpected: \{/;

function named(help: string, section: string, pattern: RegExp): readonly string[] {
  const [, after = ''] = help.split(`\n${section}:\n`);
  const [block = ''] = after.split('\n\n');
  return block.split('\n').flatMap((line) => pattern.exec(line)?.[1] ?? []);
}

async function describe(...words: readonly string[]): Promise<Described> {
  const { out: help } = await command(...words, '--help');
  const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? '';
  return {
    words,
    help,
    subcommands: named(help, 'Commands', /^ {2}([a-z][\w-]*)/).filter((one) => one !== 'help'),
    valued: named(help, 'Options', /^ {2}(?:-\w, )?(--[\w-]+) <[^>]+>/),
    arguments: [...usage.matchAll(/<[^>]+>|\[(?!options|command)[^\]]+\]/g)].map(([one]) => one),
  };
}

async function all(): Promise<readonly Described[]> {
  const { out } = await command('--help');
  const found: Described[] = [];
  for (const name of named(out, 'Commands', /^ {2}([a-z]+)/).filter((one) => one !== 'help')) {
    const top = await describe(name);
    found.push(top);
    for (const below of top.subcommands) found.push(await describe(name, below));
  }
  return found;
}

/** The options that a command demands, with values that it takes. */
async function demanded(words: readonly string[]): Promise<readonly string[]> {
  const added: string[] = [];
  for (;;) {
    const { err } = await command(...words, ...added, '--nonsense');
    const choices = /Allowed choices are (\w+)/.exec(err)?.[1];
    const missing = /required option '(--[\w-]+)/.exec(err)?.[1];
    if (choices !== undefined) added[added.length - 1] = choices;
    else if (missing !== undefined) added.push(missing, '1');
    else return added;
  }
}

t.test('wrong calls', async (t) => {
  const folder = t.testdir();
  const home = process.cwd();
  process.chdir(folder);
  t.teardown(() => process.chdir(home));
  const env = environment(join(folder, 'var'));
  Object.assign(process.env, env);
  const commands = await all();
  t.ok(commands.length > 55, `${commands.length} commands`);
  const refused = async (words: readonly string[], said: RegExp): Promise<void> => {
    const what = words.map((word) => JSON.stringify(word)).join(' ');
    const { code, out, err } = await command(...words);
    t.strictSame([code, out], [2, ''], what);
    t.match(err, said, what);
    t.notMatch(err, STACK, what);
    t.notOk(existsSync(join(folder, 'var')), `${what}: nothing is made`);
  };
  for (const { words, help, subcommands, valued, arguments: given } of commands) {
    const [first = ''] = words;
    if (PASSED_ON.has(first)) continue;
    const name = words.join(' ');
    const values = given.map(() => '1');
    const required = await demanded([...words, ...values]);
    t.match(help, /^Usage: intaglio /, name);
    for (const line of help.split('\n')) t.ok(line.length <= 80, `${name}: ${line}`);
    await refused([...words, ...values, ...required, '--nonsense'], /unknown option '--nonsense'/);
    if (subcommands.length > 0 && given.length === 0) {
      const { code, err } = await command(...words, 'nonsense');
      t.equal(code, 2, `${name} nonsense`);
      t.notMatch(err, STACK);
    }
    if (given[0]?.startsWith('<') === true)
      await refused(words, /missing required argument|required option/);
    for (const [index, argument] of given.entries()) {
      const empty = values.with(index, '');
      const said = new RegExp(`${nameOf(argument)}.* is empty|value ''`);
      await refused([...words, ...empty, ...required], said);
    }
    for (const option of valued) {
      await refused([...words, ...values, option, ''], new RegExp(`${option} has an empty value`));
      if (REPEATABLE.test(option)) continue;
      await refused([...words, ...values, option, '1', option, '1'], new RegExp(option));
      await refused([...words, ...values, option], new RegExp(option));
    }
  }
  t.strictSame(readdirSync(folder), [], 'no call has left a file');
});

function nameOf(argument: string): string {
  return /\w+/.exec(argument)?.[0] ?? '';
}
