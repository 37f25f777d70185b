import { setTimeout as pause } from 'node:timers/promises';
import { LatestOthers } from '../../runtime/latest-others.ts';
import { type Rest, Turns } from './turns.ts';

/**
 * Calls that change runs, and small parts: each is a dozen statements and turns of the main thread.
 * Two, because one may wait for the object store that has the rows of its run.
 */
const CHANGES = { underWayMax: 16, underWayEachMax: 2, waitingEachMax: 256, waitingMax: 2_048 };
/** Large parts that are unpacked and stored at a time: each takes up to 48 MB of memory. */
const UPLOADS = { underWayMax: 6, underWayEachMax: 3, waitingEachMax: 64, waitingMax: 512 };
/** The message of a refusal. It must not blame the renderers, which these calls do not use. */
const CHANGES_FULL =
  'Too many calls that change runs wait for their turn: send fewer at a time, and retry this one.';
const UPLOADS_FULL =
  'Too many large parts of runs wait to be stored: send fewer at a time, and retry this one.';
/** Pause between two queued calls of a team while other teams are requesting documents. */
const REST_MS = 20;
/** A team counts as requesting documents until this long after its last request for one. */
const OTHERS_MS = 1_000;
/** A body up to this size is stored in a moment, unless it is packed. */
const SMALL_BYTES_MAX = 1_048_576;

/**
 * Lets teams work at runs in turns. However many keys and connections call for a team, few of its
 * calls are under way, and between them the main thread and the database serve the documents of
 * other teams.
 */
export class RunCalls {
  readonly #documents: LatestOthers;
  readonly #changes: Turns;
  readonly #uploads: Turns;

  /** `documents`: those that teams ask for. */
  constructor(
    documents = new LatestOthers(),
    nowMs: () => number = () => performance.now(),
    rest: () => Promise<unknown> = () => pause(REST_MS),
  ) {
    this.#documents = documents;
    const restBesideOthers: Rest = (team) =>
      nowMs() - this.#documents.otherAtMs(team) < OTHERS_MS ? rest() : null;
    this.#changes = new Turns(CHANGES, restBesideOthers, CHANGES_FULL);
    this.#uploads = new Turns(UPLOADS, restBesideOthers, UPLOADS_FULL);
  }

  /** A team asked for a document. */
  recordDocument(team: string, atMs: number): void {
    this.#documents.record(team, atMs);
  }

  /** Runs a call that changes a run of the team. Throws StoreBusy when too many wait already. */
  change<T>(team: string, work: () => Promise<T>): Promise<T> {
    return this.#changes.run(team, work);
  }

  /** Stores a part of `bytes`; -1: it is packed, and may become large. */
  store<T>(team: string, bytes: number, work: () => Promise<T>): Promise<T> {
    const isSmall = bytes >= 0 && bytes <= SMALL_BYTES_MAX;
    return (isSmall ? this.#changes : this.#uploads).run(team, work);
  }
}
