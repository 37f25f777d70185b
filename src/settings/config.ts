import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

import { nearest, SUGGESTION_STEPS_MAX } from '../runtime/nearest.ts';
import { fileVariable, readSettingFiles } from './setting-files.ts';
import { ENCRYPTION, encryptionFaults } from './encryption.ts';
import { TELEMETRY } from './telemetry.ts';
import { NETWORK, networkFaults } from './network.ts';
import { REQUESTS } from './requests.ts';
import { runBounds, RUNS } from './runs.ts';
import type { RunBounds } from '../store/runs/bounds.ts';
import { weakSecretFaults } from './weak-secrets.ts';
import {
  addressHint,
  choice,
  DAY_SECONDS,
  derivedInteger,
  integer,
  isDatabaseUrl,
  isFilesUrl,
  isHttpUrl,
  isPlain,
  isQueueUrl,
  isRunSource,
  type Setting,
  textMatching,
} from './setting.ts';

/** The folder of the checkout. Relative paths in settings start here, not at the current folder. */
export const HOME = resolve(import.meta.dirname, '../..');

/** Wrong settings. The message has a line for each, with variable, value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A token refused its PIN: a supervisor must not start the service again, or the token locks. */
export class PinRefusedError extends ConfigError {}

/** Minimum length of a link secret, so that it cannot be guessed. */
const SECRET_LENGTH_MIN = 32;

const linkSecrets: Setting<readonly string[] | null> = {
  variable: 'INTAGLIO_LINK_SECRETS',
  unit: '',
  preset: 'made and kept beside the database file or the files folder',
  allowed: `comma list of secrets of at least ${SECRET_LENGTH_MIN} characters`,
  help: 'Sign the links to files: the first signs, all verify. Same list on every instance.',
  secret: true,
  read: (value) => {
    const secrets = value.split(',').map((secret) => secret.trim());
    return secrets.every((secret) => secret.length >= SECRET_LENGTH_MIN) ? secrets : undefined;
  },
  absent: () => null,
};

const runSources: Setting<readonly string[]> = {
  variable: 'INTAGLIO_RUN_SOURCES',
  unit: '',
  preset: '',
  allowed:
    'comma list of [teamId=]/folder or [teamId=]s3://accessKey:secret@host[:port]/bucket[/prefix]',
  help: 'Folders and buckets whose files runs may read, of one team or of all. Unset: none.',
  secret: true,
  read: (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    return entries.every(isRunSource) ? entries : undefined;
  },
  absent: () => [],
};

const MINUTE_MS = 60_000;

