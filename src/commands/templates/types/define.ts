import type { Command } from 'commander';
import { existsSync, writeFileSync } from 'node:fs';

import type { FieldDescriptor } from '#engine';
import type { Pool } from '../../../workers/pool/pool.ts';
import { demand, withStore } from '../../console/context.ts';
import { CommandFailed, UsageError, unwritable } from '../../console/failure.ts';
import { demandTemplate } from '../../console/names.ts';
import { endWith, writeErr, writeOut } from '../../console/terminal.ts';
import {
  asTemplate,
  check,
  demandNoErrors,
  readTemplate,
  type TemplateFile,
  withRenderers,
} from '../../engine.ts';
import { describeBreaking } from '../diff.ts';
import { toVersion } from '../version.ts';
import { demandVersion } from '../versions.ts';
import { toCSharp } from './csharp.ts';
import { toGo } from './go.ts';
import { RULES as JAVA_RULES, toJava } from './java.ts';
import {
  changesFor,
  fieldWithFields,
  readFields,
  toLines,
  typedFields,
  type TypeSource,
} from './model.ts';
import { toName, wordsOf } from './names.ts';
import { toPython } from './python.ts';
import { toTypeScript } from './typescript.ts';

const LANGUAGES = {
  typescript: toTypeScript,
  java: toJava,
  csharp: toCSharp,
  python: toPython,
  go: toGo,
} as const satisfies Readonly<Record<string, (source: TypeSource) => string>>;
type Language = keyof typeof LANGUAGES;

interface Options {
  readonly language?: Language;
  readonly team?: string;
  readonly version?: number;
  readonly compatibleWith?: number;
  readonly out?: string;
  readonly name?: string;
  readonly package?: string;
  readonly namespace?: string;
}

/** Adds `templates types`. */
export function defineTypes(templates: Command): void {
  templates
    .command('types <template>')
    .description('write types of the data for programs that send it')
    .option('--language <language>', Object.keys(LANGUAGES).join(', '), toLanguage)
    .option('--team <teamId>', 'team of the template; without it, template is a file')
    .option('--version <number>', 'this version instead of the latest', toVersion)
    .option('--compatible-with <number>', 'fail if callers of this version would break', toVersion)
    .option('--out <file>', 'file to write instead of standard output')
    .option('--name <name>', 'name of the type')
    .option('--package <name>', 'package of the types in Java or Go')
    .option('--namespace <name>', 'namespace of the types in C#')
    .addHelpText('after', HELP)
    .action(writeTypes);
}

const HELP = `
With --team, template is the id of a published template, or a file that is compared with a version of
its id. Give --language, --compatible-with or both; types are not written if callers would break.

Exit codes: 0 written, and compatible; 1 a change would break callers, or the template has errors.

Examples:
  $ ./intaglio templates types templates/receipt.json --language java --package com.example.bank
  $ ./intaglio templates types receipt --team retail --language typescript --out receipt.ts
  $ ./intaglio templates types templates/receipt.json --team retail --compatible-with 3`;

function toLanguage(text: string): Language {
  const known = Object.keys(LANGUAGES).find((one): one is Language => one === text);
  if (known !== undefined) return known;
  const allowed = Object.keys(LANGUAGES).join(', ');
  throw new UsageError(`language "${text}" is not allowed; allowed: ${allowed}`);
}

async function writeTypes(given: string, options: Options): Promise<void> {
  const { language, compatibleWith, out } = options;
  if (language === undefined && compatibleWith === undefined) {
    throw new UsageError('give --language, --compatible-with or both');
  }
  demandNames(options);
  const { template, version, before } = await readBoth(given, options);
  const [fields, old] = await withRenderers(1, async (pool) => {
    const { findings, fields: list } = await check(pool, template, false);
    const errors = findings.filter(({ severity }) => severity === 'error');
    demandNoErrors(errors, given, `${given} has errors:`);
    return [readFields(list), before === null ? null : await fieldsOf(pool, before)];
  });
  const broken = old === null ? [] : describeBreaking(changesFor(old, fields));
  if (broken.length > 0) {
    writeErr(broken.map((line) => `intaglio: ${line}\n`).join(''));
    return endWith(1);
  }
  if (language === undefined) {
    return writeOut(`By its fields, no caller of version ${compatibleWith} breaks.\n`);
  }
  const nested = fieldWithFields(fields);
  if (nested !== null) {
    throw new CommandFailed(
      `field "${nested}" is a record or list, for which no types are written; make them from the JSON ` +
        'Schema of the template: GET /v1/templates/{templateId}/schema',
    );
  }
  const { templateId } = template;
  const of = version === null ? templateId : `${templateId}, version ${version}`;
  const source = LANGUAGES[language]({
    typeName: options.name ?? nameOf(templateId),
    scope: (language === 'csharp' ? options.namespace : options.package) ?? '',
    origin: [
      'Code generated by ./intaglio templates types; DO NOT EDIT.',
      ...toLines(`Data of the template ${of}.`),
    ],
    fields: typedFields(fields, 'en'),
  });
  write(Buffer.from(source), out);
}

