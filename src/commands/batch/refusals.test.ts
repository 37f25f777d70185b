import t from 'tap';
import { describeRefusals } from './refusals.ts';

t.test('a limit of the key is not called a busy service', async (t) => {
  t.strictSame(describeRefusals({ overLimit: 0, busy: 0 }), []);
  const [limit, ...others] = describeRefusals({ overLimit: 6, busy: 0 });
  t.match(limit, /^The rate limit refused 6 requests/);
  t.strictSame(others, []);
  t.strictSame(describeRefusals({ overLimit: 0, busy: 1 }), [
    'The service was busy 1 time; those requests were sent again.',
  ]);
  t.equal(describeRefusals({ overLimit: 1, busy: 2 }).length, 2);
});
