import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { HOME, readConfig } from '../../src/settings/config.ts';
import { LIMITS } from '../../src/limits.ts';
import { withStore } from '../../src/commands/console/context.ts';
import { readInput, templateFilesIn } from '../../src/commands/engine.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { isObject } from '../../src/runtime/json-object.ts';

/** A template with its samples. */
export interface TunedTemplate {
  /** Name of the template for messages. */
  readonly name: string;
  readonly source: Uint8Array;
  readonly fields: readonly Field[];
  readonly samples: readonly Sample[];
}

export interface Field {
  readonly name: string;
  readonly type: string;
}

export interface Sample {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Workload {
  /** The source of the templates, in words. */
  readonly origin: string;
  readonly templates: readonly TunedTemplate[];
}

/** With more templates, each would get too few requests. */
const TEMPLATES_MAX = 64;

/**
 * Reads the templates of a folder; without one, the published ones of the configured database;
 * without these, those that ship with the service. Throws `CommandFailed` when no template has a
 * sample.
 */
export async function readWorkload(
  folder: string | undefined,
  note: (line: string) => void,
): Promise<Workload> {
  if (folder !== undefined) return fromFiles(folder, folder, note);
  const published = await fromDatabase(note);
  if (published.length > 0) return { origin: 'published templates', templates: published };
  const shipped = join(HOME, 'templates');
  return fromFiles(shipped, 'the templates that ship with the service', note);
}

function fromFiles(folder: string, origin: string, note: (line: string) => void): Workload {
  if (!existsSync(folder)) throw new CommandFailed(`there is no folder ${folder}`);
  const paths = statSync(folder).isDirectory() ? templateFilesIn(folder) : [folder];
  const read = paths.map((path) => toTemplate(readInput(path, LIMITS.templateBytesMax), path));
  const templates = withSamples(read, note);
  if (templates.length === 0) {
    throw new CommandFailed(
      `${folder} has no template with samples, which are needed for measuring`,
    );
  }
  return { origin, templates };
}

/** The latest versions of all teams; none without a database, which reading must not create. */
async function fromDatabase(note: (line: string) => void): Promise<readonly TunedTemplate[]> {
  const { databaseUrl } = readConfig(process.env);
  const [scheme, path = ''] = databaseUrl.split(/:(.*)/s);
  if (scheme === 'sqlite' && !existsSync(path)) return [];
  return withStore(async (store) => {
    const templates: TunedTemplate[] = [];
    for (const { teamId } of await store.teams.list()) {
      for (const { templateId, latestVersion } of await store.templates.list(teamId)) {
        if (latestVersion === null) continue;
        const version = await store.templates.published(teamId, templateId, latestVersion);
        if (!version.found) continue;
        templates.push(toTemplate(version.value.source, `${teamId}/${templateId}`));
      }
    }
    return withSamples(templates, note);
  });
}

/** The templates that have samples, at most TEMPLATES_MAX. */
function withSamples(
  templates: readonly TunedTemplate[],
  note: (line: string) => void,
): readonly TunedTemplate[] {
  for (const { name, samples } of templates) {
    if (samples.length === 0) note(`${name} has no samples and is left out`);
  }
  const usable = templates.filter(({ samples }) => samples.length > 0);
  if (usable.length > TEMPLATES_MAX) {
    note(`the first ${TEMPLATES_MAX} of ${usable.length} templates are measured`);
  }
  return usable.slice(0, TEMPLATES_MAX);
}

/** Reads names, fields and samples only; rendering checks the template. */
function toTemplate(source: Uint8Array, name: string): TunedTemplate {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(source));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailed(`${name} is not valid JSON`);
  }
  const list = (key: string): readonly unknown[] => {
    const value: unknown = isObject(file) ? file[key] : undefined;
    return Array.isArray(value) ? value : [];
  };
  const fields = list('fields')
    .filter(isObject)
    .map((field) => ({ name: String(field['name']), type: String(field['type']) }));
  const samples = list('samples').flatMap((sample, index) => {
    if (!isObject(sample) || !isObject(sample['data'])) return [];
    const given = sample['name'];
    const sampleName = typeof given === 'string' ? given : `sample ${index + 1}`;
    return [{ name: sampleName, data: sample['data'] }];
  });
  return { name, source, fields, samples };
}
