import { Command, Option } from 'commander';
import t from 'tap';
import { easeChoices } from './choices.ts';

function roleOf(word: string): unknown {
  const program = new Command('program')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const role = new Option('--role <role>', 'what a user may do').choices(['Editor', 'Viewer']);
  const add = program
    .command('add')
    .addOption(role)
    .action(() => undefined);
  easeChoices(program);
  program.parse(['add', '--role', word], { from: 'user' });
  return add.opts()['role'];
}

t.test('a choice may be written in upper or lower case', async (t) => {
  t.equal(roleOf('Editor'), 'Editor');
  t.equal(roleOf('editor'), 'Editor');
});

t.test('the nearest choice is named for another word', async (t) => {
  t.throws(() => roleOf('Editer'), { message: /are Editor, Viewer; did you mean "Editor"\?/ });
  t.throws(() => roleOf('king'), { message: /are Editor, Viewer\.$/ });
});
