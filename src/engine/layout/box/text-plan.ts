import type { Run, TextNode, TextPart, TextTemplate } from '../../model/nodes.ts';
import {
  type AmountCheck,
  type AmountPolicy,
  amountsOfPart,
  fillText,
} from '../amounts/amounts.ts';
import { isStaticLink, resolveLink } from '../link.ts';
import { isStaticText, DataScope } from '../scope.ts';
import type { KeptText, RunText } from '../text/atom.ts';
import { RunStyle } from '../text/run-style.ts';
import { Plan } from './plan.ts';
import { TextBox } from './text-box.ts';

/** Finds the text of the node with the id of a text reference; null when no node has it. */
export type TextOf = (id: string) => TextTemplate | null;

/** Placeholder that reserves the width of a page number until it is known, as in pdfmake. */
export const PAGE_NUMBER_ROOM = '00000';

const NO_VALUES = new DataScope([]);

/** The plan of a run, kept between documents. */
export class RunPlan {
  readonly run: Run;
  readonly text: TextTemplate;
  /** The text; null when it has bindings. */
  readonly staticText: string | null;
  readonly #kept: KeptText | null;
  /** Null when the link has bindings: then each document makes its own. */
  readonly style: RunStyle | null;
  /** Static, unconditional and not repeated. */
  readonly isFixed: boolean;
  readonly #policy: AmountPolicy;
  /** Null: the text holds no amounts. */
  readonly #amountChecks: readonly AmountCheck[] | null;
  /** The only part of the text, and how it is told from amounts; null: it has several. */
  readonly #part: TextPart | null;
  readonly #check: AmountCheck;
  /** The text is one number in figures. */
  readonly isFigures: boolean;

  constructor(run: Run, textOf: TextOf, policy: AmountPolicy) {
    this.run = run;
    this.text = textTemplateOf(run, textOf);
    this.staticText = isStaticText(this.text) ? NO_VALUES.text(this.text) : null;
    const link = linkOf(run);
    this.style = isStaticLink(link) ? new RunStyle(run, resolveLink(link, NO_VALUES)) : null;
    const { style } = this;
    this.#kept = this.staticText === null ? null : { breaks: null, run: style, atoms: null };
    this.#policy = policy;
    this.#amountChecks = policy.checksOf(this.text);
    this.#part = this.text.length === 1 ? (this.text[0] ?? null) : null;
    this.#check = this.#amountChecks?.[0] ?? 'never';
    this.isFigures = policy.isFigures(this.text);
    this.isFixed =
      this.staticText !== null &&
      this.style !== null &&
      run.conditions.length === 0 &&
      run.each === null;
  }

  fill(scope: DataScope): RunText {
    const run = this.style ?? new RunStyle(this.run, resolveLink(linkOf(this.run), scope));
    const checks = this.#amountChecks;
    if (checks !== null) {
      const part = this.#part;
      if (part !== null) {
        const text = scope.part(part);
        const amounts = amountsOfPart(part, this.#check, text, scope, this.#policy);
        return { run, text, kept: null, amounts };
      }
      const { text, amounts } = fillText(this.text, checks, scope, this.#policy);
      return { run, text, kept: null, amounts };
    }
    const text = this.staticText ?? scope.text(this.text);
    return { run, text, kept: this.#kept, amounts: null };
  }
}

function textTemplateOf(run: Run, textOf: TextOf): TextTemplate {
  if (run.reference === null) return run.text;
  if (run.reference.kind === 'page') return [{ kind: 'static', text: PAGE_NUMBER_ROOM }];
  return textOf(run.reference.id) ?? [];
}

/** A page or text reference links to its target unless the run has another link. */
function linkOf(run: Run): Run['link'] {
  if (run.reference === null || run.link !== null) return run.link;
  return { kind: 'destination', to: [{ kind: 'static', text: run.reference.id }] };
}

export class TextPlan extends Plan {
  declare readonly node: TextNode;
  readonly runs: readonly RunPlan[];
  /** The only run; null unless the text always consists of exactly one. */
  readonly single: RunPlan | null;

  constructor(node: TextNode, textOf: TextOf, policy: AmountPolicy) {
    const runs = node.runs.map((run) => new RunPlan(run, textOf, policy));
    super(
      node,
      runs.every((run) => run.isFixed),
    );
    this.runs = runs;
    const only = runs.length === 1 ? runs[0] : undefined;
    const isAlways = only?.run.conditions.length === 0 && only.run.each === null;
    this.single = isAlways ? only : null;
  }

  protected makeBox(scope: DataScope): TextBox {
    const { single } = this;
    if (single !== null) return new TextBox(this.node, [single.fill(scope)]);
    const texts: RunText[] = [];
    for (const plan of this.runs) {
      const { conditions, each } = plan.run;
      if (conditions.length > 0 && !scope.holds(conditions)) continue;
      if (each === null) {
        texts.push(plan.fill(scope));
        continue;
      }
      scope.forEach(each, () => texts.push(plan.fill(scope)));
    }
    return new TextBox(this.node, texts);
  }

  protected override plainText(scope: DataScope): string {
    return this.runs.map((run) => run.fill(scope).text).join('');
  }
}
