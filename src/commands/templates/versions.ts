import type { Command } from 'commander';

import { rollBackDetail } from '../../gateway/audit.ts';
import type { Store, TemplateVersion, VersionSummary } from '../../store/store.ts';
import { withStore } from '../console/context.ts';
import { demandJson } from '../console/files/json-file.ts';
import { asTemplate, check, demandNoErrors, withRenderers } from '../engine.ts';
import { CommandFailed, NotFound } from '../console/failure.ts';
import { demandTemplate, operator } from '../console/names.ts';
import { isoTime, show, table } from '../console/output.ts';
import { record } from '../console/record.ts';
import {
  describeBreaking,
  describeChange,
  diffTemplates,
  summarise,
  type Moment,
  type TemplateDiff,
  wayOut,
} from './diff.ts';
import { toNote } from './note.ts';
import { toVersion, toVersionOrDraft } from './version.ts';

interface TeamOptions {
  readonly team: string;
  readonly json?: boolean;
}

interface VersionOptions extends TeamOptions {
  readonly version: number;
}

interface RollBackOptions extends VersionOptions {
  readonly note?: string;
}

/** Adds the commands for history, comparison, rollback and withdrawal of published versions. */
export function defineVersions(command: Command): void {
  command
    .command('history <templateId>')
    .description('list the published versions: when, by whom, how large')
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ ./intaglio templates history --team retail receipt')
    .action(history);
  command
    .command('diff <templateId>')
    .description('show what changed between two versions, in the contract and in the layout')
    .argument('<from>', 'version number', toVersion)
    .argument('<to>', 'version number, or draft', toVersionOrDraft)
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--json', 'print JSON')
    .addHelpText('after', DIFF_HELP)
    .action(diff);
  command
    .command('rollback <templateId>')
    .description('publish the content of an earlier version again, as the next version')
    .requiredOption('--version <number>', 'the version to return to', toVersion)
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--note <text>', 'why, shown in the history', toNote)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe draft stays as it is.' +
        '\n\nExample:\n  $ ./intaglio templates rollback --team retail receipt --version 3',
    )
    .action(rollBack);
  command
    .command('unpublish <templateId>')
    .description('withdraw a version: no new document is made from it')
    .requiredOption('--version <number>', 'the version to withdraw', toVersion)
    .requiredOption('--team <teamId>', 'team of the template')
    .option('--json', 'print JSON')
    .addHelpText('after', UNPUBLISH_HELP)
    .action(unpublish);
}

const DIFF_HELP = `
Long values are quoted where they differ; --json has them whole, without the data of files.

Examples:
  $ ./intaglio templates diff --team retail receipt 1 2
  $ ./intaglio templates diff --team retail receipt 2 draft`;

const UNPUBLISH_HELP = `
Within seconds, callers that name the version get 404 not_found, and those that name none get the newest
version that is left. Documents made from it stay. To use its content again: rollback.

Example:
  $ ./intaglio templates unpublish --team retail receipt --version 4`;

async function history(templateId: string, { team, json }: TeamOptions): Promise<void> {
  const versions = await withStore(async (store) => {
    await demandTemplate(store, team, templateId);
    return store.templates.history(team, templateId);
  });
  show(json, versions.map(toJson), () =>
    table(
      ['version', 'published', 'by', 'authors', 'bytes', 'withdrawn', 'sha256', 'note'],
      versions
        .map(toJson)
        .map((one) => [
          String(one.version),
          one.publishedAt,
          one.publishedBy,
          one.authors.join(' '),
          String(one.bytes),
          one.unpublishedAt ?? '',
          one.hash.slice(0, 12),
          one.note.replaceAll(/\s+/g, ' '),
        ]),
      'Nothing published yet. Publish the draft: ./intaglio templates publish',
    ),
  );
}

function toJson({ publishedAtMs, unpublishedAtMs, ...rest }: VersionSummary) {
  return {
    ...rest,
    publishedAt: isoTime(publishedAtMs),
    unpublishedAt: unpublishedAtMs === null ? null : isoTime(unpublishedAtMs),
  };
}

async function diff(
  templateId: string,
  from: number,
  to: number | 'draft',
  { team, json }: TeamOptions,
): Promise<void> {
  const found = await withStore(async (store) => {
    const old = await demandVersion(store, team, templateId, from);
    const after =
      to === 'draft'
        ? await demandDraft(store, team, templateId)
        : await demandVersion(store, team, templateId, to);
    return diffVersions(old, after);
  });
  show(json, { templateId, from, to, ...found }, () => {
    const lines = [
      `${templateId} ${from} → ${to}: ${summarise(found)}`,
      ...found.contract.map((change) => describeChange('field ', change)),
      ...found.layout.map((change) => describeChange('', change)),
    ];
    if (found.layoutOmitted > 0) lines.push(`… and ${found.layoutOmitted} more in the layout`);
    lines.push(...describeBreaking(found.breaking));
    return lines.join('\n');
  });
}

/** Compares two versions, whose sources must be JSON; those of published ones are. */
function diffVersions(before: TemplateVersion, after: TemplateVersion): TemplateDiff {
  return diffTemplates(parse(before), parse(after));
}

function parse({ source }: TemplateVersion): unknown {
  return JSON.parse(new TextDecoder().decode(source)) as unknown;
}

