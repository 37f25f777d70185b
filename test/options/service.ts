import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { GatewayParts } from '../../src/gateway/types.ts';
import { openStore } from '../../src/store/open.ts';
import { createPool } from '../../src/workers/pool/pool.ts';
import { createProtector } from '../../src/protect/protector.ts';
import type { ProtectorOptions } from '../../src/protect/protector.ts';
import { post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';

/** `options` of a generate request. */
export interface Options {
  readonly attach?: readonly string[];
  readonly watermark?: { readonly text: string; readonly opacity?: number };
  readonly metadata?: { readonly title?: string; readonly subject?: string };
  readonly protection?: {
    readonly userPassword?: string;
    readonly ownerPassword?: string;
    readonly permissions?: Readonly<Partial<Record<'print' | 'copy' | 'modify', boolean>>>;
  };
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
  /** The value of a JSON response; {} for other responses. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** A service with the real renderer and the real qpdf, called with a key of team `bank`. */
export interface OptionsService extends TestService {
  readonly generate: (
    templateId: string,
    mode: 'sync' | 'async',
    name: string,
    options?: Options,
  ) => Promise<Answer>;
  /** Generates a stored document; returns its id. */
  readonly generateStored: (templateId: string, name: string, options?: Options) => Promise<string>;
  readonly get: (path: string) => Promise<Answer>;
}

export interface OptionsSettings {
  readonly protector?: Partial<ProtectorOptions>;
  readonly parts?: Partial<GatewayParts>;
}

/**
 * Templates by id: their numbers of pages and their languages. Page sizes and headers differ, too.
 */
export const TEMPLATES = {
  letter: { pages: 2, language: 'en' },
  thai: { pages: 2, language: 'th' },
  slip: { pages: 1, language: 'en' },
  scan: { pages: 2, language: 'th' },
} as const;

export type TemplateId = keyof typeof TEMPLATES;

/** The text of a page's footer, without spaces. */
export function footerText(language: 'en' | 'th', page: number, of: number): string {
  return language === 'th' ? `[หน้า${page}จาก${of}]` : `[page${page}of${of}]`;
}

function bodyOf(templateId: TemplateId): Record<string, unknown> {
  return {
    fields: [{ name: 'name', type: 'text', required: true }],
    document: documentOf(templateId),
    samples: [],
  };
}

function documentOf(templateId: TemplateId): Record<string, unknown> {
  const { pages, language } = TEMPLATES[templateId];
  const footer =
    language === 'th' ? '[หน้า {{page}} จาก {{pages}}]' : '[page {{page}} of {{pages}}]';
  const first = { text: 'front {{name}}', id: 'front', link: 'https://example.test/{{name}}' };
  const second = {
    text: language === 'th' ? 'หลัง {{name}} น้ำที่กู้' : 'back {{name}}',
    pageBreak: 'before',
    outline: true,
    linkToDestination: 'front',
  };
  const shape = {
    letter: { header: { text: 'letterhead', margin: [40, 20] } },
    thai: {},
    slip: { pageSize: 'A6' },
    scan: {
      pageSize: 'A5',
      pageOrientation: 'landscape',
      header: { text: 'old {{page}}/{{pages}}', margin: [40, 20] },
    },
  }[templateId];
  return {
    footer: { text: footer, alignment: 'center' },
    content: pages === 1 ? [first] : [first, second],
    ...shape,
  };
}

export async function startOptionsService(
  t: Test,
  settings: OptionsSettings = {},
): Promise<OptionsService> {
  const pool = createPool({
    module: new URL('../../src/workers/render.ts', import.meta.url),
    settings: {},
    threads: 1,
    spareThreads: 0,
    queueMax: 64,
    renderTimeoutMs: 30_000,
    checkTimeoutMs: 30_000,
    draftTimeoutMs: 30_000,
    memoryMb: 512,
    onFault: (fault) => t.fail(`a renderer failed: ${fault.kind} ${fault.error}`),
  });
  const protector = createProtector({
    qpdf: 'qpdf',
    timeoutMs: 20_000,
    concurrencyMax: 2,
    ...settings.protector,
  });
  const service = await startTestService(t, { parts: { pool, protector, ...settings.parts } });
  t.teardown(async () => {
    await protector.close();
    await pool.close(0);
  });
  for (const team of ['bank', 'rival']) {
    for (const [templateId, { language }] of Object.entries(TEMPLATES)) {
      const name = team === 'bank' ? templateId : `${team}-${templateId}`;
      await service.publish(team, name, {
        language,
        // Object.entries loses the type of the keys.
        ...bodyOf(templateId as TemplateId),
      });
    }
  }
  const apiKey = await service.key('bank', ['generate', 'documents:read']);
  return withCalls(service, apiKey);
}

/**
 * Sets up the data of a service that runs as a process: team `bank` with template `letter`. Returns
 * its key.
 */
export async function setUpTeam(folder: string): Promise<string> {
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
  });
  try {
    await store.migrate();
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    const head = { templateId: 'letter', name: 'letter', language: TEMPLATES.letter.language };
    const source = Buffer.from(JSON.stringify({ ...head, ...bodyOf('letter') }));
    await store.templates.saveDraft('bank', 'letter', 'letter', source);
    const draft = await store.templates.draft('bank', 'letter');
    if (!draft.found) throw new Error('the draft was not saved');
    await store.templates.publish('bank', 'letter', draft.value.hash);
    const scopes = ['generate', 'documents:read'] as const;
    const key = await store.keys.add({
      teamId: 'bank',
      name: 'test',
      scopes,
      rateLimitPerMinute: 1_000_000,
    });
    if (!key.ok) throw new Error(key.message);
    return key.value.apiKey;
  } finally {
    await store.close();
  }
}

function withCalls(service: TestService, apiKey: string): OptionsService {
  const headers = { 'x-api-key': apiKey };
  const generate: OptionsService['generate'] = async (templateId, mode, name, options = {}) =>
    answerOf(
      await post(`${service.url}/v1/generate`, headers, {
        templateId,
        mode,
        data: { name },
        options,
      }),
    );
  return {
    ...service,
    generate,
    generateStored: async (templateId, name, options) => {
      const { status, json, bytes } = await generate(templateId, 'async', name, options);
      if (status !== 201) throw new Error(`not stored: ${status} ${bytes.toString()}`);
      return String(json['documentId']);
    },
    get: async (path) => answerOf(await fetch(`${service.url}${path}`, { headers })),
  };
}

export async function answerOf(response: Response): Promise<Answer> {
  const type = response.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = type.startsWith('application/json');
  const json = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
  return { status: response.status, type, bytes, json };
}

export interface ToolRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; returns its output, also when it fails. */
export async function runTool(program: string, ...args: readonly string[]): Promise<ToolRun> {
  return new Promise((done) => {
    execFile(program, [...args], { maxBuffer: 1 << 26 }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}

/**
 * Runs a qpdf job on a file. The job is a file, too, so that any password reaches qpdf unchanged.
 */
export async function runQpdf(
  place: string,
  job: Readonly<Record<string, string>>,
): Promise<ToolRun> {
  writeFileSync(`${place}.json`, JSON.stringify({ inputFile: place, ...job }));
  const run = await runTool('qpdf', `--job-json-file=${place}.json`);
  rmSync(`${place}.json`);
  return run;
}

/** A random word, to be searched for. */
export function canary(): string {
  return `canary${randomUUID().replaceAll('-', '')}`;
}
