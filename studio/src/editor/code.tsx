import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentLess,
  indentMore,
} from '@codemirror/commands';
import { json, jsonLanguage, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  ensureSyntaxTree,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import type { Action, Diagnostic } from '@codemirror/lint';
import { forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, openSearchPanel, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import type { Finding } from '../api/types.ts';
import { textIn } from '../form/presentation.ts';
import { t } from '../i18n/i18n.ts';
import { diagnosticOf } from './assist.ts';
import { misspellingFix } from './checks/misspelling.ts';
import { completeTemplate } from './complete/complete.ts';
import { docText } from './doc-text.ts';
import { beyondPictures } from './find/beyond-pictures.ts';
import { findCount } from './find/count.ts';
import { openGuideAt } from './guide/target.ts';
import { hoverTemplate } from './hover.ts';
import { insertLine, lineKeymap } from './lines/command.ts';
import type { Side } from './lines/insert-line.ts';
import { pictures } from './pictures/fold.ts';
import { coarsePictures } from './pictures/coarse-marks.ts';
import { choosePicture } from './pictures/take.ts';
import { applyFix, jumpTo, slipDiagnostic } from './slip-diagnostic.ts';
import { findSlip, repeatedSlips } from '../../../src/runtime/json-slips/find.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';
import type { TextChange } from './sample-edit.ts';
import { findingText } from './finding-text.tsx';
import { untold } from './untold.ts';
import { wrapping } from './wrap.ts';

/** The operations of the editor that its page may call. */
export interface CodeHandle {
  readonly text: () => string;
  /** Replaces the whole text; it can be undone. */
  readonly replace: (text: string) => void;
  readonly change: (change: TextChange) => void;
  readonly jump: (finding: Finding) => void;
  /** Jumps to where the text stops being JSON. */
  readonly jumpToFault: () => void;
  readonly jumpTo: (position: number) => void;
  /** Mends a slip that was found in the present text. */
  readonly fix: (slip: Slip) => void;
  /** Writes the name that a finding suggests in place of the misspelled one. */
  readonly correct: (finding: Finding) => void;
  /** Asks for a picture to be added to the template. */
  readonly addPicture: () => void;
  /** Opens the panel that finds and replaces. */
  readonly find: () => void;
  /** Inserts a line or a row beside the one with the cursor. */
  readonly insertLine: (side: Side) => void;
  readonly focus: () => void;
  readonly showFindings: (findings: readonly Finding[]) => void;
  /** State with the undo history, without the text, to be restored after a reload. */
  readonly toJson: () => unknown;
}

interface CodeProps {
  readonly text: string;
  /** A value of `toJson` from when the editor held this text; null: none. */
  readonly saved: unknown;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly onReady: (handle: CodeHandle) => void;
}

const HISTORY = { history: historyField };

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-text)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
]);

/** The editor of a template's text, with completion from the schema and the service's findings. */
export function Code({ text, saved, label, onChange, onReady }: CodeProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    let findings: readonly Finding[] = [];
    const extensions = [
      basics(label, text),
      linter((view) => diagnose(view, findings), { delay: 150, needsRefresh: () => true }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(docText(update.state.doc));
      }),
    ];
    const view = new EditorView({ state: startState(text, saved, extensions), parent });
    onReady(
      handleOf(view, (next) => {
        findings = next;
        forceLinting(view);
      }),
    );
    return () => view.destroy();
  }, []);
  return <div class="code" ref={place} />;
}

/** The texts of the search panel and of the list of completions, by what CodeMirror calls them. */
function phrases(): Readonly<Record<string, string>> {
  return {
    Find: t('search.find'),
    Replace: t('search.replace_with'),
    next: t('search.next'),
    previous: t('search.previous'),
    all: t('search.all'),
    'match case': t('search.case'),
    regexp: t('search.regexp'),
    'by word': t('search.by_word'),
    replace: t('search.replace'),
    'replace all': t('search.replace_all'),
    // CodeMirror puts the number in place of the dollar.
    'replaced $ matches': t('search.replaced', { count: '$' }),
    close: t('search.close'),
    Completions: t('complete.options'),
  };
}

