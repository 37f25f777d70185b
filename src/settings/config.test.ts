import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

import {
  ConfigError,
  effectiveSettings,
  HOME,
  readConfig,
  SETTINGS,
  settingsTable,
  shownUrl,
  nearestSetting,
  unknownSettings,
} from './config.ts';

t.test('defaults', async (t) => {
  const config = readConfig({});
  t.match(config, {
    host: '127.0.0.1',
    port: 8080,
    baseUrl: null,
    databaseUrl: `sqlite:${HOME}/var/intaglio.db`,
    filesUrl: `file:${HOME}/var/files`,
    poolThreads: availableParallelism(),
    poolQueueMax: 64 * availableParallelism(),
    renderTimeoutMs: 10_000,
    bodyBytesMax: 1_048_576,
    rateLimitPerMinute: 120,
    retentionSeconds: 2_592_000,
    linkTtlSeconds: 900,
    linkSecrets: null,
    qpdf: 'qpdf',
    logLevel: 'info',
  });
  t.strictSame(readConfig({ INTAGLIO_PORT: '' }), config, 'empty is unset');
});

t.test('smallest values', async (t) => {
  const config = readConfig({
    INTAGLIO_PORT: '0',
    INTAGLIO_POOL_THREADS: '1',
    INTAGLIO_POOL_QUEUE_MAX: '1',
    INTAGLIO_RENDER_TIMEOUT_MS: '1',
    INTAGLIO_RETENTION_SECONDS: '1',
    INTAGLIO_LINK_TTL_SECONDS: '1',
    INTAGLIO_SESSION_TTL_SECONDS: '1',
    INTAGLIO_SWEEP_INTERVAL_SECONDS: '1',
    INTAGLIO_SHUTDOWN_TIMEOUT_MS: '1',
    INTAGLIO_RATE_LIMIT_PER_MINUTE: '1',
    INTAGLIO_BODY_BYTES_MAX: '1',
  });
  t.equal(config.port, 0);
  t.equal(config.poolThreads, 1);
  t.equal(config.poolQueueMax, 1);
  t.equal(config.renderTimeoutMs, 1);
});

t.test('the queue follows the threads', async (t) => {
  t.equal(readConfig({ INTAGLIO_POOL_THREADS: '3' }).poolQueueMax, 192);
});

const WRONG: readonly (readonly [string, string])[] = [
  ['INTAGLIO_PORT', '65536'],
  ['INTAGLIO_PORT', '-1'],
  ['INTAGLIO_PORT', '80a'],
  ['INTAGLIO_PORT', '1e3'],
  ['INTAGLIO_PORT', ' 80'],
  ['INTAGLIO_POOL_THREADS', '0'],
  ['INTAGLIO_RENDER_TIMEOUT_MS', '0'],
  ['INTAGLIO_RENDER_TIMEOUT_MS', '99999999999999999999'],
  ['INTAGLIO_LOG_LEVEL', 'loud'],
  ['INTAGLIO_BASE_URL', 'ftp://x'],
  ['INTAGLIO_HOST', 'a\nb'],
  ['INTAGLIO_QUEUE_URL', 'http://redis:6379'],
  ['INTAGLIO_QUEUE_URL', 'redis://redis:6379/a'],
];
for (const [variable, value] of WRONG) {
  t.test(`${variable}=${JSON.stringify(value)} is refused`, async (t) => {
    t.throws(() => readConfig({ [variable]: value }), ConfigError);
    try {
      readConfig({ [variable]: value });
    } catch (error) {
      const { message } = error as Error;
      const isSecret = Object.values(SETTINGS).some(
        (one) => one.secret && one.variable === variable,
      );
      const shown = isSecret ? 'a wrong value, which is not shown' : JSON.stringify(value);
      t.ok(message.includes(variable) && message.includes(shown), message);
      t.match(message, /allowed: \S/);
      t.notMatch(message, /\n/, 'one line');
    }
  });
}

t.test('all wrong settings are reported together', async (t) => {
  const env = { INTAGLIO_POOL_THREADS: '0', INTAGLIO_PORT: '1', INTAGLIO_LOG_LEVEL: 'loud' };
  t.throws(() => readConfig(env), {
    name: 'ConfigError',
    message: /^INTAGLIO_POOL_THREADS is "0"; .*\nINTAGLIO_LOG_LEVEL is "loud"; .*$/,
  });
});

