import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { SecretRow } from './secret-row';

type EffectiveHost = NonNullable<SecretRow['effectiveHosts']>[number];

/** The hosts that something else than the secret's own list allows. None for people who may not manage secrets. */
export function hostsOfOthers({ effectiveHosts }: SecretRow): readonly EffectiveHost[] {
    return (effectiveHosts ?? []).filter(
        ({ connectionCode, pipelineCode }) => connectionCode !== null || pipelineCode !== null,
    );
}

/** Each host with the connection or the pipeline that allows it. */
export function OtherHosts({ hosts }: { readonly hosts: readonly EffectiveHost[] }): ReactNode {
    if (hosts.length === 0) return null;
    return (
        <ul className="break-all text-muted-foreground">
            {hosts.map(({ host, connectionCode: connection, pipelineCode: pipeline }) => (
                <li key={`${connection} ${pipeline} ${host}`}>
                    <span translate="no">{host}</span>{' '}
                    {connection === null ? (
                        <Trans>(pipeline {pipeline})</Trans>
                    ) : (
                        <Trans>(connection {connection})</Trans>
                    )}
                </li>
            ))}
        </ul>
    );
}
