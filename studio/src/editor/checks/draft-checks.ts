import { signal } from '@preact/signals';
import { ApiError, call, path, readBody } from '../../api/client.ts';
import type { DraftCheck, Finding } from '../../api/types.ts';
import { carryFindings } from './carry.ts';
import { relocate } from './relocate.ts';

/**
 * Pause after the last save before samples are checked: a check renders all of them, and a save none
 * or one.
 */
const PAUSE_MS = 1_500;
/** A check that took long has to wait this many times as long before it is repeated. */
const PAUSE_PER_CHECK = 4;
const PAUSE_MS_MAX = 60_000;
const RETRY_MS = 4_000;
/** A preview or check refused with another status would be refused again. 0: not reached. */
export const TRANSIENT: ReadonlySet<number> = new Set([0, 429, 503]);

/** A text and what was found in it. */
interface Found {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** The draft as the service has it. */
interface SavedDraft {
  readonly text: string;
  /** The same text with the service's white space, which findings refer to. */
  readonly source: string;
  readonly tag: string;
}

/**
 * `waiting`: the samples of this text are checked after a pause; `failed`: the service refused to
 * check them.
 */
export type SampleState = 'known' | 'waiting' | 'failed';

/**
 * What is wrong with a draft. A save tells at once what can be found without rendering; what only the
 * pages of samples show is looked for once for each text, after a pause. Until then, what the last
 * check found on pages remains.
 */
export class DraftChecks {
  /** null: this text has not been checked yet. */
  readonly findings = signal<readonly Finding[] | null>(null);
  /** Whether the findings tell what the pages of samples show. */
  readonly samples = signal<SampleState>('waiting');
  readonly #templateId: string;
  readonly #left: AbortSignal;
  /** null: the service does not have the present text. */
  readonly #saved: () => SavedDraft | null;
  #withoutSamples: Found | null = null;
  #withSamples: Found | null = null;
  #timer = 0;
  #isRunning = false;
  #tookMs = 0;

  constructor(templateId: string, left: AbortSignal, saved: () => SavedDraft | null) {
    this.#templateId = templateId;
    this.#left = left;
    this.#saved = saved;
    left.addEventListener('abort', () => this.stop());
  }

  /** The text changes: a save follows, and tells what it found. */
  expectSave(): void {
    this.stop();
    this.samples.value = 'waiting';
  }

  /** The service has this text; `findings` came with the save, null: they are those of before. */
  take(text: string, findings: readonly Finding[] | null): void {
    const before = this.#withoutSamples?.findings ?? null;
    const known = findings ?? before;
    this.#withoutSamples = known === null ? null : { text, findings: known };
    this.#tell(text);
    if (this.samples.value !== 'known' && known !== null) this.#checkAfter(this.#pauseMs());
  }

  /** Another draft takes the place of this one. */
  forget(): void {
    this.stop();
    this.#withoutSamples = null;
    this.#withSamples = null;
    this.findings.value = null;
    this.samples.value = 'waiting';
  }

  /** Drops the check that is due. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Checks the draft now, with its samples; does nothing while a check is under way. */
  async check(): Promise<void> {
    this.stop();
    const draft = this.#saved();
    if (draft === null || this.#isRunning || this.#left.aborted) return;
    this.#isRunning = true;
    const sentAtMs = performance.now();
    try {
      const address = path`/v1/templates/${this.#templateId}/draft/check`;
      const response = await call(address, { signal: this.#left });
      const { findings } = (await readBody(response.json())) as DraftCheck;
      if (hashIn(response.headers.get('etag')) === hashIn(draft.tag)) {
        const { text, source } = draft;
        const placed = findings.map((finding) => relocate(finding, source, text));
        this.#withSamples = { text, findings: placed };
      }
    } catch (error) {
      if (this.#left.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      if (TRANSIENT.has(error.status)) {
        return this.#checkAfter(Math.max(RETRY_MS, error.retryAfterSeconds * 1_000));
      }
    } finally {
      this.#isRunning = false;
      this.#tookMs = performance.now() - sentAtMs;
    }
    this.#finish(draft);
  }

  #finish(checked: SavedDraft): void {
    const now = this.#saved();
    if (now === null) return;
    this.#tell(now.text);
    if (this.samples.value === 'known') return this.stop();
    // The same draft would be refused again; one that was saved meanwhile has not been checked.
    if (now.tag === checked.tag) this.samples.value = 'failed';
    else this.#checkAfter(this.#pauseMs());
  }

  #checkAfter(ms: number): void {
    this.stop();
    this.#timer = window.setTimeout(() => void this.check(), ms);
  }

  #pauseMs(): number {
    return Math.min(Math.max(PAUSE_MS, this.#tookMs * PAUSE_PER_CHECK), PAUSE_MS_MAX);
  }

  #tell(text: string): void {
    const [plain, full] = [this.#withoutSamples, this.#withSamples];
    if (full?.text === text) {
      this.findings.value = full.findings;
      this.samples.value = 'known';
      return;
    }
    this.samples.value = 'waiting';
    if (plain === null) return;
    const ofSamples = (full?.findings ?? []).filter(({ sample }) => sample !== undefined);
    const kept = carryFindings(ofSamples, full?.text ?? '', text);
    this.findings.value = [...plain.findings, ...kept].toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0),
    );
  }
}

/** The hash in an ETag, which a proxy may have made weak. */
function hashIn(tag: string | null): string {
  return (tag ?? '').replace(/^W\//, '');
}
