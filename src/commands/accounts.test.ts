import { userInfo } from 'node:os';
import t from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { openStore } from '../store/open.ts';

t.test('users and keys change by the command line, and the audit says how', async (t) => {
  const folder = t.testdir();
  const env = environment(folder);
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
  });
  t.teardown(() => store.close());
  await store.migrate();
  await store.teams.add({ teamId: 'retail', name: 'Retail' });
  await store.users.add({ userId: 'anong', teamId: 'retail', role: 'Editor' });
  const open = async (): Promise<string> => {
    const session = await store.sessions.add('anong', Date.now() + 60_000);
    return session.ok ? session.value.token : '';
  };
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await intaglio(env, ...words);
    t.equal(code, 0, `${words.join(' ')}: ${err}`);
    return out.trim();
  };
  const token = await open();
  const roleSet = await run('users', 'set-role', 'anong', '--role', 'Viewer');
  t.equal(roleSet, 'User anong of team retail is active, Viewer.');
  t.match(await store.sessions.find(token, Date.now()), { role: 'Viewer' });
  t.equal(await run('sessions', 'end', 'anong'), 'Ended 1 session of user anong.');
  const later = await open();
  const deactivated = await run('users', 'deactivate', 'anong');
  t.equal(deactivated, 'User anong of team retail is not active.');
  await run('users', 'reactivate', 'anong');
  t.equal(await store.sessions.find(later, Date.now()), null);
  t.equal((await intaglio(env, 'users', 'deactivate', 'anon')).code, 1, 'no such user');
  const unnamed = await intaglio(env, 'users', 'set-role', 'anong');
  t.match(unnamed, { code: 2, err: /--role <Editor\|Admin\|Viewer>/ }, 'the roles are named');

  const made = await run('keys', 'add', '--team', 'retail', '--scope', 'generate', '--json');
  const { keyId } = JSON.parse(made) as { keyId: string };
  await run('keys', 'revoke', keyId);
  const purpose = ['--name', 'Cash desk, north'];
  const named = await run('keys', 'add', '--team=retail', '--scope=generate', ...purpose, '--json');
  const { keyId: desk } = JSON.parse(named) as { keyId: string };
  const records = await store.audit.list({ countMax: 100 });
  t.ok(records.every(({ principal }) => principal.startsWith('command:')));
  t.strictSame(
    records.map(({ action, detail }) => `${action}: ${detail}`),
    [
      'users.role: user anong, Viewer',
      'users.sign-out: user anong',
      'users.deactivate: user anong, Viewer',
      'users.reactivate: user anong, Viewer',
      `keys.create: key ${keyId}, scopes generate, default rate`,
      `keys.revoke: key ${keyId}, scopes generate, default rate`,
      `keys.create: key ${desk}, scopes generate, default rate, name "Cash desk, north"`,
    ],
  );
});

t.test('audit --user lists what was done to a user', async (t) => {
  const env = environment(t.testdir());
  const run = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await intaglio(env, ...words);
    t.equal(code, 0, `${words.join(' ')}: ${err}`);
    return out;
  };
  await run('teams', 'add', 'retail', '--name', 'Retail');
  for (const user of ['anong', 'anong2']) {
    await run('users', 'add', user, '--team', 'retail', '--role', 'Editor');
  }
  await run('users', 'deactivate', 'anong');
  const records: unknown = JSON.parse(await run('audit', '--user', 'anong', '--json'));
  t.match(records, [
    { action: 'users.deactivate', detail: 'user anong, Editor' },
    { action: 'users.create', detail: 'user anong, Editor' },
  ]);
  const mistyped = await intaglio(env, 'audit', '--user', 'anogn');
  t.match(mistyped, { code: 1, err: /there is no user anogn; did you mean "anong"/ });
});

