import t from 'tap';
import { toExpiry, toTime } from './time.ts';

t.test('a time without a zone is UTC, whatever the zone of the machine', async (t) => {
  const zone = process.env['TZ'];
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  process.env['TZ'] = 'Asia/Bangkok';
  t.not(new Date('2026-11-21T08:00').getTime(), Date.UTC(2026, 10, 21, 8), 'the zone is in force');
  for (const [text, ms] of [
    ['2026-11-21', Date.UTC(2026, 10, 21)],
    ['2026-11-21T08:00', Date.UTC(2026, 10, 21, 8)],
    ['2026-11-21 08:00:09', Date.UTC(2026, 10, 21, 8, 0, 9)],
    ['2026-11-21T08:00:09.125', Date.UTC(2026, 10, 21, 8, 0, 9, 125)],
    ['2026-11-21t08:00z', Date.UTC(2026, 10, 21, 8)],
    ['2026-11-21T08:00:00+07:00', Date.UTC(2026, 10, 21, 1)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
  ] as const) {
    t.equal(toTime(text), ms, text);
  }
});

t.test('a text that is not a time is refused', async (t) => {
  const wrong = [
    '',
    'yesterday',
    '2026',
    '2026-11',
    '2026-13-01',
    '2026-02-30',
    '2026-11-21T25:00',
  ];
  const more = ['2026-11-21T08', '2026-11-21T08:00 +07:00', '2026-11-21T08:00+25', '21/11/2026'];
  for (const text of [...wrong, ...more])
    t.throws(() => toTime(text), /is not an ISO 8601 time/, text);
});

t.test('an expiry is a number of days or a future time', async (t) => {
  const nowMs = Date.UTC(2026, 10, 21);
  t.equal(toExpiry('90d', nowMs), nowMs + 90 * 86_400_000);
  t.equal(toExpiry('2026-11-22', nowMs), Date.UTC(2026, 10, 22));
  for (const text of ['2026-11-21', '2026-11-20T23:59']) {
    t.throws(() => toExpiry(text, nowMs), /has passed/, text);
  }
  for (const text of ['', '0d', '90', 'd', '-1d', '100000d', 'soon', '2026-02-30']) {
    t.throws(() => toExpiry(text, nowMs), { name: 'UsageError' }, text);
  }
});
