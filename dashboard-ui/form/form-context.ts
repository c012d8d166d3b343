import { type ComponentType, createContext, useContext } from 'react';
import type { FormFault } from './faults';
import type { JsonSchema } from './json-schema';

/** What an editor of one value is given. */
export interface EditorProps<T = unknown> {
    /** Of the control, for its label. */
    readonly id: string;
    readonly schema: JsonSchema;
    readonly isRequired: boolean;
    readonly value: T | undefined;
    readonly onChange: (value: T | undefined) => void;
    /** Dotted, from the beginning of the form. */
    readonly path: string;
    readonly isInvalid: boolean;
    /** Ids of what describes the control. */
    readonly describedBy: string | undefined;
}

/** Editors by the widget that a field names. They take precedence over the editors of its type. */
export type Widgets = Readonly<Record<string, ComponentType<EditorProps> | undefined>>;

/** What a value within another one is edited with; the label is for ears alone. */
export type ValueEditorProps = Omit<EditorProps, 'isInvalid' | 'describedBy'> &
    Partial<EditorProps> & { readonly label?: string };

/** Issues of a field that come from elsewhere, for example from the server. */
export interface FormIssue {
    /** Dotted, from the beginning of the form. */
    readonly path: string;
    readonly message: string;
    readonly severity: 'ERROR' | 'WARNING';
    /** Set while the user looks for an issue: its field scrolls into view and reports that it did. */
    readonly reached?: (() => void) | undefined;
}

/** What all fields of a form share. */
export interface FormSurroundings {
    readonly root: JsonSchema;
    /** What the form holds now. */
    readonly draft: unknown;
    readonly widgets: Widgets;
    readonly faults: readonly FormFault[];
    readonly issues: readonly FormIssue[];
    readonly isReadOnly: boolean;
    /** Edits a value within another one. */
    readonly ValueEditor: ComponentType<ValueEditorProps>;
}

const Surroundings = createContext<FormSurroundings | undefined>(undefined);

export const FormSurroundingsProvider = Surroundings.Provider;

/** What all fields of this form share. */
export function useSchemaForm(): FormSurroundings {
    const form = useContext(Surroundings);
    if (form === undefined) throw new Error('There is no SchemaForm around this field');
    return form;
}
