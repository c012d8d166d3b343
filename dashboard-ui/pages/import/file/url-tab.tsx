import { Trans } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { isOfConnection } from '../../../ground/fault';
import type { OnChoose } from './choose-file';
import { TextField } from '../../../parts/text-field';
import { ConnectionSelect } from '../../../parts/connection-select';
import { ReadAgain } from './read-again';
import { useStoredSource } from './use-stored-source';

/** A file at an address, read by the server. */
export function UrlTab({ onChoose }: { readonly onChoose: OnChoose }): ReactNode {
    const [url, setUrl] = useState('');
    const [connectionCode, setConnection] = useState('');
    const [isReadAgain, setReadAgain] = useState(false);
    const { store, isPending, error } = useStoredSource(onChoose);
    const submit = (): void => {
        const input = { url: withScheme(url), ...(connectionCode !== '' && { connectionCode }) };
        store({ input, ...(isReadAgain && { origin: { kind: 'URL', ...input } }) });
    };
    return (
        <form
            className="space-y-4"
            onSubmit={event => {
                event.preventDefault();
                submit();
            }}
        >
            <TextField
                label={<Trans>Address of the file</Trans>}
                inputMode="url"
                placeholder="https://supplier.example/prices.csv"
                value={url}
                fault={isOfConnection(error) ? undefined : error}
                help={<Trans>The shop’s server reads it. A Google Sheet has to be published as CSV.</Trans>}
                onChange={setUrl}
            />
            <ConnectionSelect
                types={HTTP_TYPES}
                value={connectionCode}
                onChange={setConnection}
                isOptional
                fault={isOfConnection(error) ? error : undefined}
            />
            <ReadAgain isChecked={isReadAgain} onChange={setReadAgain} />
            <Button type="submit" className="max-md:h-11" disabled={url.trim() === '' || isPending}>
                <Trans>Read the file</Trans>
            </Button>
        </form>
    );
}

const HTTP_TYPES = ['HTTP'];

/** Addresses are often copied without their beginning. */
function withScheme(text: string): string {
    const url = text.trim();
    return /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`;
}
