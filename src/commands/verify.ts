import type { Command } from 'commander';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

import type { DocumentRecord, Store } from '../store/store.ts';
import { withStore } from './context.ts';
import { CommandFailed } from './failure.ts';
import { isoTime, show } from './output.ts';
import { endWith } from './terminal.ts';

export default function define(command: Command): void {
  command
    .argument('<pdf>', 'the file to check')
    .option('--team <teamId>', 'only documents of this team')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Compares the SHA-256 of the file with those of the stored documents. Exit code 1 when this service
did not issue it.

Example:
  $ ./intaglio verify statement.pdf`,
    )
    .action(async (path: string, options: { team?: string; json?: boolean }) => {
      const sha256 = await digest(path);
      const document = await withStore(async (store) => find(store, options.team, sha256));
      if (document === null) endWith(1);
      show(options.json, toJson(sha256, document), () => describe(document));
    });
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandFailed(`cannot read ${path}: ${error.message}`);
  }
  return hash.digest('hex');
}

async function find(
  store: Store,
  teamId: string | undefined,
  sha256: string,
): Promise<DocumentRecord | null> {
  const teams = teamId === undefined ? (await store.teams.list()).map((team) => team.teamId) : [];
  for (const team of teamId === undefined ? teams : [teamId]) {
    const document = await store.documents.findBySha256(team, sha256);
    if (document !== null) return document;
  }
  return null;
}

function toJson(sha256: string, document: DocumentRecord | null): Record<string, unknown> {
  if (document === null) return { issued: false, sha256 };
  const { documentId, teamId, templateId, version, createdAtMs, expiresAtMs } = document;
  const createdAt = isoTime(createdAtMs);
  const expiresAt = isoTime(expiresAtMs);
  return { issued: true, sha256, documentId, teamId, templateId, version, createdAt, expiresAt };
}

function describe(document: DocumentRecord | null): string {
  if (document === null) return 'Not issued by this service.';
  const { documentId, teamId, templateId, version, createdAtMs } = document;
  return (
    `Issued ${isoTime(createdAtMs)} to team ${teamId}: ` +
    `document ${documentId}, template ${templateId}@${version}.`
  );
}
