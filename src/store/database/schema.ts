import type { ApprovalSchema } from './tables/approvals.ts';
import type { NamingSchema } from './tables/naming.ts';
import type { RunSchema } from './tables/runs.ts';
import type { SealSchema } from './tables/seals.ts';

/** Rows as the database holds them: times in ms since the epoch, digests as 32 bytes. */
export interface Schema extends ApprovalSchema, NamingSchema, RunSchema, SealSchema {
  schema_version: { version: number };
  teams: { team_id: string; name: string; active: number; created_at_ms: number };
  api_keys: {
    key_id: string;
    digest: Uint8Array;
    team_id: string;
    name: string;
    scopes: string;
    rate_limit_per_minute: number | null;
    created_at_ms: number;
    revoked_at_ms: number | null;
    /** Null: the key does not expire. */
    expires_at_ms: number | null;
    /** Written at most once a minute; null: not used yet. */
    last_used_at_ms: number | null;
  };
  users: {
    user_id: string;
    team_id: string;
    role: string;
    display_name: string;
    email: string;
    active: number;
  };
  sessions: { digest: Uint8Array; user_id: string; expires_at_ms: number };
  /** Users who have signed in since this is recorded. */
  last_sign_ins: { user_id: string; at_ms: number };
  /** One-time links for signing in: a row is removed when its link is used. */
  sign_in_links: { digest: Uint8Array; user_id: string; expires_at_ms: number };
  templates: {
    team_id: string;
    template_id: string;
    name: string;
    /** 0: nothing published yet. */
    latest_version: number;
    draft_hash: Uint8Array | null;
    draft_source: Uint8Array | null;
    /** `user:<userId>` or `command:<account>` that saved the draft last; null: not recorded. */
    draft_by: string | null;
    updated_at_ms: number;
    /** Since then it makes no new documents and is in no list; null: it is in use. */
    archived_at_ms: number | null;
  };
  /** Who changed a draft since the last version. */
  draft_contributors: { team_id: string; template_id: string; contributor: string };
  template_versions: {
    team_id: string;
    template_id: string;
    version: number;
    hash: Uint8Array;
    source: Uint8Array;
    published_at_ms: number;
    /** `user:<userId>` or `command:<account>`; null: published before this was recorded. */
    published_by: string | null;
    /** Since then the version is not used for new documents; null: it is published. */
    unpublished_at_ms: number | null;
    /** Name of the template in this version; null: published before this was recorded. */
    name: string | null;
  };
  /** Field descriptors, a JSON array, by the hash of the template's source. */
  template_fields: { hash: Uint8Array; fields: Uint8Array; stored_at_ms: number };
  documents: {
    document_id: string;
    team_id: string;
    template_id: string;
    version: number;
    sha256: Uint8Array;
    bytes: number;
    pages: number;
    protected: number;
    created_at_ms: number;
    expires_at_ms: number;
    /** See DOCUMENT_STATES. */
    state: number;
    /** The pack that holds its file, and the offset in it; null: the document has a separate file. */
    pack_id: string | null;
    pack_offset: number | null;
    /** The key of its file (encryption/key-ring.ts); null: the file is not encrypted, or gone. */
    wrapped_key: Uint8Array | null;
  };
  /** Documents whose file was found damaged or missing; usually empty. */
  damages: { document_id: string; kind: string; found_at_ms: number };
  audit: {
    audit_id: string;
    at_ms: number;
    request_id: string;
    team_id: string;
    principal: string;
    action: string;
    outcome: string;
    code: string;
    template_id: string;
    version: number | null;
    document_id: string;
    mode: string;
    pages: number | null;
    bytes: number | null;
    duration_ms: number | null;
    sha256: Uint8Array | null;
    /** The document's signer; null: it is not signed. */
    signer: string | null;
    certificate_serial: string | null;
    /** 1: made from a draft; null: from a version, or recorded before drafts were marked. */
    draft: number | null;
    /** Contributors to a published version, a JSON array in UTF-8; null: not recorded. */
    contributors: Uint8Array | null;
    /** Null: nothing beyond the other columns. */
    detail: string | null;
  };
  idempotency: {
    team_id: string;
    key_digest: Uint8Array;
    body_hash: Uint8Array;
    /** Set in the transaction that adds the document. */
    document_id: string | null;
    /** Owner of the claim; a new value for each claim. */
    owner: string;
    lease_until_ms: number;
    claimed_at_ms: number;
  };
  /** Each key that has wrapped the key of a file. Its id is derived from the key. */
  encryption_keys: { key_id: string; first_used_at_ms: number };
  /** One row: the id of this database (installation.ts). */
  installation: { installation_id: number; database_id: string };
  /** One row that the readiness check writes. */
  probes: { probe_id: number; at_ms: number };
}

/**
 * available → deleting (the row changes first, so that a crash never leaves an available row
 * without its file) → deleted. `swept`: the sweep removed an orphan file of this id; its row makes
 * a late commit fail. `packed`: its file is in a pack and is destroyed with the pack. Then a
 * document of a run stays in this state, and a document of a request becomes `deleted`.
 */
export const DOCUMENT_STATES = {
  available: 0,
  deleting: 1,
  deleted: 2,
  swept: 3,
  packed: 4,
} as const;

/** States in which a document has its file until it expires. */
export const LIVING_STATES: readonly number[] = [DOCUMENT_STATES.available, DOCUMENT_STATES.packed];
