import { useState } from 'preact/hooks';
import { findDocument, readDocument, savedName } from '../api/documents.ts';
import type { StoredDocument } from '../api/documents.ts';
import { Link } from '../app/router.tsx';
import { useTemplateName } from '../app/template-names.ts';
import { formatPrincipal, formatTime, t } from '../i18n/i18n.ts';
import { PdfView } from '../pdf/view.tsx';
import { saveFile } from '../ui/download.ts';
import { Button, CopyButton, Dialog, Load, Notice } from '../ui/parts.tsx';
import { TemplateLabel } from '../ui/template-name.tsx';
import { useLoad } from '../ui/use-load.ts';

interface DialogProps {
  readonly document: StoredDocument;
  readonly onClose: () => void;
}

/** A stored document: its metadata, its pages, and its file for download. */
export function DocumentDialog({ document, onClose }: DialogProps) {
  const { documentId, templateId, version, sha256, createdAt, expiresAt } = document;
  const { reference, fileName } = document;
  const template = useTemplateName(templateId);
  const { loaded, reload } = useLoad((signal) => readDocument(documentId, signal), [documentId]);
  return (
    <Dialog title={t('document.title', { template, version })} onClose={onClose} wide>
      <div class="body">
        <dl class="facts">
          {reference === undefined ? null : (
            <>
              <dt>{t('document.reference')}</dt>
              <dd>{reference}</dd>
            </>
          )}
          {fileName === undefined ? null : (
            <>
              <dt>{t('document.file_name')}</dt>
              <dd>{fileName}</dd>
            </>
          )}
          <dt>{t('document.template')}</dt>
          <dd>
            <TemplateLabel templateId={templateId} version={version} />
          </dd>
          <dt>{t('document.id')}</dt>
          <dd class="row nowrap">
            <code>{documentId}</code>
            <CopyButton text={documentId} label={t('action.copy')} />
          </dd>
          <dt>SHA-256</dt>
          <dd class="row nowrap">
            <code>{sha256}</code>
            <CopyButton text={sha256} label={t('action.copy')} />
          </dd>
          <dt>{t('document.created')}</dt>
          <dd>{formatTime(createdAt, true)}</dd>
          <MadeBy documentId={documentId} />
          <dt>{t('document.expires')}</dt>
          <dd>
            {formatTime(expiresAt, true)}
            <br />
            <span class="small soft">{t('document.expires_hint')}</span>
          </dd>
        </dl>
        <Load loaded={loaded} reload={reload}>
          {(bytes) => <File document={document} bytes={bytes} />}
        </Load>
      </div>
    </Dialog>
  );
}

/** Who made the document; nothing while that is not known. */
function MadeBy({ documentId }: { readonly documentId: string }) {
  // Lists of documents do not tell it.
  const { loaded } = useLoad((signal) => findDocument(documentId, signal), [documentId]);
  const maker = loaded.state === 'ready' ? loaded.value.madeBy : undefined;
  if (maker === undefined) return null;
  const { principal, name, runId } = maker;
  const id = formatPrincipal(principal);
  return (
    <>
      <dt>{t('document.made_by')}</dt>
      <dd class="row">
        <span>
          {name ?? null} <span class="mono small soft">{id}</span>
        </span>
        {runId === undefined ? null : <Link to={`/runs/${runId}`}>{t('document.of_run')}</Link>}
      </dd>
    </>
  );
}

function File({ document, bytes }: { readonly document: StoredDocument; bytes: Uint8Array }) {
  const [password, setPassword] = useState('');
  const [typed, setTyped] = useState('');
  const isProtected = document.protected === true;
  return (
    <>
      <div class="row">
        <Button
          kind="main"
          icon="download"
          onClick={() => saveFile(savedName(document), 'application/pdf', bytes)}
        >
          {t('action.download')}
        </Button>
      </div>
      {isProtected ? (
        <Notice tone="info" title={t('document.protected')}>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              setPassword(typed);
            }}
          >
            <label class="field">
              <span class="field-label">{t('document.password')}</span>
              <input
                class="input"
                type="password"
                autocomplete="off"
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            </label>
            <Button type="submit">{t('action.open')}</Button>
          </form>
        </Notice>
      ) : null}
      {isProtected && password === '' ? null : (
        <div class="framed">
          <PdfView bytes={bytes} password={password} />
        </div>
      )}
    </>
  );
}
