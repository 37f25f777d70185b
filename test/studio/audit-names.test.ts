import t from 'tap';
import { principalNamed } from '../../studio/src/audit/named.ts';

const KNOWN = [
  ['user:somchai', 'Somchai Jaidee'],
  ['user:anong', 'Anong'],
  ['user:mali', 'Mali'],
  ['user:mali2', 'mali'],
  ['key:77', 'Core banking'],
] as const;

t.test('a name stands for its identifier when it is unique', async (t) => {
  const texts: readonly (readonly [typed: string, asked: string])[] = [
    ['somchai jaidee', 'user:somchai'],
    ['CORE BANKING', 'key:77'],
    // An identifier stays what it is, even if it is the name of others, too.
    ['mali', 'mali'],
    ['user:anong', 'user:anong'],
    ['Mali', 'Mali'],
    ['Somchai', 'Somchai'],
    ['', ''],
  ];
  for (const [typed, asked] of texts) t.equal(principalNamed(typed, KNOWN), asked, typed);
});
