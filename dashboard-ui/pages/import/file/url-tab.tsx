import { Trans } from '@lingui/react/macro';
import { Button, Field, FieldDescription, FieldLabel, Input } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import type { OnChoose } from './choose-file';
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
        const input = { url: url.trim(), ...(connectionCode !== '' && { connectionCode }) };
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
            <Field>
                <FieldLabel htmlFor="flow-import-url">
                    <Trans>Address of the file</Trans>
                </FieldLabel>
                <Input
                    id="flow-import-url"
                    type="url"
                    inputMode="url"
                    className="max-md:h-11"
                    translate="no"
                    placeholder="https://supplier.example/prices.csv"
                    value={url}
                    onChange={({ target }) => setUrl(target.value)}
                />
                <FieldDescription>
                    <Trans>The shop’s server reads it. A Google Sheet has to be published as CSV.</Trans>
                </FieldDescription>
            </Field>
            <ConnectionSelect types={HTTP_TYPES} value={connectionCode} onChange={setConnection} isOptional />
            <ReadAgain isChecked={isReadAgain} onChange={setReadAgain} />
            {error && <FaultNotice error={error} />}
            <Button type="submit" className="max-md:h-11" disabled={url.trim() === '' || isPending}>
                <Trans>Read the file</Trans>
            </Button>
        </form>
    );
}

const HTTP_TYPES = ['HTTP'];
