import { useEffect, useState } from 'preact/hooks';
import { ApiError, path } from '../api/client.ts';
import { serviceNowMs } from '../api/service-time.ts';
import { language } from '../app/state.ts';
import { formatBytes, formatNumber, formatTime, t } from '../i18n/i18n.ts';
import { FileLink } from '../ui/file-link.tsx';
import { Load, Notice } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import { findRun, hasRows, haveExpired, isUnderWay, listPrints, type Run } from './api.ts';

interface Props {
  readonly run: Run;
  readonly show: (run: Run) => void;
}

/** Links to the results. The browser streams them to disk, so their size does not matter. */
export function Results({ run, show }: Props) {
  const { runId, counts, state, documentsPerPrint } = run;
  const watch = useArchiveWatch(run, show);
  const base = path`/v1/runs/${runId}`;
  const hasExpired = haveExpired(run);
  const hasArchive = counts.stored > 0 && !isUnderWay(run) && !hasExpired;
  // The page may not know yet that the documents have expired.
  const file = { gone: () => t('runs.expired'), onGone: () => show(run) };
  if (counts.received === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t('runs.results')}</h2>
      {hasExpired ? <Expired run={run} /> : null}
      {hasRows(run) || hasArchive ? (
        <ul class="files">
          {hasRows(run) ? (
            <>
              <li>
                <FileLink
                  href={`${base}/manifest?format=csv&titles=${language.value}`}
                  text={t('runs.manifest_csv')}
                  {...file}
                />
                <span class="small soft">{t('runs.manifest_csv_hint')}</span>
              </li>
              <li>
                <FileLink href={`${base}/manifest`} text={t('runs.manifest')} {...file} />
                <span class="small soft">{t('runs.manifest_hint')}</span>
              </li>
            </>
          ) : null}
          {hasArchive ? (
            <li>
              <FileLink href={`${base}/zip`} text={t('runs.zip')} onFetch={watch} {...file} />
              <span class="small soft">{t('runs.zip_what')}</span>
            </li>
          ) : null}
        </ul>
      ) : null}
      {hasArchive ? <Archive damaged={run.damagedDocuments ?? 0} /> : null}
      {documentsPerPrint === null || hasExpired ? null : (
        <Prints key={state} runId={runId} onGone={file.onGone} />
      )}
    </section>
  );
}

/** Says that the documents have expired, and when the last of them did. */
function Expired({ run: { endedAt, retentionSeconds } }: { readonly run: Run }) {
  // No document was stored after the end; but a later check may have ended the run once more.
  const byMs = Date.parse(endedAt ?? '') + retentionSeconds * 1_000 || Infinity;
  const time = formatTime(new Date(Math.min(byMs, serviceNowMs())).toISOString(), true);
  return (
    <div aria-live="polite">
      <Notice tone="info" title={t('runs.expired')}>
        <p>{t('runs.expired_by', { time })}</p>
        <p>{t('runs.expired_text')}</p>
      </Notice>
    </div>
  );
}

/** Says which documents are missing from the archive. */
function Archive({ damaged }: { readonly damaged: number }) {
  const file = 'missing-documents.txt';
  if (damaged === 0) return <p class="small soft">{t('runs.zip_hint', { file })}</p>;
  const count = formatNumber(damaged);
  return (
    <div aria-live="polite">
      <Notice tone="warn" title={t('runs.zip_lacks', { count })}>
        {t('runs.zip_lacks_text', { file })}
      </Notice>
    </div>
  );
}

/** Pauses between looks at a run whose archive is being downloaded. */
const WATCH_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000, 300_000] as const;

/**
 * The download finds documents that are damaged or missing, and the browser does not tell a page
 * when it ends. So the page looks at the run again for some minutes after the link was followed.
 */
function useArchiveWatch({ runId, damagedDocuments }: Run, show: (run: Run) => void): () => void {
  const [downloads, setDownloads] = useState(0);
  useEffect(() => {
    if (downloads === 0) return;
    const controller = new AbortController();
    let timer = 0;
    let known = damagedDocuments;
    const look = async (index: number): Promise<void> => {
      try {
        const found = await findRun(runId, controller.signal);
        if (controller.signal.aborted) return;
        if (found.damagedDocuments !== known) show(found);
        known = found.damagedDocuments;
      } catch (error) {
        // The next look tries again; the page shows faults of its own requests.
        if (!controller.signal.aborted && !(error instanceof ApiError)) throw error;
      }
      wait(index + 1);
    };
    const wait = (index: number): void => {
      const pauseMs = WATCH_MS[index];
      if (controller.signal.aborted || pauseMs === undefined) return;
      timer = window.setTimeout(() => void look(index), pauseMs);
    };
    wait(0);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [runId, downloads]);
  return () => setDownloads((before) => before + 1);
}

interface PrintsProps {
  readonly runId: string;
  readonly onGone: () => void;
}

function Prints({ runId, onGone }: PrintsProps) {
  const { loaded, reload } = useLoad((signal) => listPrints(runId, signal), [runId]);
  const base = path`/v1/runs/${runId}/prints`;
  return (
    <Load loaded={loaded} reload={reload}>
      {(prints) => (
        <>
          {prints.length === 0 ? null : <p class="small soft">{t('runs.print_order')}</p>}
          <ul class="stack tight">
            {prints.map(({ number, documents, pages, bytes }) => (
              <li class="row" key={number}>
                <FileLink
                  href={`${base}/${number}`}
                  text={t('runs.print', { number })}
                  gone={() => t('runs.print_gone')}
                  onGone={onGone}
                />
                <FileLink
                  href={`${base}/${number}/index`}
                  text={t('runs.print_index')}
                  hint={t('runs.print_index_hint')}
                  gone={() => t('runs.expired')}
                  onGone={onGone}
                />
                <span class="small soft">
                  {t('runs.print_facts', {
                    documents: formatNumber(documents),
                    pages: formatNumber(pages),
                    size: formatBytes(bytes),
                  })}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Load>
  );
}
