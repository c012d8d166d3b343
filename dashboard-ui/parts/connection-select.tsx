import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Field,
    FieldDescription,
    FieldLabel,
    Link,
    NativeSelect,
    NativeSelectOption,
    useQuery,
} from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { graphql } from '../gql/graphql';
import { FaultNotice } from './fault-notice';
import { FieldFault } from './field-fault';
import { Loading } from './loading';

const connectionChoicesDocument = graphql(`
    query FlowConnectionChoices {
        flowConnections(options: { take: 100, sort: { name: ASC } }) {
            items {
                id
                code
                name
                type
                enabled
            }
        }
    }
`);

interface ConnectionSelectProps {
    /** The types of connections that fit. */
    readonly types: readonly string[];
    /** The code of the chosen one; empty for none. */
    readonly value: string;
    readonly onChange: (code: string) => void;
    /** Without one the file is public. Shows nothing if there is none to choose. */
    readonly isOptional?: boolean;
    /** Why the chosen one cannot be used, for example a wrong password. */
    readonly fault?: unknown;
}

/** A saved connection. */
export function ConnectionSelect({
    types,
    value,
    onChange,
    isOptional = false,
    fault,
}: ConnectionSelectProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'connection-choices'],
        queryFn: () => api.query(connectionChoicesDocument, {}),
        retry: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return <Loading className="h-10" />;
    const connections = data.flowConnections.items.filter(({ type, enabled }) => enabled && types.includes(type));
    if (connections.length === 0 && isOptional) return null;
    if (connections.length === 0)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>
                    No connection of this type exists yet.{' '}
                    <Link
                        to="/flow/connections/new"
                        search={{ type: types[0] } as never}
                        className="underline underline-offset-4"
                    >
                        Create a connection
                    </Link>
                </Trans>
            </p>
        );
    const chosen = connections.find(({ code }) => code === value);
    const isInvalid = fault != null;
    return (
        <Field>
            <FieldLabel htmlFor={id}>
                <Trans>Connection</Trans>
            </FieldLabel>
            <NativeSelect
                id={id}
                className="max-md:[&_select]:h-11"
                value={value}
                aria-invalid={isInvalid}
                aria-describedby={isInvalid ? `${id}-fault` : undefined}
                onChange={({ target }) => onChange(target.value)}
            >
                <NativeSelectOption value="">
                    {isOptional ? t`None: the file is public` : t`Choose a connection`}
                </NativeSelectOption>
                {connections.map(({ code, name }) => (
                    <NativeSelectOption key={code} value={code}>
                        {name}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            {isInvalid && (
                <FieldFault id={`${id}-fault`} fault={fault}>
                    {chosen && (
                        <Link to={`/flow/connections/${chosen.id}`} className="underline underline-offset-4">
                            <Trans>Open the connection</Trans>
                        </Link>
                    )}
                </FieldFault>
            )}
            {isOptional && (
                <FieldDescription>
                    <Trans>The connection's credentials are sent with the request.</Trans>
                </FieldDescription>
            )}
        </Field>
    );
}
