import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Integer } from 'asn1js';
import { PKIStatus, PKIStatusInfo, ContentInfo, TimeStampReq, TimeStampResp } from 'pkijs';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { readSigners } from '../../src/sign/signers.ts';
import { createSigning } from '../../src/sign/signing.ts';
import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { Authority } from './authority.ts';
import { crlOf, issueAll } from './foreign/certificates.ts';
import { tokenOver } from './foreign/cms-maker.ts';

/** Time stamps that the service takes into its signatures, and whom it asks about certificates. */

const authority = new Authority(t.testdir());
issueAll(authority);
const made = ['-in', 'p256.pem', '-certfile', 'ca.pem', '-out', 'p256.p12'];
execFileSync(
  'openssl',
  ['pkcs12', '-export', '-inkey', 'p256.key', ...made, '-passout', 'file:password'],
  { cwd: authority.folder, stdio: 'pipe' },
);
mkdirSync(authority.path('stranger'));
const stranger = new Authority(authority.path('stranger'));

/** Counts requests to a host that only a stranger's certificate names. */
const asked: string[] = [];
const inside = await listening(t, (url) => {
  asked.push(url);
  return Buffer.from('nothing');
});
issueAll(stranger, [
  { name: 'rsa', algorithm: ['rsa:2048'] },
  {
    name: 'tsa',
    keyOf: 'rsa',
    extensions:
      `extendedKeyUsage=critical,timeStamping\nauthorityInfoAccess=OCSP;URI:${inside}\n` +
      `crlDistributionPoints=URI:${inside}x.crl`,
  },
]);
writeFileSync(authority.path('stranger.pem'), stranger.read('ca.pem'));
writeFileSync(authority.path('strange-tsa.pem'), stranger.read('tsa.pem'));

type Answer = (url: string, body: Buffer) => Buffer;

async function listening(t: Test, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => response.end(answer(request.url ?? '', Buffer.concat(parts))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Stamps {
  readonly by?: Authority;
  readonly name?: string;
  readonly aheadMs?: number;
  readonly words?: readonly string[];
}

/** A time-stamp authority that answers the request with a token of this kind. */
async function stamps(t: Test, kind: Stamps): Promise<string> {
  const { by = authority, name = 'tsa', aheadMs = 0, words = [] } = kind;
  return listening(t, (_url, body) => {
    const query = TimeStampReq.fromBER(new Uint8Array(body));
    const hash = new Uint8Array(query.messageImprint.hashedMessage.getValue());
    const nonce = new Integer({
      valueHex: query.nonce?.valueBlock.valueHexView ?? new Uint8Array(),
    });
    const token = tokenOver(by, name, hash, { atMs: Date.now() + aheadMs, nonce, words });
    const timeStampToken = ContentInfo.fromBER(new Uint8Array(token));
    const response = new TimeStampResp({
      status: new PKIStatusInfo({ status: PKIStatus.granted }),
      timeStampToken,
    });
    return Buffer.from(response.toSchema().toBER(false));
  });
}

const TEMPLATE = shareTemplate(sampleTemplate({}));

/** Signs with an entry; the outcome's code and the reason in the log. */
async function attempt(more: object): Promise<string> {
  const path = authority.path('signers.json');
  const bank = { pkcs12: 'p256.p12', passwordFile: 'password', timeoutMs: 60_000, ...more };
  writeFileSync(path, JSON.stringify({ teams: { bank } }));
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const signing = createSigning(await readSigners(path), log);
  const signature = { isAsked: true, ...signing.offerFor('bank') };
  const { pdf, signature: place } = await render(TEMPLATE, SAMPLE_DATA, { signature });
  const outcome = await signing.sign('bank', pdf, place ?? { from: 0, to: 0, catalogAt: 0 });
  return outcome.ok ? 'signed' : `${outcome.code}: ${lines.join('')}`;
}

const DAY_MS = 24 * 3_600_000;

t.test('a time stamp must be one that every reader believes', async (t) => {
  const cases: [Stamps, RegExp][] = [
    [{}, /^signed$/],
    [{ aheadMs: -60_000 }, /^signed$/],
    [{ name: 'web' }, /signing_unavailable.*not for time stamps/],
    [{ name: 'p384' }, /signing_unavailable.*not for time stamps/],
    [{ name: 'tsa-loose' }, /signing_unavailable.*not for time stamps/],
    [{ name: 'tsa-expired' }, /signing_unavailable.*not valid at the time/],
    [{ aheadMs: 100 * DAY_MS }, /signing_unavailable.*another time than the present/],
    [{ aheadMs: -600_000 }, /signing_unavailable.*another time than the present/],
    [{ by: stranger }, /signing_unavailable.*unknown: add it to .*timeStampAuthorities/],
  ];
  for (const [kind, wanted] of cases) {
    t.match(await attempt({ timeStampUrl: await stamps(t, kind) }), wanted, JSON.stringify(kind));
  }
  const timeStampUrl = await stamps(t, { by: stranger });
  t.equal(await attempt({ timeStampUrl, timeStampAuthorities: 'stranger.pem' }), 'signed');
});

t.test('a signer without known certificates needs those of the authority', async (t) => {
  const words = ['pkcs12', '-export', '-inkey', 'p256.key', '-in', 'p256.pem', '-out', 'alone.p12'];
  execFileSync('openssl', [...words, '-passout', 'file:password'], {
    cwd: authority.folder,
    stdio: 'pipe',
  });
  const alone = { pkcs12: 'alone.p12', timeStampUrl: 'http://127.0.0.1:1/' };
  t.match(await attempt(alone).catch(String), /timeStampAuthorities: name the certificates/);
});

t.test('only addresses of certificates that lead to known ones are asked', async (t) => {
  crlOf(authority, []);
  const files = ['x.crl.der'];
  // The answer carries certificates of a stranger beside those of the authority.
  const words = ['-certfile', 'strange-tsa.pem', '-certfile', 'stranger.pem'];
  const timeStampUrl = await stamps(t, { words });
  t.equal(await attempt({ timeStampUrl, longTerm: { files } }), 'signed');
  t.strictSame(asked, []);
  // A known authority is asked, unless the list of hosts leaves it out.
  const known = {
    timeStampUrl: await stamps(t, { by: stranger }),
    timeStampAuthorities: 'stranger.pem',
  };
  t.match(
    await attempt({ ...known, longTerm: { files, hosts: ['ocsp.bank.example'] } }),
    /no source/,
  );
  t.strictSame(asked, []);
  t.match(await attempt({ ...known, longTerm: { files, hosts: ['127.0.0.1'] } }), /no source/);
  t.ok(asked.length > 0);
});
