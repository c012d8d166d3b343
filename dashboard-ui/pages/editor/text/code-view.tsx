import { autocompletion } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { Trans, useLingui } from '@lingui/react/macro';
import { FieldError, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { basicSetup } from 'codemirror';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { same } from '../model/compare';
import { useEditor } from '../state/editor-context';
import { completionsOf } from './completions';
import { highlighting, THEME } from './code-theme';
import { useTextFault } from './text-fault';
import { faultOf, isFault, rangeOf, readText, type TextFormat, textOf, type UnreadText } from './definition-text';

interface CodeViewProps {
    /** A text that cannot be read as a definition yet. */
    readonly unread: UnreadText | undefined;
    readonly onUnread: (unread: UnreadText | undefined) => void;
}

/** Shows the definition as text and parses edits. Invalid text keeps the last drawing, and is not lost. */
export default function CodeView({ unread, onUnread }: CodeViewProps): ReactNode {
    const { t } = useLingui();
    const wordsOf = useTextFault();
    const { drawing, checks, catalogue, format: made, isReadOnly } = useEditor();
    const { definition } = drawing;
    const [format, setFormat] = useState<TextFormat>(unread?.format ?? 'JSON');
    const fault = useMemo(() => unread && faultOf(unread), [unread]);
    const parent = useRef<HTMLDivElement>(null);
    const view = useRef<EditorView>(undefined);
    const latest = useRef({ drawing, format, catalogue, made, unread, onUnread });
    latest.current = { drawing, format, catalogue, made, unread, onUnread };
    const label = t`The definition as text`;

    useEffect(() => {
        const language = new Compartment();
        const editor = new EditorView({
            parent: parent.current!,
            state: EditorState.create({
                doc: latest.current.unread?.text ?? textOf(latest.current.drawing.definition, format),
                extensions: [
                    basicSetup,
                    language.of(format === 'JSON' ? json() : yaml()),
                    highlighting,
                    THEME,
                    lintGutter(),
                    autocompletion({ override: [context => completionsOf(context, latest.current)] }),
                    EditorState.readOnly.of(isReadOnly),
                    EditorView.contentAttributes.of({ 'aria-label': label, translate: 'no' }),
                    EditorView.updateListener.of(update => {
                        const isTyped = update.transactions.some(
                            one => one.annotation(Transaction.userEvent) !== undefined,
                        );
                        if (!update.docChanged || !isTyped) return;
                        const text = update.state.doc.toString();
                        const read = readText(text, format);
                        latest.current.onUnread(isFault(read) ? { text, format } : undefined);
                        if (isFault(read)) return;
                        const isSame = same(read, latest.current.drawing.definition);
                        if (!isSame) latest.current.drawing.edit(() => read, { joins: 'text' });
                    }),
                ],
            }),
        });
        // The text can be scrolled with the keyboard.
        editor.scrollDOM.tabIndex = 0;
        view.current = editor;
        return () => editor.destroy();
    }, [format, isReadOnly, label]);

    // A change from elsewhere, for example by undo.
    useEffect(() => {
        const editor = view.current;
        if (!editor) return;
        const read = readText(editor.state.doc.toString(), format);
        if (isFault(read) || same(read, definition)) return;
        editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: textOf(definition, format) } });
    }, [definition, format]);

    useEffect(() => {
        const editor = view.current;
        if (!editor) return;
        const text = editor.state.doc.toString();
        const end = text.length;
        const diagnostics: Diagnostic[] = fault
            ? [
                  {
                      from: Math.min(fault.at, end),
                      to: Math.min(fault.at + 1, end),
                      severity: 'error',
                      message: wordsOf(fault),
                  },
              ]
            : checks.issues.map(({ path, message, severity }) => ({
                  ...rangeOf(text, path),
                  severity: severity === 'ERROR' ? 'error' : 'warning',
                  message,
              }));
        editor.dispatch(setDiagnostics(editor.state, diagnostics));
    }, [fault, checks.issues, format, definition]);

    return (
        <div className="space-y-2">
            <NativeSelect
                aria-label={t`Format`}
                value={format}
                disabled={fault !== undefined}
                onChange={({ target }) => setFormat(target.value === 'YAML' ? 'YAML' : 'JSON')}
            >
                <NativeSelectOption value="JSON">JSON</NativeSelectOption>
                <NativeSelectOption value="YAML">YAML</NativeSelectOption>
            </NativeSelect>
            <div ref={parent} className="h-[calc(100vh-22rem)] min-h-80 overflow-hidden rounded-lg border text-sm" />
            {fault && (
                <FieldError>
                    <Trans>This text is not valid yet. The graph shows the last valid version.</Trans>{' '}
                    <span translate={fault.problem === 'syntax' ? 'no' : undefined}>{wordsOf(fault)}</span>
                </FieldError>
            )}
        </div>
    );
}
