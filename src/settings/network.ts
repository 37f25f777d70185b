import { isAbsolute } from 'node:path';

import { isNetwork } from '../gateway/callers/client-address.ts';
import { integer, isHttpUrl, isPlain, type Setting, textMatching } from './setting.ts';

const UNIX = 'unix:';
/** Maximum length of the path of a Unix socket on Linux. */
const SOCKET_PATH_BYTES_MAX = 107;

const socketMode: Setting<number> = {
  variable: 'INTAGLIO_SOCKET_MODE',
  unit: '',
  preset: '660',
  allowed: 'three octal digits',
  help: 'Permissions of the Unix socket.',
  secret: false,
  read: (text) => (/^[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : undefined),
  absent: () => 0o660,
};

const trustedProxies: Setting<readonly string[]> = {
  variable: 'INTAGLIO_TRUSTED_PROXIES',
  unit: '',
  preset: 'none',
  allowed: 'comma list of addresses and networks such as 10.0.0.0/8, or unix for the Unix socket',
  help: 'Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.',
  secret: false,
  read: (text) => {
    const networks = text.split(',').map((network) => network.trim());
    return networks.every(isNetwork) ? networks : undefined;
  },
  absent: () => [],
};

/** Settings that say where the service listens and how callers reach it. */
export const NETWORK = {
  host: textMatching(
    'INTAGLIO_HOST',
    '127.0.0.1',
    'address, or unix:PATH with INTAGLIO_BASE_URL',
    'Address to listen on; :: takes IPv6 and IPv4. Or a Unix socket, without a port.',
    isHost,
  ),
  port: integer('INTAGLIO_PORT', '', 8080, [0, 65_535], 'Port to listen on; 0 picks a free one.'),
  socketMode,
  tlsCertFile: textMatching(
    'INTAGLIO_TLS_CERT_FILE',
    null,
    'file',
    'Certificate chain in PEM: the service speaks HTTPS. A new file is used without a restart.',
    isPlain,
  ),
  tlsKeyFile: textMatching(
    'INTAGLIO_TLS_KEY_FILE',
    null,
    'file',
    'Private key of the certificate in PEM, without a passphrase.',
    isPlain,
  ),
  trustedProxies,
  baseUrl: textMatching(
    'INTAGLIO_BASE_URL',
    null,
    'http or https URL',
    'What callers reach the service by; links start with it. Default: the address listened on.',
    isHttpUrl,
  ),
} as const;

function isHost(text: string): boolean {
  if (!isPlain(text)) return false;
  if (!text.startsWith(UNIX)) return true;
  const path = text.slice(UNIX.length);
  return isAbsolute(path) && Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX;
}

/** The faults of network settings that lack another one that they need. */
export function networkFaults(isGiven: (variable: string) => boolean, host: string): string[] {
  const { tlsCertFile, tlsKeyFile, baseUrl } = NETWORK;
  const faults: string[] = [];
  const [cert, key] = [tlsCertFile.variable, tlsKeyFile.variable];
  if (isGiven(cert) !== isGiven(key)) {
    const [missing, given] = isGiven(cert) ? [key, cert] : [cert, key];
    faults.push(
      `${missing} is not set, which HTTPS needs beside ${given}: name the PEM file of the` +
        ` ${missing === cert ? 'certificate' : 'private key'}, or unset ${given}`,
    );
  }
  if (host.startsWith(UNIX) && !isGiven(baseUrl.variable)) {
    faults.push(
      `${baseUrl.variable} is not set, which a Unix socket needs: set the http or https URL by which` +
        ` callers reach the service, or an address in ${NETWORK.host.variable}`,
    );
  }
  return faults;
}
