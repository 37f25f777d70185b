import t from 'tap';

import { textFault } from './kept-text.ts';

const kept = `          Bank of Example

Dear A,
    your balance is 10.00.
    Yours faithfully\n`;

t.test('the line whose words changed is named, not one that only moved', async (t) => {
  // A longer paragraph moves the heading, which pdftotext places by the widest line of the page.
  const changed = `                    Bank of Example\r

Dear A,
         your balance is 10.00 on this day.
         Yours   faithfully\n`;
  t.equal(
    textFault(kept, changed),
    'line 4 of the text is "your balance is 10.00 on this day.", expected "your balance is 10.00."',
  );
  t.equal(
    textFault(kept, kept.replace('Dear A,', 'Ref. 7\n\nDear A,')),
    'line 3 of the text is "Ref. 7", expected "Dear A,"',
  );
});

t.test('a text that ends sooner or later', async (t) => {
  t.equal(
    textFault(kept, kept.replace(/ *Yours faithfully\n/, '')),
    'the text ends before "Yours faithfully" (line 5 of what is kept)',
  );
  t.equal(
    textFault(kept, `${kept}\nP.S.\n`),
    'line 7 of the text is "P.S.", where the kept text ends',
  );
});

t.test('blanks alone are said to be that', async (t) => {
  t.equal(textFault(kept, kept), null);
  t.equal(textFault(kept, kept.replaceAll('\n', '\r\n')), null);
  t.equal(
    textFault(kept, kept.replace('Dear', '  Dear')),
    'only blanks or empty lines of the text differ, the first in line 3: "  Dear A,", expected "Dear A,"',
  );
});
