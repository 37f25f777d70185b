import { digest } from '../../src/store/ids.ts';
import { overDialects } from './dialects.ts';

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n}}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

await overDialects('contributors to drafts', async (t, newPlace) => {
  await t.test('whoever changed the draft since the last version is recorded', async (t) => {
    const { templates } = await (await newPlace()).open(t);
    const save = (n: number, by: string, replaces?: string | null): Promise<boolean> =>
      templates.saveDraft('bank', 'receipt', 'Receipt', source(n), { by, replaces });
    const contributors = async (): Promise<readonly string[]> => {
      const found = await templates.find('bank', 'receipt');
      return found.found ? (found.value.draft?.contributors ?? []) : [];
    };
    await save(1, 'user:a', null);
    await save(2, 'user:b', hash(1));
    await save(2, 'user:c');
    await save(2, 'user:c', hash(2));
    t.same(await contributors(), ['user:a', 'user:b'], 'a save without a change adds nobody');
    t.match(await templates.find('bank', 'receipt'), { value: { draft: { savedBy: 'user:b' } } });
    t.equal(await save(2, 'user:c', hash(1)), false, 'the condition still holds');
    t.equal(await save(2, 'user:c', null), false);
    await save(3, 'command:root');
    t.same(await contributors(), ['command:root', 'user:a', 'user:b']);
    const publish = (by: string, n: number) =>
      templates.publishByRules('bank', 'receipt', hash(n), by, { isOther: true });
    for (const by of ['user:a', 'user:b', 'command:root']) {
      t.equal(await publish(by, 3), 'contributed', by);
    }
    t.match(await templates.find('bank', 'receipt'), {
      value: { latestVersion: null, draft: { hash: hash(3) } },
    });
    t.same(await publish('user:c', 3), {
      version: 1,
      contributors: ['command:root', 'user:a', 'user:b'],
      note: '',
    });
    await save(3, 'user:c', null);
    t.same(await contributors(), [], 'a draft that equals the version in use has no contributor');
    await save(4, 'user:b');
    await save(3, 'user:a');
    t.same(await contributors(), ['user:b'], 'nor does whoever restores that content');
    t.match(await templates.publish('bank', 'receipt', hash(3), 'user:b'), { version: 2 });
  });

  await t.test('what equalled a version counts once another one is in use', async (t) => {
    for (const ends of ['roll-back', 'withdrawal']) {
      const { templates } = await (await newPlace()).open(t);
      const save = (n: number, by: string): Promise<boolean> =>
        templates.saveDraft('bank', 'receipt', 'Receipt', source(n), { by });
      for (const n of [1, 2]) {
        await save(n, 'user:gus');
        t.match(
          await templates.publishByRules('bank', 'receipt', hash(n), 'user:ben', { isOther: true }),
          {
            version: n,
          },
        );
      }
      await save(2, 'user:ann');
      if (ends === 'roll-back') await templates.rollBack('bank', 'receipt', 1, 'command:root');
      else t.ok(await templates.unpublish('bank', 'receipt', 2));
      const publish = (by: string) =>
        templates.publishByRules('bank', 'receipt', hash(2), by, { isOther: true });
      t.equal(await publish('user:ann'), 'contributed', ends);
      t.match(await publish('user:ben'), { version: ends === 'roll-back' ? 4 : 3 }, ends);
    }
  });

  await t.test('nobody publishes an own change by saving at the same moment', async (t) => {
    const { templates } = await (await newPlace()).open(t);
    for (let round = 0; round < 6; round += 1) {
      const id = `t${round}`;
      const save = (n: number, by: string): Promise<boolean> =>
        templates.saveDraft('bank', id, id, source(n), { by });
      await save(1, 'user:editor');
      // The admin's change puts the same bytes back, so the publication's condition holds.
      const [, published] = await Promise.all([
        save(2, 'user:admin').then(() => save(1, 'user:admin')),
        templates.publishByRules('bank', id, hash(1), 'user:admin', { isOther: true }),
        templates.publishByRules('bank', id, hash(1), 'user:admin', { isOther: true }),
      ]);
      const versions = await templates.history('bank', id);
      t.ok(versions.length <= 1, 'of two publications of a draft one succeeds at most');
      const late = await templates.publishByRules('bank', id, hash(1), 'user:admin', {
        isOther: true,
      });
      if (published === 'contributed') t.equal(late, 'contributed');
      else t.not(typeof late === 'object' && late !== null, true, 'an own change is not published');
    }
  });
});