function startState(text: string, saved: unknown, extensions: Extension): EditorState {
  if (typeof saved !== 'object' || saved === null) {
    return EditorState.create({ doc: text, extensions });
  }
  return EditorState.fromJSON({ ...saved, doc: text }, { extensions }, HISTORY);
}

function basics(label: string, text: string): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  return [
    EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    beyondPictures,
    findCount,
    EditorState.phrases.of(phrases()),
    json(),
    jsonLanguage.data.of({ autocomplete: completeTemplate(text, { t, textIn, note }) }),
    autocompletion({ icons: false }),
    hoverTemplate,
    pictures(),
    coarsePictures,
    wrapping,
    syntaxHighlighting(COLOURS),
    keymap.of([
      { key: 'F1', run: askGuide },
      ...lineKeymap,
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      // Tab moves the focus, so that keyboard users can leave the editor (WCAG 2.1.2).
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
    ]),
  ];
}

/** Opens the guide at the key under the cursor. */
function askGuide(view: EditorView): boolean {
  openGuideAt(docText(view.state.doc), view.state.selection.main.head);
  return true;
}

/** A description of the schema, beside the option that it describes. */
function note(english: string): () => HTMLElement {
  return () => {
    const dom = document.createElement('div');
    dom.lang = 'en';
    dom.textContent = english;
    return dom;
  };
}

const parseLinter = jsonParseLinter();

/** Characters of a text in which repeated keys are looked for after each change: milliseconds. */
const REPEATED_LENGTH_MAX = 100_000;

/** A syntax error comes first, because findings of the service refer to the last valid text. */
function diagnose(view: EditorView, findings: readonly Finding[]): readonly Diagnostic[] {
  const faults = parseLinter(view);
  const { length } = view.state.doc;
  if (faults.length > 0) {
    const slip = findSlip(docText(view.state.doc));
    return slip === null ? faults : [slipDiagnostic(slip)];
  }
  const repeated = length <= REPEATED_LENGTH_MAX ? repeatedSlips(docText(view.state.doc)) : [];
  return [
    ...repeated.map(slipDiagnostic),
    ...untold(repeated, findings).map((finding) => ({
      ...diagnosticOf(view.state, finding, findingText(finding)),
      actions: actionsOf(docText(view.state.doc), finding),
    })),
  ];
}

function actionsOf(text: string, finding: Finding): Action[] {
  if (misspellingFix(text, finding) === null) return [];
  return [{ name: t('slip.fix'), apply: (view) => correct(view, finding) }];
}

/** The text may have changed since the finding was shown. */
function correct(view: EditorView, finding: Finding): void {
  applyFix(view, { fix: misspellingFix(docText(view.state.doc), finding) });
}

const PARSE_MS_MAX = 200;

function handleOf(view: EditorView, show: (findings: readonly Finding[]) => void): CodeHandle {
  return {
    text: () => docText(view.state.doc),
    replace: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    change: (change) => view.dispatch({ changes: change }),
    jump: (finding) => {
      ensureSyntaxTree(view.state, view.state.doc.length, PARSE_MS_MAX);
      jumpTo(view, diagnosticOf(view.state, finding).from);
    },
    jumpToFault: () => {
      const place = findSlip(docText(view.state.doc))?.from ?? parseLinter(view)[0]?.from;
      if (place !== undefined) jumpTo(view, place);
    },
    jumpTo: (position) => jumpTo(view, position),
    fix: (slip) => applyFix(view, slip),
    correct: (finding) => correct(view, finding),
    addPicture: () => choosePicture(view, null),
    find: () => openSearchPanel(view),
    insertLine: (side) => insertLine(view, side),
    focus: () => view.focus(),
    showFindings: show,
    toJson: () => ({ ...view.state.toJSON(HISTORY), doc: undefined }),
  };
}
