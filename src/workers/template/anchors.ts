import type { Findings } from './vocabulary/findings.ts';

import type { TextTemplate, TocItem } from '../model/nodes.ts';
import type { TextStyle } from '../model/style.ts';
import type { TextUses } from './style/uses.ts';

interface TocStyles {
  readonly text: TextStyle;
  readonly number: TextStyle;
}

interface TocText {
  readonly toc: string;
  readonly item: TocItem;
  readonly text: TextTemplate;
  readonly path: string;
}

interface Mention {
  readonly id: string;
  readonly path: string;
  /** A page or text reference cannot be drawn without its target; a link is only dead. */
  readonly needed: boolean;
}

/** Ids, contents names and what refers to them: checked once the whole document is read. */
export class Anchors {
  readonly #ids = new Map<string, string>();
  readonly #mentions: Mention[] = [];
  readonly #tocs = new Map<string, string>();
  readonly #tocItems: { readonly toc: string; readonly path: string }[] = [];
  readonly #tocTexts: TocText[] = [];
  readonly #tocStyles = new Map<string, TocStyles>();
  readonly #outlineLevels = new Map<string, number>();
  readonly #outlinedTocs: ReadonlySet<string>;
  readonly #findings: Findings;

  /** `outlinedTocs`: contents whose items are outline entries as well. */
  constructor(findings: Findings, outlinedTocs: ReadonlySet<string>) {
    this.#findings = findings;
    this.#outlinedTocs = outlinedTocs;
  }

  hasOutlines(toc: string): boolean {
    return this.#outlinedTocs.has(toc);
  }

  /** 0 at the top, else one below the entry whose id is `parentId`, which stands before it. */
  outlineLevel(id: string | null, parentId: string | null, path: string): number {
    const parent = parentId === null ? -1 : this.#outlineLevels.get(parentId);
    if (parent === undefined) {
      const message = `No outline entry before this one has the id ${JSON.stringify(parentId)}.`;
      this.#findings.warning(`${path}.outlineParentId`, message);
    }
    const level = (parent ?? -1) + 1;
    if (id !== null) this.#outlineLevels.set(id, level);
    return level;
  }

  setTocStyles(toc: string, styles: TocStyles): void {
    this.#tocStyles.set(toc, styles);
  }

  addTocText(toc: string, item: TocItem, text: TextTemplate, path: string): void {
    this.#tocTexts.push({ toc, item, text, path });
  }

  /** Notes what contents entries draw, once it is known in which styles. */
  addUses(uses: TextUses): void {
    for (const { toc, item, text, path } of this.#tocTexts) {
      const styles = this.#tocStyles.get(toc);
      if (styles === undefined) continue;
      uses.add((item.style ?? styles.text).stack, text, path);
      uses.addText((item.numberStyle ?? styles.number).stack, '0123456789', path);
    }
  }

  declare(id: string, path: string, repeated: boolean): void {
    const first = this.#ids.get(id);
    const name = JSON.stringify(id);
    if (first !== undefined) {
      this.#findings.error(path, `The id ${name} is used already at ${first}; ids are unique.`);
      return;
    }
    this.#ids.set(id, path);
    if (repeated) {
      this.#findings.warning(path, `"each" repeats the id ${name}; links go to its first copy.`);
    }
  }

  mention(id: string, path: string, needed: boolean): void {
    this.#mentions.push({ id, path, needed });
  }

  declareToc(name: string, path: string): void {
    const first = this.#tocs.get(name);
    if (first === undefined) this.#tocs.set(name, path);
    else this.#findings.error(path, `This table of contents stands already at ${first}.`);
  }

  addTocItem(toc: string, path: string): void {
    this.#tocItems.push({ toc, path });
  }

  /** Reports references without target and contents items without contents. */
  report(written: ReadonlySet<string>): void {
    for (const { id, path, needed } of this.#mentions) {
      if (this.#ids.has(id)) continue;
      // The node with this id stands in the file, but a fault kept it from being compiled.
      if (written.has(id) && this.#findings.failed) continue;
      const message = `There is no node with the id ${JSON.stringify(id)}`;
      const hint = this.#findings.suggestion(id, this.#ids.keys()) || '.';
      if (needed) this.#findings.error(path, message + hint);
      else this.#findings.warning(path, message + hint);
    }
    for (const { toc, path } of this.#tocItems) {
      if (this.#tocs.has(toc)) continue;
      const name = toc === DEFAULT_TOC ? 'no table of contents' : `no "toc" with the id "${toc}"`;
      this.#findings.warning(path, `There is ${name} for this tocItem.`);
    }
  }
}

/** The name of a table of contents that is given none (pdfmake's). */
export const DEFAULT_TOC = '_default_';
