import { basename } from 'node:path';
import { type Command, Option } from 'commander';

import { LIMITS } from '../../src/limits.ts';
import { withStore } from '../../src/commands/console/context.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { writeOutput } from '../../src/commands/console/files/output-file.ts';
import { show, table } from '../../src/commands/console/output.ts';
import { recordOf } from '../../src/commands/console/record.ts';
import type { CheckResult } from '#engine';
import type { Pool } from '../../src/workers/pool/pool.ts';
import {
  asTemplate,
  check,
  demandNoErrors,
  readInput,
  withRenderers,
} from '../../src/commands/engine.ts';
import type { TemplateFile } from '../../src/commands/engine.ts';
import { demandTeam, operator } from '../../src/commands/console/names.ts';
import { importForm, OVERFLOW_RULES } from './form.ts';
import type { ImportedForm, OverflowRule } from './form.ts';
import { importOther, OTHER_SYSTEMS } from './other.ts';
import type { ImportedTemplate, OtherSystem } from './other.ts';
import { inImportedFile } from './origin.ts';
import { otherKindOf } from './other-kind.ts';

interface CheckedDraft {
  readonly file: TemplateFile;
  readonly checked: CheckResult;
}

interface ImportOptions {
  readonly id?: string;
  readonly out?: string;
  readonly team?: string;
  readonly from?: OtherSystem;
  readonly overflow?: OverflowRule;
  readonly json?: boolean;
}

/** `templates import` makes drafts of forms and of templates of other systems. */
export default function define(command: Command): void {
  command
    .argument('<file>')
    .addOption(
      new Option('--from <system>', 'the file is a template of this').choices(OTHER_SYSTEMS),
    )
    .addOption(
      new Option(
        '--overflow <rule>',
        'a value too long for its form field is printed smaller, or refused as invalid_data; ' +
          'default: as the form says',
      ).choices(OVERFLOW_RULES),
    )
    .option('--id <templateId>', "id of the template; default: the file's name")
    .option('--out <file>', 'template file to write')
    .option('--team <teamId>', 'team to save the draft for')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ ./intaglio templates import form.pdf --out form.json\n' +
        '\nThe output lists each field and its counterpart: docs/import.md.',
    )
    .action(importFile);
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const { out, team, json } = options;
  if (out === undefined && team === undefined) {
    throw new CommandFailed('say where the draft goes: --out FILE, --team TEAM, or both');
  }
  const id = options.id ?? basename(path).replace(/\.(?:pdf|json)$/i, '');
  const { from } = options;
  const other = from === undefined ? null : await importOther(from, path, id);
  const { template, fields } =
    other === null ? await readForm(path, id, options.overflow ?? null) : { ...other, fields: [] };
  const { file, checked } = await withRenderers(1, async (pool) => checkDraft(pool, template));
  const findings = inImportedFile(checked.findings, template);
  demandNoErrors(findings, path, `${path} was not imported:`);
  if (out !== undefined) writeOutput(out, file.bytes);
  if (team !== undefined) {
    await withStore(async (store) => {
      await demandTeam(store, team);
      const source = checked.source ?? file.bytes;
      const audit = recordOf({ action: 'templates.draft', teamId: team, templateId: id });
      await store.templates.saveDraft(team, id, id, source, { by: operator(), audit });
    });
  }
  const notes = other?.notes ?? [];
  show(json, { templateId: id, fields, notes, findings }, () =>
    other === null ? formTable(fields) : `${contractLine(template)}${noteTable(notes)}`,
  );
}

/**
 * Checks a draft. New templates refuse characters that no font has; one that holds such characters
 * itself is imported all the same, with warnings, so that its author can replace them.
 */
async function checkDraft(pool: Pool, template: object): Promise<CheckedDraft> {
  const strict = await checkFile(pool, template);
  if (!hasErrors(strict)) return strict;
  const lenient = await checkFile(pool, { ...template, missingGlyph: 'fallback' });
  return hasErrors(lenient) ? strict : lenient;
}

async function checkFile(pool: Pool, template: object): Promise<CheckedDraft> {
  const text = `${JSON.stringify(template, null, 2)}\n`;
  const file = asTemplate(new Uint8Array(new TextEncoder().encode(text)));
  if (file.bytes.length > LIMITS.templateBytesMax) {
    throw new CommandFailed(`the template would have ${file.bytes.length} bytes`);
  }
  return { file, checked: await check(pool, file, true) };
}

function hasErrors({ checked }: CheckedDraft): boolean {
  return checked.findings.some(({ severity }) => severity === 'error');
}

function formTable(fields: ImportedForm['fields']): string {
  return table(
    ['page', 'field of the form', 'kind', 'field of the contract', 'note'],
    fields.map(({ page, from, kind, to, note }) => [String(page), from, kind, to ?? '-', note]),
    'The PDF has no form fields; its pages are the background of an empty draft.',
  );
}

/** Lists the contract fields of a draft with their types. */
function contractLine(template: object): string {
  const fields = 'fields' in template && Array.isArray(template.fields) ? template.fields : [];
  const named = fields.map((field: { name?: unknown; type?: unknown }) => {
    return `${String(field.name)} (${String(field.type)})`;
  });
  return named.length === 0 ? '' : `Fields of the contract: ${named.join(', ')}\n\n`;
}

function noteTable(notes: ImportedTemplate['notes']): string {
  return table(
    ['place', 'note'],
    notes.map(({ place, note }) => [place, note]),
    'Everything in the template has a counterpart.',
  );
}

async function readForm(
  path: string,
  id: string,
  overflow: OverflowRule | null,
): Promise<ImportedForm> {
  const bytes = readInput(path, LIMITS.pdfBytesMax);
  const other = otherKindOf(bytes);
  if (other !== null) throw new CommandFailed(`${path} is no PDF, but ${other}`);
  // Loaded here, because the other commands of this group need no engine.
  const { createEngine } = await import('#engine');
  const cleaned = await createEngine().cleanPdf(bytes);
  if (!cleaned.ok) throw new CommandFailed(`${path} cannot be read: ${cleaned.message}`);
  const url = `data:application/pdf;base64,${Buffer.from(cleaned.pdf).toString('base64')}`;
  return importForm(id, cleaned.pages, url, cleaned.fields, overflow);
}
