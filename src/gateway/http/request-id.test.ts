import t from 'tap';
import { makeRequestId } from './request-id.ts';

/** More than are made at a time, and more than the random bytes of one draw suffice for. */
const COUNT = 5_000;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

t.test('request ids are distinct random UUIDs', async (t) => {
  const ids = Array.from({ length: COUNT }, makeRequestId);
  t.same(
    ids.filter((id) => !UUID_V4.test(id)),
    [],
    'RFC 9562',
  );
  t.equal(new Set(ids).size, COUNT);
  // Four hyphens and the version are fixed; the variant digit has four values.
  const varied = Array.from(
    { length: 36 },
    (_, i) => new Set(ids.map((id) => id.charAt(i))).size,
  ).map((values) => (values === 16 ? 'x' : String(values)));
  t.equal(varied.join(''), 'xxxxxxxx1xxxx11xxx14xxx1xxxxxxxxxxxx', 'every other digit is random');
});