t.test('effective settings: value and origin, secrets hidden', async (t) => {
  const env = {
    INTAGLIO_DATABASE_URL: 'mysql://user:hush@db.example:3307/intaglio?tls=require',
    INTAGLIO_FILES_URL: 's3://hush:hush@s3.example/bucket/prefix',
    INTAGLIO_LINK_SECRETS: 'hush'.repeat(10),
    INTAGLIO_OIDC_ISSUER: 'https://login.example',
    INTAGLIO_OIDC_CLIENT_ID: 'intaglio',
    INTAGLIO_OIDC_CLIENT_SECRET: 'hush',
    INTAGLIO_POOL_THREADS: '3',
    INTAGLIO_PORT: '',
  };
  const settings = effectiveSettings(readConfig(env), env);
  t.notMatch(JSON.stringify(settings), 'hush');
  const rows = new Map(settings.map(({ variable, value, from }) => [variable, [value, from]]));
  t.strictSame(
    [...rows.keys()],
    Object.values(SETTINGS).map(({ variable }) => variable),
  );
  t.strictSame(rows.get('INTAGLIO_DATABASE_URL'), [
    'mysql://db.example:3307/intaglio',
    'environment',
  ]);
  t.strictSame(rows.get('INTAGLIO_FILES_URL'), ['s3://s3.example/bucket/prefix', 'environment']);
  t.strictSame(rows.get('INTAGLIO_LINK_SECRETS'), ['(hidden)', 'environment']);
  t.strictSame(rows.get('INTAGLIO_OIDC_CLIENT_SECRET'), ['(hidden)', 'environment']);
  t.strictSame(rows.get('INTAGLIO_POOL_THREADS'), [3, 'environment']);
  t.strictSame(rows.get('INTAGLIO_POOL_QUEUE_MAX'), [192, 'default'], 'as it follows from others');
  t.strictSame(rows.get('INTAGLIO_PORT'), [8_080, 'default'], 'empty is unset');
  t.strictSame(rows.get('INTAGLIO_FONTS_DIR'), [null, 'default']);
});

t.test('an address with a login that cannot be read is refused without showing it', async (t) => {
  const slashes = /; \/\/ is missing after the first colon$/;
  const escapes = /; in user and password write % as %25, @ as %40/;
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['INTAGLIO_DATABASE_URL', 'mysql:user:hush@127.0.0.1/intaglio', slashes],
    ['INTAGLIO_DATABASE_URL', 'mysql:/user:hush@127.0.0.1/intaglio', slashes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:100%hush@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:hush%ff@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:hush/hush@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:p@ss#hush@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:12?hush@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_DATABASE_URL', 'mysql://user:12/hush@127.0.0.1/intaglio', escapes],
    ['INTAGLIO_FILES_URL', 's3://key:12#hush@s3.example/bucket', escapes],
    ['INTAGLIO_QUEUE_URL', 'redis://user:12#hush@127.0.0.1', escapes],
    ['INTAGLIO_FILES_URL', 's3:key:hush@s3.example/bucket', slashes],
    ['INTAGLIO_FILES_URL', 's3://key:100%hush@s3.example/bucket', escapes],
    ['INTAGLIO_FILES_URL', 's3://100%:hush@s3.example/bucket', escapes],
    ['INTAGLIO_QUEUE_URL', 'redis:user:hush@127.0.0.1', slashes],
    ['INTAGLIO_QUEUE_URL', 'rediss://user:100%hush@127.0.0.1', escapes],
    ['INTAGLIO_RUN_SOURCES', 'bank=s3://key:100%hush@s3.example/bucket/in', /allowed: comma list/],
    ['INTAGLIO_OIDC_ISSUER', 'https://user:hush@login.example', /allowed: http or https URL/],
    ['INTAGLIO_BASE_URL', 'https://user:hush@documents.example', /allowed: http or https URL/],
  ];
  for (const [variable, value, hint] of wrong) {
    const read = (): unknown => readConfig({ [variable]: value });
    t.throws(read, { name: 'ConfigError', message: hint }, value);
    t.throws(read, { message: /^((?!hush).)*$/s }, `${value} is not shown`);
  }
  const right = 'mysql://user:100%25%40hush@127.0.0.1/intaglio';
  t.equal(readConfig({ INTAGLIO_DATABASE_URL: right }).databaseUrl, right);
  for (const address of ['mysql:user:hush@127.0.0.1/intaglio', 's3:key:hush@host/bucket']) {
    t.notMatch(shownUrl(address), 'hush');
  }
});