/** A template, with the version that it is compared with. */
interface Both {
  readonly template: TemplateFile;
  /** null: a file. */
  readonly version: number | null;
  readonly before: TemplateFile | null;
}

async function readBoth(given: string, options: Options): Promise<Both> {
  const { team, version, compatibleWith } = options;
  const file = team === undefined || existsSync(given) ? readTemplate(given) : null;
  if (team === undefined) {
    if (compatibleWith === undefined && version === undefined) {
      return { template: readTemplate(given), version: null, before: null };
    }
    throw new UsageError('--version and --compatible-with need --team: versions are published');
  }
  if (file !== null && version !== undefined) {
    throw new UsageError('--version is for the id of a template, and a file was given');
  }
  return withStore(async (store) => {
    const templateId = file?.templateId ?? given;
    const { latestVersion } = await demandTemplate(store, team, templateId);
    const read = async (number: number): Promise<TemplateFile> =>
      asTemplate((await demandVersion(store, team, templateId, number)).source, number);
    const before = compatibleWith === undefined ? null : await read(compatibleWith);
    if (file !== null) return { template: file, version: null, before };
    const wanted = version ?? latestVersion;
    if (wanted === null) throw new CommandFailed(`${templateId} has no published version`);
    return { template: await read(wanted), version: wanted, before };
  });
}

async function fieldsOf(pool: Pool, template: TemplateFile): Promise<readonly FieldDescriptor[]> {
  const { shared } = template;
  const job = { kind: 'check', template: shared, only: 'fields', renderSamples: false } as const;
  const { fields } = demand(await pool.check({ ...job, atMs: Date.now() }, 'command').result);
  return readFields(fields);
}

/** Names that the generated files use themselves. */
const USED = wordsOf(`String Object Map List LinkedHashMap BigDecimal LocalDate SuppressWarnings
  TypedDict Literal NotRequired None True False DateOnly IReadOnlyList JsonPropertyName JsonIgnore
  JsonIgnoreCondition JsonNumberHandling System`);

/** Keywords of Go and C# that Java does not have. */
const KEYWORDS = wordsOf(`chan defer fallthrough func go map range select struct type var namespace
  event in is as ref out object string params using internal sealed readonly operator`);

const NAMESPACE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** Whether no part of a package or namespace is a keyword. */
function isScope(text: string): boolean {
  return text.split('.').every((part) => !JAVA_RULES.reserved.has(part) && !KEYWORDS.has(part));
}

function demandNames({ name, language, package: scope, namespace }: Options): void {
  if (name !== undefined && (!/^[A-Z][A-Za-z0-9]*$/.test(name) || USED.has(name))) {
    throw new UsageError(
      `name "${name}" is not allowed; allowed: letters and digits, as ReceiptData`,
    );
  }
  const isGo = language === 'go';
  const rule = isGo ? /^[a-z][a-z0-9]*$/ : /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*$/;
  if (scope !== undefined && !(rule.test(scope) && isScope(scope))) {
    const example = isGo ? 'templates' : 'com.example.bank';
    throw new UsageError(`package "${scope}" is not allowed; allowed: a name as ${example}`);
  }
  if (namespace !== undefined && !(NAMESPACE.test(namespace) && isScope(namespace))) {
    throw new UsageError(
      `namespace "${namespace}" is not allowed; allowed: a name as Example.Bank`,
    );
  }
}

function nameOf(templateId: string): string {
  const rules = { isPascal: true, illegal: /[^A-Za-z0-9]/g, reserved: wordsOf('') };
  return toName(`${templateId} Data`, rules);
}

function write(source: Uint8Array, out: string | undefined): void {
  if (out === undefined) return writeOut(source);
  try {
    writeFileSync(out, source);
  } catch (error) {
    throw unwritable(out, error);
  }
}
