import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import t, { type Test } from 'tap';

import { Intaglio } from '../../clients/node/src/index.ts';
import { Service } from '../../src/commands/console/service.ts';
import { HOME } from '../../lab/home.ts';
import { PYTHON_ENV, runProgram, withoutPython } from './programs.ts';

const skip = withoutPython();
const DOCUMENT = '01a1f4a2-7b00-7000-8a9d-0123456789ab';
const PYTHON = `
import sys
from intaglio_client import Intaglio, NoAnswerError
try:
    Intaglio(url=sys.argv[1], api_key="ik_x").document("${DOCUMENT}")
except NoAnswerError as error:
    print(error)
`;

interface Refused {
  /** Words of OpenSSL's command line that make the certificate. */
  readonly made: readonly string[];
  readonly cause: RegExp;
  /** What Node is to be told; Python has its own variable. */
  readonly mend: RegExp;
  readonly python: RegExp;
  /** Whether the clients know the authority. */
  readonly isKnown?: boolean;
}

const SAN = 'subjectAltName=IP:127.0.0.1';
const REFUSED: Readonly<Record<string, Refused>> = {
  'self-signed': {
    made: ['-days', '30', '-addext', SAN],
    cause: /self-signed/,
    mend: /NODE_EXTRA_CA_CERTS/,
    python: /self-signed.*SSL_CERT_FILE/,
  },
  'of an unknown authority': {
    made: ['-days', '30', '-addext', SAN, '-CA', 'ca.pem', '-CAkey', 'ca.key'],
    cause: /no authority that .* knows/,
    mend: /authority's certificate \(PEM\) in NODE_EXTRA_CA_CERTS/,
    python: /no authority that Python knows.*SSL_CERT_FILE/,
  },
  'of another name': {
    made: [
      '-days',
      '30',
      '-addext',
      'subjectAltName=DNS:bank.example',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
    ],
    cause: /for another name/,
    mend: /a name that stands in it|one that stands in it/,
    python: /for another name/,
    isKnown: true,
  },
};

/** A server with such a certificate, and how often a client tried to connect. */
async function serve(t: Test, { made, isKnown = false }: Refused) {
  const folder = t.testdir();
  const openssl = (...words: readonly string[]): void => {
    const done = spawnSync('openssl', words, { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
  };
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA', '-days', '30');
  openssl(...key, '-keyout', 'own.key', '-out', 'own.pem', '-subj', '/CN=own', ...made);
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const server = createServer({ key: read('own.key'), cert: read('own.pem') });
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const before = getCACertificates();
  if (isKnown) setDefaultCACertificates([...before, read('ca.pem').toString()]);
  t.teardown(() => setDefaultCACertificates(before));
  const environment = { ...PYTHON_ENV, ...(isKnown && { SSL_CERT_FILE: join(folder, 'ca.pem') }) };
  return { environment, url: `https://127.0.0.1:${port}`, count: () => connections };
}

for (const [name, refused] of Object.entries(REFUSED)) {
  t.test(`a certificate ${name} is told with what helps, at the first try`, async (t) => {
    const { url, count } = await serve(t, refused);
    const caller = { url, apiKey: 'ik_x' };
    const service = new Service(caller, { concurrency: 1, warn: () => undefined });
    t.teardown(() => service.close());
    const called = service.ask((client) => client.runs.list());
    const error = await called.then(
      () => new Error('answered'),
      (one: Error) => one,
    );
    t.match(error.message, refused.cause, 'commands');
    t.match(error.message, refused.mend, 'commands');
    t.equal(count(), 1);

    const kit = new Intaglio({ url, apiKey: 'ik_x' });
    const lost = await kit.document(DOCUMENT).then(
      () => new Error('answered'),
      (one: Error) => one,
    );
    t.match(lost.message, refused.cause, 'the package for Node');
    t.match(lost.message, refused.mend, 'the package for Node');
    t.equal(count(), 2);
  });

  t.test(`a certificate ${name} is told by the package for Python`, { skip }, async (t) => {
    const { url, count, environment } = await serve(t, refused);
    const { out } = await runProgram('python3', HOME, ['-c', PYTHON, url], environment);
    t.match(out, refused.python);
    t.equal(count(), 1);
  });
}
