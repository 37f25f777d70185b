import { accessSync, constants, lstatSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import { Agent, request } from 'undici';

import { type Config, SETTINGS } from '../../settings/config.ts';
import { isAnswered } from '../../gateway/http/unix-socket.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { isObject } from '../../runtime/json-object.ts';
import { installationOf } from '../../start/installation.ts';
import { isFault } from '../../store/database/database-fault.ts';
import { reasonOf } from '../../store/reason.ts';
import { Examination, isExpected } from './examination.ts';
import { fault, ok, type Verdict, warning } from './finding.ts';
import { findHolder } from './port-holder.ts';

const UNIX = 'unix:';
const ANSWER_MS_MAX = 2_000;
const ANSWER_BYTES_MAX = 1_024;
const OWN = 'a running Intaglio of this installation';
const NAMELESS = 'a running Intaglio that does not say its installation';
const { host: HOST, port: PORT } = SETTINGS;

/** Whose service answers at an address. */
type Whose = 'own' | 'another installation' | 'not said' | 'own not known' | 'no Intaglio';

/**
 * Checks the address to listen on. A running Intaglio of this installation may hold it: a restart
 * frees it. One of another installation is in the way of a start, as any other program.
 */
export async function checkPort(examination: Examination): Promise<Verdict> {
  const { host, port } = examination.config;
  if (host.startsWith(UNIX)) return checkSocket(host.slice(UNIX.length), examination);
  if (port === 0) return ok('a free port is picked');
  const code = await listeningDefect(host, port);
  const address = `${host} port ${port}`;
  switch (code) {
    case '':
      return ok(`${address} is free`);
    case 'EADDRINUSE': {
      const whose = await whoseIs({ host, port, socketPath: null }, examination);
      return judgeHolder(whose, address, findHolder(port));
    }
    case 'EACCES':
      return fault(
        `${PORT.variable}: ${address}: ports below 1024 need a privilege`,
        `choose a port from 1024 on in ${PORT.variable}, behind a proxy or a redirect; or set` +
          ' AmbientCapabilities= and CapabilityBoundingSet=CAP_NET_BIND_SERVICE in the unit, with PrivateUsers=no',
      );
    default:
      return fault(
        `${HOST.variable}: cannot listen on ${host}: ${reasonOf(code)}`,
        `name an address of this machine in ${HOST.variable}, or 0.0.0.0 for all (ip address lists them)`,
      );
  }
}

/**
 * Why a start cannot listen, and how to mend that, in one line: a running Intaglio is in its way, too.
 */
export async function whyNotListening(config: Config): Promise<string> {
  const { host, port } = config;
  const examination = new Examination(config, false);
  try {
    const { state, detail, mend } = await checkPort(examination);
    if (state === 'fault') return `cannot listen: ${detail}; ${mend}`;
    const code = await listeningDefect(host, port);
    const address = `${host} port ${port}`;
    if (code !== 'EADDRINUSE') return `${address} was taken, and is free now: start again`;
    const who = state === 'ok' ? OWN : NAMELESS;
    const { detail: taken, mend: cure } = takenBy(who, address, findHolder(port));
    return `cannot listen: ${taken}; ${cure}`;
  } finally {
    await examination.close();
  }
}

/** Listens for a moment; returns the error code, '' when it succeeded. */
function listeningDefect(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) || 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('')));
  });
}

async function checkSocket(path: string, examination: Examination): Promise<Verdict> {
  const folder = dirname(path);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const detail = `${HOST.variable}: the socket's folder ${folder}: ${reasonOf(errorCode(error))}`;
    return fault(detail, 'make the folder, and let the user of the service write there');
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return ok(`${path} is free`);
  if (!found.isSocket()) {
    const mend = `remove it, or name another path in ${HOST.variable}`;
    return fault(`${HOST.variable}: ${path} is there and is not a socket`, mend);
  }
  if (!(await isAnswered(path))) return ok(`${path} was left by a process that has ended`);
  const address = { host: 'localhost', port: 80, socketPath: path };
  return judgeHolder(await whoseIs(address, examination), path, null);
}

function judgeHolder(whose: Whose, address: string, holder: string | null): Verdict {
  const named = holder === null ? '' : `: ${holder}`;
  const listens = `listens on ${address}${named}`;
  const doubt = `if it is not the one that this start replaces, ${endIt(holder)}`;
  switch (whose) {
    case 'own':
      return ok(`${OWN} ${listens}; a restart frees it, a second start beside it fails`);
    case 'another installation':
      return takenBy('a running Intaglio of another installation', address, holder);
    case 'no Intaglio':
      return takenBy('another program', address, holder);
    case 'not said':
      return warning(`${PORT.variable}: ${NAMELESS} ${listens}`, doubt);
    case 'own not known': {
      const why = 'whether of this installation is not known, as the database cannot be used';
      return warning(`${PORT.variable}: a running Intaglio ${listens}, ${why}`, doubt);
    }
  }
}

function takenBy(who: string, address: string, holder: string | null): Verdict {
  const named = holder === null ? '' : `: ${holder}`;
  return fault(`${PORT.variable}: ${who} listens on ${address}${named}`, endIt(holder));
}

function endIt(holder: string | null): string {
  const naming = holder === null ? ' (as root, ss -ltnp names it)' : '';
  return `end it${naming}, or choose another ${PORT.variable} or ${HOST.variable}`;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string | null;
}

/** Compares what holds the address with this installation, which has the database of the settings. */
async function whoseIs(address: Address, examination: Examination): Promise<Whose> {
  const running = await askInstallation(address);
  if (running === null) return 'no Intaglio';
  if (running === '') return 'not said';
  const store = await examination.storeIfSound();
  if (store === null) return 'own not known';
  try {
    return running === (await installationOf(store)) ? 'own' : 'another installation';
  } catch (error) {
    // Before its first start, a database has no tables, and no service runs on it.
    if (isFault(error, 'refused')) return 'another installation';
    if (isExpected(error)) return 'own not known';
    throw error;
  }
}

/**
 * Asks for /healthz, by HTTPS and HTTP: the running service may have other settings. null: what
 * answers is no Intaglio; '': it is one that does not say its installation.
 */
async function askInstallation(address: Address): Promise<string | null> {
  const asked = await Promise.all(['https', 'http'].map((scheme) => answer(scheme, address)));
  return asked.find((said) => said !== null) ?? null;
}

async function answer(scheme: string, { host, port, socketPath }: Address): Promise<string | null> {
  // The certificate proves nothing here, and may be the one that is to be replaced.
  const connect = { rejectUnauthorized: false, timeout: ANSWER_MS_MAX };
  const dispatcher = new Agent({
    connect: socketPath === null ? connect : { ...connect, socketPath },
    maxResponseSize: ANSWER_BYTES_MAX,
  });
  try {
    const { statusCode, headers, body } = await request(
      `${scheme}://${reachable(host)}:${port}/healthz`,
      { dispatcher, headersTimeout: ANSWER_MS_MAX, bodyTimeout: ANSWER_MS_MAX },
    );
    if (statusCode !== 200 || headers['x-request-id'] === undefined) {
      await body.dump();
      return null;
    }
    const said: unknown = JSON.parse(await body.text());
    const installation = isObject(said) ? said['installation'] : undefined;
    return typeof installation === 'string' ? installation : '';
  } catch (error) {
    // Whatever does not answer this is no Intaglio.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  } finally {
    await dispatcher.close();
  }
}

/** The address at which a listener can be reached; 0.0.0.0 and :: become loopback addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
