import type {
  CompiledTemplate,
  ColumnsNode,
  Node,
  StackNode,
  TextTemplate,
  TocNode,
} from '../../model/nodes.ts';
import { childrenOf } from '../../model/nodes.ts';
import type { FontStack } from '../../font/font.ts';
import { AmountPolicy } from '../amounts/amounts.ts';
import type { DataScope } from '../scope.ts';
import { type Box, ColumnBox, ColumnsBox, StackBox, TocBox } from './blocks.ts';
import { BarcodePlan } from './barcode-plan.ts';
import { CanvasPlan, ImagePlan, QrPlan } from './graphic-plan.ts';
import { ListPlan } from './list-plan.ts';
import { appendBoxes, isFixedChild, Plan } from './plan.ts';
import { SvgPlan } from './svg-plan.ts';
import { TablePlan } from './table/table-plan.ts';
import { TextPlan } from './text-plan.ts';

/** Makes the plan of each node of a template once. */
export class Plans {
  readonly #plans = new Map<Node, Plan>();
  readonly #texts = new Map<string, TextTemplate>();
  readonly #numbered = new Map<Node, boolean>();
  readonly #stacks: readonly FontStack[];
  readonly hasToc: boolean;
  readonly amounts: AmountPolicy;

  constructor(template: CompiledTemplate) {
    this.amounts = new AmountPolicy(template);
    this.#stacks = template.fontUses.map((use) => use.stack);
    let hasToc = false;
    for (const { content } of template.sections) {
      walk(content, (node) => {
        if (node.kind === 'toc') hasToc = true;
        if (node.kind !== 'text') return;
        const text = node.runs.flatMap((run) => run.text);
        if (node.id !== null) this.#texts.set(node.id, text);
        for (const run of node.runs) if (run.id !== null) this.#texts.set(run.id, run.text);
      });
    }
    this.hasToc = hasToc;
  }

  of(node: Node): Plan {
    let plan = this.#plans.get(node);
    if (plan === undefined) {
      plan = this.#make(node);
      this.#plans.set(node, plan);
    }
    return plan;
  }

  /** Whether a node shows `{{page}}` or `{{pages}}`. */
  isNumbered(node: Node): boolean {
    let numbered = this.#numbered.get(node);
    if (numbered === undefined) {
      numbered = false;
      walk(node, (child) => {
        for (const text of textsOf(child)) {
          if (text.some((part) => part.kind === 'page' || part.kind === 'pages')) numbered = true;
        }
      });
      this.#numbered.set(node, numbered);
    }
    return numbered;
  }

  #make(node: Node): Plan {
    const planOf = (child: Node): Plan => this.of(child);
    switch (node.kind) {
      case 'text':
        return new TextPlan(node, (id) => this.#texts.get(id) ?? null, this.amounts);
      case 'stack':
        return new StackPlan(node, planOf);
      case 'columns':
        return new ColumnsPlan(node, planOf);
      case 'table':
        return new TablePlan(node, planOf);
      case 'list':
        return new ListPlan(node, planOf);
      case 'image':
        return new ImagePlan(node);
      case 'svg':
        return new SvgPlan(node, this.#stacks);
      case 'qr':
        return new QrPlan(node, this.amounts);
      case 'barcode':
        return new BarcodePlan(node, this.amounts);
      case 'canvas':
        return new CanvasPlan(node);
      case 'toc':
        return new TocPlan(node, planOf);
    }
  }
}

class StackPlan extends Plan {
  readonly #stack: StackNode;
  readonly #children: readonly Plan[];

  constructor(node: StackNode, planOf: (node: Node) => Plan) {
    const children = node.children.map(planOf);
    super(node, children.every(isFixedChild));
    this.#stack = node;
    this.#children = children;
  }

  protected makeBox(scope: DataScope): Box {
    const children: Box[] = [];
    for (const child of this.#children) appendBoxes(child, scope, children);
    return new StackBox(this.#stack, children);
  }
}

class ColumnsPlan extends Plan {
  readonly #row: ColumnsNode;
  readonly #columns: readonly {
    readonly column: ColumnsNode['columns'][number];
    readonly plan: Plan;
  }[];

  constructor(node: ColumnsNode, planOf: (node: Node) => Plan) {
    const columns = node.columns.map((column) => ({ column, plan: planOf(column.node) }));
    super(
      node,
      columns.every(({ plan }) => isFixedChild(plan)),
    );
    this.#row = node;
    this.#columns = columns;
  }

  protected makeBox(scope: DataScope): Box {
    const columns: ColumnBox[] = [];
    for (const { column, plan } of this.#columns) {
      const boxes: Box[] = [];
      appendBoxes(plan, scope, boxes);
      for (const box of boxes) {
        columns.push(new ColumnBox(column.width, box, column.verticalAlignment ?? 'top'));
      }
    }
    return new ColumnsBox(this.#row, columns);
  }
}

class TocPlan extends Plan {
  readonly #toc: TocNode;
  readonly #title: Plan | null;

  constructor(node: TocNode, planOf: (node: Node) => Plan) {
    super(node, false);
    this.#toc = node;
    this.#title = node.title === null ? null : planOf(node.title);
  }

  protected makeBox(scope: DataScope): Box {
    return new TocBox(this.#toc, this.#title?.box(scope) ?? null);
  }
}

/** Visits a node and its descendants in document order. */
function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

function textsOf(node: Node): readonly TextTemplate[] {
  switch (node.kind) {
    case 'text':
      return node.runs.flatMap((run) => (run.link === null ? [run.text] : [run.text, run.link.to]));
    case 'qr':
      return [node.text];
    case 'barcode':
      return node.parts.map(({ text }) => text);
    case 'image':
    case 'svg':
      return node.link === null ? [] : [node.link.to];
    case 'stack':
    case 'columns':
    case 'table':
    case 'list':
    case 'canvas':
    case 'toc':
      return [];
  }
}