/** Every setting of the service; the table in docs/settings.md is made from it. */
export const SETTINGS = {
  ...NETWORK,
  databaseUrl: textMatching(
    'INTAGLIO_DATABASE_URL',
    'sqlite:var/intaglio.db',
    'sqlite:PATH or mysql://user:password@host:port/database[?socket=/PATH][&tls=require]',
    'Where rows live: embedded SQLite, or MySQL 8 / MariaDB 10.11.',
    isDatabaseUrl,
    true,
  ),
  databaseConnectionsMax: integer(
    'INTAGLIO_DATABASE_CONNECTIONS_MAX',
    'connections',
    10,
    [1, 1_000],
    'Connections of one instance to MySQL.',
  ),
  databaseUnsafeCommits: choice(
    'INTAGLIO_DATABASE_UNSAFE_COMMITS',
    'refuse',
    ['refuse', 'allow'],
    'Whether to run on a MySQL that may lose acknowledged commits in a power cut.',
  ),
  filesUrl: textMatching(
    'INTAGLIO_FILES_URL',
    'file:var/files',
    'file:PATH or s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]',
    'Where stored PDFs live: a folder, or S3-compatible storage that several machines share.',
    isFilesUrl,
    true,
  ),
  queueUrl: textMatching(
    'INTAGLIO_QUEUE_URL',
    null,
    'redis://[user:password@]host[:port][/number][?prefix=NAME], or rediss: for TLS',
    'Redis or Valkey that hands the chunks of runs out to all instances; unset: the database does.',
    isQueueUrl,
    true,
  ),
  runSources,
  poolThreads: derivedInteger(
    'INTAGLIO_POOL_THREADS',
    'threads',
    'one per core',
    [1, 256],
    'Renderers that work at the same time.',
  ),
  poolQueueMax: derivedInteger(
    'INTAGLIO_POOL_QUEUE_MAX',
    'jobs',
    '64 per thread',
    [1, 100_000],
    'Jobs that may wait for a renderer; one more is refused with 503 overloaded.',
  ),
  renderTimeoutMs: integer(
    'INTAGLIO_RENDER_TIMEOUT_MS',
    'ms',
    10_000,
    [1, 10 * MINUTE_MS],
    'Longest render, counted from its start while it could run; over it: 422 render_failed.',
  ),
  workerMemoryMb: integer(
    'INTAGLIO_WORKER_MEMORY_MB',
    'MB',
    512,
    [16, 65_536],
    'Heap of one renderer; over it the renderer is replaced.',
  ),
  decodePixelsMax: integer(
    'INTAGLIO_DECODE_PIXELS_MAX',
    'pixels',
    60_000_000,
    [30_000_000, 2_000_000_000],
    'Pixels of images decoded at one time by all renderers together, at up to 9 bytes each.',
  ),
  ...REQUESTS,
  ...RUNS,
  sweepIntervalSeconds: integer(
    'INTAGLIO_SWEEP_INTERVAL_SECONDS',
    's',
    60,
    [1, DAY_SECONDS],
    'Pause between two removals of expired documents and orphan files.',
  ),
  linkSecrets,
  qpdf: textMatching(
    'INTAGLIO_QPDF',
    'qpdf',
    'command or path',
    'The qpdf that encrypts; without it protection answers 503 protection_unavailable.',
    isPlain,
  ),
  signersFile: textMatching(
    'INTAGLIO_SIGNERS_FILE',
    null,
    'file',
    'JSON that names a signer for each team (docs/signing.md); without it nothing is signed.',
    isPlain,
  ),
  fontsDir: textMatching(
    'INTAGLIO_FONTS_DIR',
    null,
    'folder',
    'Further font families, beside those that ship with the service.',
    isPlain,
  ),
  wordsFile: textMatching(
    'INTAGLIO_WORDS_FILE',
    null,
    'file',
    'Thai words that no line end may part, one a line: names of products, people and places.',
    isPlain,
  ),
  ...ENCRYPTION,
  auditKey: textMatching(
    'INTAGLIO_AUDIT_KEY',
    null,
    `text of at least ${SECRET_LENGTH_MIN} characters`,
    'Key of the seals of the audit. Without it anyone who can write the database can make seals.',
    (value) => value.length >= SECRET_LENGTH_MIN,
    true,
  ),
  oidcIssuer: textMatching(
    'INTAGLIO_OIDC_ISSUER',
    null,
    'http or https URL',
    'OpenID Connect provider for the login of users. Unset: no login route.',
    isHttpUrl,
  ),
  oidcClientId: textMatching(
    'INTAGLIO_OIDC_CLIENT_ID',
    null,
    'text',
    'Client id at the provider.',
    isPlain,
  ),
  oidcClientSecret: textMatching(
    'INTAGLIO_OIDC_CLIENT_SECRET',
    null,
    'text',
    'Client secret at the provider.',
    isPlain,
    true,
  ),
  oidcTeamClaim: textMatching(
    'INTAGLIO_OIDC_TEAM_CLAIM',
    '',
    'claim name',
    "ID token claim that holds the user's teamId. Unset: users come from the identity sync alone.",
    isPlain,
  ),
  oidcRoleClaim: textMatching(
    'INTAGLIO_OIDC_ROLE_CLAIM',
    '',
    'claim name',
    'ID token claim that holds Editor, Admin or Viewer.',
    isPlain,
  ),
  publishApprovals: choice(
    'INTAGLIO_PUBLISH_APPROVALS',
    '0',
    ['0', '1'],
    '1: nobody publishes a draft that they contributed to since the last version.',
  ),
  logLevel: choice(
    'INTAGLIO_LOG_LEVEL',
    'info',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Least severe line that is written.',
  ),
  ...TELEMETRY,
  drainMs: integer(
    'INTAGLIO_DRAIN_MS',
    'ms',
    0,
    [0, MINUTE_MS],
    'After SIGTERM: how long /readyz says 503 while requests are still taken, so that balancers notice.',
  ),
  shutdownTimeoutMs: integer(
    'INTAGLIO_SHUTDOWN_TIMEOUT_MS',
    'ms',
    30_000,
    [1, 10 * MINUTE_MS],
    'Longest wait for running requests after SIGTERM.',
  ),
} as const;

/** The values of all settings as they were read: null for a default that is still unknown. */
type SettingValues = {
  readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['absent']>;
};

/** The values of all settings. Paths are absolute. */
export interface Config extends Omit<SettingValues, 'poolThreads' | 'poolQueueMax'> {
  readonly poolThreads: number;
  readonly poolQueueMax: number;
}

