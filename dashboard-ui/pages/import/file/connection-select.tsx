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
import { FaultNotice } from '../../../parts/fault-notice';
import { Loading } from '../../../parts/loading';
import { importConnectionsDocument } from '../import.graphql';

interface ConnectionSelectProps {
    /** The types of connections that fit. */
    readonly types: readonly string[];
    /** The code of the chosen one; empty for none. */
    readonly value: string;
    readonly onChange: (code: string) => void;
    /** Without one the file is public. Shows nothing if there is none to choose. */
    readonly isOptional?: boolean;
}

/** A saved connection. */
export function ConnectionSelect({ types, value, onChange, isOptional = false }: ConnectionSelectProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'import-connections'],
        queryFn: () => api.query(importConnectionsDocument, {}),
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
                    There is no SFTP, FTP or object storage connection yet.{' '}
                    <Link to="/flow/connections/new" className="underline underline-offset-4">
                        Create a connection
                    </Link>
                </Trans>
            </p>
        );
    return (
        <Field>
            <FieldLabel htmlFor={id}>
                <Trans>Connection</Trans>
            </FieldLabel>
            <NativeSelect
                id={id}
                className="max-md:[&_select]:h-11"
                value={value}
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
            {isOptional && (
                <FieldDescription>
                    <Trans>The connection's credentials are sent with the request.</Trans>
                </FieldDescription>
            )}
        </Field>
    );
}
