import t from 'tap';
import { RecentTemplates } from './recent-templates.ts';

function template(hash: string) {
  return { hash, source: new SharedArrayBuffer(0), templateId: 'note', version: 1 };
}

function hashes(recent: RecentTemplates): string {
  return recent.list.map(({ hash }) => hash).join(' ');
}

await t.test(
  'the templates that rendered last are kept, the latest behind the others',
  async (t) => {
    const recent = new RecentTemplates();
    for (const hash of ['a', 'a', 'b', 'a', 'a', 'c']) recent.add(template(hash));
    t.equal(hashes(recent), 'b a c');
    for (let number = 0; number < 15; number += 1) recent.add(template(String(number)));
    t.match(hashes(recent), /^c 0 1 .* 14$/);
  },
);

await t.test('a template that was forgotten is remembered when it renders again', async (t) => {
  const recent = new RecentTemplates();
  recent.add(template('a'));
  recent.add(template('b'));
  recent.forget('b');
  t.equal(hashes(recent), 'a');
  recent.add(template('b'));
  recent.forget('a');
  recent.add(template('b'));
  t.equal(hashes(recent), 'b');
});
