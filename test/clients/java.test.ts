import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { typesOfJava } from '../../lab/pages/client-types-java.ts';
import { serveLetter } from '../fixtures/letter.ts';
import { HOME } from '../../lab/home.ts';
import { conform } from './conformance/judge.ts';
import { adapterOf } from './conformance/programs.ts';
import { recordText, serveDescription } from './described-api.ts';
import { makeCertificates } from './make-certificates.ts';
import { buildJava, JAR, javaArgs, runProgram, withoutJava } from './programs.ts';

const KIT = join(HOME, 'clients/java');
const skip = withoutJava();
const PATH = { PATH: process.env['PATH'] ?? '' };
const built = join(t.testdirName, 'built');
let classPath = '';
const java = (name: string): string[] => javaArgs(classPath, name);

t.test('its types match the schemas (npm run generate)', async (t) => {
  t.equal(readFileSync(join(KIT, 'src/intaglio/client/Api.java'), 'utf8'), typesOfJava());
});

t.test('the JDK builds it, its sources and its Javadoc without a warning', { skip }, async (t) => {
  classPath = await buildJava(built, true);
  const jars = ['', '-javadoc', '-sources'].map((end) => `${JAR}${end}.jar`);
  t.strictSame(readdirSync(join(built, 'jars')).toSorted(), jars.toSorted());
});

t.test('the table of cases', { skip }, async (t) => {
  await conform(t, adapterOf('java', java('Adapter'), PATH));
});

t.test('every operation has a method, which sends what is described', { skip }, async (t) => {
  const api = await serveDescription(t);
  const words = [...java('Everything'), api.url, t.testdir()];
  const { code, out } = await runProgram('java', HOME, words, PATH);
  t.equal(code, 0, out);
  t.strictSame(api.faults, []);
  const operations = out
    .trimEnd()
    .split('\n')
    .map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1));
  t.strictSame(Object.fromEntries(operations as [string, string][]), api.operations);
  t.strictSame(new Set(api.called), new Set(Object.keys(api.operations)));
});

t.test('documents and a run of a service, and the programs of the README', { skip }, async (t) => {
  const { url, apiKey } = await serveLetter(t);
  // The folder of the test has the files of the service.
  const folder = join(t.testdirName, 'month-end');
  mkdirSync(folder);
  const words = [...java('MonthEnd'), url, apiKey, folder];
  const { code, out } = await runProgram('java', folder, words, PATH);
  t.equal(code, 0, out);
  t.strictSame(out.trimEnd().split('\n'), [
    'documents 8',
    'Uploaded[sent=1, skipped=0, others=0]',
    'Uploaded[sent=0, skipped=1, others=0]',
    'checked 30',
    'done 30 []',
    // Each row has a line feed inside quotes.
    'lines 2 to 60',
    'invalid 0',
    'prints 3',
    'print is true',
    'index 10',
    'zip true',
  ]);
  for (const name of readdirSync(folder).filter((one) => one !== 'rows.csv')) {
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
  await runReadme(t, url, apiKey);
});

/** The programs in the README, as they stand. */
async function runReadme(t: Test, url: string, apiKey: string): Promise<void> {
  const text = readFileSync(join(KIT, 'README.md'), 'utf8');
  const programs = [...text.matchAll(/^```java\n(.*?public class (\w+).*?)^```$/gms)];
  const folder = join(t.testdirName, 'readme');
  mkdirSync(folder);
  const told: Record<string, string> = {};
  for (const [, program = '', name = ''] of programs) {
    t.ok(program.trimEnd().split('\n').length <= 25);
    writeFileSync(join(folder, `${name}.java`), program);
    const words = [...javaArgs(classPath), `${name}.java`];
    const done = await runProgram('java', folder, words, { ...PATH, URL: url, KEY: apiKey });
    t.equal(done.code, 0, done.out);
    told[name] = done.out;
  }
  const { First = '', Many = '', October = '' } = told;
  t.match(First, /^letter\.pdf has \d+ bytes\ncustomer: required\ntotal: number expected\n$/);
  t.match(readFileSync(join(folder, 'letter.pdf'), 'latin1'), /^%PDF-/);
  t.equal(new Set(Many.trimEnd().split('\n')).size, 20);
  t.match(October, /^2 stored\ndone\n$/m);
  t.match(readFileSync(join(folder, 'october.zip'), 'latin1'), /^PK/);
}

/** Starts a server and returns its port and how many connections it had. */
async function listening(t: Test, server: Server): Promise<{ port: number; count: () => number }> {
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  // A server that listens on TCP has such an address.
  return { port: (server.address() as AddressInfo).port, count: () => connections };
}

t.test('certificates of server and client, and a proxy', { skip }, async (t) => {
  const folder = t.testdir();
  const read = makeCertificates(folder);
  const serve = async (name: string, more: ServerOptions = {}): ReturnType<typeof listening> => {
    const options = { key: read(`${name}.key`), cert: read(`${name}.pem`), ...more };
    const server = createServer(options, (_, response) => response.end(recordText('d-1')));
    return listening(t, server);
  };
  const other = await serve('other');
  const mutual = await serve('own', { ca: read('ca.pem'), requestCert: true });
  const asked: string[] = [];
  const proxy = await listening(
    t,
    createProxy((request, response) => {
      asked.push(request.url ?? '');
      response.end(recordText('d-2'));
    }),
  );
  const urls = [`https://127.0.0.1:${other.port}`, `https://127.0.0.1:${mutual.port}`];
  const words = [...java('Reach'), folder, ...urls, `http://127.0.0.1:${proxy.port}`];
  const { code, out } = await runProgram('java', folder, words, PATH);
  t.equal(code, 0, out);
  t.match(out, /^unknown: no answer .* after 1 try: no authority that Java knows.*sslContext$/m);
  t.match(out, /^name: no answer .* after 1 try: .* is for another name/m);
  t.match(out, /^mutual: d-1$/m);
  t.match(out, /^without: no answer from .* after 1 try: the connection was cut/m);
  t.match(out, /^proxy: d-2$/m);
  t.equal(other.count(), 2, 'a certificate that is refused is not tried again');
  t.strictSame(asked, ['http://documents.bank.example/v1/documents/d-2']);
});

t.test(
  'a thread is interrupted after a call only if its owner interrupted it',
  { skip },
  async (t) => {
    const server = createProxy((request, response) => {
      if (request.url?.endsWith('/never') === true) return;
      setTimeout(() => response.end(recordText('d-1')), 2);
    });
    const { port } = await listening(t, server);
    const words = [...java('Interrupts'), `http://127.0.0.1:${port}`];
    const { code, out } = await runProgram('java', HOME, words, PATH);
    t.equal(code, 0, out);
    t.strictSame(
      out
        .trimEnd()
        .split('\n')
        .filter((line) => !line.endsWith(' cancelled')),
      [
        'interruption: CancelledException, interrupted true',
        'cancellation: CancelledException, interrupted false',
        'time limit: CancelledException, interrupted false',
        'silence: NoAnswerException, interrupted false',
        'races: interrupted 0',
        'then: d-1',
      ],
    );
    t.comment(out);
  },
);
