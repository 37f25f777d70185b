import { userInfo } from 'node:os';
import t from 'tap';
import { unreadable } from './failure.ts';
import { beginCommand, writeErr, writeOut } from './terminal.ts';

t.test('texts of callers cannot rule the terminal of an operator', (t) => {
  const written: (string | Uint8Array)[] = [];
  const keep = (text: string | Uint8Array): void => void written.push(text);
  beginCommand({ out: keep, err: keep });
  t.teardown(() => beginCommand());
  writeOut('name\u001b]0;x\u0007 \u009b31m \u202e \u{E0041}\ttab\n');
  writeErr('\u001b[2J\r');
  t.strictSame(written, [
    String.raw`name\u001b]0;x\u0007 \u009b31m \u202e \udb40\udc41` + '\ttab\n',
    String.raw`\u001b[2J\u000d`,
  ]);
  t.end();
});

t.test('Thai, joiners and bytes pass; JSON stays JSON', (t) => {
  const written: (string | Uint8Array)[] = [];
  beginCommand({ out: (text) => void written.push(text), err: () => undefined });
  t.teardown(() => beginCommand());
  writeOut('กิ๊ฟ क्\u200Dष');
  writeOut(Buffer.from('\u202e'));
  writeOut(JSON.stringify({ name: 'a\u202eb\u0085' }));
  const [text, bytes, json] = written;
  t.equal(text, 'กิ๊ฟ क्\u200Dष');
  t.strictSame(bytes, Buffer.from('\u202e'));
  t.strictSame(JSON.parse(String(json)), { name: 'a\u202eb\u0085' });
  t.end();
});

t.test('a file that may not be read is refused with the user of the command', async (t) => {
  const refused = Object.assign(new Error(), { code: 'EACCES', syscall: 'open' });
  const { message } = unreadable('note.json', refused);
  t.match(message, `permission denied (EACCES); this command runs as ${userInfo().username}`);
});
