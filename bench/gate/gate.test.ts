import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { seededRandom } from '../../lab/random.ts';
import { revisionOf } from './base.ts';
import { decide, estimateOf, isSettled } from './decision.ts';
import { FULL, type GateReport } from './gate.ts';
import { isGate, parseGateOptions } from './options.ts';

const MAIN = join(HOME, 'bench', 'main.ts');
const LIMIT = 0.05;
const RUNS = 400;

/**
 * Ratios of pairs of starts of one commit on shapes A, B and C, recorded on two cores at load 9 to 19:
 * the worst noise that the gate meets. A quiet machine has about half of it.
 */
const RECORDED = readRecorded();

function readRecorded(): readonly number[] {
  const path = join(import.meta.dirname, 'recorded-pairs.json');
  // A list of numbers in this folder.
  return JSON.parse(readFileSync(path, 'utf8')) as readonly number[];
}

/** One run of the gate on recorded noise, with this many per cent of slow-down. */
function run(seed: number, slowDown: number): ReturnType<typeof decide> {
  const random = seededRandom(seed);
  const ratios: number[] = [];
  while (ratios.length < FULL.pairsMax) {
    const ratio = random.pick(RECORDED);
    // A pair is as likely the other way round.
    ratios.push((random.below(2) === 0 ? ratio : 1 / ratio) * (1 + slowDown));
    if (ratios.length >= FULL.pairsMin && isSettled(estimateOf(ratios), LIMIT)) break;
  }
  return decide(estimateOf(ratios), LIMIT);
}

function failures(slowDown: number): number {
  const decisions = Array.from({ length: RUNS }, (_, seed) => run(seed, slowDown));
  return decisions.filter((decision) => decision === 'fails').length;
}

t.test('noise does not fail', async (t) => {
  const failed = failures(0);
  t.equal(failed, 0, `${failed} of ${RUNS} runs of a commit against itself fail`);
});

t.test('a slow-down of 8 % fails', async (t) => {
  const failed = failures(0.08);
  t.ok(failed >= RUNS * 0.95, `${failed} of ${RUNS} runs of an engine that is 8 % slower fail`);
});

t.test('the decision follows from the interval', async (t) => {
  t.equal(decide({ slower: 0.012, low: -0.004, high: 0.029 }, LIMIT), 'passes');
  t.equal(decide({ slower: 0.08, low: 0.06, high: 0.1 }, LIMIT), 'fails');
  t.equal(decide({ slower: 0.08, low: 0.01, high: 0.15 }, LIMIT), 'undecided');
  t.equal(decide({ slower: 0.02, low: -0.2, high: 0.3 }, LIMIT), 'undecided');
  t.equal(decide({ slower: -0.3, low: -0.4, high: -0.2 }, LIMIT), 'passes');
});

t.test('an estimate is in the middle of its interval and ignores a disturbed start', async (t) => {
  const calm = estimateOf([1.01, 1.02, 1.03, 1.02, 1.01, 1.03]);
  t.ok(Math.abs(calm.slower - 0.02) < 0.001 && calm.low < calm.slower && calm.high > calm.slower);
  const disturbed = estimateOf([1.01, 1.02, 1.03, 1.02, 1.01, 4]);
  t.ok(Math.abs(disturbed.slower - 0.02) < 0.01);
  const one = estimateOf([1.3]);
  t.notOk(isSettled(one, LIMIT), 'one pair shows nothing');
  t.equal(decide(one, LIMIT), 'undecided');
});

t.test('the commit of a file counts, not its figures', async (t) => {
  const folder = t.testdir({
    'saved.json': '{"commit":"0123456789ab","cpuMs":{"A":0.27}}',
    'report.json': '{"schema":1,"machine":{"commit":"abcdef012345"}}',
    'other.json': '{"commit":"--all"}',
    'broken.json': '{',
  });
  t.equal(revisionOf(join(folder, 'saved.json')), '0123456789ab');
  t.equal(revisionOf(join(folder, 'report.json')), 'abcdef012345');
  t.equal(revisionOf('HEAD~1'), 'HEAD~1');
  t.throws(() => revisionOf(join(folder, 'other.json')), { message: /names no commit/ });
  t.throws(() => revisionOf(join(folder, 'broken.json')), { message: /not valid JSON/ });
  t.equal(revisionOf('origin/main'), 'origin/main');
  t.equal(revisionOf('bench'), 'bench', 'a branch may be called as a folder is');
  const near = /^cannot read .*save\.json: there is no such file; did you mean ".*saved\.json"/;
  t.throws(() => revisionOf(join(folder, 'save.json')), { message: near });
  t.throws(() => revisionOf(folder), { message: /^cannot read .*: it is a folder/ });
});

t.test('the command line is checked', async (t) => {
  t.equal(isGate(['engine', 'A', '--json', 'x']), false);
  t.equal(isGate(['--against=x']), true);
  t.match(parseGateOptions(['--against', 'x']), { failOver: 0.05, shapes: ['A', 'B', 'C'] });
  t.match(parseGateOptions(['--against', 'x', 'C', '--fail-over', '2.5']), { failOver: 0.025 });
  for (const wrong of [
    ['--against', 'x', '--fail-over', 'much'],
    ['--against', 'x', '--fail-over', '0'],
    ['--against', 'x', '--save', 'y'],
    ['--against', 'x', 'nosuch'],
    ['--against', 'x', '--seconds', '0'],
    ['--against', 'x', '--bogus'],
  ]) {
    t.type(parseGateOptions(wrong), 'string', wrong.join(' '));
  }
});

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: HOME, encoding: 'utf8' });
}

t.test('a run ends with a report by the published schema', async (t) => {
  const folder = t.testdir();
  const json = join(folder, 'gate.json');
  const base = join(folder, 'base.json');
  const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: HOME, encoding: 'utf8' });
  if (head.status !== 0) return t.comment('no clone: there is no commit to compare with');
  writeFileSync(base, JSON.stringify({ commit: head.stdout.trim() }));
  const { status, stdout, stderr } = bench('--against', base, 'A', '--smoke', '--json', json);
  t.ok(status === 0 || status === 1, stderr);
  t.match(stdout, /A is \d.* % (?:slower|faster), 95 % interval .* to .*: /);
  const report = JSON.parse(readFileSync(json, 'utf8')) as GateReport;
  const schema = readFileSync(join(HOME, 'docs/bench-gate.schema.json'), 'utf8');
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object);
  t.ok(validate(report), JSON.stringify(validate.errors));
  const missing = bench('--against', 'no-such-commit', '--smoke');
  t.equal(missing.status, 2);
  t.match(missing.stderr, /no commit, branch or tag of this clone is called "no-such-commit"/);
});
