import t from 'tap';
import { typedUserFault } from './typed-user.ts';

t.test('an id with a blank, or what is no mail address, is refused with the place', async (t) => {
  const cases: readonly (readonly [string, string | undefined, RegExp | null])[] = [
    ['somchai', undefined, null],
    ['somchai@bank.example', '', null],
    ['สมชาย', 'somchai@bank.example', null],
    ['auth0|5f7c', 'a.b+c@intern', null],
    ['som chai', undefined, /^userId has a blank at character 4\. .*displayName/],
    ['\u{1F9FE}som\u00A0chai', undefined, /^userId has a blank at character 5\./],
    [' somchai', undefined, /^userId has a blank at character 1\./],
    ['somchai', 'x', /^email has no @\. Write it as in somchai@bank\.example/],
    ['somchai', '@bank.example', /^email has nothing before its @/],
    ['somchai', 'somchai@', /^email has no domain/],
    ['somchai', 'som chai@bank.example', /^email has a blank at character 4/],
    ['somchai', 'a@b@c', /^email has more than one @/],
    ['somchai', `${'x'.repeat(255)}@b`, /^email has more than 255 characters/],
  ];
  for (const [userId, email, expected] of cases) {
    const fault = typedUserFault({ userId, email });
    const name = JSON.stringify([userId, email?.slice(0, 30)]);
    if (expected === null) t.equal(fault, null, name);
    else t.match(fault, expected, name);
  }
});
