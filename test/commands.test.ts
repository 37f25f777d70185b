import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { run } from '../src/cli.ts';
import { environment, serve, start, type Finished } from '../lab/service/command-line.ts';

/** The command line as its users see it: what it prints, and its exit codes. */

const TEMPLATE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [{ name: 'text', type: 'text', required: true }],
  document: { content: [{ text: '{{text}}' }] },
  samples: [{ name: 'short', data: { text: 'A sample.' } }],
};

interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly file: (name: string, content: unknown) => string;
}

function place(t: Test): Place {
  const folder = t.testdir();
  mkdirSync(join(folder, 'var'));
  return {
    folder,
    env: environment(join(folder, 'var')),
    file: (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
}

/** Runs a command in this process with these settings. Only one at a time. */
async function intaglio(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Finished> {
  const out: Uint8Array[] = [];
  const err: string[] = [];
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    const code = await run(args, {
      out: (text) => out.push(Buffer.from(text)),
      err: (text) => err.push(text),
    });
    return { code, out: Buffer.concat(out).toString(), err: err.join('') };
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** The JSON that a command printed; the test fails when its exit code was not 0. */
function json(t: Test, { code, out, err }: Finished): unknown {
  t.equal(code, 0, err);
  return JSON.parse(out) as unknown;
}

const COMMANDS = [
  ['serve'],
  ['settings'],
  ['demo'],
  ['test'],
  ['check'],
  ['tune'],
  ['conform'],
  ['migrate'],
  ['teams', 'add'],
  ['teams', 'list'],
  ['keys', 'add'],
  ['keys', 'list'],
  ['keys', 'revoke'],
  ['users', 'add'],
  ['users', 'list'],
  ['sessions', 'add'],
  ['templates', 'check'],
  ['templates', 'draft'],
  ['templates', 'publish'],
  ['templates', 'list'],
  ['templates', 'export'],
  ['templates', 'test'],
  ['templates', 'types'],
  ['templates', 'history'],
  ['templates', 'diff'],
  ['templates', 'rollback'],
  ['templates', 'unpublish'],
  ['render'],
  ['audit'],
  ['audit', 'verify'],
  ['batch'],
  ['runs'],
  ['verify'],
  ['sweep'],
  ['scrub'],
] as const;

t.test('the help of every command has an example', async (t) => {
  for (const command of COMMANDS) {
    const { code, out } = await intaglio({}, ...command, '--help');
    t.equal(code, 0);
    t.match(out, `Usage: intaglio ${command.join(' ')}`);
    t.match(out, /Examples?:\n {2}\$ /, command.join(' '));
  }
});

t.test('wrong usage ends with 2 and says why', async (t) => {
  const wrong: readonly (readonly string[])[] = [
    ['nonsense'],
    ['serve', '--nonsense'],
    ['teams', 'add', 'x'],
    ['keys', 'add', '--team', 'x', '--scope', 'everything'],
    ['users', 'add', 'u', '--team', 'x', '--role', 'King'],
    ['render'],
    ['render', 'a.json', '--jobs', 'b.json'],
    ['batch', 'x.ndjson', '--template', 't', '--out', 'o'],
    ['render', 'a.json', '--data', 'b.json', '--out', 'c.pdf', '--at', '2026-02-30'],
    ['audit', '--since', 'yesterday'],
    ['test', 'no/such/file'],
    ['tune', '--seconds', '0'],
    ['conform'],
    ['conform', 'a.pdf', '--level', '1b'],
  ];
  for (const args of wrong) {
    const { code, out, err } = await intaglio({}, ...args);
    t.equal(code, 2, args.join(' '));
    t.equal(out, '');
    t.not(err, '');
  }
});

t.test('teams, keys, users, sessions', async (t) => {
  const { env } = place(t);
  const team = json(t, await intaglio(env, 'teams', 'add', 'retail', '--name', 'R', '--json'));
  t.match(team, { teamId: 'retail', name: 'R' });
  const again = await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  t.equal(again.code, 1);
  t.match(again.err, /^intaglio: .*\n$/, 'one line');

  const scopes = ['--scope', 'generate', '--scope', 'documents:read'];
  const add = ['keys', 'add', '--team', 'retail', ...scopes, '--rate-limit', '7', '--json'];
  const key = json(t, await intaglio(env, ...add)) as { keyId: string; apiKey: string };
  t.strictSame(Object.keys(key), ['keyId', 'apiKey', 'teamId', 'scopes']);
  t.match(key, { apiKey: /^ik_/, teamId: 'retail', scopes: ['generate', 'documents:read'] });
  const mixed = ['--scope', 'generate', '--scope', 'identity-sync'];
  t.equal((await intaglio(env, 'keys', 'add', '--team', 'retail', ...mixed)).code, 1);

  const listed = await intaglio(env, 'keys', 'list', '--json');
  t.match(json(t, listed), [{ keyId: key.keyId, rateLimitPerMinute: 7, revokedAt: null }]);
  t.notMatch(listed.out, key.apiKey, 'the key is shown once');
  json(t, await intaglio(env, 'keys', 'revoke', key.keyId, '--json'));
  t.match(json(t, await intaglio(env, 'keys', 'list', '--json')), [{ revokedAt: /Z$/ }]);
  t.equal((await intaglio(env, 'keys', 'revoke', 'nothing')).code, 1);

  const user = ['users', 'add', 'anong', '--team', 'retail', '--role', 'Editor', '--json'];
  t.match(json(t, await intaglio(env, ...user)), { userId: 'anong', role: 'Editor' });
  const session = json(t, await intaglio(env, 'sessions', 'add', 'anong', '--json'));
  t.match(session, { cookie: /^intaglio_session=[\w-]{20,}$/, expiresAt: /Z$/ });
  t.equal((await intaglio(env, 'sessions', 'add', 'nobody')).code, 1);
});

t.test('templates: check, draft, publish, list, export', async (t) => {
  const { env, file } = place(t);
  const good = file('note.json', TEMPLATE);
  const bad = file('bad.json', { ...TEMPLATE, document: { content: [{ txt: '{{nope}}' }] } });
  const checked = json(t, await intaglio(env, 'templates', 'check', good, '--json'));
  t.match(checked, { templateId: 'note', findings: [], samples: [{ name: 'short', pages: 1 }] });
  const faulty = await intaglio(env, 'templates', 'check', bad);
  t.equal(faulty.code, 1);
  t.match(faulty.out, /bad\.json:\d+:\d+ error document\.content\[0\]: /);
  t.match(faulty.out, /\n1 error, 1 warning\n$/);
  const both = await intaglio(env, 'templates', 'check', good, bad);
  t.equal(both.code, 1);
  t.match(both.out, /\n1 error, 1 warning\n.*note\.json: sample short: 1 page\n$/);

  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  const team = ['--team', 'retail'];
  t.equal((await intaglio(env, 'templates', 'draft', ...team, bad)).code, 1);
  t.equal((await intaglio(env, 'templates', 'publish', ...team, 'note')).code, 1, 'no draft');
  const draft = json(t, await intaglio(env, 'templates', 'draft', ...team, good, '--json'));
  t.match(draft, { templateId: 'note', status: 'draft' });
  const published = await intaglio(env, 'templates', 'publish', ...team, 'note', '--json');
  t.strictSame(json(t, published), { templateId: 'note', version: 1 });
  const list = json(t, await intaglio(env, 'templates', 'list', ...team, '--json'));
  t.match(list, [{ templateId: 'note', latestVersion: 1 }]);
  const source = ['templates', 'export', ...team, 'note', '--version', '1'];
  t.equal((await intaglio(env, ...source)).out, readFileSync(good, 'utf8'), 'byte for byte');
  t.equal((await intaglio(env, 'templates', 'export', ...team, 'note', '--version', '2')).code, 1);
});

t.test('templates: history, diff, rollback, unpublish', async (t) => {
  const { env, file } = place(t);
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  const team = ['--team', 'retail'];
  const publish = async (template: object): Promise<Finished> => {
    await intaglio(env, 'templates', 'draft', ...team, file('note.json', template));
    return intaglio(env, 'templates', 'publish', ...team, 'note');
  };
  t.equal((await publish(TEMPLATE)).out, 'Published note as version 1.\n');
  const fields = [...TEMPLATE.fields, { name: 'total', type: 'number', required: false }];
  const document = { content: ['Heading', { text: '{{text}} {{total}}' }] };
  const second = await publish({ ...TEMPLATE, fields, document });
  t.equal(
    second.out,
    'Published note as version 2. Against version 1: 1 field added (total); 2 changes in the layout.\n',
    second.err,
  );
  const history = json(t, await intaglio(env, 'templates', 'history', ...team, 'note', '--json'));
  t.match(history, [
    { version: 2, publishedBy: /^command:/, publishedAt: /Z$/, unpublishedAt: null },
    { version: 1, bytes: Buffer.byteLength(JSON.stringify(TEMPLATE)), unpublishedAt: null },
  ]);
  const diff = await intaglio(env, 'templates', 'diff', ...team, 'note', '1', '2', '--json');
  t.match(json(t, diff), {
    contract: [{ path: 'total', change: 'added' }],
    layout: [
      { path: 'document.content[0]', change: 'added', after: '"Heading"' },
      { path: 'document.content[1].text', change: 'changed', before: '"{{text}}"' },
    ],
    layoutOmitted: 0,
  });
  const told = await intaglio(env, 'templates', 'diff', ...team, 'note', '1', '2');
  t.match(told.out, /^note 1 → 2: 1 field added/);
  t.match(told.out, /\n {2}field total added: /);

  const rollBack = ['templates', 'rollback', ...team, 'note', '--version', '1'];
  const back = await intaglio(env, ...rollBack, '--note', 'Too early');
  t.match(back.out, /^Published version 1 of note again as version 3: 1 field removed/, back.err);
  t.match(back.out, /\nNote: callers still send the field total, which is no longer read\.\n/);
  const source = await intaglio(env, 'templates', 'export', ...team, 'note');
  t.strictSame(JSON.parse(source.out), TEMPLATE, 'the latest is what version 1 was');

  const unpublish = ['templates', 'unpublish', ...team, 'note', '--version', '3'];
  const withdrawn = json(t, await intaglio(env, ...unpublish, '--json'));
  t.strictSame(withdrawn, { templateId: 'note', version: 3, latestVersion: 2 });
  t.match((await intaglio(env, ...unpublish)).err, /was withdrawn before/);
  t.match(json(t, await intaglio(env, 'templates', 'list', ...team, '--json')), [
    { templateId: 'note', latestVersion: 2 },
  ]);
  const records = json(t, await intaglio(env, 'audit', '--template', 'note', '--json'));
  t.match(records, [
    { action: 'templates.unpublish', version: 3, principal: /^command:/ },
    { action: 'templates.rollback', version: 3, detail: /^Version 1 again\. Too early/ },
    { action: 'templates.publish', version: 2 },
    { action: 'templates.draft', version: null },
    { action: 'templates.publish', version: 1 },
    { action: 'templates.draft', version: null },
  ]);
  t.match(
    (await intaglio(env, 'templates', 'diff', ...team, 'note', '1', '9')).err,
    'it has 3, 2, 1',
  );
});

t.test('audit: newest first, at most --limit; --follow continues', async (t) => {
  const { env, file } = place(t);
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  const publish = async (): Promise<void> => {
    await intaglio(env, 'templates', 'draft', '--team', 'retail', file('note.json', TEMPLATE));
    await intaglio(env, 'templates', 'publish', '--team', 'retail', 'note');
  };
  await publish();
  await publish();
  const newest = await intaglio(env, 'audit', '--limit', '1', '--json');
  t.match(json(t, newest), [{ action: 'templates.publish', version: 2 }]);
  t.equal((json(t, newest) as unknown[]).length, 1);
  const none = await intaglio(env, 'audit', '--template', 'other');
  t.equal(none.out, 'No record matches.\n');
  t.equal((await intaglio(env, 'audit', '--limit', '0')).code, 2);
  const followed = start(t, env, 'audit', '--follow', '--json', '--action', 'templates.publish');
  const next = async (): Promise<unknown> => JSON.parse(await followed.nextLine()) as unknown;
  t.match(await next(), { version: 1 }, 'existing records, the oldest first');
  t.match(await next(), { version: 2 });
  await publish();
  t.match(await next(), { action: 'templates.publish', version: 3 }, 'then new records');
});

t.test('for a mistyped id, the nearest one is suggested', async (t) => {
  const { env, file } = place(t);
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  const note = file('note.json', TEMPLATE);
  await intaglio(env, 'templates', 'draft', '--team', 'retail', note);
  await intaglio(env, 'users', 'add', 'anong', '--team', 'retail', '--role', 'Editor');
  const add = ['keys', 'add', '--team', 'retail', '--scope', 'generate', '--json'];
  const { keyId } = json(t, await intaglio(env, ...add)) as { keyId: string };
  const near = `${keyId.slice(0, -1)}${keyId.endsWith('0') ? '1' : '0'}`;
  const mistyped: readonly (readonly [string, ...(readonly string[])])[] = [
    ['retail', 'templates', 'list', '--team', 'retial'],
    ['retail', 'templates', 'draft', '--team', 'retial', note],
    ['retail', 'keys', 'add', '--team', 'retial', '--scope', 'generate'],
    ['retail', 'keys', 'list', '--team', 'retial'],
    ['retail', 'users', 'add', 'u', '--team', 'retial', '--role', 'Admin'],
    ['retail', 'users', 'list', '--team', 'retial'],
    ['retail', 'audit', '--team', 'retial'],
    ['retail', 'verify', note, '--team', 'retial'],
    ['note', 'templates', 'export', '--team', 'retail', 'nott'],
    ['note', 'templates', 'publish', '--team', 'retail', 'nto'],
    ['note', 'templates', 'history', '--team', 'retail', 'nott'],
    ['note', 'templates', 'diff', '--team', 'retail', 'nott', '1', '2'],
    ['note', 'templates', 'rollback', '--team', 'retail', 'nott', '--version', '1'],
    ['note', 'templates', 'unpublish', '--team', 'retail', 'nott', '--version', '1'],
    ['anong', 'sessions', 'add', 'anogn'],
    [keyId, 'keys', 'revoke', near],
    [keyId, 'audit', '--key', near],
  ];
  for (const [meant, ...args] of mistyped) {
    const { code, err } = await intaglio(env, ...args);
    t.equal(code, 1, args.join(' '));
    t.match(err, `did you mean "${meant}"?`, args.join(' '));
  }
});

t.test('render: one document, the same bytes for the same time', async (t) => {
  const { env, file, folder } = place(t);
  const template = file('note.json', TEMPLATE);
  const data = file('data.json', { text: 'rendered' });
  const options = file('options.json', { watermark: { text: 'COPY' } });
  const out = join(folder, 'note.pdf');
  const args = ['render', template, '--data', data, '--out', out, '--options', options];
  const at = ['--at', '2026-11-21T00:00:00Z', '--json'];
  const first = json(t, await intaglio(env, ...args, ...at)) as { sha256: string };
  t.match(first, { out, ok: true, pages: 1 });
  t.match(json(t, await intaglio(env, ...args, ...at)), { sha256: first.sha256 });
  t.equal(spawnSync('qpdf', ['--check', out]).status, 0);
  const lost = join(folder, 'mistyped', 'note.pdf');
  const refused = await intaglio(env, 'render', template, '--data', data, '--out', lost);
  t.equal(refused.code, 1);
  t.match(refused.err, `there is no folder ${join(folder, 'mistyped')}; make it first: mkdir -p`);
  t.notOk(existsSync(join(folder, 'mistyped')), 'no folder is made of a mistyped path');
  const march = ['--at', '2026-02-30'];
  t.equal((await intaglio(env, ...args, ...march)).code, 2, 'a day that does not exist');
});

t.test('render: a time without a zone is UTC, whatever the zone of the machine', async (t) => {
  const { env, file, folder } = place(t);
  const template = file('note.json', TEMPLATE);
  const data = file('data.json', { text: 'rendered' });
  const out = join(folder, 'note.pdf');
  const bangkok = { ...env, TZ: 'Asia/Bangkok' };
  const args = ['render', template, '--data', data, '--out', out, '--at', '2026-11-21T08:30'];
  t.equal((await intaglio(bangkok, ...args)).code, 0);
  t.match(readFileSync(out, 'latin1'), '/CreationDate(D:20261121083000Z)');
});

t.test('render --readable writes uncompressed syntax', async (t) => {
  const { env, file, folder } = place(t);
  const template = file('note.json', TEMPLATE);
  const data = file('data.json', { text: 'rendered '.repeat(100) });
  const out = join(folder, 'note.pdf');
  const args = ['render', template, '--data', data, '--out', out];
  t.equal((await intaglio(env, ...args)).code, 0);
  t.match(readFileSync(out, 'latin1'), 'FlateDecode');
  t.equal((await intaglio(env, ...args, '--readable')).code, 0);
  const readable = readFileSync(out, 'latin1');
  t.notMatch(readable, 'FlateDecode');
  t.match(readable, /BT\n[^]*T[jJ]\n[^]*ET\n/);
  t.equal(spawnSync('qpdf', ['--check', out]).status, 0);
});

t.test('render: a failing job is named and does not stop the others', async (t) => {
  const { env, file, folder } = place(t);
  const template = file('note.json', TEMPLATE);
  const data = file('data.json', { text: 'from a file' });
  const out = (name: string): string => join(folder, name);
  const wrongOptions = { protection: {} };
  const jobs = file('jobs.json', [
    { template, data, out: out('1.pdf') },
    { template, data: {}, out: out('2.pdf') },
    { template: 'nowhere.json', data, out: out('3.pdf') },
    { template, data, out: out('4.pdf'), options: wrongOptions },
    { template, data: { text: 'inline' }, out: out('5.pdf') },
    { template, data, out: out('6.pdf'), options: { protection: { userPassword: '--' } } },
  ]);
  const { code, err, out: printed } = await intaglio(env, 'render', '--jobs', jobs, '--json');
  t.equal(code, 1);
  t.match(JSON.parse(printed), [
    { ok: true },
    { ok: false, code: 'invalid_data', fields: [{ field: 'text', reason: 'required' }] },
    { ok: false, code: 'bad_request' },
    { ok: false, code: 'bad_request' },
    { ok: true },
    { ok: true },
  ]);
  t.strictSame(
    [1, 2, 3, 4, 5, 6].map((number) => existsSync(out(`${number}.pdf`))),
    [true, false, false, false, true, true],
  );
  t.match(err, `${out('2.pdf')} was not made`);
  const shown = spawnSync('qpdf', ['--show-encryption', '--password=--', out('6.pdf')]);
  t.match(shown.stdout.toString(), /R = 6/);
});

t.test('with a running service: batch, verify, audit, sweep', async (t) => {
  const { env, file, folder } = place(t);
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'R');
  await intaglio(env, 'templates', 'draft', '--team', 'retail', file('note.json', TEMPLATE));
  await intaglio(env, 'templates', 'publish', '--team', 'retail', 'note');
  const add = ['keys', 'add', '--team', 'retail', '--scope', 'generate', '--json'];
  const { apiKey } = json(t, await intaglio(env, ...add)) as { apiKey: string };
  const { url } = await serve(t, env);

  const input = file('input.ndjson', '{"text":"one"}\n{"text":"two"}\n{}\n');
  const out = join(folder, 'made');
  const caller = { ...env, INTAGLIO_URL: url, INTAGLIO_API_KEY: apiKey };
  const batch = ['batch', input, '--template', 'note', '--out', out, '--mode', 'async', '--json'];
  // Two documents at the same moment would share a file, and be damaged together below.
  batch.push('--concurrency', '1');
  const first = await intaglio(caller, ...batch);
  t.equal(first.code, 1, first.err);
  const rest = { skipped: 0, unsent: 0, refusals: 0, encoding: 'utf-8' };
  t.strictSame(JSON.parse(first.out), { made: 2, failed: 1, ...rest });
  t.match(JSON.parse((await intaglio(caller, ...batch)).out), { made: 0, failed: 1, skipped: 2 });

  const stored = json(t, await intaglio(env, 'verify', join(out, '00000002.pdf'), '--json'));
  t.match(stored, { issued: true, teamId: 'retail', templateId: 'note', version: 1 });
  const foreign = await intaglio(env, 'verify', input, '--json');
  t.equal(foreign.code, 1);
  t.match(JSON.parse(foreign.out), { issued: false });

  const made = ['audit', '--outcome', 'succeeded', '--action', 'generate', '--json'];
  const audit = await intaglio(env, ...made);
  t.match(json(t, audit), [
    { teamId: 'retail', templateId: 'note', mode: 'async', outcome: 'succeeded' },
    { teamId: 'retail', templateId: 'note', mode: 'async', outcome: 'succeeded' },
  ]);
  t.notMatch(audit.out, /one|two/);
  t.strictSame(json(t, await intaglio(env, 'sweep', '--json')), { expired: 0, orphans: 0 });

  t.match(json(t, await intaglio(env, 'scrub', '--json')), {
    checked: 2,
    damaged: 0,
    findings: [],
  });
  const files = join(folder, 'var', 'files');
  const names = readdirSync(files, { recursive: true }).map(String);
  const path = names.find((name) => name.endsWith('.pdf')) ?? '';
  writeFileSync(join(files, path), 'not what was stored');
  const scrub = await intaglio(env, 'scrub');
  t.equal(scrub.code, 1);
  t.match(scrub.out, /^[0-9a-f-]{36} damaged\n2 documents and files of runs read: 1 damaged, 0 m/);
});

t.test('a command ends quietly when the reader of its output stops early', async (t) => {
  const cli = join(import.meta.dirname, '..', 'src', 'cli.ts');
  const command = '{ "$0" "$1" --help; echo "exit $?" >&2; } | true';
  const done = spawnSync('sh', ['-c', command, process.execPath, cli], { encoding: 'utf8' });
  t.equal(done.stderr, 'exit 1\n', 'no stack trace');
});

t.test('settings: shows each effective value and its source', async (t) => {
  const { env } = place(t);
  const { settings, unknown } = json(
    t,
    await intaglio({ ...env, INTAGLIO_PORTT: '1' }, 'settings', '--json'),
  ) as { settings: { variable: string; from: string }[]; unknown: string[] };
  t.match(
    settings.find(({ variable }) => variable === 'INTAGLIO_PORT'),
    { value: 0, from: 'environment' },
  );
  t.strictSame(unknown, ['INTAGLIO_PORTT']);
  const wrong = await intaglio({ ...env, INTAGLIO_PORT: 'a', INTAGLIO_QPDF: '\n' }, 'settings');
  t.equal(wrong.code, 1);
  t.match(wrong.err, /^intaglio: INTAGLIO_PORT .*\nintaglio: INTAGLIO_QPDF .*\n$/);
});

t.test('serve --check reports everything that would prevent a start', async (t) => {
  const { env } = place(t);
  const good = await intaglio(env, 'serve', '--check');
  t.strictSame([good.code, good.out], [0, 'The service can start with these settings.\n']);
  const wrong = {
    INTAGLIO_DATABASE_URL: 'sqlite:/dev/null/db',
    INTAGLIO_FILES_URL: 'file:/dev/null',
    INTAGLIO_FONTS_DIR: '/dev/null/fonts',
  };
  const { code, err } = await intaglio({ ...env, ...wrong }, 'serve', '--check');
  t.equal(code, 1);
  for (const name of Object.keys(wrong)) t.match(err, `intaglio: ${name}: cannot `);
});

t.test('a missing file is reported in plain words', async (t) => {
  const { env, file } = place(t);
  const template = file('note.json', TEMPLATE);
  const absent = '/dev/null/absent';
  for (const args of [
    ['render', template, '--data', absent, '--out', 'x.pdf'],
    ['templates', 'check', absent],
    ['verify', absent],
  ]) {
    const { code, err } = await intaglio(env, ...args);
    t.equal(code, 1);
    t.match(err, /cannot read \/dev\/null\/absent: [^:]+\n$/, args.join(' '));
  }
});
