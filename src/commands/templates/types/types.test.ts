import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { withoutJava, withoutPython } from '../../../../test/clients/programs.ts';
import { createEngine, type FieldDescriptor } from '#engine';
import { templateFilesIn } from '../../engine.ts';
import { toCSharp } from './csharp.ts';
import { toGo } from './go.ts';
import { toJava } from './java.ts';
import { readFields, typedFields, type TypeSource } from './model.ts';
import { literal, uniqueNames, wordsOf } from './names.ts';
import { toPython } from './python.ts';
import { toTypeScript } from './typescript.ts';

const HOME = new URL('../../../../', import.meta.url).pathname;
const TSC = join(HOME, 'node_modules/typescript/bin/tsc');

/** A text, a record, or a list of records or of rows. */
type Value = string | Data | readonly (string | Value)[];
interface Data {
  readonly [name: string]: Value;
}
interface Case {
  readonly source: TypeSource;
  readonly samples: readonly Data[];
}

function caseOf(typeName: string, fields: readonly FieldDescriptor[], samples: unknown[]): Case {
  const origin = [String.raw`Of a test: */ \u000a """ <b>&`];
  const source = { typeName, scope: '', origin, fields: typedFields(fields, 'en', typeName) };
  return { source, samples: samples.map((sample) => plainSample(fields, sample as object)) };
}

/** The values of a sample that the contract names, with numbers as texts. */
function plainSample(fields: readonly FieldDescriptor[], sample: object): Data {
  const entries = fields
    .filter(({ name }) => Object.hasOwn(sample, name))
    .map((field): [FieldDescriptor, unknown] => [
      field,
      Object.getOwnPropertyDescriptor(sample, field.name)?.value,
    ])
    .filter(([, value]) => value !== null && value !== '')
    .map(([field, value]): [string, Value] => [field.name, plainValue(field, value)]);
  return Object.fromEntries(entries);
}

function plainValue(field: FieldDescriptor, value: unknown): Value {
  if (field.type === 'record') return plainSample(field.fields, value as object);
  if (field.type === 'list') {
    return (value as object[]).map((entry) => plainSample(field.fields, entry));
  }
  return Array.isArray(value) ? (value as string[][]) : String(value);
}

const engine = createEngine();
const samples = templateFilesIn(join(HOME, 'templates')).flatMap((path, at) => {
  const bytes = readFileSync(path);
  const file = JSON.parse(bytes.toString()) as { fields?: unknown; samples?: { data: object }[] };
  if (file.fields === undefined) return [];
  const data = (file.samples ?? []).map((sample) => sample.data);
  return [caseOf(`Sample${at}`, readFields(engine.listFields(bytes)), data)];
});

const HOSTILE = [
  'class',
  '__proto__',
  'ก้อน',
  'a b',
  'a-b',
  '1st',
  'toString',
  'constructor',
  '😀',
  '-',
  'Hostile',
  String.raw`quote " \ \u000a \\u0022`,
  'x\u2028y',
  'from import self d data',
  'int',
  'Int',
];
const NASTY = 'first */ """ \u2028 // \u202e\r\nsecond <b>& {@code} \\u000a \\ ``` #';
const hostileFields = HOSTILE.map((name, at): FieldDescriptor => {
  const presentation = { label: { en: NASTY }, help: { th: NASTY } };
  return {
    name,
    type: 'text',
    required: at % 2 === 0,
    format: { presentation } as FieldDescriptor['format'] & object,
    validation: at < 3 ? { pattern: String.raw`^\u0041*/"""\d{2}$` } : { choices: ['a"\\', NASTY] },
  };
});
const hostile = caseOf('Hostile', hostileFields, [
  Object.fromEntries(HOSTILE.map((name, at) => [name, at < 3 ? 'A' : NASTY])),
]);
const types = ['text', 'number', 'date', 'table'] as const;
const many = caseOf(
  'Many',
  Array.from({ length: 1_000 }, (_, at): FieldDescriptor => {
    return { name: `f_${at}`, type: types[at % 4] ?? 'text', required: false };
  }),
  [{ f_0: 'a', f_1: '1.10', f_2: '0001-01-01', f_3: [['a'], []] }],
);
const cases = [...samples, hostile, many];

function run(t: Test, folder: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  t.equal(status, 0, `${program}: ${stdout}${stderr}`.slice(0, 4_000));
  return stdout;
}

t.test('TypeScript compiles, and the data of the samples fits', async (t) => {
  const folder = t.testdir();
  const names = cases.map(({ source, samples: data }) => {
    const fits = data.map((one, at) => `export const s${at}: ${source.typeName} = ${object(one)};`);
    const name = `${source.typeName}.ts`;
    writeFileSync(join(folder, name), [toTypeScript(source), ...fits].join('\n'));
    return name;
  });
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--ignoreConfig'];
  run(t, folder, process.execPath, TSC, ...options, ...names);
});

/** An object literal; a computed key makes `__proto__` a member. */
function object(data: Data): string {
  const members = Object.entries(data).map(([name, value]) => {
    const key = name === '__proto__' ? `[${literal(name)}]` : literal(name);
    return `${key}: ${JSON.stringify(value)}`;
  });
  return `{ ${members.join(', ')} }`;
}

/** Debian's: one of another Python may lack its stubs. */
const MYPY = '/usr/bin/mypy';

function withoutMypy(): string | false {
  const has = spawnSync(MYPY, ['--version']).status === 0;
  return has ? false : 'mypy is not installed: the types for Python are not checked';
}

