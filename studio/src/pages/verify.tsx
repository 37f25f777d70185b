import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ApiError, callJson } from '../api/client.ts';
import { serviceNowMs } from '../api/service-time.ts';
import type { Verification } from '../api/types.ts';
import { formatBytes, formatTime, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, Button, CopyButton, ErrorNotice, Notice, PageHead, Spinner } from '../ui/parts.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';

interface Checked {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly result: Verification;
}

type State =
  | { readonly state: 'none' | 'insecure' | 'unreadable' | 'not_pdf' }
  | { readonly state: 'working'; readonly name: string }
  | { readonly state: 'done'; readonly checked: Checked }
  | { readonly state: 'named'; readonly reference: string; readonly result: Verification }
  | { readonly state: 'failed'; readonly error: ApiError };

/**
 * Verifies that a file was issued here, and names the documents with the reference of a paper. Of a
 * file the browser sends only the digest it computes.
 */
export function VerifyPage() {
  const [state, setState] = useState<State>({ state: 'none' });
  const newest = useRef<File | string | null>(null);
  const verify = async (file: File): Promise<void> => {
    newest.current = file;
    // The result for an earlier file may arrive after that for a later one.
    const show = (next: State): void => {
      if (newest.current === file) setState(next);
    };
    // Browsers offer crypto.subtle only to pages from https or localhost.
    if (!isSecureContext) return setState({ state: 'insecure' });
    setState({ state: 'working', name: file.name });
    try {
      if (!(await isPdf(file))) return show({ state: 'not_pdf' });
      const sha256 = await digestOf(file);
      const result = await callJson<Verification>('/v1/verify', {
        method: 'POST',
        body: { sha256 },
      });
      const checked = { name: file.name, bytes: file.size, sha256, result };
      show({ state: 'done', checked });
    } catch (error) {
      if (error instanceof ApiError) return show({ state: 'failed', error });
      // The browser cannot read it: a folder, too large, or changed since it was chosen.
      if (!(error instanceof DOMException)) throw error;
      show({ state: 'unreadable' });
    }
  };
  const find = async (reference: string): Promise<void> => {
    newest.current = reference;
    const show = (next: State): void => {
      if (newest.current === reference) setState(next);
    };
    setState({ state: 'working', name: reference });
    try {
      const result = await callJson<Verification>('/v1/verify', {
        method: 'POST',
        body: { reference },
      });
      show({ state: 'named', reference: result.reference ?? reference, result });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      show({ state: 'failed', error });
    }
  };
  return (
    <div class="page">
      <PageHead title={t('verify.title')} intro={t('verify.intro')} />
      <div class="stack">
        <DropZone onFile={(file) => void verify(file)} />
        <ReferenceForm onFind={(reference) => void find(reference)} />
        <div aria-live="polite">
          <Answer state={state} />
        </div>
      </div>
    </div>
  );
}

/** Readers accept a file whose header begins within the first 1,024 bytes. */
const HEADER_BYTES_MAX = 1_024;

async function isPdf(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, HEADER_BYTES_MAX).arrayBuffer());
  return new TextDecoder('latin1').decode(head).includes('%PDF-');
}

async function digestOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function DropZone({ onFile }: { readonly onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <label
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const files = event.dataTransfer?.files;
        // The input names the file that is shown below.
        if (input.current !== null && files !== undefined) input.current.files = files;
        take(files);
      }}
    >
      <Icon name="verify" size={36} />
      <strong>{t('verify.drop')}</strong>
      <span class="soft">{t('verify.stays')}</span>
      <input
        ref={input}
        type="file"
        accept="application/pdf,.pdf"
        onClick={(event) => {
          // Otherwise a file that was changed and is chosen again would not be checked again.
          event.currentTarget.value = '';
        }}
        onChange={(event) => take(event.currentTarget.files)}
      />
    </label>
  );
}

/** For a paper with a number on it. */
function ReferenceForm({ onFind }: { readonly onFind: (reference: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onFind(text.trim());
      }}
    >
      <label class="field">
        <span class="field-label">{t('verify.reference')}</span>
        <input
          class="input"
          type="text"
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Button type="submit">{t('verify.find')}</Button>
    </form>
  );
}