/** The draft, which must be JSON; throws otherwise. */
async function demandDraft(
  store: Store,
  team: string,
  templateId: string,
): Promise<TemplateVersion> {
  const draft = await store.templates.draft(team, templateId);
  if (!draft.found) throw new NotFound(`${templateId} has no draft; its last version is in use`);
  demandJson(draft.value.source, `the draft of ${templateId}`);
  return draft.value;
}

/** A published version; throws `NotFound`, which lists the versions that there are. */
export async function demandVersion(
  store: Store,
  team: string,
  templateId: string,
  version: number,
): Promise<TemplateVersion> {
  await demandTemplate(store, team, templateId);
  const found = await store.templates.version(team, templateId, version);
  if (found !== null) return found;
  const versions = (await store.templates.history(team, templateId)).map((one) => one.version);
  const hint = versions.length === 0 ? 'nothing is published yet' : `it has ${versions.join(', ')}`;
  throw new NotFound(`${templateId} has no version ${version}; ${hint}`);
}

async function rollBack(templateId: string, options: RollBackOptions): Promise<void> {
  const { team, json, version: content, note } = options;
  const done = await withStore(async (store) => {
    const startMs = performance.now();
    const old = await demandVersion(store, team, templateId, content);
    const template = asTemplate(old.source, content);
    // Check it again: the service may have become stricter since it was published.
    const { findings } = await withRenderers(1, async (pool) => check(pool, template, true));
    demandNoErrors(findings, templateId, `${templateId} was not rolled back:`);
    const [latest] = await store.templates.history(team, templateId);
    const { templates } = store;
    const published = await templates.rollBack(team, templateId, content, operator(), note);
    if (published === null) throw new NotFound(`${templateId} has no version ${content}`);
    const { version } = published;
    await record(store, {
      action: 'templates.rollback',
      teamId: team,
      templateId,
      version,
      startMs,
      detail: rollBackDetail(content, note),
    });
    const before =
      latest === undefined ? null : await store.templates.version(team, templateId, latest.version);
    return { version, found: before === null ? null : diffVersions(before, old) };
  });
  const { version, found } = done;
  const change = found === null ? '' : summarise(found);
  const breaking = found?.breaking ?? [];
  show(json, { templateId, version, content, change, breaking }, () =>
    [
      `Published version ${content} of ${templateId} again as version ${version}: ${change}.`,
      ...notes(breaking, version - 1, 'rolled back'),
      `It is the version in use; all versions: ./intaglio templates history ${templateId} --team ${team}`,
    ].join('\n'),
  );
}

async function unpublish(templateId: string, options: VersionOptions): Promise<void> {
  const { team, json, version } = options;
  const latest = await withStore(async (store) => {
    const startMs = performance.now();
    await demandVersion(store, team, templateId, version);
    if (!(await store.templates.unpublish(team, templateId, version))) {
      throw new CommandFailed(`version ${version} of ${templateId} was withdrawn before`);
    }
    await record(store, {
      action: 'templates.unpublish',
      teamId: team,
      templateId,
      version,
      startMs,
    });
    return (await demandTemplate(store, team, templateId)).latestVersion;
  });
  show(json, { templateId, version, latestVersion: latest }, () => {
    const left = latest === null ? 'none is left' : `the latest is now version ${latest}`;
    return `Withdrew version ${version} of ${templateId}; ${left}.`;
  });
}

/** Notes on what breaks for callers of the version `before`, and how to keep serving them. */
function notes(
  breaking: TemplateDiff['breaking'],
  before: number,
  moment: Moment,
): readonly string[] {
  const spared = wayOut(breaking, before, moment);
  return [...describeBreaking(breaking), ...(spared === null ? [] : [spared])].map(
    (line) => `Note: ${line}.`,
  );
}

/** Throws when a draft would refuse what callers of the latest version send. */
export async function demandCompatible(
  store: Store,
  team: string,
  templateId: string,
  latest: number,
  draft: Parameters<typeof diffVersions>[1],
): Promise<void> {
  const before = await store.templates.version(team, templateId, latest);
  if (before === null) return;
  const { breaking } = diffVersions(before, draft);
  const spared = wayOut(breaking, latest, 'draft');
  if (spared === null) return;
  const refusing = describeBreaking(breaking.filter(({ kind }) => kind !== 'removed'));
  const lines = refusing.map((line) => `  ${line}`);
  throw new CommandFailed(
    [
      `${templateId} was not published, as it would break callers of version ${latest}:`,
      ...lines,
      `publish it nevertheless with --allow-breaking: ${spared}`,
    ].join('\n'),
  );
}

/** The changes of a version against the one before, a line each; none for the first. */
export async function changeSince(
  store: Store,
  team: string,
  templateId: string,
  version: number,
): Promise<readonly string[]> {
  const after = await store.templates.version(team, templateId, version);
  const before = await store.templates.version(team, templateId, version - 1);
  if (after === null || before === null) return [];
  const found = diffVersions(before, after);
  const rollback = `./intaglio templates rollback ${templateId} --team ${team} --version ${version - 1}`;
  return [
    `Against version ${version - 1}: ${summarise(found)}.`,
    ...notes(found.breaking, version - 1, { rollback }),
  ];
}
