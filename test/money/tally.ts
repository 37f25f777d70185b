/** Counts failures by kind, and keeps the first examples of each. */
export class Tally {
  readonly #kinds = new Map<string, Kind>();
  cases = 0;
  failures = 0;

  add(cases: number, failures: number): void {
    this.cases += cases;
    this.failures += failures;
  }

  /** `explain` gives lines that let a reader repeat the failure. */
  report(kind: string, message: string, explain: () => Promise<string[]>): void {
    const known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, { count: 1, messages: [message], explain });
    else {
      known.count++;
      if (known.messages.length < MESSAGES_MAX) known.messages.push(message);
    }
  }

  /** One line a kind, the most frequent first. */
  summary(): string[] {
    const rows = [...this.#kinds].toSorted(([, a], [, b]) => b.count - a.count);
    return rows.map(
      ([kind, { count, messages }]) => `${String(count).padStart(7)}  ${kind}: ${messages[0]}`,
    );
  }

  /** All that is known of each kind. */
  async explanations(): Promise<string[]> {
    const lines: string[] = [];
    for (const [kind, { messages, explain }] of this.#kinds) {
      lines.push('', kind, ...messages.map((message) => `  ${message}`));
      lines.push(...(await explain()).map((line) => `  ${line}`));
    }
    return lines;
  }
}

interface Kind {
  count: number;
  readonly messages: string[];
  readonly explain: () => Promise<string[]>;
}

const MESSAGES_MAX = 5;