function Answer({ state }: { readonly state: State }) {
  switch (state.state) {
    case 'none':
      return null;
    case 'insecure':
      return <Notice tone="bad" title={t('verify.insecure')} />;
    case 'unreadable':
      return <Notice tone="bad" title={t('verify.unreadable')} />;
    case 'not_pdf':
      return (
        <Notice tone="bad" title={t('verify.not_pdf')}>
          <p>{t('verify.not_pdf_hint')}</p>
        </Notice>
      );
    case 'working':
      return (
        <p class="row">
          <Spinner />
          {state.name}
        </p>
      );
    case 'failed':
      return <ErrorNotice error={state.error} />;
    case 'done':
      return <Result checked={state.checked} />;
    case 'named':
      return <Named reference={state.reference} documents={state.result.documents} />;
  }
}

interface NamedProps {
  readonly reference: string;
  readonly documents: Verification['documents'];
}

/** The documents with a reference: a paper may still be none of them. */
function Named({ reference, documents }: NamedProps) {
  if (documents.length === 0) {
    return (
      <Notice tone="warn" title={t('verify.none_named', { reference })}>
        <p>{t('verify.forgotten')}</p>
        <p>{t('documents.whole')}</p>
      </Notice>
    );
  }
  return (
    <div class="stack">
      <Notice tone="info" title={t('verify.named', { reference })}>
        <p>{t('verify.named_hint')}</p>
      </Notice>
      <section class="card">
        <dl class="facts">
          {documents.map((document) => (
            <Issued key={document.documentId} document={document} />
          ))}
        </dl>
      </section>
    </div>
  );
}

function Result({ checked }: { readonly checked: Checked }) {
  const { name, bytes, sha256, result } = checked;
  const { documents, madeHere, drafts } = result;
  return (
    <div class="stack">
      <Judgement result={result} />
      <section class="card">
        <dl class="facts">
          <dt>{t('verify.file')}</dt>
          <dd>
            {name} <span class="soft">{formatBytes(bytes)}</span>
          </dd>
          <dt>SHA-256</dt>
          <dd class="row nowrap">
            <code>{sha256}</code>
            <CopyButton text={sha256} label={t('action.copy')} />
          </dd>
          {documents.map((document) => (
            <Issued key={document.documentId} document={document} />
          ))}
          {madeHere.map(({ requestId, templateId, version, at }) => (
            <Origin key={requestId} templateId={templateId} version={version} at={at} id="" />
          ))}
          {drafts.map(({ requestId, templateId, at }) => (
            <Origin key={requestId} templateId={templateId} version={null} at={at} id="" />
          ))}
        </dl>
      </section>
    </div>
  );
}

function Judgement({ result: { issued, madeHere, drafts } }: { readonly result: Verification }) {
  if (issued || madeHere.length > 0) {
    return (
      <Notice tone="good" title={t(issued ? 'verify.issued' : 'verify.made')}>
        <p>{t('verify.issued_hint')}</p>
      </Notice>
    );
  }
  if (drafts.length > 0) {
    return (
      <Notice tone="warn" title={t('verify.draft')}>
        <p>{t('verify.draft_hint')}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="warn" title={t('verify.not_issued')}>
      <p>{t('verify.not_issued_hint')}</p>
    </Notice>
  );
}

/** A stored document, or one that was stored until it expired. */
function Issued({ document }: { readonly document: Verification['documents'][number] }) {
  const { documentId, templateId, version, createdAt, expiresAt, available } = document;
  return (
    <Origin templateId={templateId} version={version} at={createdAt} id={documentId}>
      {available ? null : <Unavailable expiresAt={expiresAt} />}
    </Origin>
  );
}

/** Why the file of a document is no longer delivered. */
function Unavailable({ expiresAt }: { readonly expiresAt: string }) {
  const isExpired = Date.parse(expiresAt) <= serviceNowMs();
  if (!isExpired) return <Badge tone="bad">{t('document.damaged')}</Badge>;
  return (
    <p>
      <Badge tone="warn">{t('document.gone')}</Badge>{' '}
      <span class="soft">{t('verify.expired', { time: formatTime(expiresAt, true) })}</span>
    </p>
  );
}

interface OriginProps {
  readonly templateId: string;
  /** null: the document came from a draft. */
  readonly version: number | null;
  readonly at: string;
  /** '' when the document was not stored. */
  readonly id: string;
  readonly children?: ComponentChildren;
}

function Origin({ templateId, version, at, id, children }: OriginProps) {
  return (
    <>
      <dt>{formatTime(at, true)}</dt>
      <dd>
        <TemplateLabel templateId={templateId} version={version} />{' '}
        {version === null ? <Badge tone="warn">{t('audit.draft')}</Badge> : null}{' '}
        {id === '' ? <span class="soft">{t('verify.not_stored')}</span> : <code>{id}</code>}
        {children}
      </dd>
    </>
  );
}
