import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type FileKind, HEAD_BYTES, kindOfFile } from '../../../src/runtime/encoding/file-kind.ts';
import { ApiError } from '../api/client.ts';
import { listDocument, type StoredDocument } from '../api/documents.ts';
import { serviceNowMs } from '../api/service-time.ts';
import type { Verification } from '../api/types.ts';
import { type CheckedFile, checkFile, verify } from '../api/verify.ts';
import { formatBytes, formatTime, t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icons.tsx';
import { Badge, Button, CopyButton, ErrorNotice, Notice, PageHead, Spinner } from '../ui/parts.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';
import { DocumentDialog } from './document-dialog.tsx';

type State =
  | { readonly state: 'none' | 'insecure' | 'unreadable' }
  | { readonly state: 'not_pdf'; readonly kind: keyof typeof OTHER_KINDS }
  | { readonly state: 'working'; readonly name: string }
  | { readonly state: 'done'; readonly checked: CheckedFile }
  | { readonly state: 'named'; readonly reference: string; readonly result: Verification }
  | { readonly state: 'failed'; readonly error: ApiError };

/**
 * Verifies that a file was issued here, and names the documents with the reference of a paper. Of a
 * file the browser sends only digests that it computes.
 */
export function VerifyPage() {
  const [state, setState] = useState<State>({ state: 'none' });
  const [reference, setReference] = useState('');
  const newest = useRef<File | string | null>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const check = async (file: File): Promise<void> => {
    newest.current = file;
    setReference('');
    // The result for an earlier file may arrive after that for a later one.
    const show = (next: State): void => {
      if (newest.current === file) setState(next);
    };
    // Browsers offer crypto.subtle only to pages from https or localhost.
    if (!isSecureContext) return setState({ state: 'insecure' });
    setState({ state: 'working', name: file.name });
    try {
      const kind = await kindOf(file);
      if (kind !== 'pdf') return show({ state: 'not_pdf', kind });
      show({ state: 'done', checked: await checkFile(file) });
    } catch (error) {
      if (error instanceof ApiError) return show({ state: 'failed', error });
      // The browser cannot read it: a folder, too large, or changed since it was chosen.
      if (!(error instanceof DOMException)) throw error;
      show({ state: 'unreadable' });
    }
  };
  const find = async (asked: string): Promise<void> => {
    newest.current = asked;
    // The file that was chosen before is not what the result is about.
    if (fileInput.current !== null) fileInput.current.value = '';
    const show = (next: State): void => {
      if (newest.current === asked) setState(next);
    };
    setState({ state: 'working', name: asked });
    try {
      const result = await verify({ reference: asked });
      show({ state: 'named', reference: result.reference ?? asked, result });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      show({ state: 'failed', error });
    }
  };
  return (
    <div class="page">
      <PageHead title={t('verify.title')} intro={t('verify.intro')} />
      <div class="stack">
        <DropZone input={fileInput} onFile={(file) => void check(file)} />
        <ReferenceForm
          text={reference}
          onText={setReference}
          onFind={(asked) => void find(asked)}
        />
        <div aria-live="polite">
          <Answer state={state} />
        </div>
      </div>
    </div>
  );
}

/** The texts about a file that is no PDF. */
const OTHER_KINDS = {
  zip: ['verify.zip', 'verify.zip_hint'],
  other: ['verify.not_pdf', 'verify.not_pdf_hint'],
} as const;

async function kindOf(file: File): Promise<FileKind> {
  return kindOfFile(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
}

interface DropProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onFile: (file: File) => void;
}

function DropZone({ input, onFile }: DropProps) {
  const [isOver, setOver] = useState(false);
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

interface ReferenceProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onFind: (reference: string) => void;
}

/** For a paper with a number on it. */
function ReferenceForm({ text, onText, onFind }: ReferenceProps) {
  return (
    <form
      class="find-number"
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
          onInput={(event) => onText(event.currentTarget.value)}
        />
      </label>
      <Button type="submit" icon="search">
        {t('verify.find')}
      </Button>
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
        <Notice tone="bad" title={t(OTHER_KINDS[state.kind][0])}>
          <p>{t(OTHER_KINDS[state.kind][1])}</p>
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

function Result({ checked }: { readonly checked: CheckedFile }) {
  const { name, bytes, sha256, result, changedFrom } = checked;
  const { documents, madeHere, drafts } = changedFrom ?? result;
  return (
    <div class="stack">
      {changedFrom === null ? <Judgement result={result} /> : <Changed original={changedFrom} />}
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
            <Unstored key={requestId} templateId={templateId} version={version} at={at} />
          ))}
          {drafts.map(({ requestId, templateId, at }) => (
            <Unstored key={requestId} templateId={templateId} version={null} at={at} />
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

/** Another program has added something to a document that was issued here. */
function Changed({ original }: { readonly original: Verification }) {
  const isKept = original.documents.some(({ available }) => available);
  return (
    <Notice tone="bad" title={t('verify.changed')}>
      <p>
        {t('verify.changed_hint')} {isKept ? t('verify.changed_compare') : null}
      </p>
    </Notice>
  );
}

/** A stored document, or one that was stored until it expired. */
function Issued({ document }: { readonly document: Verification['documents'][number] }) {
  const { documentId, templateId, version, createdAt, expiresAt, available } = document;
  const name = document.reference ?? document.fileName;
  return (
    <>
      <dt>{formatTime(createdAt, true)}</dt>
      <dd>
        <TemplateLabel templateId={templateId} version={version} />
        {name === undefined ? null : <div class="name">{name}</div>}
        <div class="row">
          <span class="row nowrap">
            <code>{documentId}</code>
            <CopyButton text={documentId} label={t('action.copy')} />
          </span>
          {available ? <OpenButton documentId={documentId} /> : null}
        </div>
        {available ? null : <Unavailable expiresAt={expiresAt} />}
      </dd>
    </>
  );
}

/** Shows the document, so that a paper or a file can be compared with it. */
function OpenButton({ documentId }: { readonly documentId: string }) {
  const [state, setState] = useState<'closed' | 'busy' | StoredDocument | ApiError>('closed');
  const open = async (): Promise<void> => {
    setState('busy');
    try {
      // Lists tell whether a password protects the document.
      const { items } = await listDocument(documentId, new AbortController().signal);
      setState(items[0] ?? 'closed');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState(error);
    }
  };
  return (
    <>
      <Button icon="documents" busy={state === 'busy'} onClick={() => void open()}>
        {t('action.open')}
      </Button>
      {state instanceof ApiError ? <ErrorNotice error={state} /> : null}
      {typeof state === 'string' || state instanceof ApiError ? null : (
        <DocumentDialog document={state} onClose={() => setState('closed')} />
      )}
    </>
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

interface UnstoredProps {
  readonly templateId: string;
  /** null: the document came from a draft. */
  readonly version: number | null;
  readonly at: string;
}

/** A document that was sent and not stored. */
function Unstored({ templateId, version, at }: UnstoredProps) {
  return (
    <>
      <dt>{formatTime(at, true)}</dt>
      <dd>
        <TemplateLabel templateId={templateId} version={version} />{' '}
        {version === null ? <Badge tone="warn">{t('audit.draft')}</Badge> : null}{' '}
        <span class="soft">{t('verify.not_stored')}</span>
      </dd>
    </>
  );
}
