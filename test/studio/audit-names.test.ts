import t from 'tap';
import { principalNamed, principalsNamed } from '../../studio/src/audit/named.ts';

const KNOWN = [
  ['user:somchai', 'Somchai Jaidee'],
  ['user:anong', 'Anong'],
  ['user:mali', 'Mali'],
  ['user:mali2', 'mali'],
  ['user:p.somjai', 'Preecha Somjai'],
  ['user:s1', 'Somjai Dee'],
  ['user:s2', 'Somjai'],
  ['user:th1', 'ปรีชา สมใจ'],
  ['key:77', 'Core banking'],
] as const;

t.test('a name, or a part of it, stands for its identifier when it is unique', async (t) => {
  const texts: readonly (readonly [typed: string, asked: string])[] = [
    ['somchai jaidee', 'user:somchai'],
    ['CORE BANKING', 'key:77'],
    ['Preecha', 'user:p.somjai'],
    ['somjai  pre', 'user:p.somjai'],
    ['jaidee', 'user:somchai'],
    ['ปรีชา', 'user:th1'],
    // The whole name of one, though others have it as a part.
    ['Somjai', 'user:s2'],
    // An identifier stays what it is, even if it is the name of others, too.
    ['mali', 'mali'],
    ['user:anong', 'user:anong'],
    ['Mali', 'Mali'],
    ['Som', 'Som'],
    ['chai', 'chai'],
    ['', ''],
    [' ', ' '],
  ];
  for (const [typed, asked] of texts) t.equal(principalNamed(typed, KNOWN), asked, typed);
});

function ids(text: string): readonly string[] {
  return principalsNamed(text, KNOWN).map(([id]) => id);
}

t.test('all whom a part of a name can mean are offered', async (t) => {
  t.strictSame(ids('Som'), ['user:somchai', 'user:p.somjai', 'user:s1', 'user:s2']);
  t.strictSame(ids('Mali'), ['user:mali', 'user:mali2']);
  t.strictSame(ids('anong'), [], 'an identifier means one');
  t.strictSame(ids('nobody'), []);
});
