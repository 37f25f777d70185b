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
  /** A page or text reference cannot be drawn without its target; a link merely leads nowhere. */
  readonly needed: boolean;
}

/** Ids, tables of contents and the references to both, checked once all nodes are compiled. */
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

  /** `outlinedTocs`: the tables of contents whose items are outline entries as well. */
  constructor(findings: Findings, outlinedTocs: ReadonlySet<string>) {
    this.#findings = findings;
    this.#outlinedTocs = outlinedTocs;
  }

  hasOutlines(toc: string): boolean {
    return this.#outlinedTocs.has(toc);
  }

  /** The level of an outline entry: 0, or one below entry `parentId`, which must come first. */
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

  /** Adds the text of tables of contents to `uses`; call it once their styles are known. */
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
      this.#findings.error(path, `The id ${name} is already used at ${first}; ids must be unique.`);
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
    else this.#findings.error(path, `This table of contents already exists at ${first}.`);
  }

  addTocItem(toc: string, path: string): void {
    this.#tocItems.push({ toc, path });
  }

  /**
   * Reports references to ids and tables of contents that do not exist. `writtenIds` are the ids in
   * the template file, whether or not their nodes compiled.
   */
  report(writtenIds: ReadonlySet<string>): void {
    for (const { id, path, needed } of this.#mentions) {
      if (this.#ids.has(id)) continue;
      // The node is in the file but was not compiled; the error that prevented it is reported.
      if (writtenIds.has(id) && this.#findings.failed) continue;
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

/** The id that pdfmake gives to a table of contents without one. */
export const DEFAULT_TOC = '_default_';
