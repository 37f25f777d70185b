import { Command } from 'commander';
import t from 'tap';
import { collect } from '../context.ts';
import { UsageError } from '../failure.ts';
import { refuseRepeated } from './repeated.ts';

function program(): Command {
  const command = new Command('program').exitOverride();
  command
    .command('list')
    .option('--limit <count>', 'a number', Number)
    .option('--scope <scope>', 'may be repeated', collect)
    .option('--json', 'a switch')
    .action(() => undefined);
  refuseRepeated(command);
  return command;
}

function parse(...words: readonly string[]): Command {
  return program().parse(['list', ...words], { from: 'user' });
}

t.test('a value that is given twice is refused', async (t) => {
  t.throws(() => parse('--limit', '1', '--limit', '1'), new UsageError('--limit is given twice'));
  t.throws(() => parse('--limit=1', '--json', '--limit', '2'), UsageError);
  t.doesNotThrow(() => parse('--limit', '1', '--json', '--json'));
  t.doesNotThrow(() => parse('--scope', 'a', '--scope', 'b'), 'an option that collects');
});
