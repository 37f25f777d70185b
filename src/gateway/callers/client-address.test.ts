import fc from 'fast-check';
import t from 'tap';
import { addressText, isNetwork, TrustedProxies } from './client-address.ts';

t.test('only a trusted proxy can name the client', async (t) => {
  const none = new TrustedProxies([]);
  t.equal(none.clientOf('10.0.0.1', '203.0.113.9'), '10.0.0.1');
  const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::/32']);
  const cases: readonly (readonly [
    peer: string,
    forwarded: string,
    client: string,
    why: string,
  ])[] = [
    ['10.0.0.1', '203.0.113.9', '203.0.113.9', 'one proxy'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1', 'a foreign peer'],
    ['10.0.0.1', '', '10.0.0.1', 'a proxy without the header'],
    ['10.0.0.1', '203.0.113.9, 10.2.0.1', '203.0.113.9', 'two proxies'],
    ['10.0.0.1', '198.51.100.7, 203.0.113.9', '203.0.113.9', 'the client wrote the first'],
    ['10.0.0.1', '10.0.0.9, 10.0.0.8', '10.0.0.9', 'a client in the same network'],
    [
      '10.0.0.1',
      '203.0.113.9, unknown',
      '10.0.0.1',
      'an entry that is not an address ends the list',
    ],
    ['10.0.0.1', '203.0.113.9:51234', '203.0.113.9', 'with a port'],
    ['2001:db8::1', '[2001:DB9:0:0::5]:443', '2001:db9::5', 'IPv6 in brackets'],
    ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9', 'IPv4 in IPv6'],
    ['10.0.0.1', 'fe80::1%eth0', '10.0.0.1', 'a zone'],
    ['', '203.0.113.9', '', 'a Unix socket that is not trusted'],
  ];
  for (const [peer, forwarded, client, why] of cases) {
    t.equal(proxies.clientOf(peer, forwarded), client, why);
  }
  t.equal(new TrustedProxies(['unix']).clientOf('', '203.0.113.9'), '203.0.113.9');
});

t.test('the result is the address that the proxy saw, whatever the client writes', async (t) => {
  const proxies = new TrustedProxies(['10.0.0.0/8']);
  fc.assert(
    fc.property(fc.string(), (forged) => {
      const client = proxies.clientOf('10.0.0.1', `${forged}, 203.0.113.9`);
      return client === '203.0.113.9';
    }),
  );
  t.pass();
});

t.test('each address has a single canonical text', async (t) => {
  t.equal(addressText(Uint8Array.of(127, 0, 0, 1)), '127.0.0.1');
  t.equal(addressText(new Uint8Array(16).fill(1, 15)), '::1');
  const mapped = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 7);
  t.equal(addressText(mapped), '192.0.2.7');
  t.equal(addressText(new Uint8Array(0)), '');
});

t.test('networks', async (t) => {
  for (const good of ['10.0.0.0/8', '10.1.2.3', '::1', 'fd00::/8', 'unix', '0.0.0.0/0']) {
    t.ok(isNetwork(good), good);
  }
  for (const bad of ['', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'proxy', '10.0.0.0/8/8', '1/']) {
    t.notOk(isNetwork(bad), bad);
  }
});
