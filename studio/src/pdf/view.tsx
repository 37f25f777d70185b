import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { NotLoaded, Notice } from '../ui/parts.tsx';
import type { OpenedPdf, PageSize } from './engine.ts';
import { closePdf, drawPage, EngineNotLoaded, openPdf } from './engine.ts';
import { Pager } from './pager.tsx';

interface PdfViewProps {
  /** The view redraws when the bytes change, and keeps page and zoom. */
  readonly bytes: Uint8Array;
  readonly password?: string;
  readonly onDrawn?: () => void;
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;
/** Pages this far above and below the visible area are drawn, too, a moment later. */
const AHEAD_PX = 600;
const AHEAD_MS = 300;
/** Pages farther away give back their pixels: one takes 35 MB at 300 %. */
const KEEP_PX = 6_000;
/** Most pixels of a page; browsers leave a much larger canvas empty. */
const PIXELS_MAX = 2 ** 25;
/** Margin beside a page that is fitted to the width. */
const MARGIN_PX = 48;

const PX_PER_PT = 96 / 72;
const SCALE_MIN = 0.2;
/** Space above a page that the user went to. */
const GAP_PX = 12;

/** Zoom of all previews; 0 fits the page to the width. */
let keptZoom = 0;

/** A PDF viewer that draws only the pages in view. */
export function PdfView({ bytes, password = '', onDrawn }: PdfViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(keptZoom);
  const [pages, setPages] = useState(0);
  const [page, setPage] = useState(1);
  const [fault, setFault] = useState<'' | 'unreadable' | 'not_loaded'>('');
  const shown = useRef<PageScroller | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const next = new PageScroller(element, (number) => setPage(number));
    shown.current = next;
    return () => next.close();
  }, []);
  useEffect(() => {
    let isStale = false;
    const show = async (): Promise<void> => {
      try {
        // The painter detaches the bytes that it gets, hence the copy.
        const pdf = await openPdf(bytes.slice(), password);
        if (isStale || shown.current === null) return void closePdf(pdf);
        setPages(pdf.pages.length);
        setFault('');
        await shown.current.show(pdf);
        if (!isStale) onDrawn?.();
      } catch (error) {
        // A wrong password, an unreadable file, or a document that was closed because another one
        // replaced it.
        if (!isStale) setFault(error instanceof EngineNotLoaded ? 'not_loaded' : 'unreadable');
      }
    };
    void show();
    return () => {
      isStale = true;
    };
  }, [bytes, password]);
  const zoomTo = (next: number): void => {
    keptZoom = next;
    setZoom(next);
    void shown.current?.zoomTo(next);
  };
  return (
    <div class="pdf">
      <div class="pdf-bar" role="toolbar" aria-label={t('pdf.toolbar')}>
        {pages === 0 ? (
          <span />
        ) : (
          <Pager page={page} pages={pages} go={(number) => shown.current?.goTo(number)} />
        )}
        <Zooms zoom={zoom} onZoom={zoomTo} />
      </div>
      {fault === 'unreadable' ? <Notice tone="warn" title={t('pdf.unreadable')} /> : null}
      {fault === 'not_loaded' ? <NotLoaded title={t('pdf.not_loaded')} /> : null}
      <div
        class="pdf-pages"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={t('pdf.pages')}
      />
    </div>
  );
}

function Zooms({ zoom, onZoom }: { zoom: number; onZoom: (zoom: number) => void }) {
  return (
    <label class="row nowrap small">
      <span class="hidden">{t('pdf.zoom')}</span>
      <select
        class="compact"
        value={String(zoom)}
        onChange={(event) => onZoom(Number(event.currentTarget.value))}
      >
        <option value="0">{t('pdf.fit')}</option>
        {ZOOMS.map((value) => (
          <option key={value} value={String(value)}>
            {Math.round(value * 100)} %
          </option>
        ))}
      </select>
    </label>
  );
}

/** A page in the scroller. */
interface Sheet extends PageSize {
  readonly figure: HTMLElement;
  /** The scale of its canvas; 0: not drawn. */
  drawnAt: number;
}

/** The pages of one PDF in a scrolling element. A new PDF replaces the old one page by page. */
class PageScroller {
  readonly #scroller: HTMLElement;
  readonly #onPage: (number: number) => void;
  readonly #resize: ResizeObserver;
  #pdf: OpenedPdf | null = null;
  #sheets: Sheet[] = [];
  #zoom = 0;
  #aheadTimer = 0;
  #width = 0;

  constructor(scroller: HTMLElement, onPage: (number: number) => void) {
    this.#scroller = scroller;
    this.#onPage = onPage;
    scroller.addEventListener('scroll', this.#scrolled, { passive: true });
    this.#resize = new ResizeObserver(() => {
      if (this.#isHidden()) return;
      const isFitted = this.#zoom !== 0 || scroller.clientWidth === this.#width;
      void (isFitted ? this.#drawVisible() : this.#layOut());
    });
    this.#resize.observe(scroller);
  }

  close(): void {
    clearTimeout(this.#aheadTimer);
    this.#resize.disconnect();
    if (this.#pdf !== null) void closePdf(this.#pdf);
    this.#pdf = null;
  }

  async show(pdf: OpenedPdf): Promise<void> {
    const old = this.#pdf;
    this.#pdf = pdf;
    this.#zoom = keptZoom;
    this.#sheets = pdf.pages.map((size, index) => ({
      ...size,
      figure: this.#sheets[index]?.figure ?? newFigure(),
      drawnAt: 0,
    }));
    this.#scroller.replaceChildren(...this.#sheets.map(({ figure }) => figure));
    try {
      await this.#layOut();
    } finally {
      if (old !== null) void closePdf(old);
    }
  }

