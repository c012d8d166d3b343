import { Trans, useLingui } from '@lingui/react/macro';
import { api, FieldDescription, Link, PermissionGuard, useQuery } from '@vendure/dashboard';
import type { ComponentType, ReactNode } from 'react';
import { graphql } from '../gql/graphql';
import { type EditorProps, useSchemaForm, type Widgets } from './form-context';
import { OfferedInput } from './offered-input';
import { fittingTypes } from './values';

const secretCodesDocument = graphql(`
    query FlowSecretCodes($options: FlowSecretListOptions) {
        flowSecrets(options: $options) {
            items {
                id
                code
                isReadable
                updatedAt
            }
        }
    }
`);

const connectionCodesDocument = graphql(`
    query FlowConnectionCodes($options: FlowConnectionListOptions) {
        flowConnections(options: $options) {
            items {
                id
                code
                type
            }
        }
    }
`);

/** As many as are offered; any other code may be typed. */
const OFFERED = { take: 200, sort: { code: 'ASC' } } as const;

interface ResourceInputProps extends EditorProps<string> {
    /** How another one is made; without it a link to its page. */
    readonly making?: ReactNode;
}

/** The code of a secret, never its value. */
export function SecretInput({ making, ...props }: ResourceInputProps): ReactNode {
    const { t } = useLingui();
    const { data } = useQuery({
        queryKey: ['flow', 'secret-codes'],
        queryFn: () => api.query(secretCodesDocument, { options: OFFERED }),
        retry: false,
    });
    const secrets = data?.flowSecrets.items ?? [];
    const chosen = secrets.find(({ code }) => code === props.value);
    return (
        <>
            <OfferedInput
                {...props}
                placeholder={t`Enter or choose a code`}
                choices={secrets.map(({ code }) => ({ value: code, about: '' }))}
            />
            <MakeOne requires="ManageFlowSecrets">
                {making ?? (
                    <MakeElsewhere to="/flow/secrets">
                        <Trans>Set a new secret</Trans>
                    </MakeElsewhere>
                )}
            </MakeOne>
            {props.value !== undefined && data && (
                <FieldDescription>
                    {chosen === undefined ? (
                        <Trans>There is no secret with this code yet.</Trans>
                    ) : chosen.isReadable ? (
                        <Trans>The secret is set. Its value cannot be viewed.</Trans>
                    ) : (
                        <Trans>The secret exists, but the server cannot read it.</Trans>
                    )}
                </FieldDescription>
            )}
        </>
    );
}

/** The code of a connection of a type that fits. */
export function ConnectionInput({ making, ...props }: ResourceInputProps): ReactNode {
    const { t } = useLingui();
    const types = fittingTypes(props.schema, props.path, useSchemaForm().draft);
    const { data } = useQuery({
        queryKey: ['flow', 'connection-codes'],
        queryFn: () => api.query(connectionCodesDocument, { options: OFFERED }),
        retry: false,
    });
    const choices = (data?.flowConnections.items ?? [])
        .filter(({ type }) => types?.includes(type) ?? true)
        .map(({ code, type }) => ({ value: code, about: type }));
    return (
        <>
            <OfferedInput {...props} placeholder={t`Enter or choose a code`} choices={choices} />
            <MakeOne requires="ManageFlowConnections">
                {making ?? (
                    <MakeElsewhere to="/flow/connections/new">
                        <Trans>Create connection</Trans>
                    </MakeElsewhere>
                )}
            </MakeOne>
        </>
    );
}

interface MakeOneProps {
    readonly requires: string;
    readonly children: ReactNode;
}

/** Where another one is made, for those who may. */
function MakeOne({ requires, children }: MakeOneProps): ReactNode {
    if (useSchemaForm().isReadOnly) return null;
    return <PermissionGuard requires={[requires]}>{children}</PermissionGuard>;
}

/** Opens in addition to this page: input here is kept, and the new resource is offered when the user returns. */
function MakeElsewhere({ to, children }: { readonly to: string; readonly children: ReactNode }): ReactNode {
    return (
        <Link to={to} target="_blank" className="min-h-6 text-sm text-muted-foreground underline underline-offset-4">
            {children}
        </Link>
    );
}

/** Editors for what is named by its code. */
export const resourceWidgets: Widgets = {
    secret: SecretInput as ComponentType<EditorProps>,
    connection: ConnectionInput as ComponentType<EditorProps>,
};
