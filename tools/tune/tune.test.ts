import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, intaglio, NODE_ARGS } from '../../lab/service/command-line.ts';
import { guarded } from '../../lab/process/guard.ts';
import { until } from '../../lab/process/waiting.ts';

/**
 * The command as operators run it, but with little time: its output, and the files that it leaves.
 */

const NOTE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [
    { name: 'text', type: 'text', required: true },
    { name: 'rows', type: 'table' },
  ],
  document: { content: [{ text: '{{text}}' }] },
  samples: [{ name: 'short', data: { text: 'Number 123.', rows: [['1', '2']] } }],
};

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly template: (name: string, content: unknown) => void;
}

/** The folder of the test holds temporary files, so that files left over can be seen. */
function place(t: Test): Place {
  const folder = t.testdir();
  mkdirSync(join(folder, 'templates'));
  return {
    folder,
    env: environment(folder, { TMPDIR: folder }),
    template: (name, content) =>
      writeFileSync(join(folder, 'templates', name), JSON.stringify(content)),
  };
}

const quick = (folder: string): string[] => ['--templates', join(folder, 'templates')];

t.test('measures what is published; prints settings that the service takes', async (t) => {
  const { folder, env, template } = place(t);
  template('note.json', NOTE);
  const path = join(folder, 'templates/note.json');
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  await intaglio(env, 'templates', 'draft', '--team', 'retail', path);
  t.equal((await intaglio(env, 'templates', 'publish', '--team', 'retail', 'note')).code, 0);
  const { code, out, err } = await intaglio(env, 'tune', '--seconds', '0.1');
  t.equal(code, 0, err);
  t.match(
    err,
    /^intaglio: start service 1 of \d+\n.*^intaglio: warm up \d+ services, round 1 of/ms,
  );
  const settings = out.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const isBetter = out.includes('The advice is faster');
  t.strictSame(
    settings.map((line) => line.replace(/\d+$/, '')),
    isBetter
      ? ['INTAGLIO_POOL_THREADS=', 'INTAGLIO_POOL_QUEUE_MAX=', 'INTAGLIO_WORKER_MEMORY_MB=']
      : [],
  );
  t.match(out, /# 1 template with 1 sample \(published templates\)/);
  t.match(out, /# (?:No setting was better|The advice is faster|The rounds differ).*times/);
  t.match(err, /round 7 of 7: .*documents\/s/, 'progress is not in stdout, which operators paste');
  t.strictSame(globSync('intaglio-tune-*', { cwd: folder }), []);

  const values = Object.fromEntries(settings.map((line) => line.split('=')));
  const taken = await intaglio({ ...env, ...values }, 'teams', 'list');
  t.equal(taken.code, 0, taken.err);
});

t.test('says what is wrong with the templates', async (t) => {
  const { folder, env, template } = place(t);
  const tune = async (): Promise<string> => {
    const { code, out, err } = await intaglio(env, 'tune', ...quick(folder), '--seconds', '0.1');
    t.equal(code, 1);
    t.equal(out, '');
    return err;
  };
  t.match(await tune(), /has no template with samples/);
  template('note.json', { ...NOTE, samples: [] });
  t.match(await tune(), /note\.json has no samples and is left out\n.*no template with samples/s);
  template('note.json', { ...NOTE, samples: [{ name: 'empty', data: {} }] });
  t.match(await tune(), /note\.json, sample empty fails: .*\(invalid_data\)\nintaglio: {3}text: /);
  const absent = await intaglio(env, 'tune', '--templates', join(folder, 'nowhere'));
  t.match(absent.err, /there is no folder/);
  t.equal(absent.code, 1);
});

t.test('Ctrl-C ends it soon, with no process and no file left', async (t) => {
  const { folder, env, template } = place(t);
  template('note.json', NOTE);
  template('note.schema.json', { no: 'template' });
  const words = [...NODE_ARGS, 'tune', ...quick(folder), '--seconds', '600'];
  // A separate process group, as a shell makes one: Ctrl-C reaches every process of it.
  const [program, ...args] = guarded([process.execPath, ...words]);
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (line.includes('measuring') && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  }
  t.equal(await ended, 1);
  t.match(said.at(-1), /stopped before the end/);
  t.strictSame(globSync('intaglio-tune-*', { cwd: folder }), []);
  if (!existsSync('/proc/self/environ')) return;
  t.strictSame(processesWith(`TMPDIR=${folder}`), []);
});

t.test('Ctrl-C after a round prints what was measured', async (t) => {
  const { folder, env, template } = place(t);
  template('note.json', NOTE);
  const args = [...NODE_ARGS, 'tune', ...quick(folder), '--seconds', '10'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = text(child.stdout);
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('round 2 of 7')) child.kill('SIGINT');
  }
  t.equal(await ended, 1);
  const out = await printed;
  t.match(out, /^# 1 template with 1 sample .*\n# +documents\/s .*\n# threads: 1 +\d+ /);
  t.match(out, /\n# stopped: no advice\n$/);
  t.notMatch(out, /^INTAGLIO_/m, 'no line to paste');
});

t.test('the services that it measures end with it, even when it is killed', async (t) => {
  if (!existsSync('/usr/bin/setpriv') || !existsSync('/proc/self/environ')) {
    t.comment('it needs setpriv and /proc');
    return;
  }
  const { folder, env, template } = place(t);
  template('note.json', NOTE);
  const args = [...NODE_ARGS, 'tune', ...quick(folder), '--seconds', '600'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes('measuring')) child.kill('SIGKILL');
  }
  await until(async () => processesWith(`TMPDIR=${folder}`).length === 0);
});

function processesWith(variable: string): readonly string[] {
  return globSync('/proc/[0-9]*/environ').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(variable);
    } catch (error) {
      // The process has ended meanwhile, or is another user's.
      if (error instanceof Error && 'syscall' in error) return false;
      throw error;
    }
  });
}
