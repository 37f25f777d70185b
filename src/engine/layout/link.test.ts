import t from 'tap';

import { resolveLink } from './link.ts';
import { DataScope } from './scope.ts';
import { compiled, nodeOf } from '../template/fixtures.ts';

/** The address that a link opens when data holds this one; null: the text is printed without it. */
async function addressOf(address: string): Promise<string | null> {
  const template = await compiled({ content: ['{{text}}'] });
  const checked = await template.contract.check(Buffer.from(JSON.stringify({ text: address })));
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  const node = await nodeOf('text', { text: 'see', link: '{{text}}' });
  const [run] = node.runs;
  if (run === undefined) throw new Error('a text has a run');
  const target = resolveLink(run.link, new DataScope(checked.value));
  return target?.kind === 'uri' ? target.uri : null;
}

const SAFE = [
  'https://bank.example/a?b=c#d',
  'HTTP://bank.example',
  'mailto:help@bank.example',
  'tel:+6620000000',
  'https://bank.example/ใบเสร็จ',
];
const UNSAFE = [
  'javascript:app.alert(1)',
  'JavaScript:app.alert(1)',
  ' javascript:app.alert(1)',
  'file:///c:/windows/system32/calc.exe',
  'data:text/html,<script>',
  'vbscript:x',
  '\\\\server\\share\\x.exe',
  '//server/share',
  'c:/windows',
  'bank.example',
  'https',
];

t.test('data fills in only addresses that a fixed link may have', async (t) => {
  for (const address of SAFE) t.equal(await addressOf(address), address);
  for (const address of UNSAFE) t.equal(await addressOf(address), null, JSON.stringify(address));
});
