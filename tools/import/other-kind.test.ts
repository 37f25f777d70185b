import t from 'tap';
import { otherKindOf } from './other-kind.ts';

function kindOf(start: string): string | null {
  return otherKindOf(Buffer.from(start, 'latin1'));
}

t.test('a file that is no PDF is named, with the way from there to a template', async (t) => {
  t.match(kindOf('PK\u0003\u0004\u0014'), /office program.*export it as a PDF/);
  t.match(kindOf('\u00D0\u00CF\u0011\u00E0\u00A1'), /office program/);
  t.match(kindOf('<!doctype html><html>'), /HTML.*print it into a PDF/);
  t.match(kindOf('\u00EF\u00BB\u00BF<html>'), /HTML/);
  for (const picture of [
    '\u0089PNG\r\n\u001A\n',
    '\u00FF\u00D8\u00FF\u00E0',
    'GIF89a',
    'II*\u0000',
  ]) {
    t.match(kindOf(picture), /a picture: a template takes PNG, JPEG, GIF and WebP/);
  }
  for (const text of ['Dear customer,\r\n', 'a,b\n1,2\n', '\u00E0\u00B8\u0081\u00E0\u00B8']) {
    t.match(kindOf(text), /^text: templates import takes a fillable PDF, and JSON/);
  }
  t.match(kindOf(' {"schemas": []}'), /JSON.*--from/);
});

t.test('what may be a PDF is read as one', async (t) => {
  t.equal(kindOf('%PDF-1.7\n'), null);
  t.equal(kindOf('<html> %PDF-1.7'), null, 'readers take a header within the first 1,024 bytes');
  t.equal(kindOf('\u0000\u0001'), null);
  t.equal(kindOf(''), null);
});
