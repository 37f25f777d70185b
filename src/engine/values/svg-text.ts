import type { SvgElement } from '../svg/tree.ts';

const TEXT_ELEMENTS: ReadonlySet<string> = new Set(['text', 'tspan', 'a']);

/** The texts that an SVG draws; its title, description and styles are not drawn. */
export function textsOfSvg(root: SvgElement): readonly string[] {
  const texts: string[] = [];
  const visit = ({ name, children }: SvgElement, isInText: boolean): void => {
    const isText = name === 'text' || (isInText && TEXT_ELEMENTS.has(name));
    for (const child of children) {
      if (typeof child !== 'string') visit(child, isText);
      else if (isText) texts.push(child);
    }
  };
  visit(root, false);
  return texts;
}