t.test('an address in S3 without a proper bucket is refused with what is wrong', async (t) => {
  const long = 'b'.repeat(64);
  const length = /; the name of a bucket has 3 to 63 characters$/;
  const escapes = /; access key and secret are missing before the host; in user and password /;
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['s3://key:hush@s3.example/b', length],
    ['s3://key:hush@s3.example/bb/prefix', length],
    [`s3://key:hush@s3.example/${long}`, length],
    ['s3://key:hush@s3.example/', /; the bucket is missing after the host$/],
    ['s3://key:hush@s3.example', /; the bucket is missing after the host$/],
    ['s3://key:hush@s3.example?tls=off', /; the bucket is missing after the host$/],
    ['s3://key:hush@s3.example/Bucket', /; the name of a bucket has small letters, digits, /],
    ['s3://key:hush@s3.example/bucket/a+b', /; the prefix after the bucket has letters, /],
    ['s3://key:a@b/hush@s3.example/bucket', /only; in user and password write /],
    ['s3://s3.example/bucket', escapes],
    ['s3://key:12/hush@s3.example/bucket', escapes],
  ];
  for (const [url, hint] of wrong) {
    const read = (): unknown => readConfig({ INTAGLIO_FILES_URL: url });
    t.throws(read, { name: 'ConfigError', message: /^INTAGLIO_FILES_URL has a wrong value/ }, url);
    t.throws(read, { message: hint }, url);
    t.throws(read, { message: /^((?!hush).)*$/s }, `${url} is not shown`);
  }
  const sources = { INTAGLIO_RUN_SOURCES: '/in,bank=s3://key:hush@s3.example/b' };
  t.throws(() => readConfig(sources), { message: /^INTAGLIO_RUN_SOURCES .*/ });
  t.throws(() => readConfig(sources), { message: length });
  for (const bucket of ['abc', 'b'.repeat(63), '1-2.3/prefix/x']) {
    const right = `s3://key:secret@s3.example/${bucket}`;
    t.equal(readConfig({ INTAGLIO_FILES_URL: right }).filesUrl, right);
  }
});

const LONG = 'a secret of more than thirty-two characters';

t.test('secrets are never echoed', async (t) => {
  for (const setting of Object.values(SETTINGS).filter(({ secret }) => secret)) {
    t.throws(() => readConfig({ [setting.variable]: 'hush\u0007' }), {
      message: /^((?!hush).)*$/s,
    });
  }
  t.throws(() => readConfig({ INTAGLIO_LINK_SECRETS: `${LONG},short` }));
  const [first, second] = [LONG, `another ${LONG}`];
  t.strictSame(readConfig({ INTAGLIO_LINK_SECRETS: `${first}, ${second}` }).linkSecrets, [
    first,
    second,
  ]);
});

t.test('the secret of an example is refused, wherever it stands', async (t) => {
  const message = /^INTAGLIO_\w+ holds "change-me", the value of an example/;
  t.throws(() => readConfig({ INTAGLIO_LINK_SECRETS: 'change-me-to-at-least-32-characters' }), {
    message,
  });
  const databaseUrl = 'mysql://intaglio:change-me@127.0.0.1/intaglio';
  t.throws(() => readConfig({ INTAGLIO_DATABASE_URL: databaseUrl }), { message });
});

t.test('a secret of blanks or of one repeated character is refused with its cure', async (t) => {
  const cure = /^INTAGLIO_(\w+) is blank or repeats one character.*openssl rand -hex 24/;
  const { INTAGLIO_OIDC_CLIENT_SECRET: _, ...login } = OIDC;
  const weak: readonly Record<string, string>[] = [
    { INTAGLIO_AUDIT_KEY: ' '.repeat(40) },
    { INTAGLIO_AUDIT_KEY: '\u3000'.repeat(40) },
    { INTAGLIO_AUDIT_KEY: '7 '.repeat(20) },
    { INTAGLIO_LINK_SECRETS: 'a'.repeat(40) },
    { INTAGLIO_LINK_SECRETS: `${LONG}, ${'a'.repeat(40)}` },
    { ...login, INTAGLIO_OIDC_CLIENT_SECRET: 'ssssssss' },
  ];
  for (const env of weak) t.throws(() => readConfig(env), { message: cure }, JSON.stringify(env));
  const folder = t.testdir({ weak: `${'z'.repeat(40)}\n` });
  t.throws(() => readConfig({ INTAGLIO_AUDIT_KEY_FILE: `${folder}/weak` }), { message: cure });
  t.equal(readConfig({ INTAGLIO_AUDIT_KEY: LONG }).auditKey, LONG);
});

const OIDC = {
  INTAGLIO_OIDC_ISSUER: 'https://login.example',
  INTAGLIO_OIDC_CLIENT_ID: 'intaglio',
  INTAGLIO_OIDC_CLIENT_SECRET: 'hush',
};

