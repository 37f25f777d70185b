import { once } from 'node:events';
import { connect, type ConnectionOptions } from 'node:tls';
import t from 'tap';

import { noPool, startTestService } from '../../lab/service/gateway.ts';
import { Authority } from '../../test/sign/authority.ts';
import { temporaryFolder } from '../../test/store/dialects.ts';

const KEYS = {
  RSA: ['rsa:2048'],
  ECDSA: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
} as const;
/** Without forward secrecy, or with a cipher in CBC mode. */
const WEAK = [
  'AES128-SHA',
  'AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-RSA-AES256-SHA384',
  'ECDHE-ECDSA-AES256-SHA',
];

for (const [kind, key] of Object.entries(KEYS)) {
  t.test(`TLS 1.2 needs forward secrecy and an authenticated cipher (${kind})`, async (t) => {
    const authority = new Authority(await temporaryFolder(t));
    authority.issue('service', key, 'subjectAltName=IP:127.0.0.1');
    const tls = {
      certFile: authority.path('service.chain.pem'),
      keyFile: authority.path('service.key'),
    };
    const { gateway } = await startTestService(t, { options: { tls }, parts: { pool: noPool } });
    /** The suite that the service agrees to, or why it does not. */
    const offer = async (options: ConnectionOptions): Promise<string> => {
      const port = Number(new URL(gateway.url).port);
      const ca = authority.read('ca.pem');
      const socket = connect({ host: '127.0.0.1', port, ca, ...options });
      try {
        await once(socket, 'secureConnect');
        return socket.getCipher().name;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        return String(error.code);
      } finally {
        socket.destroy();
      }
    };
    const offer12 = (ciphers: string): Promise<string> =>
      offer({ maxVersion: 'TLSv1.2', ciphers: `${ciphers}:@SECLEVEL=0` });
    for (const suite of WEAK) t.match(await offer12(suite), /^(?:ERR_|ECONNRESET)/, suite);
    for (const cipher of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']) {
      const suite = `ECDHE-${kind}-${cipher}`;
      t.equal(await offer12(suite), suite);
    }
    t.match(await offer({ minVersion: 'TLSv1.3' }), /^TLS_/, 'TLS 1.3 has suites of its own');
  });
}
