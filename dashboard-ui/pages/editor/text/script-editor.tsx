import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { type ReactNode, useEffect, useRef } from 'react';
import { scriptHighlighting, THEME } from './code-theme';
import { type KnownToCode, languageCompletions, ownCompletions } from './script-completions';

interface ScriptEditorProps {
    readonly id: string;
    readonly label: string;
    readonly value: string;
    readonly isReadOnly: boolean;
    readonly isInvalid: boolean;
    readonly describedBy: string | undefined;
    /** What the server has to say about it; `(line 3)` in it is a line of the code. */
    readonly problem: string | undefined;
    readonly known: KnownToCode;
    readonly onChange: (text: string) => void;
}

const SIZE = EditorView.theme({ '&': { height: 'auto', maxHeight: '24rem' }, '.cm-content': { minHeight: '7rem' } });

/** The code of a script. Tab leaves it, as any other field. */
export default function ScriptEditor(props: ScriptEditorProps): ReactNode {
    const { value, isReadOnly, problem } = props;
    const parent = useRef<HTMLDivElement>(null);
    const view = useRef<EditorView>(undefined);
    const latest = useRef(props);
    latest.current = props;
    const [said, access] = useRef([new Compartment(), new Compartment()] as const).current;

    useEffect(() => {
        const begun = latest.current;
        const editor = new EditorView({
            parent: parent.current!,
            state: EditorState.create({
                doc: begun.value,
                extensions: [
                    basicSetup,
                    javascript(),
                    javascriptLanguage.data.of({
                        autocomplete: (context: Parameters<typeof ownCompletions>[0]) =>
                            ownCompletions(context, latest.current.known),
                    }),
                    javascriptLanguage.data.of({ autocomplete: languageCompletions(begun.known.globals) }),
                    scriptHighlighting,
                    THEME,
                    SIZE,
                    lintGutter(),
                    EditorView.lineWrapping,
                    said.of(describing(begun)),
                    access.of(EditorState.readOnly.of(begun.isReadOnly)),
                    EditorView.updateListener.of(update => {
                        const isTyped = update.transactions.some(
                            one => one.annotation(Transaction.userEvent) !== undefined,
                        );
                        if (update.docChanged && isTyped) latest.current.onChange(update.state.doc.toString());
                    }),
                ],
            }),
        });
        // The text can be scrolled with the keyboard.
        editor.scrollDOM.tabIndex = 0;
        view.current = editor;
        return () => editor.destroy();
    }, [said, access]);

    // A change from elsewhere, for example by undo.
    useEffect(() => {
        const editor = view.current;
        if (!editor || editor.state.doc.toString() === value) return;
        editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }, [value]);

    const { id, label, isInvalid, describedBy } = props;
    useEffect(() => {
        const effects = [
            said.reconfigure(describing({ id, label, isInvalid, describedBy })),
            access.reconfigure(EditorState.readOnly.of(isReadOnly)),
        ];
        view.current?.dispatch({ effects });
    }, [said, access, id, label, isInvalid, describedBy, isReadOnly]);

    useEffect(() => {
        const editor = view.current;
        if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(problem, editor.state)));
    }, [problem]);

    return <div ref={parent} className="overflow-hidden rounded-md border text-sm" />;
}

function describing({
    id,
    label,
    isInvalid,
    describedBy,
}: Pick<ScriptEditorProps, 'id' | 'label' | 'isInvalid' | 'describedBy'>): Extension {
    return EditorView.contentAttributes.of({
        id,
        'aria-label': label,
        'aria-invalid': String(isInvalid),
        ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
        translate: 'no',
    });
}

function diagnosticsOf(problem: string | undefined, { doc }: EditorState): readonly Diagnostic[] {
    const line = Number(/\(line (\d+)\)/.exec(problem ?? '')?.[1]);
    if (problem === undefined || !(line >= 1 && line <= doc.lines)) return [];
    const { from, to } = doc.line(line);
    return [{ from, to, severity: 'error', message: problem }];
}
