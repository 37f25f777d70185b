import type { Command } from 'commander';

import { detailOf } from '../gateway/audit.ts';
import { isId, newIdFault } from '../runtime/id-rule.ts';
import { publicationNote, type Store, type TemplateVersion } from '../store/store.ts';
import { withStore } from './console/context.ts';
import type { CheckResult } from '#engine';
import {
  asTemplate,
  check,
  countFindings,
  demandNoErrors,
  describeFindings,
  readTemplate,
  type TemplateFile,
  withRenderers,
} from './engine.ts';
import { CommandFailed, NotFound } from './console/failure.ts';
import { demandTeam, demandTemplate, operator } from './console/names.ts';
import { counted, isoTime, show, table } from './console/output.ts';
import { writeKeeping } from './console/files/output-file.ts';
import { toNote } from './templates/note.ts';
import { defineTest } from './templates/test.ts';
import { defineTypes } from './templates/types/define.ts';
import { toVersion } from './templates/version.ts';
import { record, recordOf } from './console/record.ts';
import { defineTool } from './console/tools.ts';
import { changeSince, defineVersions, demandCompatible } from './templates/versions.ts';
import { endWith, writeOut } from './console/terminal.ts';

interface TeamOptions {
  readonly team: string;
  readonly json?: boolean;
}

interface PublishOptions extends TeamOptions {
  readonly note?: string;
  readonly allowBreaking?: boolean;
}

interface ExportOptions extends TeamOptions {
  readonly version?: number;
  readonly draft?: boolean;
  readonly out?: string;
}

export default async function define(command: Command): Promise<void> {
  command
    .command('check <files...>')
    .description('find every mistake in template files; renders their samples')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ ./intaglio templates check templates/receipt.json\n' +
        '  $ ./intaglio templates check templates/*.json\n' +
        '\nWith several files --json prints a list.',
    )
    .action(checkFiles);
  command
    .command('draft <file>')
    .description("save a template file as its team's draft")
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ ./intaglio templates draft --team retail templates/receipt.json',
    )
    .action(saveDraft);
  command
    .command('publish <templateId>')
    .description('freeze the draft as the next version; renders its samples first')
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--note <text>', 'why, shown in the history', toNote)
    .option('--allow-breaking', 'publish also when callers of the latest version would be refused')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA draft that needs a new field, or refuses values that the latest version accepts, is not' +
        '\npublished without --allow-breaking: the command names each such change and the way out.' +
        '\nFields alone are compared. A layout can refuse more, such as a sum over another column or a' +
        '\nbarcode: templates test with samples like your data shows that.' +
        '\n\nExample:\n  $ ./intaglio templates publish --team retail receipt',
    )
    .action(publish);
  command
    .command('list')
    .description("list a team's templates")
    .requiredOption('--team <teamId>', 'team of the templates')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio templates list --team retail')
    .action(list);
  command
    .command('export <templateId>')
    .description('write the source of a version, byte for byte as it was saved')
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--version <number>', 'this version instead of the latest', toVersion)
    .option('--draft', 'the draft instead of a version')
    .option('--out <file>', 'file to write instead of standard output')
    .addHelpText(
      'after',
      '\nExample:\n  $ ./intaglio templates export --team retail receipt --version 1 > receipt.json',
    )
    .action(exportSource);
  defineTest(command);
  defineTypes(command);
  defineVersions(command);
  const importer = command
    .command('import')
    .description('make a draft of a fillable PDF, or of a template of another system');
  await defineTool(importer, () => import('../../tools/import/command.ts'));
}

interface CheckedFile {
  readonly path: string;
  readonly templateId: string;
  readonly findings: CheckResult['findings'];
  readonly samples: CheckResult['samples'];
}

async function checkFiles(paths: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const files = paths.map((path) => ({ path, template: readTemplate(path) }));
  const checked: CheckedFile[] = [];
  await withRenderers(1, async (pool) => {
    for (const { path, template } of files) {
      const { findings, samples } = await check(pool, template, true, 'new');
      checked.push({ path, templateId: template.templateId, findings, samples });
    }
  });
  const findings = checked.flatMap((one) => one.findings);
  if (findings.some(({ severity }) => severity === 'error')) endWith(1);
  const results = checked.map(({ templateId, findings: found, samples }) => {
    return { templateId, findings: found, samples };
  });
  show(json, results.length === 1 ? results[0] : results, () => {
    const reports = checked.map((one) => describeFindings(one.findings, one.path));
    const rendered = checked.map((one) => describeSamples(one, checked.length > 1));
    const lines = [...reports, countFindings(findings), ...rendered];
    const said = lines.filter((line) => line !== '');
    return said.length === 0 ? 'No findings, and no samples.' : said.join('\n');
  });
}

function describeSamples({ path, samples }: CheckedFile, areMany: boolean): string {
  const place = areMany ? `${path}: ` : '';
  return samples
    .map(({ name, pages }) => `${place}sample ${name}: ${counted(pages, 'page')}`)
    .join('\n');
}

