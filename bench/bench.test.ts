import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { SUBJECT_FLAGS } from '../lab/flags.ts';
import { busyWarning } from '../lab/machine.ts';
import { runScript } from '../lab/process/script.ts';
import { median, percentile, ratioSpread, spread } from '../lab/stats.ts';
import { MissingTool } from './harness/tools.ts';
import type { SoakSlice } from './http/figures.ts';
import { summarizeSoak } from './http/soak.ts';
import { parseOptions, USAGE } from './options.ts';
import { isInstalled, PEERS } from './peers/list.ts';
import { formatHtml } from './report/html.ts';
import type { LeftOut, Report } from './report/report.ts';
import { formatLeftOut } from './report/table.ts';
import { SHAPES } from '../lab/shapes/index.ts';
import { SHAPE_NAMES } from '../lab/shapes/sheet.ts';
import { parseMicro } from './suites/micro.ts';
import { PARTS, type ProfileRow, sumByPart, summarizeProfile, treeOf } from './suites/profile.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const SMOKE_TIMEOUT_MS = 1_200_000;

t.test('every bench runs at smoke size and its pages are right', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-bench-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const json = join(folder, 'report.json');
  const html = join(folder, 'report.html');
  const peers = PEERS.filter((peer) => peer.name === 'pdfkit-cache' && isInstalled(peer));
  const names = peers.map(({ name }) => name).join(',') || 'none';
  const args = ['all', '--smoke', '--peers', names, '--no-install', '--json', json];
  const output = await runScript(MAIN, [...args, '--html', html], SMOKE_TIMEOUT_MS);
  t.match(output, /SMOKE SIZES/);

  const report = JSON.parse(readFileSync(json, 'utf8')) as Report;
  // wrk may be missing: no test installs it.
  const notes = report.notes.filter((line) => !/ wrk/.test(line));
  t.strictSame([...notes, ...report.peersLeftOut], [], 'nothing was left out');
  t.equal(report.drawings.length, SHAPE_NAMES.length * (2 + peers.length));
  for (const { subject, shape, check, version } of report.drawings) {
    if (version !== 'this engine') continue;
    t.equal(
      check.stringsFound ?? check.strings,
      check.strings,
      `${subject} ${shape}: every string is read back`,
    );
    t.not(check.valid, false, `${subject} ${shape}: qpdf finds nothing to say`);
    t.equal(check.pages, shape === 'B' ? 2 : SHAPES[shape].pages, `${subject} ${shape}: pages`);
  }
  for (const part of ['firsts', 'rows', 'pool', 'micro', 'http', 'gateway', 'soak'] as const) {
    t.ok(report[part].length > 0, `${part} has figures`);
  }
  for (const { name, statuses } of report.http) {
    t.notOk(statuses['error'], `${name}: no broken connection`);
    t.ok(statuses['200'], `${name}: documents were delivered`);
  }
  t.match(readFileSync(html, 'utf8'), /<svg [^>]*>.*CPU ms per document/s);
  t.notMatch(formatHtml(report), /<script|https?:/, 'the report needs no network');
});

t.test('peers that could not take part are named in one line with their reasons', async (t) => {
  const report = { peersLeftOut: [] as LeftOut[] } as unknown as Report;
  t.equal(formatLeftOut(report), null);
  const peersLeftOut = [
    { peer: 'typst', reason: 'npm ci failed: no lock file' },
    { peer: 'chromium', reason: 'chromium is not installed' },
  ];
  t.equal(
    formatLeftOut({ ...report, peersLeftOut }),
    'Peers left out: typst (npm ci failed: no lock file), chromium (chromium is not installed)',
  );
});

t.test('documents differ with their seed and repeat with it', async (t) => {
  for (const name of SHAPE_NAMES) {
    for (const cold of [false, true]) {
      const options = { cold, rows: 20 };
      const text = (seed: number): string =>
        JSON.stringify(SHAPES[name].document(seed, options).data);
      t.equal(text(7), text(7), `${name}: the same seed gives the same data`);
      t.not(text(7), text(8), `${name}: another seed gives other data`);
    }
  }
});

