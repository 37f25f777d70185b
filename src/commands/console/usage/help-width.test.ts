import { Command } from 'commander';
import t from 'tap';
import { HELP_FORMAT, wrapParagraphs } from './help-width.ts';

t.test('a paragraph is broken at the width of the terminal, an example is not', async (t) => {
  const long = `${'word '.repeat(6)}end`;
  t.equal(
    wrapParagraphs(`\n${long}\nof a line\n\nExample:\n  $ ${long}\n`, 20),
    `\nword word word word\nword word end of a\nline\n\nExample:\n  $ ${long}\n`,
  );
});

t.test('lines that fit stay as they are', async (t) => {
  const text = 'Usage: x\n\nFirst line.\nSecond line.\n';
  t.equal(wrapParagraphs(text, 20), text);
});

t.test('a list of commands with long arguments fits into 80 columns', async (t) => {
  let help = '';
  const program = new Command('program')
    .configureHelp(HELP_FORMAT)
    .configureOutput({ writeOut: (text) => (help += text) });
  program
    .command('correct <runId> <line> <field=value...>')
    .option('--json')
    .description('correct one faulty row of a run; the next start of the run checks it');
  program.outputHelp();
  t.match(help, /correct <runId> <line> <field=value\.\.\.> {2}correct one/);
  for (const line of help.split('\n')) t.ok(line.length <= 80, line);
});