t.test('a user whose id another one has in other capitals is not added', async (t) => {
  const env = environment(t.testdir());
  const add = (userId: string, teamId: string): ReturnType<typeof intaglio> =>
    intaglio(env, 'users', 'add', userId, '--team', teamId, '--role', 'Editor');
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'Retail');
  await intaglio(env, 'teams', 'add', 'loans', '--name', 'Loans');
  for (const id of ['boon', 'émile']) t.equal((await add(id, 'retail')).code, 0);
  const similar = await add('Boon', 'retail');
  t.equal(similar.code, 1);
  t.match(similar.err, 'user boon of team retail has this id in other upper and lower case.');
  t.match(await add('BOON', 'loans'), { code: 1, err: 'user boon of team retail' });
  t.match(await add('Émile', 'loans'), { code: 1, err: 'user émile of team retail' });
  const taken = 'user boon exists already, in team retail (Editor). For this person:';
  t.match(await add('boon', 'loans'), { code: 1, err: taken });
  await intaglio(env, 'users', 'deactivate', 'boon');
  t.match(
    (await add('boon', 'retail')).err,
    'not active). For this person: ./intaglio users react',
  );
  for (const kind of ['link', 'add']) {
    const refused = await intaglio(env, 'sessions', kind, 'boon');
    t.equal(refused.code, 1);
    t.match(refused.err, 'is not active and cannot sign in');
    t.match(refused.err, './intaglio users reactivate boon');
  }
  t.equal((await intaglio(env, 'sessions', 'end', 'boon')).code, 0, 'sessions end nevertheless');
  t.equal((await add('boonchai', 'retail')).code, 0);
  t.match(JSON.parse((await intaglio(env, 'users', 'list', '--json')).out), [
    { userId: 'boon' },
    { userId: 'boonchai' },
    { userId: 'émile' },
  ]);
});

t.test('keys are listed with the rate limit that is in force', async (t) => {
  const env = environment(t.testdir(), { INTAGLIO_RATE_LIMIT_PER_MINUTE: '77' });
  const team = ['--team', 'retail'];
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'Retail');
  const add = ['keys', 'add', ...team, '--scope', 'generate'];
  await intaglio(env, ...add, '--name', 'usual');
  await intaglio(env, ...add, '--name', 'own', '--rate-limit', '7');
  const { out } = await intaglio(env, 'keys', 'list');
  t.match(out, / calls per minute /, 'not documents');
  const { out: help } = await intaglio(env, 'keys', 'add', '--help');
  t.match(help, /also one that fails; a run counts\s+when it is created/);
  t.match(out, / generate +77 \(default\) .* usual$/m);
  t.match(out, / generate +7 {2,}.* own$/m);
  const listed: unknown = JSON.parse((await intaglio(env, 'keys', 'list', '--json')).out);
  t.match(listed, [
    { name: 'usual', rateLimitPerMinute: null, rateLimitInForce: 77 },
    { name: 'own', rateLimitPerMinute: 7, rateLimitInForce: 7 },
  ]);
});

t.test('a command called through sudo is recorded with both accounts', async (t) => {
  const folder = t.testdir();
  const calledBy = (SUDO_USER: string): Readonly<Record<string, string>> =>
    environment(folder, { SUDO_USER });
  const retail = ['--team', 'retail'];
  await intaglio(environment(folder), 'teams', 'add', 'retail', '--name', 'Retail');
  await intaglio(calledBy('anong'), 'keys', 'add', ...retail, '--scope', 'generate');
  await intaglio(calledBy('BANK\\malee'), 'users', 'add', 'a', ...retail, '--role', 'Viewer');
  // Not sudo's: a name of an account has no such characters.
  await intaglio(calledBy('x; by root'), 'users', 'add', 'b', ...retail, '--role', 'Viewer');
  await intaglio(calledBy(userInfo().username), 'users', 'deactivate', 'b');
  const { out } = await intaglio(environment(folder), 'audit', '--json');
  const records = JSON.parse(out) as readonly { readonly principal: string; detail: string }[];
  const details = records.map(({ detail }) => detail).toReversed();
  t.equal(details[0], 'team retail, Retail');
  t.match(details[1], /^key .*; by anong through sudo$/);
  t.equal(details[2], 'user a, Viewer; by BANK\\malee through sudo');
  t.equal(details[3], 'user b, Viewer');
  t.equal(details.length, 5);
  for (const detail of details.slice(3)) t.notMatch(detail, 'sudo');
  const principal = `command:${userInfo().username}`;
  t.ok(
    records.every((one) => one.principal === principal),
    'the account that ran it stays the principal, which approvals compare',
  );
});

