import t from 'tap';
import { repeatedFindings } from './repeated-keys.ts';

const pathsOf = (text: string): readonly string[] => repeatedFindings(text).map(({ path }) => path);

t.test('keys that stand twice in an object are found, at any depth', async (t) => {
  t.strictSame(pathsOf('{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}'), []);
  t.strictSame(pathsOf('{"a":1,"b":2,"a":3}'), ['a']);
  t.strictSame(pathsOf('{"a":1,"a":2,"a":3}'), ['a'], 'each key once');
  t.strictSame(
    pathsOf('{"document":{"content":["x",{"text":"{{net}}","bold":true,"text":"NET"}]}}'),
    ['document.content[1].text'],
  );
  t.strictSame(pathsOf('{"odd key":{"x":[],"y":1,"x":"\\"}{"}}'), ['["odd key"].x']);
  t.strictSame(pathsOf(String.raw`{"\u0061":1,"a":"a,\"a\":\\"}`), ['a'], 'escapes are read');
  t.strictSame(pathsOf('[[{"a":[1,[2,{"b":0,"b":0}]]}]]'), ['[0][0].a[1][1].b']);
  t.strictSame(pathsOf('{"toString":1,"__proto__":2,"constructor":3}'), []);
  t.strictSame(pathsOf('"a"'), []);
  t.equal(
    pathsOf(`{${Array.from({ length: 900 }, (_, k) => `"k${k >> 1}":0`).join()}}`).length,
    100,
  );
});

t.test('the message names the key', async (t) => {
  t.strictSame(repeatedFindings('{"a":{"to":1,"to":2}}'), [
    {
      severity: 'warning',
      path: 'a.to',
      message: 'The key “to” is written twice in this object: only the last one counts.',
    },
  ]);
});
