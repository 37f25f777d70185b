import type { JSX } from 'preact';
import type { GuidePage } from './find.ts';
import { GUIDE_PAGES, rowAnchor } from './find.ts';
import type { Block, Inline, Line } from './markdown.ts';

/** Where links and pictures of a page lead. */
export interface GuideLink {
  readonly page: GuidePage;
  readonly go: (page: GuidePage, anchor: string) => void;
  /** The address of a picture; '' if there is none. */
  readonly picture: (source: string) => string;
}

interface BlockProps {
  readonly block: Block;
  /** The anchor of the section that it stands in. */
  readonly section: string;
  readonly link: GuideLink;
}

export function BlockView({ block, section, link }: BlockProps) {
  const line = (parts: Line): JSX.Element => <LineView line={parts} link={link} />;
  switch (block.kind) {
    case 'heading': {
      // The page of the editor has the heading of the first level.
      const level = Math.min(6, block.level + 1);
      const Heading = `h${level}` as 'h2';
      return (
        <Heading id={`guide-${block.id}`} tabIndex={-1}>
          {line(block.line)}
        </Heading>
      );
    }
    case 'paragraph':
      return <p>{line(block.line)}</p>;
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{line(item)}</li>);
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'picture': {
      const address = link.picture(block.source);
      return address === '' ? null : <img src={address} alt={block.alt} loading="lazy" />;
    }
    case 'table':
      return <TableView block={block} section={section} link={link} />;
  }
}

type TableBlock = Extract<Block, { kind: 'table' }>;

function TableView({ block, section, link }: BlockProps & { readonly block: TableBlock }) {
  const { head, rows } = block;
  // Four columns have no room in a pane: keys stand below each other.
  if (head.length === 4 && rows.every(({ key }) => key !== '')) {
    return (
      <div class="guide-keys">
        {rows.map(({ key, cells }) => (
          <div key={key} id={`guide-${rowAnchor(section, key)}`} tabIndex={-1}>
            <p>
              <code class="guide-key">{key}</code>{' '}
              <span class="soft">
                <LineView line={cells[1] ?? []} link={link} />
              </span>
            </p>
            <p>
              <LineView line={cells[3] ?? []} link={link} />
            </p>
            <p class="guide-example">
              <LineView line={cells[2] ?? []} link={link} />
            </p>
          </div>
        ))}
      </div>
    );
  }
  const hasHead = head.some((cell) => cell.length > 0);
  return (
    <div class="guide-table" tabIndex={0}>
      <table>
        {hasHead ? (
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index} scope="col">
                  <LineView line={cell} link={link} />
                </th>
              ))}
            </tr>
          </thead>
        ) : null}
        <tbody>
          {rows.map(({ key, cells }, index) => (
            <tr
              key={index}
              tabIndex={-1}
              {...(key === '' ? {} : { id: `guide-${rowAnchor(section, key)}` })}
            >
              {cells.map((cell, at) => (
                <td key={at}>
                  <LineView line={cell} link={link} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  readonly line: Line;
  readonly link: GuideLink;
}

function LineView({ line, link }: LineProps) {
  return (
    <>
      {line.map((part, index) => (
        <InlineView key={index} part={part} link={link} />
      ))}
    </>
  );
}

function InlineView({ part, link }: { readonly part: Inline; readonly link: GuideLink }) {
  switch (part.kind) {
    case 'text':
      return <>{part.text}</>;
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return <strong>{part.text}</strong>;
    case 'emphasis':
      return <em>{part.text}</em>;
    case 'link': {
      const inner = <LineView line={part.inner} link={link} />;
      if (/^https?:/.test(part.href)) {
        return (
          <a href={part.href} target="_blank" rel="noreferrer">
            {inner}
          </a>
        );
      }
      const [file = '', anchor = ''] = part.href.split('#');
      const page = file === '' ? link.page : GUIDE_PAGES.find((one) => file === `${one}.md`);
      // The other pages are for operators and callers.
      if (page === undefined) return inner;
      const open = (event: MouseEvent): void => {
        event.preventDefault();
        link.go(page, anchor);
      };
      return (
        <a href={`#guide-${anchor}`} onClick={open}>
          {inner}
        </a>
      );
    }
  }
}
