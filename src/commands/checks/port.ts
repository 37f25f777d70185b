import { accessSync, constants, lstatSync } from 'node:fs';
import { createServer, isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import { Agent, request } from 'undici';

import { type Config, SETTINGS } from '../../settings/config.ts';
import { isAnswered } from '../../gateway/http/unix-socket.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { reasonOf } from '../../store/reason.ts';
import type { Examination } from './examination.ts';
import { fault, ok, type Verdict } from './finding.ts';
import { findHolder } from './port-holder.ts';

const UNIX = 'unix:';
const ANSWER_MS_MAX = 2_000;
const { host: HOST, port: PORT } = SETTINGS;

/** Checks the address to listen on. A running Intaglio may hold it: a restart frees it. */
export async function checkPort({
  config: { host, port },
}: Pick<Examination, 'config'>): Promise<Verdict> {
  if (host.startsWith(UNIX)) return checkSocket(host.slice(UNIX.length));
  if (port === 0) return ok('a free port is picked');
  const code = await listeningDefect(host, port);
  const address = `${host} port ${port}`;
  switch (code) {
    case '':
      return ok(`${address} is free`);
    case 'EADDRINUSE': {
      const isOurs = await isIntaglio({ host, port, socketPath: null });
      return judgeHolder(address, isOurs, findHolder(port));
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
  const { state, detail, mend } = await checkPort({ config });
  if (state !== 'ok') return `cannot listen: ${detail}; ${mend}`;
  const code = await listeningDefect(host, port);
  const address = `${host} port ${port}`;
  if (code !== 'EADDRINUSE') return `${address} was taken, and is free now: start again`;
  const { detail: taken, mend: cure } = takenBy('a running Intaglio', address, findHolder(port));
  return `cannot listen: ${taken}; ${cure}`;
}

/** Listens for a moment; returns the error code, '' when it succeeded. */
function listeningDefect(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(errorCode(error) || 'unknown'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve('')));
  });
}

async function checkSocket(path: string): Promise<Verdict> {
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
  return judgeHolder(path, await isIntaglio({ host: 'localhost', port: 80, socketPath: path }));
}

function judgeHolder(address: string, isOurs: boolean, holder: string | null = null): Verdict {
  if (isOurs) return ok(`a running Intaglio listens on ${address}; it ends before another starts`);
  return takenBy('another program', address, holder);
}

function takenBy(who: string, address: string, holder: string | null): Verdict {
  const named = holder === null ? '' : `: ${holder}`;
  const naming = holder === null ? ' (as root, ss -ltnp names it)' : '';
  return fault(
    `${PORT.variable}: ${who} listens on ${address}${named}`,
    `end it${naming}, or choose another ${PORT.variable} or ${HOST.variable}`,
  );
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string | null;
}

/** Asks for /healthz, by HTTPS and HTTP: the running service may have other settings. */
async function isIntaglio(address: Address): Promise<boolean> {
  const asked = await Promise.all(['https', 'http'].map((scheme) => answers(scheme, address)));
  return asked.includes(true);
}

async function answers(scheme: string, { host, port, socketPath }: Address): Promise<boolean> {
  // The certificate proves nothing here, and may be the one that is to be replaced.
  const connect = { rejectUnauthorized: false, timeout: ANSWER_MS_MAX };
  const dispatcher = new Agent({
    connect: socketPath === null ? connect : { ...connect, socketPath },
  });
  try {
    const { statusCode, headers, body } = await request(
      `${scheme}://${reachable(host)}:${port}/healthz`,
      { dispatcher, headersTimeout: ANSWER_MS_MAX, bodyTimeout: ANSWER_MS_MAX },
    );
    await body.dump({ limit: 1_024 });
    return statusCode === 200 && headers['x-request-id'] !== undefined;
  } catch (error) {
    // Whatever does not answer this is no Intaglio.
    if (!(error instanceof Error && 'code' in error)) throw error;
    return false;
  } finally {
    await dispatcher.close();
  }
}

/** An address to connect to: nothing can be reached at the one that stands for all. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