/** The default of poolQueueMax, for each renderer. */
const QUEUE_PER_THREAD = 64;
/** Stands for a secret in examples and guides, so everybody knows it. */
const EXAMPLE_SECRET = /change.?me/i;
/** Characters of a wrong value that its message shows. */
const SHOWN_LENGTH_MAX = 80;

/** A user and a password before a host. */
const LOGIN = /:[^:]*@/;

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of secrets; each may be given as a file instead, by `INTAGLIO_…_FILE`. */
const SECRETS: readonly string[] = Object.values(SETTINGS)
  .filter(({ secret }) => secret)
  .map(({ variable }) => variable);

/** Reads the settings. Throws a single `ConfigError` for all wrong ones. */
export function readConfig(given: Environment): Config {
  const { env, faults: fileFaults } = readSettingFiles(given, SECRETS);
  const faults = [...fileFaults];
  const values = Object.entries(SETTINGS).map(([name, setting]): [string, unknown] => {
    const value = readSetting(setting, env);
    if (!(value instanceof ConfigError)) return [name, value];
    faults.push(value.message);
    return [name, setting.absent()];
  });
  // The cast holds because each entry has the type that its setting returns.
  const read = Object.fromEntries(values) as unknown as SettingValues;
  faults.push(...weakSecretFaults(read));
  faults.push(...loginFaults(env));
  faults.push(...encryptionFaults((variable) => isGiven(given, variable)));
  faults.push(...networkFaults((variable) => isGiven(env, variable), read.host));
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  const poolThreads = read.poolThreads ?? availableParallelism();
  return {
    ...read,
    databaseUrl: withAbsolutePath(read.databaseUrl, 'sqlite:'),
    filesUrl: withAbsolutePath(read.filesUrl, 'file:'),
    fontsDir: read.fontsDir === null ? null : resolve(HOME, read.fontsDir),
    wordsFile: read.wordsFile === null ? null : resolve(HOME, read.wordsFile),
    tlsCertFile: read.tlsCertFile === null ? null : resolve(HOME, read.tlsCertFile),
    tlsKeyFile: read.tlsKeyFile === null ? null : resolve(HOME, read.tlsKeyFile),
    poolThreads,
    poolQueueMax: read.poolQueueMax ?? QUEUE_PER_THREAD * poolThreads,
  };
}

function readSetting(setting: Setting<unknown>, env: Environment): unknown {
  const given = env[setting.variable];
  if (given === undefined || given === '') return setting.absent();
  if (setting.secret && EXAMPLE_SECRET.test(given)) {
    return new ConfigError(
      `${setting.variable} holds "change-me", the value of an example; set a secret that only this ` +
        'installation knows (openssl rand -hex 24 makes one)',
    );
  }
  const value = setting.read(given);
  if (value !== undefined) return value;
  const isHidden = setting.secret || LOGIN.test(given);
  const wrong = isHidden
    ? 'has a wrong value, which is not shown because it may be secret'
    : `is ${JSON.stringify(given.slice(0, SHOWN_LENGTH_MAX))}`;
  const hint = setting.secret ? addressHint(given) : '';
  return new ConfigError(`${setting.variable} ${wrong}; allowed: ${setting.allowed}${hint}`);
}

/** The faults of a login that is only partly set up, which would otherwise silently be off. */
function loginFaults(env: Environment): string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret } = SETTINGS;
  const names = [oidcIssuer, oidcClientId, oidcClientSecret].map(({ variable }) => variable);
  const given = names.find((name) => isGiven(env, name));
  if (given === undefined) return [];
  return names
    .filter((name) => !isGiven(env, name))
    .map(
      (name) =>
        `${name} is not set, which a login needs beside ${given}: set it as the provider` +
        ` registered the service (docs/operations.md), or unset ${given}`,
    );
}

function isGiven(env: Environment, variable: string): boolean {
  return env[variable] !== undefined && env[variable] !== '';
}

/** The value of a setting and its origin. */
export interface EffectiveSetting {
  readonly variable: string;
  /** Secrets are hidden; null: unset, and there is no default. */
  readonly value: string | number | null;
  readonly from: 'environment' | 'file' | 'default';
}

/** Lists all settings in the order of the documentation. */
export function effectiveSettings(config: Config, env: Environment): readonly EffectiveSetting[] {
  const keys = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  return keys.map((key) => {
    const setting: Setting<unknown> = SETTINGS[key];
    const { variable } = setting;
    return { variable, value: shownValue(key, config), from: originOf(variable, env) };
  });
}

/** Where the value of a setting comes from; settings that are empty count as unset. */
export function originOf(variable: string, env: Environment): EffectiveSetting['from'] {
  if (isGiven(env, variable)) return 'environment';
  const isFile = SECRETS.includes(variable) && isGiven(env, fileVariable(variable));
  return isFile ? 'file' : 'default';
}