t.test('a secret may be in a file', async (t) => {
  const folder = t.testdir({
    url: 'mysql://user:hush@db.example/intaglio\n',
    windows: `${LONG}\r\n`,
    empty: '\n',
    wrong: 'hush',
    long: 'hush'.repeat(20_000),
  });
  const env = {
    INTAGLIO_DATABASE_URL_FILE: `${folder}/url`,
    INTAGLIO_LINK_SECRETS_FILE: `${folder}/windows`,
  };
  const config = readConfig(env);
  t.equal(config.databaseUrl, 'mysql://user:hush@db.example/intaglio');
  t.strictSame(config.linkSecrets, [LONG]);
  t.strictSame(unknownSettings(env), []);
  t.strictSame(unknownSettings({ INTAGLIO_PORT_FILE: '/x' }), ['INTAGLIO_PORT_FILE']);
  const shown = effectiveSettings(config, env).filter(({ from }) => from === 'file');
  t.strictSame(
    shown.map(({ variable, value }) => [variable, value]),
    [
      ['INTAGLIO_DATABASE_URL', 'mysql://db.example/intaglio'],
      ['INTAGLIO_LINK_SECRETS', '(hidden)'],
    ],
  );

  const name = 'INTAGLIO_DATABASE_URL_FILE';
  const faults: readonly (readonly [Record<string, string>, RegExp])[] = [
    [
      { [name]: `${folder}/absent` },
      /_FILE is ".*absent"; the file cannot be read: there is no such file \(ENOENT\); name a readable file/,
    ],
    [
      { [name]: `${folder}/empty` },
      /empty"; the file is empty; name a .* file that holds the value of INTAGLIO_DATABASE_URL alone, or/,
    ],
    [
      { [name]: `${folder}/long` },
      /long"; the file is too long for a secret; name a readable file/,
    ],
    [
      { [name]: `${folder}/wrong` },
      /^INTAGLIO_DATABASE_URL has a wrong value, .* secret; allowed: /,
    ],
    [
      { ...env, INTAGLIO_DATABASE_URL: 'sqlite::memory:' },
      /^INTAGLIO_DATABASE_URL and .* both.* unset the other$/,
    ],
  ];
  for (const [wrong, message] of faults) {
    t.throws(() => readConfig(wrong), { name: 'ConfigError', message });
    t.throws(() => readConfig(wrong), { message: /^((?!hush).)*$/s });
  }
});

t.test('a login that is only partly set up is refused', async (t) => {
  const whole = {
    INTAGLIO_OIDC_ISSUER: 'https://login.example',
    INTAGLIO_OIDC_CLIENT_ID: 'intaglio',
    INTAGLIO_OIDC_CLIENT_SECRET: 'secret',
  };
  t.equal(readConfig(whole).oidcClientId, 'intaglio');
  for (const name of Object.keys(whole)) {
    t.throws(() => readConfig({ ...whole, [name]: '' }), {
      message: new RegExp(`^${name} is not set, .*: set it .*, or unset INTAGLIO_OIDC_`),
    });
  }
});

t.test('a setting that lacks another one says what to set or unset', async (t) => {
  const [cert, key] = ['INTAGLIO_TLS_CERT_FILE', 'INTAGLIO_TLS_KEY_FILE'];
  const noKey = `^${key} is not set, .*: name the PEM file of the private key, or unset ${cert}$`;
  t.throws(() => readConfig({ [cert]: '/x.pem' }), { message: new RegExp(noKey) });
  const noCert = `^${cert} is not set, .*: name the PEM file of the certificate, or unset ${key}$`;
  t.throws(() => readConfig({ [key]: '/x.pem' }), { message: new RegExp(noCert) });
  const noUrl =
    /^INTAGLIO_BASE_URL is not set, .*: set the http .*, or an address in INTAGLIO_HOST$/;
  t.throws(() => readConfig({ INTAGLIO_HOST: 'unix:/run/x.sock' }), { message: noUrl });
});

t.test('a misspelt variable is noticed', async (t) => {
  t.strictSame(unknownSettings({ INTAGLIO_RATE_LIMT: '1', INTAGLIO_PORT: '1', HOME: '/' }), [
    'INTAGLIO_RATE_LIMT',
  ]);
  t.equal(nearestSetting('INTAGLIO_RATE_LIMT'), 'INTAGLIO_RATE_LIMIT_PER_MINUTE');
  t.equal(nearestSetting('INTAGLIO_AUDIT_KEY_FIL'), 'INTAGLIO_AUDIT_KEY_FILE');
  t.equal(nearestSetting('INTAGLIO_WEATHER'), null, 'their common beginning makes no name near');
});

t.test('every row of the table is a different variable', async (t) => {
  const names = Object.values(SETTINGS).map((setting): string => setting.variable);
  t.equal(new Set(names).size, names.length);
});

t.test('docs/settings.md holds the table made from the code', async (t) => {
  const page = readFileSync(join(HOME, 'docs/settings.md'), 'utf8');
  t.strictSame(rows(page), rows(settingsTable()));
  const [list = ''] = /\*\*Secrets as files\.\*\* .*? Each of them,/s.exec(page) ?? [];
  const secrets = Object.values(SETTINGS).filter(({ secret }) => secret);
  t.strictSame(
    new Set(list.match(/INTAGLIO_\w+/g)),
    new Set(secrets.map(({ variable }) => variable)),
    'the settings that can be read from a file',
  );
});

/** The rows without the padding that the formatter adds. */
function rows(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll(/ +/g, ' '));
}