  async zoomTo(zoom: number): Promise<void> {
    this.#zoom = zoom;
    await this.#layOut();
  }

  goTo(number: number): void {
    const { figure } = this.#sheets[number - 1] ?? {};
    if (figure !== undefined) this.#scroller.scrollTo({ top: figure.offsetTop - GAP_PX });
  }

  #scale({ width }: Sheet): number {
    if (this.#zoom !== 0) return this.#zoom * PX_PER_PT;
    return Math.max(SCALE_MIN, (this.#width - MARGIN_PX) / width);
  }

  /** Whether another tab of the pane is shown: then the scroller has no size. */
  #isHidden(): boolean {
    return this.#scroller.clientHeight === 0;
  }

  /** Sizes the pages; what is at the top of the view stays there. */
  async #layOut(): Promise<void> {
    if (!this.#isHidden()) this.#width = this.#scroller.clientWidth;
    const restorePlace = this.#readPlace();
    for (const [index, sheet] of this.#sheets.entries()) {
      const scale = this.#scale(sheet);
      sheet.figure.style.width = `${Math.round(sheet.width * scale)}px`;
      sheet.figure.style.height = `${Math.round(sheet.height * scale)}px`;
      sheet.figure.setAttribute(
        'aria-label',
        t('pdf.page_of', { page: index + 1, pages: this.#sheets.length }),
      );
    }
    restorePlace();
    await this.#drawVisible();
  }

  /** Remembers the place at the top of the view; the function returned scrolls back to it. */
  #readPlace(): () => void {
    const { scrollTop } = this.#scroller;
    const figure = this.#sheets
      .map((sheet) => sheet.figure)
      .find((one) => one.offsetTop + one.offsetHeight > scrollTop);
    if (figure === undefined || scrollTop === 0) return () => undefined;
    const behindPx = scrollTop - figure.offsetTop;
    const ratio = behindPx / figure.offsetHeight;
    return () => {
      // The gap above a page has the same height at every zoom.
      const top = figure.offsetTop + (behindPx < 0 ? behindPx : ratio * figure.offsetHeight);
      // Setting scrollTop ends a smooth scroll, so it is set only when it changes.
      if (Math.abs(top - this.#scroller.scrollTop) > 1) this.#scroller.scrollTop = top;
    };
  }

  readonly #scrolled = (): void => {
    const middle = this.#scroller.scrollTop + this.#scroller.clientHeight / 3;
    const behind = this.#sheets.findIndex(({ figure }) => figure.offsetTop > middle);
    this.#onPage(Math.max(1, behind === -1 ? this.#sheets.length : behind));
    void this.#drawVisible();
  };

  async #drawVisible(): Promise<void> {
    clearTimeout(this.#aheadTimer);
    await this.#drawWithin(0);
    clearTimeout(this.#aheadTimer);
    this.#aheadTimer = window.setTimeout(() => void this.#drawWithin(AHEAD_PX), AHEAD_MS);
  }

  /** Draws the pages that are in view or at most this far above or below it. */
  async #drawWithin(distancePx: number): Promise<void> {
    const pdf = this.#pdf;
    if (pdf === null || this.#isHidden()) return;
    for (const [index, sheet] of this.#sheets.entries()) {
      const scale = this.#drawingScale(sheet);
      // The user may have scrolled on while the last page was drawn.
      if (!this.#isWithin(distancePx, sheet) || sheet.drawnAt === scale) continue;
      sheet.drawnAt = scale;
      const canvas = await this.#draw(pdf, index + 1, scale);
      if (canvas === null || pdf !== this.#pdf) return;
      // The old canvas stays until the new one is complete, so nothing flickers.
      if (sheet.drawnAt === scale) sheet.figure.replaceChildren(canvas);
    }
    for (const sheet of this.#sheets) {
      if (this.#isWithin(KEEP_PX, sheet)) continue;
      sheet.drawnAt = 0;
      sheet.figure.replaceChildren();
    }
  }

  #isWithin(distancePx: number, { figure }: Sheet): boolean {
    const { scrollTop, clientHeight } = this.#scroller;
    const isBelowTop = figure.offsetTop + figure.offsetHeight > scrollTop - distancePx;
    return isBelowTop && figure.offsetTop < scrollTop + clientHeight + distancePx;
  }

  #drawingScale(sheet: Sheet): number {
    const scaleMax = Math.sqrt(PIXELS_MAX / (sheet.width * sheet.height));
    return Math.min(this.#scale(sheet) * devicePixelRatio, scaleMax);
  }

  /** null: the document was replaced while this page was drawn. */
  async #draw(pdf: OpenedPdf, number: number, scale: number): Promise<HTMLCanvasElement | null> {
    try {
      return await drawPage(pdf, number, scale);
    } catch (error) {
      if (pdf !== this.#pdf) return null;
      throw error;
    }
  }
}

function newFigure(): HTMLElement {
  const figure = document.createElement('figure');
  figure.setAttribute('role', 'img');
  return figure;
}