function shownValue(key: keyof typeof SETTINGS, config: Config): string | number | null {
  if (key === 'databaseUrl' || key === 'filesUrl') return shownUrl(config[key]);
  if (key === 'queueUrl') return config.queueUrl === null ? null : shownUrl(config.queueUrl);
  if (key === 'linkSecrets') {
    return config.linkSecrets === null ? SETTINGS.linkSecrets.preset : '(hidden)';
  }
  if (key === 'encryptionKeys') return config.encryptionKeys === null ? null : '(hidden)';
  if (key === 'runSources') return config.runSources.length === 0 ? null : '(hidden)';
  if (key === 'trustedProxies') return config.trustedProxies.join(', ') || NETWORK[key].preset;
  if (key === 'socketMode') return config.socketMode.toString(8);
  const value = config[key];
  return SETTINGS[key].secret && value !== null ? '(hidden)' : value;
}

/** Where rows or files live, without user and password. */
export function shownUrl(url: string): string {
  const isShown = /^(?:sqlite:|file:|\w+:\/\/)/.test(url) && URL.canParse(url);
  if (!isShown) return url.replace(/:.*$/s, ':(hidden)');
  const { protocol, host, pathname } = new URL(url);
  if (protocol === 'sqlite:' || protocol === 'file:') return url;
  return `${protocol}//${host}${pathname}`;
}

function withAbsolutePath(url: string, scheme: string): string {
  if (!url.startsWith(scheme)) return url;
  const path = url.slice(scheme.length);
  if (path === ':memory:' || isAbsolute(path)) return url;
  return scheme + join(HOME, path);
}

/** The store's part of the settings; `warn` gets messages for the operator. */
export function storeSettings(
  config: Config,
  warn: (message: string) => void,
): {
  databaseUrl: string;
  filesUrl: string;
  connectionsMax: number;
  runSources: readonly string[];
  runBounds: RunBounds;
  allowUnsafeCommits: boolean;
  auditKey?: string;
  warn: (message: string) => void;
} {
  return {
    databaseUrl: config.databaseUrl,
    filesUrl: config.filesUrl,
    connectionsMax: config.databaseConnectionsMax,
    runSources: config.runSources,
    runBounds: runBounds(config),
    allowUnsafeCommits: config.databaseUnsafeCommits === 'allow',
    ...(config.auditKey === null ? {} : { auditKey: config.auditKey }),
    warn,
  };
}

/** Variables that look like settings but are not: probably misspelt. */
export function unknownSettings(env: Environment): string[] {
  const known = variablesRead();
  /** Variables of tests, benchmarks and commands. */
  const otherUses = /^INTAGLIO_(?:TEST_|BENCH_|(?:FORBID_SKIPS|API_KEY|URL)$)/;
  return Object.keys(env).filter(
    (name) => name.startsWith(PREFIX) && !known.has(name) && !otherUses.test(name),
  );
}

/**
 * The variable of a setting that is nearest to an unknown one, which may lack an end such as its unit
 * (`INTAGLIO_RATE_LIMT` for `INTAGLIO_RATE_LIMIT_PER_MINUTE`); null when none is near.
 */
export function nearestSetting(unknown: string): string | null {
  // All begin alike: only the rest tells how near two of them are.
  const word = unknown.slice(PREFIX.length);
  const rests = Array.from(variablesRead(), (variable) => variable.slice(PREFIX.length));
  const steps = { left: SUGGESTION_STEPS_MAX };
  const whole = nearest(word, rests, steps);
  if (whole !== null) return `${PREFIX}${whole}`;
  const begin = nearest(word, new Set(rests.map((rest) => rest.slice(0, word.length))), steps);
  const rest = begin === null ? undefined : rests.find((one) => one.startsWith(begin));
  return rest === undefined ? null : `${PREFIX}${rest}`;
}

const PREFIX = 'INTAGLIO_';

function variablesRead(): ReadonlySet<string> {
  const variables = Object.values(SETTINGS).map((setting): string => setting.variable);
  return new Set([...variables, ...Array.from(SECRETS, (variable) => fileVariable(variable))]);
}

/** The table of docs/settings.md, in Markdown. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting<unknown>) => {
    const preset = setting.preset === '' ? '' : `\`${setting.preset}\``;
    const cells = [`\`${setting.variable}\``, preset, setting.unit, setting.allowed, setting.help];
    return `| ${cells.join(' | ')} |`;
  });
  const head = '| variable | default | unit | allowed | meaning |';
  return [head, '|---|---|---|---|---|', ...rows].join('\n');
}
