import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Field, FieldDescription, FieldLabel, Textarea } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import type { OnChoose } from './choose-file';
import { useStoredSource } from './use-stored-source';

/** A text such as the cells of a spreadsheet. */
export function PasteTab({ onChoose }: { readonly onChoose: OnChoose }): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const { store, isPending, error } = useStoredSource(onChoose);
    return (
        <form
            className="space-y-3"
            onSubmit={event => {
                event.preventDefault();
                store({ input: { text, filename: t`Pasted text` + '.csv' } });
            }}
        >
            <Field>
                <FieldLabel htmlFor="flow-import-text">
                    <Trans>Text</Trans>
                </FieldLabel>
                <Textarea
                    id="flow-import-text"
                    rows={10}
                    className="max-h-96 font-mono"
                    translate="no"
                    value={text}
                    onChange={({ target }) => setText(target.value)}
                />
                <FieldDescription>
                    <Trans>Copy the cells of a spreadsheet with their column names, or paste CSV, JSON or XML.</Trans>
                </FieldDescription>
            </Field>
            {error && <FaultNotice error={error} />}
            <Button type="submit" className="max-md:h-11" disabled={text.trim() === '' || isPending}>
                <Trans>Use this text</Trans>
            </Button>
        </form>
    );
}
