import { useEffect, useRef, useState } from 'preact/hooks';
import type { Comparison, Rendering, PagePair } from '../compare/samples.ts';
import { formatBytes, formatNumber, t } from '../i18n/i18n.ts';
import { Badge, Button, Notice } from '../ui/parts.tsx';

interface ViewProps {
  readonly comparison: Comparison;
  /** No version is in use. */
  readonly isFirst: boolean;
  /** Whether the draft's text equals that of the version, apart from samples. */
  readonly isTextSame: boolean;
  /** What the two are called; absent: the draft and the version in use. */
  readonly names?: Names;
}

interface Names {
  readonly before: string;
  readonly after: string;
}

/** A sample before and after: its file sizes, and the pages that differ, side by side. */
export function ComparisonView(props: ViewProps) {
  const { comparison, isFirst, isTextSame } = props;
  const names = props.names ?? { before: t('publish.published'), after: t('publish.draft') };
  const { before, after, pages, leftOut } = comparison;
  const changed = pages.flatMap(({ changedPixels, lines }, index) =>
    changedPixels > 0 || lines.length > 0 ? [index] : [],
  );
  const [page, setPage] = useState(changed[0] ?? 0);
  const shown = pages[page];
  return (
    <div class="stack">
      <div class="row">
        <Facts name={names.after} rendering={after} />
        {before === null ? null : <Facts name={names.before} rendering={before} />}
        {before === null || (changed.length === 0 && leftOut > 0) ? null : (
          <Verdict changed={changed.length} pages={pages.length} isTextSame={isTextSame} />
        )}
      </div>
      {before === null && !isFirst ? (
        <Notice tone="warn" title={t('publish.sample_refused_before')} />
      ) : null}
      {leftOut > 0 ? (
        <Notice
          tone="warn"
          title={t('publish.pages_left_out', {
            compared: formatNumber(pages.length),
            pages: formatNumber(pages.length + leftOut),
          })}
        />
      ) : null}
      {pages.length > 1 ? (
        <div class="row" role="group" aria-label={t('pdf.pages')}>
          {pages.map((pair, index) => (
            <Button
              key={index}
              kind="quiet"
              pressed={index === page}
              label={t('pdf.page_of', { page: index + 1, pages: pages.length })}
              onClick={() => setPage(index)}
            >
              {index + 1}
              {pair.changedPixels > 0 ? ' •' : ''}
            </Button>
          ))}
        </div>
      ) : null}
      {shown === undefined ? null : <Pair pair={shown} hasBefore={before !== null} names={names} />}
    </div>
  );
}

function Facts({ name, rendering }: { readonly name: string; readonly rendering: Rendering }) {
  return (
    <span class="small soft tabular">
      <strong>{name}</strong> {formatBytes(rendering.sizeBytes)} ·{' '}
      {formatNumber(rendering.renderMs, 1)} ms
    </span>
  );
}

interface VerdictProps {
  readonly changed: number;
  readonly pages: number;
  readonly isTextSame: boolean;
}

/** Only where text and pages agree is there no difference: samples may not show every change. */
function Verdict({ changed, pages, isTextSame }: VerdictProps) {
  if (changed === 0 && !isTextSame) return <Badge tone="warn">{t('publish.same_pages')}</Badge>;
  return changed === 0 ? (
    <Badge tone="good">{t('publish.same')}</Badge>
  ) : (
    <Badge tone="warn">{t('publish.changed_pages', { changed, pages })}</Badge>
  );
}

interface PairProps {
  readonly pair: PagePair;
  readonly hasBefore: boolean;
  readonly names: Names;
}

function Pair({ pair, hasBefore, names }: PairProps) {
  const { before, after, marks, changedPixels, hasChanged, movedRows, lines, newPictures } = pair;
  return (
    <>
      <div class={hasBefore ? 'pair' : 'pair one'}>
        {hasBefore ? <Sheet name={names.before} canvas={before} marks={null} /> : null}
        <Sheet name={names.after} canvas={after} marks={marks} />
      </div>
      {hasBefore && hasChanged ? (
        <p class="small soft tabular">{t('publish.changed_pixels')}</p>
      ) : null}
      {newPictures.length === 0 ? null : (
        <p class="small soft tabular">
          {t('publish.new_pictures', {
            sizes: newPictures.map((size) => `${size.replace('x', ' × ')} px`).join(', '),
          })}
        </p>
      )}
      {hasBefore && changedPixels > 0 && movedRows > 0 ? (
        <p class="small soft tabular">{t('publish.moved_rows', { count: movedRows })}</p>
      ) : null}
      {lines.length === 0 ? null : (
        <div class="diff" role="region" aria-label={t('publish.text_changes')} tabIndex={0}>
          {lines.map(({ kind, text }, index) => (
            <p key={index} class={kind}>
              <span class="hidden">{t(`diff.${kind}`)}</span>
              <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span> {text}
            </p>
          ))}
        </div>
      )}
    </>
  );
}

interface SheetProps {
  readonly name: string;
  readonly canvas: HTMLCanvasElement | null;
  readonly marks: HTMLCanvasElement | null;
}

function Sheet({ name, canvas, marks }: SheetProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const layers = [canvas, marks].filter((layer) => layer !== null);
    place.current?.replaceChildren(...layers);
  }, [canvas, marks]);
  return (
    <figure class="sheet">
      <figcaption class="small soft">{name}</figcaption>
      {canvas === null ? <p class="soft">{t('publish.no_page')}</p> : null}
      <div ref={place} role="img" aria-label={name} />
    </figure>
  );
}