/** Thai words of at least eight characters: shorter ones could repeat by chance. */
function coinedWords(seed: number): string[] {
  const { data } = SHAPES.A.document(seed, { cold: true });
  const values = JSON.stringify([data['customer'], data['items']]);
  return values.match(/[\u0e00-\u0e7f]{8,}/g) ?? [];
}

t.test('cold documents share no Thai word', async (t) => {
  const first = new Set(coinedWords(1));
  t.ok(first.size > 5);
  t.strictSame(
    coinedWords(2).filter((word) => first.has(word)),
    [],
  );
});

t.test('median, percentile and spread of rounds are computed', async (t) => {
  t.equal(median([3, 1, 2]), 2);
  t.equal(median([4, 1, 2, 3]), 2.5);
  t.strictSame(spread([2, 8, 4]), { min: 2, median: 4, max: 8, rounds: 3 });
  t.equal(percentile([1, 2, 3, 4], 0.5), 2);
  t.equal(percentile([1, 2, 3, 4], 0.99), 4);
  t.ok(Number.isNaN(percentile([], 0.5)));
  t.equal(ratioSpread([10, 40], [1, 2]).median, 15, 'round by round');
});

function slice(documents: number, rssMb: number, errors = 0): SoakSlice {
  const rest = { documentsPerSecond: 1, p99Ms: 1, descriptors: documents, children: 1 };
  return { documents, rssMb, errors, ...rest };
}

t.test('a soak is judged from its first tenth to its end', async (t) => {
  t.equal(summarizeSoak([slice(10, 1)]), null);
  const slices = [slice(90, 100), slice(210, 200, 1), slice(1_000, 220, 2)];
  t.match(summarizeSoak(slices), { rssRatio: 1.1, errors: 3, early: { descriptors: 210 } });
});

t.test('each line of the help fits into 80 columns', async (t) => {
  for (const line of USAGE.split('\n')) t.ok(line.length <= 80, line);
});

t.test('the command line is checked', async (t) => {
  t.match(parseOptions([]), { name: 'all', smoke: false, shapes: ['A', 'B', 'C'] });
  t.match(parseOptions(['profile', 'A']), { name: 'profile', shapes: ['A'] });
  t.match(parseOptions(['--compare', 'main', 'HEAD~1']), { compare: ['main', 'HEAD~1'] });
  t.match(parseOptions(['--compare', 'a', 'b']), { name: 'engine', compare: ['a', 'b'], rest: [] });
  t.match(parseOptions(['--compare', 'a', 'b', 'http', 'sync']), { name: 'http', rest: ['sync'] });
  t.match(parseOptions(['--smoke']), { peers: [] });
  const sides = ['--set', 'INTAGLIO_A=1=2', '--set-a', 'OTEL_B=3', '--set-b', 'INTAGLIO_A=4'];
  t.match(parseOptions(['--compare', 'a', 'b', 'http', ...sides]), {
    settings: [{ INTAGLIO_A: '1=2', OTEL_B: '3' }, { INTAGLIO_A: '4' }],
  });
  t.match(parseOptions(['http', '--set-a', 'INTAGLIO_A=1']), /^--set-a belongs to --compare/);
  const wrongSide = ['--compare', 'a', 'b', 'http', '--set-b', 'PATH=1'];
  t.match(parseOptions(wrongSide), /^--set-b takes INTAGLIO_NAME/);
  t.match(parseOptions(['--compare', 'a', 'b', 'http', '--set', 'PATH=1']), /takes INTAGLIO_NAME/);
  const level = ['--set', 'INTAGLIO_LOG_LEVEL=error'];
  t.match(parseOptions(['--compare', 'a', 'b', 'http', ...level]), /leaves INTAGLIO_LOG_LEVEL/);
  for (const wrong of [
    ['bogus'],
    ['--rounds', '0'],
    ['--documents', 'x'],
    ['--peers', 'nobody'],
    ['--compare', 'a'],
    ['--compare', 'a', 'b', 'pool'],
  ]) {
    t.type(parseOptions(wrong), 'string', wrong.join(' '));
  }
  t.equal(parseOptions(['--bogus']), "Unknown option '--bogus'");
  t.equal(parseOptions(['--round', '3']), `Unknown option '--round'; did you mean "--rounds"?`);
  t.equal(
    parseOptions(['engine', '--fail-over', '5%']),
    '--fail-over belongs to bench --against, which is not given',
  );
  t.equal(parseOptions(['--data', 'x']), '--data belongs to bench --template, which is not given');
  t.equal(parseOptions(['--rounds', '3', '--rounds', '4']), '--rounds is given twice');
  const count = '--documents takes a whole number from 1 to 10000000';
  for (const text of ['-5', '0', 'x']) t.equal(parseOptions(['--documents', text]), count);
  t.type(parseOptions(['--smoke', '--smoke']), 'object');
  t.equal(parseOptions(['engin']), 'unknown bench engin; did you mean "engine"?');
  t.equal(parseOptions(['http', 'snyc']), 'unknown load "snyc"; did you mean "sync"?');
});

