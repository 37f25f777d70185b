import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import t from 'tap';
import { runAtOnce } from '../time-slice.ts';
import { checkingJson } from './syntax.ts';
import { locatingData } from '../../gateway/body/locate-data.ts';

const isJsonText = (text: Uint8Array): boolean => runAtOnce(checkingJson(text));

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function agrees(text: string): boolean {
  return isJsonText(Buffer.from(text)) === parses(text);
}

t.test('numbers, literals, strings and blanks are those of JSON.parse', async (t) => {
  const texts = [
    ['', ' ', '0', '-0', '-', '01', '-01', '1.', '.5', '1.5', '1e5', '1E+5', '1e', '1e-'],
    ['1e-0', '+1', '0x1', '1_0', 'NaN', 'Infinity', '1 2', '1,2', '--1', '0.0e0', '9'.repeat(99)],
    ['true', 'false', 'null', 'tru', 'truex', 'True', 'nul', 'nulll', 'undefined', 't'],
    ['"', '""', '"a', "'a'", '"\\', '"\\"', '"\\x41"', '"\\u12"', '"\\u12g4"', '"\\uD800"'],
    ['"\t"', '"\u007f"', '"\u2028"', '"\\/\\b\\f\\n\\r\\t\\\\\\""', '"\u0000"', '"\\u0e01ก😀"'],
    ['[', ']', '[]', '[,]', '[1,]', '[1 2]', '[[]', '[[]]', '[}', '[1}', '[]]', '[],'],
    ['{', '}', '{}', '{,}', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{1:2}', '{a:1}'],
    ['{"a":1]', '{"a":{}}', '{"a":1,"a":2}', '{"a"1}', '{}{}', '{"a":[1,{"b":[]}]}', '{"a":,}'],
    ['\ufeff{}', '\u00a01', '\v1', '\f1', ' \t\r\n1 \t\r\n', '1\u0000', '/**/1', '[1//\n]'],
  ].flat();
  t.same(
    texts.filter((text) => !agrees(text)),
    [],
  );
});

t.test('it agrees with JSON.parse on JSON, on broken JSON and on noise', async () => {
  const scrap = fc.constantFrom(...'"\\{}[],:0-1.eE+tfn \n\u0000ก'.split(''));
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 5 }),
      fc.nat(),
      fc.nat(3),
      scrap,
      (json, place, cut, insert) => {
        const from = place % (json.length + 1);
        return agrees(json) && agrees(json.slice(0, from) + insert + json.slice(from + cut));
      },
    ),
    { numRuns: 2_000 },
  );
  const noise = fc.array(
    fc.constantFrom(
      ...'"\\{}[],:01-.eE+u '.split(''),
      '"a":',
      '{"',
      'null',
      'true',
      '\\u0041',
      '[1]',
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(noise, (parts) => agrees(parts.join(''))),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      return !isUtf8(bytes) || isJsonText(bytes) === parses(Buffer.from(bytes).toString());
    }),
  );
});

t.test('a million levels of nesting are accepted', async (t) => {
  const half = 500_000;
  t.ok(isJsonText(Buffer.from('['.repeat(half) + ']'.repeat(half))));
  t.notOk(isJsonText(Buffer.from('['.repeat(half) + ']'.repeat(half - 1))));
  t.notOk(isJsonText(Buffer.from(`${'['.repeat(half)}{}${']'.repeat(half + 1)}`)));
});

t.test('a long text waits for a slice before it takes time, a short one does not', async (t) => {
  const broken = '}'.repeat(100_000);
  t.equal(checkingJson(Buffer.from(broken)).next().done, false);
  t.equal(locatingData(Buffer.from(broken)).next().done, false);
  t.equal(checkingJson(Buffer.from('{"a":"b"}')).next().done, true);
  t.equal(locatingData(Buffer.from('{"data":{}}')).next().done, true);
});
