import type { Command } from 'commander';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

import { HOME, readConfig, SETTINGS, type Config } from '../settings/config.ts';
import { createLog } from '../log/log.ts';
import { makeSamples, type MadeDocument } from './demo/samples.ts';
import { setUp, type Access } from './demo/set-up.ts';
import { CommandFailed, unwritable } from './console/failure.ts';
import { ensureFolder } from './console/files/folder.ts';
import { show, table } from './console/output.ts';
import { writeOut } from './console/terminal.ts';

interface Options {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly dir: string;
}

export default function define(command: Command): void {
  command
    .option('--once', 'make the documents and stop, instead of serving until Ctrl-C')
    .option('--dir <folder>', 'folder of the demo; emptied first', join(HOME, 'var/demo'))
    .option('--json', 'print JSON: url, apiKey, studio, documents, curl, settings')
    .addHelpText(
      'after',
      `
Starts a service with its own embedded database, a team, a key, an administrator and the templates of
templates/. Every sample is made in both modes over HTTP, and each stored document is checked against
its digest. Nothing outside the folder is touched.

Examples:
  $ ./intaglio demo
  $ ./intaglio demo --once --dir ./my-demo`,
    )
    .action(demo);
}

async function demo(options: Options): Promise<void> {
  const folder = resolve(options.dir);
  prepareFolder(folder);
  const config = await demoConfig(folder);
  const { startService, nextSignal } = await import('../start/main.ts');
  const signal = nextSignal();
  // Logs go to standard error: standard output is for the text or JSON of the demo.
  const service = await startService(config, createLog(config.logLevel, 'stderr'));
  try {
    const access = await setUp(service.store, service.url, config.publishApprovals === '1');
    const made = await makeSamples(access, join(folder, 'documents'));
    const curl = curlLine(folder, access, made);
    const { url, apiKey, studio } = access;
    const settings = commandSettings(config, access);
    const documents = made.map(toJson);
    show(options.json, { url, apiKey, studio, folder, documents, curl, settings }, () =>
      describe(folder, made),
    );
    if (options.once !== true) {
      if (options.json !== true) writeOut(invite(access, curl, settings));
      await signal;
    }
  } finally {
    await service.stop();
    rmSync(join(folder, OWNER_FILE), { force: true });
  }
  process.exit(0);
}

const COLUMNS = ['file', 'template', 'sample', 'mode', 'KB', 'ms', 'digest'];

function toRow(made: MadeDocument): string[] {
  const { file, templateId, sample, mode, bytes, durationMs, sha256 } = made;
  const digest = mode === 'async' ? `verified ${sha256.slice(0, 12)}…` : '';
  const kilobytes = (bytes / 1024).toFixed(0);
  return [file, templateId, sample, mode, kilobytes, durationMs.toFixed(0), digest];
}

function toJson(made: MadeDocument): Omit<MadeDocument, 'request'> {
  const { file, templateId, sample, mode, bytes, sha256, durationMs } = made;
  return { file, templateId, sample, mode, bytes, sha256, durationMs };
}

/** Holds the process id of the demo that uses the folder. */
const OWNER_FILE = 'pid';
/** Marks a folder as one of a demo, which may be emptied. */
const MARK_FILE = 'demo';

/** Empties the folder; throws when another demo runs in it or it is not a folder of a demo. */
function prepareFolder(folder: string): void {
  const owner = join(folder, OWNER_FILE);
  if (existsSync(owner) && isRunning(Number(readFileSync(owner, 'utf8')))) {
    throw new CommandFailed(`another demo runs in ${folder}; stop it, or give --dir`);
  }
  if (existsSync(folder) && !existsSync(join(folder, MARK_FILE))) {
    throw new CommandFailed(
      `${folder} is not a folder of a demo; remove it, or give another --dir`,
    );
  }
  try {
    rmSync(folder, { recursive: true, force: true });
    ensureFolder(folder, 0o700);
    writeFileSync(join(folder, MARK_FILE), 'Made by ./intaglio demo, which empties this folder.\n');
    writeFileSync(owner, String(process.pid));
  } catch (error) {
    throw unwritable(folder, error);
  }
}

function isRunning(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.code === 'EPERM';
    throw error;
  }
}

/** The current settings, with database and files in the folder and a free port. */
async function demoConfig(folder: string): Promise<Config> {
  const given = readConfig(process.env);
  const port = given.port === 0 || (await isFree(given.host, given.port)) ? given.port : 0;
  return readConfig({
    ...process.env,
    INTAGLIO_DATABASE_URL: `sqlite:${join(folder, 'intaglio.db')}`,
    INTAGLIO_FILES_URL: `file:${join(folder, 'files')}`,
    INTAGLIO_PORT: String(port),
    INTAGLIO_BASE_URL: '',
    INTAGLIO_LOG_LEVEL: process.env['INTAGLIO_LOG_LEVEL'] ?? 'warn',
  });
}

async function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolveFree) => {
    const server = createServer();
    server.once('error', () => resolveFree(false));
    server.listen(port, host, () => server.close(() => resolveFree(true)));
  });
}

function describe(folder: string, made: readonly MadeDocument[]): string {
  const rows = table(COLUMNS, made.map(toRow), 'templates/ holds no template with samples.');
  return `${rows}\n\nDocuments: ${join(folder, 'documents')}`;
}

/** Tells people what they can try while the demo serves. */
function invite({ url, apiKey, studio }: Access, curl: string, settings: string): string {
  return [
    `Studio:    ${studio}`,
    '           signs you in as Admin; works once, within an hour',
    `Service:   ${url}   (API description: ${url}/docs)`,
    `API key:   ${apiKey}`,
    '',
    'Make one more, from any folder:',
    '',
    curl,
    '',
    'Commands such as ./intaglio sessions link USER or ./intaglio runs list find this demo after this',
    'line, in the terminal where you run them:',
    '',
    settings,
    '',
    'Serving. Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

/**
 * A line for a shell that makes commands use the demo: those that open its database and files, and
 * those that call it with its key. Secret settings of the caller are not printed.
 */
function commandSettings({ databaseUrl, filesUrl }: Config, { url, apiKey }: Access): string {
  const own = {
    INTAGLIO_DATABASE_URL: databaseUrl,
    INTAGLIO_FILES_URL: filesUrl,
    // The demo may have taken another port than the given one.
    INTAGLIO_PORT: url.slice(url.lastIndexOf(':') + 1),
    INTAGLIO_BASE_URL: url,
    INTAGLIO_URL: url,
    INTAGLIO_API_KEY: apiKey,
  };
  const given = Object.values(SETTINGS)
    .filter(({ variable, secret }) => !secret && !(variable in own))
    .map(({ variable }) => [variable, process.env[variable] ?? ''] as const)
    .filter(([, value]) => value !== '');
  const lines = [...Object.entries(own), ...given].map(
    ([name, value]) => `${name}=${quote(value)}`,
  );
  return ['export', ...lines].join(' ');
}

/** A command that makes a document while the demo serves, ready to be pasted. */
function curlLine(folder: string, { url, apiKey }: Access, made: readonly MadeDocument[]): string {
  const sample = made.find(({ mode }) => mode === 'sync');
  if (sample === undefined) return '';
  const request = join(folder, 'request.json');
  writeFileSync(request, sample.request);
  return [
    'curl -sS --fail-with-body',
    `-H 'X-Api-Key: ${apiKey}' -H 'Content-Type: application/json'`,
    `--data-binary ${quote(`@${request}`)} -o ${sample.templateId}.pdf ${url}/v1/generate`,
  ].join(' ');
}

/** Quotes a text as one word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
