import type { SchemaEditor } from '../schema-editor.ts';

/** The tables of requests for approval and of the notes on versions, as the database holds them. */
export interface ApprovalSchema {
  /** The last request of a template: a further one takes its row. */
  approval_requests: {
    team_id: string;
    template_id: string;
    /** The draft that was asked about: once the draft is another one, the request is outdated. */
    draft_hash: Uint8Array;
    /** `user:<userId>` */
    asked_by: string;
    asked_at_ms: number;
    /** UTF-8; null: none. */
    note: Uint8Array | null;
    /** See APPROVAL_STATES. */
    state: string;
    decided_by: string | null;
    decided_at_ms: number | null;
    /** Why it was sent back, UTF-8. */
    comment: Uint8Array | null;
  };
  /** Versions with a note or known authors. */
  version_notes: {
    team_id: string;
    template_id: string;
    version: number;
    /** Why it was published, UTF-8; null: not said. */
    note: Uint8Array | null;
    /** Authors of the version, a JSON array in UTF-8; null: not recorded. */
    authors: Uint8Array | null;
  };
}

/**
 * A migration: creates the tables of requests and notes. They are apart from templates and versions,
 * so that no row that exists is rewritten, however large these tables are.
 */
export async function createApprovals(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('approval_requests')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('draft_hash', types.digest, (c) => c.notNull())
    .addColumn('asked_by', types.text, (c) => c.notNull())
    .addColumn('asked_at_ms', types.ms, (c) => c.notNull())
    .addColumn('note', types.blob)
    .addColumn('state', types.id, (c) => c.notNull())
    .addColumn('decided_by', types.text)
    .addColumn('decided_at_ms', types.ms)
    .addColumn('comment', types.blob)
    .addPrimaryKeyConstraint('approval_requests_key', ['team_id', 'template_id'])
    .execute();
  await schema
    .createTable('version_notes')
    .addColumn('team_id', types.id, (c) => c.notNull())
    .addColumn('template_id', types.id, (c) => c.notNull())
    .addColumn('version', types.number, (c) => c.notNull())
    .addColumn('note', types.blob)
    .addColumn('authors', types.blob)
    .addPrimaryKeyConstraint('version_notes_key', ['team_id', 'template_id', 'version'])
    .execute();
  // The inbox reads the open requests of a team, and few are open.
  const columns = ['team_id', 'state', 'template_id'];
  await schema.addIndex('approval_requests', 'approval_requests_open', columns);
}
