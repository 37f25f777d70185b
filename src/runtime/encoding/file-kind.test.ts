import t from 'tap';
import { kindOfFile } from './file-kind.ts';

function kindOf(text: string): string {
  return kindOfFile(Buffer.from(text, 'latin1'));
}

t.test('a file is what it begins as, also if it has a PDF in it', async (t) => {
  t.equal(kindOf('%PDF-1.7\n'), 'pdf');
  t.equal(kindOf(`${' '.repeat(1_000)}%PDF-1.7\n`), 'pdf', 'other bytes may come first');
  t.equal(kindOf(`${' '.repeat(1_024)}%PDF-1.7\n`), 'other', 'but not more than readers skip');
  t.equal(kindOf('PK\x03\x04 a.pdf %PDF-1.7\n'), 'zip');
  t.equal(kindOf('PK\x05\x06'), 'zip', 'without members');
  t.equal(kindOf('PK\n%PDF-1.7\n'), 'pdf');
  t.equal(kindOf(`${'a.pdf'.padEnd(257, '\0')}ustar`.padEnd(512, '\0') + '%PDF-1.7\n'), 'other');
  t.equal(kindOf('\x89PNG\r\n\x1a\n %PDF-1.7'), 'other');
  t.equal(kindOf('\xff\xd8\xff %PDF-1.7'), 'other');
  t.equal(kindOf('<?xml version="1.0"?><a>%PDF-1.7</a>'), 'other');
  t.equal(kindOf('a,b\n1,2\n'), 'other');
  t.equal(kindOf(''), 'other');
});
