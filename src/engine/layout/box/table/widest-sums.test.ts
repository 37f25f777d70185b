import t from 'tap';
import { stack, STYLE, text } from '../../fixtures/nodes.ts';
import type { Node } from '../../../model/nodes.ts';
import type { TextStyle } from '../../../model/style.ts';
import { widestDigit, WidestSums } from './widest-sums.ts';

/** Shows sums in a font in which the digit 4 is wider than the others. */
const style: TextStyle = {
  ...STYLE,
  stack: {
    ...STYLE.stack,
    shape: (content) => ({
      ...STYLE.stack.shape(content),
      widthEm: content.length + content.split('4').length,
    }),
  },
};

/** A node that shows a sum in this format. */
function shown(format: (decimal: string) => string): readonly Node[] {
  const [run] = text([{ kind: 'sum', sum: 'balance', format }]).runs;
  return run === undefined ? [] : [stack([text([{ ...run, style }])])];
}

t.test('the widest digit is that of the font, in the digits of the format', async (t) => {
  t.equal(widestDigit(shown((decimal) => decimal)), '4');
  t.equal(widestDigit(shown((decimal) => decimal.replaceAll('7', '4'))), '4');
  t.equal(widestDigit(shown((decimal) => decimal.replaceAll('4', '1').replaceAll('7', '4'))), '7');
  t.equal(widestDigit([]), '8');
});

t.test('widest sums keep sign and length', async (t) => {
  const sums = { credits: '1', debits: '1', rows: '1', pageRows: '1' };
  const decimals = { ...sums, balance: '-1234.50', pageCredits: '0', pageDebits: '7' };
  t.equal(new WidestSums(0, decimals, '8').decimal('balance'), '-8888.88');
});
