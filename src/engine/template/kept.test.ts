import t from 'tap';
import { findingsOf } from './fixtures.ts';

const head = { text: 'head', keepWithNext: true };
const level = { text: 'head', headlineLevel: 1 };
const breakBefore = { headlineLevel: 1, minFollowing: 2 };

t.test('nodes of content and of stacks in it are kept together', async (t) => {
  const content = [head, 'a', { stack: [head, 'b'] }, { ul: [{ stack: [head, 'c'] }] }, level];
  t.strictSame(await findingsOf({ breakBefore, content }), []);
});

t.test('keepWithNext where nothing can be kept together is a warning', async (t) => {
  const table = { body: [[[head, 'x']]] };
  const columns = [{ stack: [head, level, 'x'] }];
  const found = await findingsOf({
    breakBefore,
    header: [head, 'x'],
    content: [{ table }, { columns }, { ul: [head, 'x'] }, { unbreakable: true, columns }],
  });
  t.strictSame(
    found.map(({ severity, path }) => [severity, path]),
    [
      ['warning', 'document.content[0].table.body[0][0][0].keepWithNext'],
      ['warning', 'document.content[1].columns[0].stack[0].keepWithNext'],
      ['warning', 'document.content[1].columns[0].stack[1].headlineLevel'],
      ['warning', 'document.content[2].ul[0].keepWithNext'],
      ['warning', 'document.header[0].keepWithNext'],
    ],
  );
  t.match(found[0]?.message, /"unbreakable" around/);
});

t.test('the last node of a stack has nothing to be kept with', async (t) => {
  t.match(await findingsOf({ content: [{ stack: ['a', head] }, 'b'] }), [
    { path: 'document.content[0].stack[1].keepWithNext', message: /put it on the stack itself/ },
  ]);
});