t.test('who opens a session for another user is in the audit', async (t) => {
  const env = environment(t.testdir());
  await intaglio(env, 'teams', 'add', 'retail', '--name', 'Retail');
  await intaglio(env, 'users', 'add', 'anong', '--team', 'retail', '--role', 'Admin');
  t.equal((await intaglio(env, 'sessions', 'add', 'anong')).code, 0);
  t.equal((await intaglio(env, 'sessions', 'link', 'anong')).code, 0);
  const { out } = await intaglio(env, 'audit', '--json');
  t.match(JSON.parse(out), [
    { action: 'sessions.link', teamId: 'retail', principal: /^command:/, detail: 'user anong' },
    { action: 'sessions.open', teamId: 'retail', principal: /^command:/, detail: 'user anong' },
    { action: 'users.create', detail: 'user anong, Admin' },
  ]);
});

t.test('with no user at all, a command about a user says how one is added', async (t) => {
  const env = environment(t.testdir());
  t.equal((await intaglio(env, 'migrate')).code, 0);
  const { code, err } = await intaglio(env, 'users', 'set-role', 'anong', '--role', 'Viewer');
  t.match({ code, err }, { code: 1, err: /no user at all; add one: .\/intaglio users add USER/ });
  t.match(
    err,
    /\nintaglio: The database is sqlite:.*intaglio\.db; .* set INTAGLIO_DATABASE_URL as it has it/,
  );
});

t.test('a name that is not found is refused with the database that was searched', async (t) => {
  const env = environment(t.testdir());
  t.equal((await intaglio(env, 'teams', 'add', 'retail', '--name', 'Retail')).code, 0);
  const place = /\nintaglio: The database is sqlite:.*intaglio\.db; if the service has another/;
  for (const words of [
    ['users', 'add', 'anong', '--team', 'retial', '--role', 'Viewer'],
    ['users', 'list', '--team', 'retial'],
    ['keys', 'add', '--team', 'retial', '--scope', 'generate'],
    ['keys', 'revoke', '019cc1aa-0000-7000-8000-000000000000'],
    ['audit', '--team', 'retial'],
    ['templates', 'list', '--team', 'retial'],
    ['templates', 'export', 'receipt', '--team', 'retail'],
    ['templates', 'history', 'receipt', '--team', 'retail'],
  ]) {
    const { code, err } = await intaglio(env, ...words);
    t.match({ code, err }, { code: 1, err: place }, words.join(' '));
    t.equal(err.split('The database is').length, 2, 'once');
  }
});

t.test('a slip in an id or an address is refused, and says how it is written', async (t) => {
  const env = environment(t.testdir());
  const add = ['users', 'add', '--team', 'retail', '--role', 'Viewer'];
  const slips: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[...add, 'som chai'], 1, /^intaglio: userId has a blank at character 4\. .*into --name\.\n$/],
    [[...add, 'somchai', '--email', 'x'], 1, /^intaglio: --email has no @\. Write it as in/],
    [
      ['sessions', 'link', 'som', 'chai'],
      2,
      /but got 2: som, chai\.\n[^]*\nOne argument that has a blank needs quotes/,
    ],
  ];
  for (const [words, code, err] of slips) {
    t.match(await intaglio(env, ...words), { code, err }, words.join(' '));
  }
});
