import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { faultsOf } from './faults';
import { ObjectInput, ValueEditor } from './field-view';
import { type FormIssue, FormSurroundingsProvider, type Widgets } from './form-context';
import type { JsonSchema } from './json-schema';
import { resourceWidgets } from './resource-widgets';
import { submitted } from './values';

/** A form for the settings that a JSON Schema describes. */
export interface SchemaFormProps {
    readonly schema: JsonSchema;
    readonly value: unknown;
    /** Gets what would be sent: without the fields that mean nothing now. */
    readonly onChange: (value: unknown) => void;
    /** Whether to show errors. A form that the user has not touched shows none. */
    readonly showFaults?: boolean;
    readonly isReadOnly?: boolean;
    /** What else is to be said about its fields. */
    readonly issues?: readonly FormIssue[];
    /** Editors for widgets, in addition to those for secrets and connections. */
    readonly widgets?: Widgets;
}

const NONE: readonly FormIssue[] = [];

/** The fields of a schema. What is hidden by a choice is kept until the form is left, and comes back with the choice. */
export function SchemaForm({
    schema,
    value,
    onChange,
    showFaults = false,
    isReadOnly = false,
    issues = NONE,
    widgets,
}: SchemaFormProps): ReactNode {
    const id = useId();
    const [draft, setDraft] = useState(value);
    const sent = useRef(value);
    // The value was changed from outside, for example by undo or another version.
    useEffect(() => {
        if (JSON.stringify(value) !== JSON.stringify(sent.current)) {
            sent.current = value;
            setDraft(value);
        }
    }, [value]);
    const surroundings = useMemo(
        () => ({
            root: schema,
            draft,
            widgets: { ...resourceWidgets, ...widgets },
            faults: showFaults ? faultsOf(schema, draft ?? {}) : [],
            isReadOnly,
            issues,
            ValueEditor,
        }),
        [schema, widgets, showFaults, draft, isReadOnly, issues],
    );
    return (
        <FormSurroundingsProvider value={surroundings}>
            <ObjectInput
                id={id}
                schema={schema}
                isRequired
                value={draft}
                path=""
                isInvalid={false}
                describedBy={undefined}
                onChange={changed => {
                    setDraft(changed);
                    sent.current = submitted(schema, changed);
                    onChange(sent.current);
                }}
            />
        </FormSurroundingsProvider>
    );
}
