import { BlockList, isIP } from 'node:net';

/** Limit of the proxies that a request is traced back through. */
const PROXIES_MAX = 32;
/** Stands for every process that may write to the Unix socket, in place of an address. */
const UNIX = 'unix';

/**
 * The proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted; other clients can put
 * anything into these headers.
 */
export class TrustedProxies {
  readonly #networks = new BlockList();
  readonly #trustsSocket: boolean;
  /** No proxy is trusted, so the headers are ignored. */
  readonly isEmpty: boolean;

  /** `networks`: addresses, networks as in `10.0.0.0/8`, and `unix`, as `isNetwork` accepts them. */
  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0;
    this.#trustsSocket = networks.includes(UNIX);
    for (const network of networks) {
      if (network === UNIX) continue;
      const [address = '', bits] = network.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(bits), family);
    }
  }

  /** Whether the other end of a connection, '' on a Unix socket, is a trusted proxy. */
  trusts(peer: string): boolean {
    if (this.isEmpty) return false;
    if (peer === '') return this.#trustsSocket;
    return this.#networks.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * The address of the client. Each proxy appends the address of its caller, so the list is read from
   * the end; the first address that no trusted proxy has is the client's. An entry that is not an
   * address ends the list: the proxy that passed it on is then taken for the client.
   */
  clientOf(peer: string, forwardedFor: string): string {
    if (!this.trusts(peer) || forwardedFor === '') return peer;
    let client = peer;
    for (const entry of forwardedFor.split(',').slice(-PROXIES_MAX).toReversed()) {
      const address = addressOf(entry.trim());
      if (address === '') break;
      client = address;
      if (!this.trusts(address)) break;
    }
    return client;
  }
}

/** An address or a network that `TrustedProxies` accepts. */
export function isNetwork(text: string): boolean {
  if (text === UNIX) return true;
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
  );
}

/** The canonical address without brackets and port; '' when the entry is not an address. */
function addressOf(entry: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1];
  const text = bracketed ?? entry.replace(/^([\d.]+):\d+$/, '$1');
  const version = isIP(text);
  if (version === 4) return text;
  // A zone has a meaning only on the machine that wrote it.
  return version === 6 && !text.includes('%') ? canonical(text) : '';
}

/** The text of an address of 4 or 16 bytes; '' for none, as on a Unix socket. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return '';
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  }
  return canonical(groups.join(':'));
}

/**
 * The canonical form of an IPv6 address (RFC 5952); IPv4 for a mapped IPv4 address (RFC 4291
 * §2.5.5.2), which dual-stack sockets report.
 */
function canonical(address: string): string {
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