/** Writes the types for Python with the data of the samples beside them; returns the files' names. */
function writePython(folder: string): readonly string[] {
  return cases.map(({ source, samples: data }) => {
    const fits = data.map((one, at) => `s${at}: ${source.typeName} = ${JSON.stringify(one)}`);
    const name = `${source.typeName}.py`;
    writeFileSync(join(folder, name), [toPython(source), ...fits, ''].join('\n'));
    return name;
  });
}

t.test('Python compiles', { skip: withoutPython() }, async (t) => {
  const folder = t.testdir();
  run(t, folder, 'python3', '-m', 'py_compile', ...writePython(folder));
});

t.test('the data of the samples has the types for Python', { skip: withoutMypy() }, async (t) => {
  const folder = t.testdir();
  run(t, folder, MYPY, '--strict', ...writePython(folder));
});

const JAVA = 'Java compiles, and the data of the samples comes back as it was';
t.test(JAVA, { skip: withoutJava() }, async (t) => {
  const folder = t.testdir();
  mkdirSync(join(folder, 'out'));
  const names = cases.map(({ source }) => {
    const name = `${source.typeName}.java`;
    writeFileSync(join(folder, name), toJava(source));
    return name;
  });
  const checks = cases.flatMap(({ source, samples: data }) =>
    data.map((one) => {
      const puts = Object.entries(one).map(
        ([name, value]) => `m.put(${literal(name)}, ${java(value)});`,
      );
      return `{ var m = new java.util.LinkedHashMap<String, Object>(); ${puts.join('\n')}
        if (!m.equals(${source.typeName}.fromData(m).toData())) throw new AssertionError("${source.typeName}"); }`;
    }),
  );
  const main = `class Main { public static void main(String[] a) { ${checks.join('\n')} } }`;
  writeFileSync(join(folder, 'Main.java'), main);
  run(
    t,
    folder,
    'javac',
    '-encoding',
    'UTF-8',
    '-Xlint:all',
    '-Werror',
    '-d',
    'out',
    ...names,
    'Main.java',
  );
  run(t, folder, 'java', '-cp', 'out', 'Main');
});

function java(value: Value): string {
  if (typeof value === 'string') return literal(value);
  // One argument that is a list would be taken for the entries.
  if (isList(value)) return `java.util.Arrays.<Object>asList(${value.map(java).join(', ')})`;
  const members = Object.entries(value).map(
    ([name, member]) => `java.util.Map.entry(${literal(name)}, ${java(member)})`,
  );
  return `java.util.Map.<String, Object>ofEntries(${members.join(', ')})`;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

t.test('C# and Go, which no compiler reads here, name every field once', async (t) => {
  for (const { source } of cases) {
    t.equal(toCSharp(source), toCSharp(source));
    const [own = ''] = toCSharp(source).split('\n}\n');
    const names = [...own.matchAll(/ (\S+) \{ get; init; \}/g)].map(([, name]) => name);
    t.equal(new Set(names).size, source.fields.length, source.typeName);
    const [, body = ''] = /struct \{\n([^]*?)\n\}/.exec(toGo(source)) ?? [];
    const members = body.split('\n').filter((line) => !line.startsWith('\t//'));
    t.equal(new Set(members.map((line) => line.trim().split(' ')[0])).size, source.fields.length);
    t.ok(
      members.every((line) => /^\t\p{Lu}/u.test(line)),
      'Go exports capitals only',
    );
  }
  t.match(toGo(hostile.source), 'data["ก้อน"] = d.Fieldกอน', 'no tag can hold a tone mark');
});

t.test('names are legal and unique', async (t) => {
  const rules = { isPascal: false, illegal: /[^\p{L}\p{Nd}]/gu, reserved: wordsOf('class') };
  const sources = [
    'customer_name',
    'customer-name',
    'class',
    'class_',
    '1st',
    '',
    'IBAN',
    'customerName2',
  ];
  t.strictSame(uniqueNames(sources, rules), [
    'customerName',
    'customerName2',
    'class_',
    'class2',
    'field1st',
    'field',
    'iban',
    'customerName22',
  ]);
});

const SAMPLE = 'the sample of docs/types.md compiles, and not after a field was renamed';
t.test(SAMPLE, { skip: withoutJava() }, async (t) => {
  const folder = t.testdir();
  const [, sample = ''] =
    /```java\n([^]*?)```/.exec(readFileSync(join(HOME, 'docs/types.md'), 'utf8')) ?? [];
  const page = readFileSync(join(HOME, 'docs/calling.md'), 'utf8');
  const [, template = ''] = /```json template\n([^]*?)```/.exec(page) ?? [];
  const uses = `import intaglio.client.*; import java.math.BigDecimal; import java.time.LocalDate;
    class Use { void use(Intaglio intaglio, LetterData sent) { ${sample}; sent.customer(); } }`;
  writeFileSync(join(folder, 'Use.java'), uses);
  const client = globSync(join(HOME, 'clients/java/src/intaglio/**/*.java'));
  t.ok(client.length > 10);
  const compile = (source: string): string => {
    const fields = readFields(engine.listFields(new TextEncoder().encode(source)));
    writeFileSync(join(folder, 'LetterData.java'), toJava(caseOf('LetterData', fields, []).source));
    const files = [...client, 'Use.java', 'LetterData.java'];
    const options = ['-proc:none', '-d', 'out', '-encoding', 'UTF-8'];
    return spawnSync('javac', [...options, ...files], { cwd: folder, encoding: 'utf8' }).stderr;
  };
  t.equal(compile(template), '');
  t.match(compile(template.replace('"customer"', '"customerName"')), /cannot find symbol/);
});