t.test('names that nothing is measured by are refused', async (t) => {
  t.equal(parseOptions(['engine', 'X']), 'unknown shape "X": one of A, B, C');
  const invoice = 'shape D is ./intaglio bench invoice';
  t.equal(parseOptions(['engine', 'D']), `engine draws A, B, C; ${invoice}`);
  t.equal(
    parseOptions(['profile', 'z']),
    'profile draws A, B, C; shape Z is ./intaglio bench month-end',
  );
  t.equal(parseOptions(['d']), `d is no bench; ${invoice}`);
  t.match(parseOptions(['engine', 'c', 'A']), { shapes: ['A', 'C'] }, 'in lower case, too');
  const ofA = parseOptions(['--compare', 'HEAD~5', 'HEAD', 'engine', 'A']);
  t.match(ofA, { name: 'engine', compare: ['HEAD~5', 'HEAD'], shapes: ['A'] });
  t.strictSame(parseOptions(['--compare', 'HEAD~5', 'HEAD', 'A']), ofA);
  t.strictSame(parseOptions(['--compare', 'HEAD~5', 'HEAD', 'a']), ofA);
  t.strictSame(parseOptions(['engine', 'A', '--compare', 'HEAD~5', 'HEAD']), ofA);
  t.match(parseOptions(['b']), /b is a shape, .*: \.\/intaglio bench engine B/);
  t.match(parseOptions(['http', 'nosuch']), /^unknown load "nosuch": one of single, sync, .*soak$/);
  t.match(
    parseOptions(['micro', 'nosuch']),
    /^unknown file of bench\/micro "nosuch": .*merge, nested, qr/,
  );
  t.match(parseOptions(['runs', 'x']), 'unknown part "x": one of fleet, guarded, prints');
  t.match(parseOptions(['--compare', 'a', 'b', 'http', 'bombs']), /^unknown load "bombs"/);
  for (const known of [
    ['engine', 'B', 'A'],
    ['http', 'over ×2 own', 'soak', 'bombs'],
    ['micro', 'qr'],
  ]) {
    t.type(parseOptions(known), 'object', known.join(' '));
  }
});

t.test('without poppler, qpdf and wrk the bench runs and names what it leaves out', async (t) => {
  const env = { ...process.env, PATH: t.testdir() };
  const args = [...SUBJECT_FLAGS, MAIN, 'engine', 'A', '--smoke', '--peers', 'none'];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  t.equal(status, 0, stderr);
  t.match(stderr + stdout, /left out, as pdftotext is not installed: whether each string/);
  t.match(stderr + stdout, /left out, as qpdf is not installed: whether the PDFs are valid/);
  t.match(stderr + stdout, /to measure all of it: apt-get install --yes poppler-utils qpdf\n/);
  t.match(stdout, /\?\/\d+/, 'strings that nobody looked for');
  t.notMatch(stderr + stdout, /\n\s+at |ENOENT/, 'no stack trace');
});

