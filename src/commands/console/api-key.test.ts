import t from 'tap';
import { readCaller } from './api-key.ts';
import { UsageError } from './failure.ts';

const KEY = 'itg_1';

function urlOf(url: string): string {
  return readCaller({ url, key: KEY }).url;
}

function refusal(url: string, key = KEY): string {
  try {
    return readCaller({ url, key }).url;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.message;
  }
}

t.test('an address is read as a browser reads it, and may have a prefix', async (t) => {
  t.equal(urlOf('HTTP://127.0.0.1:8080/'), 'http://127.0.0.1:8080');
  t.equal(urlOf('https://Bank.example/pdf//'), 'https://bank.example/pdf');
  t.equal(urlOf('https://bank.example/v1x'), 'https://bank.example/v1x');
});

t.test('what cannot be called is refused with the address that is meant', async (t) => {
  const meant = 'is an address within the service: give https://bank.example';
  for (const within of [
    '/v1',
    '/v1/generate',
    '/studio/',
    '/docs',
    '/openapi.json',
    '?a=1',
    '/#b',
  ]) {
    const url = `https://bank.example${within}`;
    t.equal(refusal(url), `--url "${url}" ${meant}`);
  }
  t.match(refusal('https://bank.example/pdf/v1'), /give https:\/\/bank\.example\/pdf$/);
  t.match(refusal('bank.example:8080'), /such as http:\/\/bank\.example:8080$/);
  t.match(refusal('https://bank.example', 'a b'), /has a blank/);
  t.match(refusal('https://bank.example', ''), /^needs an API key/);
});
