import t from 'tap';
import { findingsOf } from '../fixtures.ts';

const warningOf = (path: string, digits: string): object => ({
  severity: 'warning',
  path: `document.content${path}`,
  message: `The number prints as ${digits}; to print it as it is written, put it in quotes.`,
});

t.test('a number in a text that may have been written otherwise is warned of', async (t) => {
  const long = Number('12345678901234567890');
  const content = ['a', 12, -3, { text: 10.5 }, [1e21, { text: ['b', long] }]];
  t.strictSame(await findingsOf({ content }), [
    warningOf('[3].text', '10.5'),
    warningOf('[4][0]', '1e+21'),
    warningOf('[4][1].text[1]', '12345678901234567000'),
  ]);
});
