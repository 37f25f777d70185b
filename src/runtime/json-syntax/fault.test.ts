import t from 'tap';
import fc from 'fast-check';
import { runAtOnce } from '../time-slice.ts';
import { describingFault } from './fault.ts';

function told(text: string): string {
  return runAtOnce(describingFault(Buffer.from(text))) ?? '';
}

t.test('a body that is not JSON is told its place and cause', async (t) => {
  const cases: readonly (readonly [text: string, place: string, cause: RegExp])[] = [
    ['{"a":1,}', '1, column 7', /no comma after the last entry/],
    ['{\n  "ก": "😀" "b": 2\n}', '2, column 12', /comma is missing/],
    ['{"a": 1\n "b": 2}', '1, column 8', /comma is missing/],
    ['[1,,2]', '1, column 4', /separates nothing/],
    ['{"a":[1,2}', '1, column 10', /“]” belongs here/],
    ['{"a":{"b":1}', '1, column 13', /closing “}” is missing/],
    ['{"a":', '1, column 6', /closing “}” is missing/],
    ['{"a":}', '1, column 6', /value after the key is missing/],
    ['{"a"}', '1, column 5', /value after the key is missing/],
    ['{"a" 1}', '1, column 5', /colon is missing/],
    ['{"a"=1}', '1, column 5', /“:” belongs here/],
    ['{a:1}', '1, column 2', /key must be in quotation marks/],
    ["{'a':1}", '1, column 2', /straight double/],
    ['{“a”:1}', '1, column 2', /word processor/],
    ['{"a":None}', '1, column 6', /^.*None is not a JSON value: write null/],
    ['{"a":True}', '1, column 6', /write true or false/],
    ['{"a":NaN}', '1, column 6', /has no NaN/],
    ['{"a":Boon}', '1, column 6', /A text must be in quotation marks\.$/],
    ['{"a":012}', '1, column 7', /not a number as JSON writes it/],
    ['{"a":-}', '1, column 6', /not a number as JSON writes it/],
    ['{"a":"one "two" three"}', '1, column 12', /quotation mark inside a text/],
    ['{"a":"one\ntwo"}', '1, column 10', /ends with its line/],
    ['{"a":"one\ttwo"}', '1, column 10', /Write a tab/],
    ['{"a":"C:\\x"}', '1, column 9', /backslash in a text twice/],
    ['{"a":"one', '1, column 10', /ends this text is missing/],
    ['{} {}', '1, column 4', /has ended before this/],
    ['\ufeff{}', '1, column 1', /BOM/],
    ['{ // why\n}', '1, column 3', /no comments/],
  ];
  for (const [text, place, cause] of cases) {
    const message = told(text);
    t.match(message, `The body is not valid JSON (line ${place}). `, text);
    t.match(message, cause, text);
  }
  t.equal(told(' \n'), 'The body is empty: it must be JSON.');
});

t.test('no message quotes the values of a body', async () => {
  const SECRET = /secret/i;
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(4),
      fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '\n', ' ', "'", '“', '1', '-'),
      (place, cut, insert) => {
        const json =
          '{"secret1": "Secret 2", "secret3": [secret4, 1,secret5], "x": {"secret6": 7}}';
        const from = place % json.length;
        return !SECRET.test(told(json.slice(0, from) + insert + json.slice(from + cut)));
      },
    ),
    { numRuns: 2_000 },
  );
});
