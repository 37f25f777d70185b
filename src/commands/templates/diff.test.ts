import t from 'tap';
import { describeBreaking, describeChange, diffTemplates, wayOut } from './diff.ts';

const BEFORE = {
  fields: [
    { name: 'gone', type: 'text', required: false },
    { name: 'optional', type: 'text', required: false },
    { name: 'typed', type: 'text', required: true },
    { name: 'bound', type: 'text', required: true, validation: { maxLength: 10 } },
    { name: 'loose', type: 'date', required: true, validation: { min: '2026-01-01' } },
  ],
};

t.test('a diff says what callers would notice', async (t) => {
  const after = {
    fields: [
      { name: 'optional', type: 'text', required: true },
      { name: 'typed', type: 'number', required: true },
      { name: 'bound', type: 'text', required: true, validation: { maxLength: 9 } },
      { name: 'loose', type: 'date', required: true, validation: { min: '2025-01-01' } },
      { name: 'new', type: 'text' },
    ],
  };
  t.strictSame(describeBreaking(diffTemplates(BEFORE, after).breaking), [
    'callers still send the field gone, which is no longer read',
    'callers must send the field optional',
    'callers must send number in the field typed, not text',
    'values of the field bound may be refused that were accepted',
  ]);
  const { breaking } = diffTemplates(BEFORE, after);
  const spared = wayOut(breaking, 7, { rollback: 'rollback 7' });
  t.match(spared, /invalid_data.* "version": 7 .*\(rollback 7\).*optional; .*a new templateId$/);
  t.match(wayOut(breaking, 7, 'draft'), /are not; to spare all, publish with the old field/);
  t.match(wayOut(breaking, 7, 'rolled back'), /"version": 7 are not$/, 'advises no way back');
  t.equal(wayOut([{ kind: 'removed', field: 'gone' }], 7, 'draft'), null, 'nobody is refused');
  const stricter = diffTemplates(after, BEFORE).breaking.filter(({ kind }) => kind === 'stricter');
  t.strictSame(stricter, [{ kind: 'stricter', field: 'loose' }]);
  t.strictSame(diffTemplates(BEFORE, BEFORE).breaking, []);
});

function lines(before: object, after: object): readonly string[] {
  return describeBreaking(diffTemplates(before, after).breaking);
}

function choosing(choices: readonly unknown[] | null, mask: string | null = null): object {
  const field = { name: 'channel', type: 'text', ...(choices !== null && { choices }) };
  return { fields: [{ ...field, ...(mask !== null && { format: { mask } }) }] };
}

t.test('a diff names the choices that are gone, and a mask is a rule, too', async (t) => {
  const both = ['APP', 'BRANCH'];
  t.strictSame(lines(choosing(both), choosing(['APP', 'WEB'])), [
    'callers must not send "BRANCH" in the field channel any more',
  ]);
  t.strictSame(lines(choosing(null), choosing(both)), [
    'callers must send one of "APP", "BRANCH" in the field channel, which took any value',
  ]);
  t.strictSame(lines(choosing(both), choosing(null)), []);
  t.strictSame(lines(choosing(both), choosing(both.toReversed())), []);
  const labelled = [{ value: 'BRANCH', label: 'At the branch' }, 'APP'];
  t.strictSame(lines(choosing(both), choosing(labelled)), [], 'labels refuse nobody');
  t.strictSame(lines(choosing(labelled), choosing(['APP'])), [
    'callers must not send "BRANCH" in the field channel any more',
  ]);
  const many = Array.from({ length: 13 }, (_, index) => `C${index}`);
  t.match(lines(choosing(many), choosing([])), [/"C9", 3 more in the field channel/]);
  t.strictSame(lines(choosing(null), choosing(null, 'xxx')), [
    'values of the field channel may be refused that were accepted',
  ]);
});

function sentence(days: string): string {
  return (
    `กรุณาชำระเงินภายใน 30 วันนับจากวันที่ในใบแจ้งหนี้ฉบับนี้ มิฉะนั้นธนาคารจะคิดดอกเบี้ยร้อยละ ${days} ต่อปี ` +
    'ของยอดที่ค้างชำระ จนกว่าจะได้รับชำระครบถ้วน'.repeat(3)
  );
}

function labelled(last: string): object {
  return {
    fields: [{ name: 'a', type: 'text', label: `${'word '.repeat(50)}${last}` }],
  };
}

function logo(letter: string): object {
  return {
    document: { content: [{ image: `data:image/png;base64,${letter.repeat(4_000)}` }] },
  };
}

t.test('a changed sentence is quoted around what differs, by whole clusters', async (t) => {
  const before = { document: { content: [sentence('7')] }, fields: [] };
  const after = { document: { content: [sentence('15')] }, fields: [] };
  const [change] = diffTemplates(before, after).layout;
  t.ok(change !== undefined);
  if (change === undefined) return;
  t.equal(change.before, JSON.stringify(sentence('7')), 'programs get the whole text');
  t.equal(change.after, JSON.stringify(sentence('15')));
  const line = describeChange('', change);
  t.match(line, /^ {2}document\.content\[0\] changed: ….*ร้อยละ 7 ต่อปี .*… → ….*ร้อยละ 15 ต่อปี .*…$/);
  t.ok(line.length < 250, `${line.length}`);
  t.notMatch(line, /…\p{M}/u, 'no mark is cut from its letter');
});

t.test('a changed label of a field is quoted around what differs', async (t) => {
  const [change] = diffTemplates(labelled('first'), labelled('second')).contract;
  t.match(change && describeChange('field ', change), /: ….* word first" → ….* word second"$/);
});

t.test('a changed picture is named, and its data is not printed', async (t) => {
  const [change] = diffTemplates(logo('A'), logo('B')).layout;
  t.not(change?.before, change?.after);
  t.ok((change?.after.length ?? 0) < 200);
});
