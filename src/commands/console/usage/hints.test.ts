import t from 'tap';
import { run } from '../../../cli.ts';

async function errorsOf(...words: readonly string[]): Promise<string> {
  let err = '';
  const code = await run(words, { out: () => undefined, err: (text) => void (err += text) });
  t.equal(code, 2, words.join(' '));
  return err;
}

t.test('a mistyped subcommand of a command that runs without one is named', async (t) => {
  t.match(await errorsOf('audit', 'verfy'), /Did you mean audit verify\?/);
});

t.test('too many words may be one that lacks its quotes', async (t) => {
  t.match(await errorsOf('teams', 'list', 'som', 'chai'), /needs quotes, such as 'som chai'/);
});

t.test('an option that is a setting is answered with its variable', async (t) => {
  t.match(await errorsOf('serve', '--port', '80'), /INTAGLIO_PORT=… \.\/intaglio serve/);
  t.notMatch(await errorsOf('serve', '--nonsense'), /INTAGLIO/);
});
