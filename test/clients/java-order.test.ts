import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { buildJava, javaArgs, runProgram, withoutJava } from './programs.ts';

const skip = withoutJava();

t.test('a map without an order is written alike by each process', { skip }, async (t) => {
  const folder = t.testdir();
  const classPath = await buildJava(join(folder, 'built'));
  const line =
    '{"a":{},"b":{"m":2,"n":1},"c":[{"x":3,"y":2,"z":1}],"d":{"b":1,"a":2},"e":3,"f":2,"g":1}';
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (let jvm = 0; jvm < 3; jvm++) {
    const words = [...javaArgs(classPath, 'Order'), pipe];
    const { code, out } = await runProgram('java', HOME, words);
    t.equal(code, 0, out);
    const [json, set, file] = out.split('\n');
    t.equal(json, line);
    t.match(set, /^a is a Set without an order.*: give a List$/);
    t.equal(file, 'pipe: it cannot be written, as it is a device, a pipe or a socket, not a file');
  }
});
