import { Trans } from '@lingui/react/macro';
import {
    Field,
    FieldDescription,
    FieldError,
    FieldLabel,
    Input,
    NativeSelect,
    NativeSelectOption,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import type { Widgets } from '../../form/form-context';
import { SchemaForm } from '../../form/schema-form';
import type { ConnectionDraft, ConnectionType } from './connection-draft';

interface NewConnectionFieldsProps {
    readonly draft: ConnectionDraft;
    readonly types: readonly ConnectionType[];
    /** Whether to show what is missing. */
    readonly showFaults: boolean;
}

/** What is said of a connection once, when it is made: its type and its code. */
export function NewConnectionFields({ draft, types, showFaults }: NewConnectionFieldsProps): ReactNode {
    const isMissing = showFaults && draft.code.trim() === '';
    return (
        <>
            <Field>
                <FieldLabel htmlFor="flow-connection-type">
                    <Trans context="connection">Type</Trans>
                </FieldLabel>
                <NativeSelect
                    id="flow-connection-type"
                    className="w-full"
                    value={draft.type}
                    onChange={({ target }) => draft.setType(target.value)}
                >
                    {types.map(one => (
                        <NativeSelectOption key={one.code} value={one.code}>
                            {one.title}
                        </NativeSelectOption>
                    ))}
                </NativeSelect>
            </Field>
            <Field data-invalid={isMissing}>
                <FieldLabel htmlFor="flow-connection-code">
                    <Trans>Code</Trans>
                </FieldLabel>
                <Input
                    id="flow-connection-code"
                    translate="no"
                    aria-invalid={isMissing}
                    aria-describedby={`flow-connection-code-about${isMissing ? ' flow-connection-code-fault' : ''}`}
                    value={draft.code}
                    onChange={({ target }) => draft.setCode(target.value)}
                />
                <FieldDescription id="flow-connection-code-about">
                    <Trans>
                        Pipelines refer to it by this code. It cannot be changed. Letters, digits, dots, hyphens and
                        underscores.
                    </Trans>
                </FieldDescription>
                {isMissing && (
                    <FieldError id="flow-connection-code-fault">
                        <Trans>Required.</Trans>
                    </FieldError>
                )}
            </Field>
        </>
    );
}

interface ConnectionFieldsProps {
    readonly draft: ConnectionDraft;
    readonly isReadOnly: boolean;
    readonly showFaults: boolean;
    /** Whether its settings are hidden from this user. */
    readonly isHidden?: boolean;
    readonly widgets?: Widgets;
}

/** Name and settings of a connection, with the description of its type. */
export function ConnectionFields(props: ConnectionFieldsProps): ReactNode {
    const { draft, isReadOnly, showFaults, isHidden = false, widgets } = props;
    const { known } = draft;
    return (
        <>
            <Field>
                <FieldLabel htmlFor="flow-connection-name">
                    <Trans>Name</Trans>
                </FieldLabel>
                <Input
                    id="flow-connection-name"
                    value={draft.name}
                    readOnly={isReadOnly}
                    placeholder={draft.code}
                    onChange={({ target }) => draft.setName(target.value)}
                />
            </Field>
            {isHidden ? (
                <p className="text-sm text-muted-foreground">
                    <Trans>Its settings are visible to users with the permission to manage connections.</Trans>
                </p>
            ) : (
                <SchemaForm
                    key={draft.type}
                    schema={draft.schema}
                    value={draft.settings}
                    isReadOnly={isReadOnly}
                    showFaults={showFaults}
                    {...(widgets && { widgets })}
                    onChange={draft.setSettings}
                />
            )}
            {known && known.notes.length > 0 && (
                <ul className="list-disc pl-5 text-sm text-muted-foreground">
                    {known.notes.map(note => (
                        <li key={note}>{note}</li>
                    ))}
                </ul>
            )}
        </>
    );
}
