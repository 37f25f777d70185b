import { type Command, Option } from 'commander';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import sharp from 'sharp';

import { CommandFailed, unreadable, unwritable } from '../console/failure.ts';
import { counted, isoTime, show } from '../console/output.ts';
import { endWith } from '../console/terminal.ts';
import { toTime } from '../console/time.ts';
import { renderAll } from '../render/jobs.ts';
import { textFault } from './kept-text.ts';

interface Options {
  readonly update?: boolean;
  readonly out: string;
  readonly at: number;
  readonly json?: boolean;
}

/** One document of a folder: what it is made from, and what it is compared with. */
interface Case {
  /** Folder and name, as they are reported. */
  readonly label: string;
  readonly template: string;
  readonly data: string;
  /** Paths of the expectations without their ends: `.txt`, `-1.png`. */
  readonly expected: string;
  readonly pdf: string;
}

interface Tested {
  readonly name: string;
  readonly ok: boolean;
  readonly pages: number;
  /** The differences, a sentence each. */
  readonly faults: readonly string[];
}

const TEMPLATE = 'template.json';
const DATA_END = '.data.json';
/** Resolution of the pictures: a pixel is half a millimetre, a letter of 8 points some 5 high. */
const DPI = 60;
/** How far a channel of a pixel may differ: versions of poppler smooth edges in other ways. */
const TOLERANCE = 48;
/** Time of the documents, unless --at names another. */
const AT_MS = Date.UTC(2026, 0, 31);
/** The bytes that each PNG begins with (PNG 3 §5.2). */
const PNG_START = Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1');
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** Adds `templates test`. */
export function defineTest(templates: Command): void {
  templates
    .command('test <folders...>')
    .description('render templates and compare texts and pictures with those that are kept')
    .option('--update', 'keep what is rendered now as what is expected; look at each picture')
    .option('--out <folder>', 'where pictures of differences go', 'template-differences')
    .addOption(
      new Option('--at <time>', 'ISO 8601 time of the documents')
        .argParser(toTime)
        .default(AT_MS, isoTime(AT_MS)),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(testFolders);
}

const HELP = `
Each folder holds a template and its documents:

  template.json      the template
  NAME.data.json     data of a document; as many as there are documents
  NAME.txt           the text of its pages, as pdftotext -layout prints it
  NAME-1.png, …      pictures of its pages (${DPI} dots per inch)

--update writes texts and pictures; without it each document is compared with those that are there.
A page that looks different is written into --out: its new picture, paler, with what differs in red.
Pictures depend on the version of poppler, so let the machine that compares also make them. Needs
pdftotext and pdftoppm (poppler-utils), but no server and no database.

Exit codes: 0 all are the same; 1 something differs, or could not be rendered.

Examples:
  $ ./intaglio templates test my-templates/letter --update
  $ ./intaglio templates test my-templates/*/`;

async function testFolders(folders: readonly string[], options: Options): Promise<void> {
  demandTools();
  const scratch = mkdtempSync(join(tmpdir(), 'intaglio-templates-'));
  try {
    const cases = folders.flatMap((folder, index) => casesOf(folder, join(scratch, String(index))));
    const jobs = cases.map(({ template, data, pdf }) => {
      return { template, data: { path: data, encoding: null }, out: pdf, options: null };
    });
    const run = { atMs: options.at, isReadable: false };
    const results = await renderAll(jobs, run, () => undefined);
    const tested: Tested[] = [];
    for (const [index, one] of cases.entries()) {
      const { ok = false, pages = 0, message = '', fields = [] } = results[index] ?? {};
      const defects = fields.map(({ field, reason }) => `${field}: ${reason}`);
      const faults = ok ? await compare(one, pages, options) : [message, ...defects];
      tested.push({ name: one.label, ok: faults.length === 0, pages, faults });
    }
    if (tested.some(({ ok }) => !ok)) endWith(1);
    show(options.json, tested, () => tested.map(describe(options)).join('\n'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function describe({ update }: Options): (tested: Tested) => string {
  return ({ name, ok, pages, faults }) => {
    const done = `${counted(pages, 'page')}, ${update === true ? 'kept' : 'the same'}`;
    return ok ? `${name}: ${done}` : faults.map((fault) => `${name}: ${fault}`).join('\n');
  };
}

function demandTools(): void {
  for (const tool of ['pdftotext', 'pdftoppm']) {
    try {
      execFileSync(tool, ['-v'], { stdio: 'ignore' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      throw new CommandFailed(`templates test needs ${tool}: apt-get install poppler-utils`);
    }
  }
}

function casesOf(folder: string, scratch: string): readonly Case[] {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) {
    const fault =
      found === undefined ? `there is no folder ${folder}` : `${folder} is not a folder`;
    throw new CommandFailed(`${fault}: name one with a ${TEMPLATE} and its data`);
  }
  const template = join(folder, TEMPLATE);
  const files = namesIn(folder);
  if (!files.includes(TEMPLATE)) throw new CommandFailed(noTemplate(folder));
  const names = files
    .filter((name) => name.endsWith(DATA_END))
    .map((name) => name.slice(0, -DATA_END.length));
  if (names.length === 0) {
    throw new CommandFailed(`${folder} has no data: name a file of data, such as short${DATA_END}`);
  }
  mkdirSync(scratch);
  return names.toSorted().map((name) => ({
    label: `${basename(folder)}/${name}`,
    template,
    data: join(folder, name + DATA_END),
    expected: join(folder, name),
    pdf: join(scratch, `${name}.pdf`),
  }));
}

/** Says that a folder has no template, and which of the folders in it have one. */
function noTemplate(folder: string): string {
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter((one) => one.isDirectory() && existsSync(join(folder, one.name, TEMPLATE)))
    .map((one) => join(folder, one.name));
  const [first, ...others] = inside;
  if (first === undefined) {
    return (
      `${folder} has no ${TEMPLATE}: name a folder with a template and its data; see ` +
      './intaglio templates test --help'
    );
  }
  const those = others.length === 0 ? first : `${join(folder, '*')}/`;
  return `${folder} has no ${TEMPLATE}, but ${counted(inside.length, 'folder')} in it: name ${those}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw unreadable(folder, error);
  }
}

/** Compares a rendered document with what is expected, or replaces that; gives what differs. */
async function compare(
  { expected, pdf, label }: Case,
  pages: number,
  { update, out }: Options,
): Promise<readonly string[]> {
  const maxBuffer = OUTPUT_BYTES_MAX;
  const text = execFileSync('pdftotext', ['-layout', pdf, '-'], { encoding: 'utf8', maxBuffer });
  execFileSync('pdftoppm', ['-r', String(DPI), '-png', pdf, pdf.slice(0, -4)]);
  const pictures = picturesOf(pdf.slice(0, -4));
  const kept = picturesOf(expected);
  const textPath = `${expected}.txt`;
  if (update === true) {
    for (const path of kept) rmSync(path);
    writeFileSync(textPath, text);
    for (const [index, path] of pictures.entries()) {
      writeFileSync(`${expected}-${index + 1}.png`, readFileSync(path));
    }
    return [];
  }
  const hasText = existsSync(textPath);
  if (!hasText && kept.length === 0) {
    return ['nothing is kept to compare with; look at it, and keep it with --update'];
  }
  const fault = hasText ? textFault(readFileSync(textPath, 'utf8'), text) : null;
  const faults = fault === null ? [] : [fault];
  if (kept.length > 0 && kept.length !== pages) {
    faults.push(`${counted(pages, 'page')}, ${kept.length} expected`);
  }
  for (const [index, path] of kept.slice(0, pictures.length).entries()) {
    const marked = await comparePictures(path, pictures[index] ?? path);
    if (marked === null) continue;
    const written = join(out, `${label.replace('/', '-')}-${index + 1}.png`);
    writeInto(out, written, marked);
    faults.push(`page ${index + 1} looks different: ${written}`);
  }
  return faults;
}

/** Pictures of pages by their path without its end, in the order of the pages. */
function picturesOf(stem: string): readonly string[] {
  const folder = join(stem, '..');
  const start = `${basename(stem)}-`;
  return namesIn(folder)
    .filter((name) => name.startsWith(start) && /^0*\d+\.png$/.test(name.slice(start.length)))
    .toSorted(
      (one, other) => parseInt(one.slice(start.length)) - parseInt(other.slice(start.length)),
    )
    .map((name) => join(folder, name));
}

/** The new picture with the differing pixels in red; null: they look the same. */
async function comparePictures(expected: string, made: string): Promise<Buffer | null> {
  const [was, is] = await Promise.all([expected, made].map(pixelsOf));
  if (was === undefined || is === undefined) throw new Error('two pictures were read');
  const { width, height } = is.info;
  const isSameSize = was.info.width === width && was.info.height === height;
  const marked = Buffer.from(is.data);
  let differing = 0;
  for (let at = 0; at < marked.length; at += 3) {
    const isOther = !isSameSize || distance(was.data, is.data, at) > TOLERANCE;
    if (isOther) differing += 1;
    for (let channel = 0; channel < 3; channel += 1) {
      const pale = 170 + (is.data[at + channel] ?? 0) / 3;
      marked[at + channel] = isOther ? (channel === 0 ? 220 : 0) : pale;
    }
  }
  if (differing === 0) return null;
  return sharp(marked, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** The largest difference of a channel of the pixel at `at`. */
function distance(was: Uint8Array, is: Uint8Array, at: number): number {
  let most = 0;
  for (let channel = at; channel < at + 3; channel += 1) {
    most = Math.max(most, Math.abs((was[channel] ?? 0) - (is[channel] ?? 0)));
  }
  return most;
}

async function pixelsOf(path: string) {
  if (!readFileSync(path).subarray(0, PNG_START.length).equals(PNG_START)) {
    throw new CommandFailed(`${path} is no picture: a PNG is compared; make it with --update`);
  }
  return sharp(path)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
}

function writeInto(folder: string, path: string, bytes: Uint8Array): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, bytes);
  } catch (error) {
    throw unwritable(path, error);
  }
}
