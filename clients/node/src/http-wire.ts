import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, createSecureContext } from 'node:tls';

import { checkOptions } from './arguments.ts';
import { InvalidArgumentError, PROXY_WANTS } from './errors.ts';
import type { TlsOptions } from './options.ts';
import { headerOf, type Wire, type WireAnswer, type WireRequest } from './wire.ts';

/** Proxy and certificates of a client. */
interface HttpOptions {
  readonly proxy?: string | undefined;
  readonly noProxy?: string | undefined;
  readonly tls?: TlsOptions | undefined;
}

/** The code of an error of a proxy that refused to open a connection. */
export const PROXY_REFUSED = 'ERR_PROXY_REFUSED';

/** A proxy with what it wants to know of its caller. */
interface Proxy {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests by Node's own `http` and `https`, whose connections are kept and used again. Throws
 * InvalidArgumentError for an address of a proxy that is none, and for certificates that cannot be read.
 */
export function httpWire({ proxy, noProxy = '', tls = {} }: HttpOptions): Wire {
  const own = proxy === undefined || proxy === '' ? null : readProxy(proxy);
  const isDirect = directHosts(noProxy);
  checkOptions('tls', tls, ['ca', 'cert', 'key', 'passphrase', 'pfx']);
  checkTls(tls);
  const kept = { keepAlive: true, scheduling: 'lifo' } as const;
  // Node's types know no readonly arrays.
  const secure = { ...kept, ...(tls as ConnectionOptions) };
  const agents = {
    plain: new http.Agent(kept),
    secure: new https.Agent(secure),
    tunnel: own === null ? null : new Tunnels(own, secure),
  };
  const request = async (sent: WireRequest): Promise<WireAnswer> => {
    const url = new URL(sent.url);
    const via = own === null || isDirect(url.hostname) ? null : own;
    if (url.protocol === 'https:') {
      const agent = (via === null ? null : agents.tunnel) ?? agents.secure;
      return send(https.request(url, optionsOf(sent, agent)), sent);
    }
    const options = optionsOf(sent, agents.plain);
    if (via === null) return send(http.request(url, options), sent);
    // RFC 9112 §3.2.2: a proxy gets the whole address.
    const headers = { host: url.host, ...via.headers, ...options.headers };
    const { host, hostname, port } = via.url;
    const where = { host: hostname, port: port === '' ? 80 : port, path: url.href };
    return send(http.request(`http://${host}`, { ...options, ...where, headers }), sent);
  };
  const close = (): void => {
    for (const agent of Object.values(agents)) agent?.destroy();
  };
  return { watchesSilence: false, request, close };
}

function optionsOf({ method, headers, signal }: WireRequest, agent: http.Agent) {
  // The bytes are compared with a digest, so they are to come as they are (RFC 9110 §12.5.3).
  const given = { method, headers: { 'accept-encoding': 'identity', ...headers }, signal, agent };
  // Node keeps `signal` from the agent, which has to end the opening of a tunnel.
  return { ...given, ended: signal };
}

async function send(
  request: http.ClientRequest,
  { body, signal }: WireRequest,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    // A request that waits for a connection, such as one through a proxy, does not tell its end itself.
    const end = (): void => reject(new Error('the request was ended'));
    signal.addEventListener('abort', end, { once: true });
    let lost: Error | null = null;
    request.on('error', (error) => {
      lost = error;
      reject(error);
    });
    request.on('response', (response) => {
      signal.removeEventListener('abort', end);
      const { statusCode = 0, headers } = response;
      const header = headerOf(headers);
      resolve({ status: statusCode, header, body: wholeBody(response, () => lost) });
    });
    if (body === null) request.end();
    else request.end(body);
  });
}

/**
 * Node ends a body without a length quietly when its connection breaks, and tells the request alone why
 * another one is no HTTP.
 */
async function* wholeBody(
  response: http.IncomingMessage,
  lost: () => Error | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    // A stream of bytes gives buffers.
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (error) {
    throw lost() ?? error;
  }
  const error = lost();
  if (error !== null) throw error;
}

function checkTls(tls: TlsOptions): void {
  if (Object.keys(tls).length === 0) return;
  try {
    // Node's types know no readonly arrays.
    createSecureContext(tls as ConnectionOptions);
  } catch (error) {
    throw new InvalidArgumentError('tls', 'has a certificate or a key that cannot be read', error);
  }
}

function readProxy(address: string): Proxy {
  const url = URL.canParse(address) ? new URL(address) : null;
  // The address may hold a password.
  if (url?.protocol !== 'http:') throw new InvalidArgumentError('proxy', 'must begin with http://');
  const { username, password } = url;
  if (username === '') return { url, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  const basic = Buffer.from(pair).toString('base64');
  return { url, headers: { 'proxy-authorization': `Basic ${basic}` } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The message of the error would be the password.
    throw new InvalidArgumentError('proxy', 'has a percent sign that is not written as %25');
  }
}

/** Reads a list such as `localhost,.bank.example,10.0.0.7`; `*` stands for every host. */
function directHosts(list: string): (host: string) => boolean {
  const names = list
    .split(/[\s,]+/)
    .map((name) => name.toLowerCase().replace(/^\*?\./, ''))
    .filter((name) => name !== '');
  return (hostname) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    return names.some((name) => name === '*' || host === name || host.endsWith(`.${name}`));
  };
}

/** Connections to `https` hosts through a proxy (RFC 9110 §9.3.6). */
class Tunnels extends https.Agent {
  readonly #proxy: Proxy;
  readonly #tls: ConnectionOptions;

  constructor(proxy: Proxy, tls: ConnectionOptions & https.AgentOptions) {
    super(tls);
    this.#proxy = proxy;
    this.#tls = tls;
  }

  override createConnection(
    { host, port, ended }: https.RequestOptions & { readonly ended?: AbortSignal },
    done?: (error: Error | null, socket: Duplex) => void,
  ): null {
    const name = host ?? '';
    const place = `${isIP(name) === 6 ? `[${name}]` : name}:${port ?? 443}`;
    const { url, headers } = this.#proxy;
    const opening = http.request(`http://${url.host}`, {
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...headers },
      agent: false,
    });
    // The types want a socket beside an error; Node takes none then.
    const fail = (error: Error): void => done?.(error, undefined as unknown as Duplex);
    opening.on('error', fail);
    const end = (): void => void opening.destroy(new Error('the request was ended'));
    ended?.addEventListener('abort', end, { once: true });
    opening.on('connect', ({ statusCode = 0 }, socket) => {
      ended?.removeEventListener('abort', end);
      if (statusCode === 200) {
        const servername = isIP(name) === 0 ? { servername: name } : {};
        done?.(null, connect({ ...this.#tls, socket, host: name, ...servername }));
        return;
      }
      socket.destroy();
      const advice = statusCode === 407 ? `: ${PROXY_WANTS}` : '';
      const refused = new Error(`the proxy answered with status ${statusCode}${advice}`);
      fail(Object.assign(refused, { code: PROXY_REFUSED }));
    });
    opening.end();
    return null;
  }
}