t.test('a bench that needs a program says how to install it', async (t) => {
  const env = { ...process.env, PATH: t.testdir() };
  const bench = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [...SUBJECT_FLAGS, MAIN, ...args], { env, encoding: 'utf8' });
  const compared = bench('--compare', 'HEAD', 'HEAD', 'engine', 'A', '--smoke');
  t.equal(compared.status, 2);
  t.equal(compared.stderr, '--compare needs git and tar: apt-get install --yes git tar\n');
  t.equal(
    new MissingTool('bench runs fleet', 'MariaDB and Redis', 'mariadb redis').message,
    'bench runs fleet needs MariaDB and Redis: apt-get install --yes mariadb redis',
  );
});

t.test('a busy machine is said', async (t) => {
  t.equal(busyWarning(0.4), null);
  t.match(
    busyWarning(14.15),
    'the machine is busy (load average 14.2): times are too long, and ratios are rough',
  );
});

t.test('lines of micro benches are read', async (t) => {
  const output =
    'machine\nheading\n  own   min 1.5  median 2.0  max 3 µs\nflat  min 1  median 2  max 3 µs';
  t.strictSame(parseMicro('x', output), [
    { file: 'x', name: 'heading: own', min: 1.5, median: 2, max: 3 },
    { file: 'x', name: 'flat', min: 1, median: 2, max: 3 },
  ]);
});

function frame(functionName: string): { functionName: string; url: string; lineNumber: number } {
  return { functionName, url: '', lineNumber: 0 };
}

t.test('a profile has neither idle time nor that of the profiler', async (t) => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('a'), children: [2, 3, 4, 5] },
      { id: 2, callFrame: frame('b') },
      { id: 3, callFrame: frame('a') },
      { id: 4, callFrame: frame('(idle)') },
      { id: 5, callFrame: { ...frame('post'), url: 'node:inspector' } },
    ],
    samples: [1, 2, 3, 4, 5],
    timeDeltas: [1000, 1000, 2000, 9000, 8000],
  };
  const tree = treeOf(profile);
  t.equal(tree.totalMs, 4);
  t.strictSame(
    tree.children.map(({ name }) => name),
    ['a', 'b'],
  );
  t.strictSame(summarizeProfile(profile), [
    { name: 'a', place: '(native)', selfMs: 3, share: 0.75 },
    { name: 'b', place: '(native)', selfMs: 1, share: 0.25 },
  ]);
});

function row(name: string, place: string, share: number): ProfileRow {
  return { name, place, selfMs: 1, share };
}

t.test('a profile is summed by part of the engine', async (t) => {
  const parts = sumByPart([
    row('kernel/parse', 'wasm://wasm/07455daa', 0.0625),
    row('js-to-wasm:ii:i', 'wasm://wasm/07455daa', 0.0625),
    row('deflate', 'src/engine/pdf/deflate/deflater.ts:68', 0.125),
    row('scan', 'src/engine/layout/text/lines.ts:1', 0.125),
    row('box', 'src/engine/layout/box/plan.ts:27', 0.125),
    row('compose', 'src/engine/document.ts:46', 0.25),
    row('(garbage collector)', '(native)', 0.125),
    row('next', 'node:events', 0.125),
  ]);
  t.strictSame(
    parts.map(({ part }) => part),
    PARTS,
  );
  t.strictSame(Object.fromEntries(parts.map(({ part, share }) => [part, share])), {
    ...Object.fromEntries(PARTS.map((part) => [part, 0])),
    'pdf/deflate/': 0.25,
    'layout/text/': 0.125,
    'layout/ (the rest of it)': 0.125,
    'the rest of src/engine/': 0.25,
    'garbage collection': 0.125,
    'Node and bench': 0.125,
  });
});
