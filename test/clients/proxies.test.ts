import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { Intaglio } from '../../clients/node/src/index.ts';
import { HOME } from '../../lab/home.ts';
import { recordText } from './described-api.ts';
import { PYTHON_ENV, runProgram, withoutPython } from './programs.ts';

const skip = withoutPython();
const NAME = `Basic ${Buffer.from('a user:p:ss').toString('base64')}`;
const PYTHON = `
import ssl, sys
from intaglio_client import Intaglio, IntaglioError
url, proxy, ca = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
with Intaglio(url, "ik_x", proxy=proxy, context=context) as client:
    for _ in range(2):
        try:
            print(client.document("d-1")["documentId"])
        except IntaglioError as error:
            print(error)
`;

async function listen(t: Test, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  // A server that listens on TCP has such an address.
  return (server.address() as AddressInfo).port;
}

/** A service with TLS, and a proxy that opens tunnels to it for those who say name and password. */
async function serve(t: Test) {
  const folder = t.testdir();
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'];
  const files = ['-keyout', 'own.key', '-out', 'own.pem', '-subj', '/CN=own'];
  const more = ['-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...files, ...more], { cwd: folder });
  t.equal(made.status, 0, made.stderr.toString());
  const cert = readFileSync(join(folder, 'own.pem'));
  const key = readFileSync(join(folder, 'own.key'));
  const service = createServer({ key, cert }, (_, response) => {
    response.end(recordText('d-1'));
  });
  const url = `https://127.0.0.1:${await listen(t, service)}`;
  const asked: string[] = [];
  const proxy = createProxy();
  proxy.on('connect', ({ url: place = '', headers }, socket) => {
    asked.push(place);
    if (headers['proxy-authorization'] !== NAME) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = connect(Number(place.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  const at = `127.0.0.1:${await listen(t, proxy)}`;
  return { url, asked, cert, caFile: join(folder, 'own.pem'), at, place: url.slice(8) };
}

t.test('Node: TLS goes through a tunnel of the proxy, which is used again', async (t) => {
  const { url, asked, cert, at, place } = await serve(t);
  const tls = { ca: cert };
  const client = new Intaglio({ url, apiKey: 'ik_x', tls, proxy: `http://a%20user:p%3Ass@${at}` });
  for (let call = 0; call < 2; call += 1) t.equal((await client.document('d-1')).documentId, 'd-1');
  t.strictSame(asked, [place]);
  await client.close();
  const refused = new Intaglio({ url, apiKey: 'ik_x', tls, proxy: `http://${at}` });
  await t.rejects(refused.document('d'), {
    name: 'NoAnswerError',
    message:
      /after 1 try: the proxy answered with status 407: the proxy wants a name and a password/,
  });
  await t.rejects(client.document('d'), { name: 'CancelledError' }, 'it was closed');
  t.throws(() => new Intaglio({ url, apiKey: 'ik_x', proxy: 'socks://a:secret@b' }), {
    message: /^proxy must begin with http:\/\/$/,
  });
});

t.test('Python: TLS goes through a tunnel of the proxy', { skip }, async (t) => {
  const { url, asked, caFile, at, place } = await serve(t);
  const run = async (proxy: string): Promise<string> => {
    const words = ['-W', 'error', '-c', PYTHON, url, proxy, caFile];
    return (await runProgram('python3', HOME, words, PYTHON_ENV)).out;
  };
  t.equal(await run(`http://a%20user:p%3Ass@${at}`), 'd-1\nd-1\n');
  t.strictSame(asked, [place]);
  t.match(
    await run(`http://${at}`),
    /after 1 try: the proxy answered with status 407: the proxy wants/,
  );
});