async function saveDraft(path: string, { team, json }: TeamOptions): Promise<void> {
  const template = readTemplate(path);
  const checked = await withRenderers(1, async (pool) => check(pool, template, false));
  const { findings, source } = checked;
  demandNoErrors(findings, path, `${path} was not saved:`);
  const { templateId, name, bytes } = template;
  await withStore(async (store) => {
    await demandTeam(store, team);
    await demandNewId(store, team, template);
    const audit = recordOf({ action: 'templates.draft', teamId: team, templateId });
    const saving = { by: operator(), audit };
    await store.templates.saveDraft(team, templateId, name, source ?? bytes, saving);
  });
  show(json, { templateId, status: 'draft', findings }, () => `Saved the draft of ${templateId}.`);
}

/** Throws for ids that the API refuses in drafts, too. */
async function demandNewId(
  store: Store,
  team: string,
  { templateId }: TemplateFile,
): Promise<void> {
  const fault = newIdFault(templateId);
  if (fault === null) return;
  if (isId(templateId) && (await store.templates.find(team, templateId)).found) return;
  throw new CommandFailed(`templateId ${fault}`);
}

async function publish(templateId: string, options: PublishOptions): Promise<void> {
  const { team, json, note } = options;
  const done = await withStore(async (store, config) => {
    const startMs = performance.now();
    const { latestVersion } = await demandTemplate(store, team, templateId);
    const draft = await store.templates.draft(team, templateId);
    if (!draft.found) throw new NotFound(`team ${team} has no draft of ${templateId}`);
    const template = asTemplate(draft.value.source, draft.value.version);
    const checked = await withRenderers(1, async (pool) => check(pool, template, true));
    demandNoErrors(checked.findings, templateId, `${templateId} was not published:`);
    if (checked.source !== undefined) {
      throw new CommandFailed('the draft holds a PDF that has to be cleaned: save it once more');
    }
    if (options.allowBreaking !== true && latestVersion !== null) {
      await demandCompatible(store, team, templateId, latestVersion, draft.value);
    }
    const { hash } = draft.value;
    const isOther = config.publishApprovals === '1';
    const rules = { note, isOther };
    const published = await store.templates.publishByRules(
      team,
      templateId,
      hash,
      operator(),
      rules,
    );
    if (published === null) {
      throw new CommandFailed('the draft changed while it was checked; publish again');
    }
    const action = 'templates.publish' as const;
    if (typeof published === 'string') {
      const { version } = draft.value;
      const denied = published === 'sent_back' ? 'approval_conflict' : 'forbidden';
      await record(store, { action, teamId: team, templateId, version, denied });
      throw new CommandFailed(published === 'sent_back' ? SENT_BACK : CONTRIBUTED);
    }
    const { version, contributors, overruled } = published;
    const detail = detailOf(publicationNote(published.note, overruled));
    const facts = { action, teamId: team, templateId, version, startMs, contributors };
    await record(store, { ...facts, detail });
    return { version, changes: await changeSince(store, team, templateId, version) };
  });
  const { version, changes } = done;
  show(json, { templateId, version }, () => {
    const [against, ...notes] = changes;
    const line = `Published ${templateId} as version ${version}.`;
    return [against === undefined ? line : `${line} ${against}`, ...notes].join('\n');
  });
}

const SENT_BACK =
  'the draft was sent back by an approver: change it, or ask for approval again in the Studio';

const CONTRIBUTED =
  'you contributed to this draft, and publishing takes two people here ' +
  '(INTAGLIO_PUBLISH_APPROVALS): somebody else has to publish it';

async function list({ team, json }: TeamOptions): Promise<void> {
  const templates = await withStore(async (store) => {
    await demandTeam(store, team);
    return store.templates.list(team);
  });
  const rows = templates.map(({ updatedAtMs, ...rest }) => ({
    ...rest,
    updatedAt: isoTime(updatedAtMs),
  }));
  show(json, rows, () =>
    table(
      ['template', 'version', 'draft', 'updated', 'name'],
      rows.map((row) => [
        row.templateId,
        row.latestVersion === null ? '' : String(row.latestVersion),
        row.hasDraft ? 'yes' : '',
        row.updatedAt,
        row.name,
      ]),
      'No template yet. Save one: ./intaglio templates draft --team TEAM FILE',
    ),
  );
}

async function exportSource(templateId: string, options: ExportOptions): Promise<void> {
  const source = await withStore(async (store) => {
    const found = await findSource(store, templateId, options);
    if (found !== null) return found;
    const missing = nameOfMissing(options);
    const history = `./intaglio templates history ${templateId} --team ${options.team}`;
    throw new NotFound(`${templateId} has no ${missing}; see ${history}`);
  });
  write(source, options.out);
}

/** The draft or the version that the options ask for; null: the template has no such one. */
async function findSource(
  store: Store,
  templateId: string,
  { team, version, draft }: ExportOptions,
): Promise<TemplateVersion | null> {
  const { latestVersion } = await demandTemplate(store, team, templateId);
  if (draft === true) {
    const saved = await store.templates.draft(team, templateId);
    return saved.found ? saved.value : null;
  }
  const number = version ?? latestVersion;
  return number === null ? null : store.templates.version(team, templateId, number);
}

function nameOfMissing({ draft, version }: ExportOptions): string {
  if (draft === true) return 'draft';
  return version === undefined ? 'version' : `version ${version}`;
}

function write({ source }: TemplateVersion, out: string | undefined): void {
  if (out === undefined) writeOut(Buffer.from(source));
  else writeKeeping(out, source);
}
