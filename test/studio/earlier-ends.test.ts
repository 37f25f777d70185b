import t from 'tap';
import { earlierEnds } from '../../studio/src/api/verify.ts';

function endsOf(text: string): readonly number[] {
  return earlierEnds(new TextEncoder().encode(text));
}

t.test('each end of a shorter file within a file is found, its own end is not', async (t) => {
  t.strictSame(endsOf('%PDF-1.7\nbody\n%%EOF\n'), [], 'nothing was added');
  t.strictSame(endsOf('a%%EOF\nb%%EOF\n'), [7]);
  t.strictSame(endsOf('a%%EOF\nb%%EOF\nc'), [7, 14]);
  t.strictSame(endsOf('%%%EOF\n%%EOF x%%EO'), [7], 'no other comment');
  t.strictSame(endsOf(''), []);
});
