import { constants } from 'node:os';
import t from 'tap';
import { environment, intaglio, nodeOptions } from '../../../lab/service/command-line.ts';

/** A module that tells the niceness of the process as it ends. */
const TELL = `data:text/javascript,import { getPriority } from 'node:os';
process.on('exit', () => process.stderr.write('niceness ' + getPriority() + '%5Cn'));`;

t.test('commands that read or write everything give way to the services beside them', async (t) => {
  const folder = t.testdir();
  const NODE_OPTIONS = nodeOptions(`--import=${TELL.replaceAll(/\s/g, '%20')}`);
  const env = environment(folder, { NODE_OPTIONS });
  const nicenessOf = async (...args: readonly string[]): Promise<string | undefined> =>
    /niceness (-?\d+)/.exec((await intaglio(env, ...args)).err)?.[1];
  const plain = Number(await nicenessOf('migrate'));
  t.ok(plain < constants.priority.PRIORITY_BELOW_NORMAL, `a command for itself: ${plain}`);
  const commands = [
    ['backup', `${folder}/backup`],
    ['restore', `${folder}/backup`],
    ['scrub'],
    ['audit', 'verify'],
    ['encryption', 'rewrap'],
  ];
  for (const command of commands) {
    t.equal(await nicenessOf(...command), '10', command.join(' '));
  }
});
