import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Input } from '@vendure/dashboard';
import { PlusIcon, XIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../ground/icon-button';
import { type EditorProps, useSchemaForm } from './form-context';

type Texts = Readonly<Record<string, string>>;
type Row = readonly [key: string, value: string];

/** Names with texts: headers, a mapping of fields. Rows with an empty or repeated name stay in the form and are not sent. */
export function MapInput({ id, value, onChange }: EditorProps<Texts>): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useSchemaForm();
    const [rows, setRows] = useState<readonly Row[]>(() => Object.entries(value ?? {}));
    const change = (changed: readonly Row[]): void => {
        setRows(changed);
        const entries = changed.filter(([key], i) => key !== '' && changed.findIndex(([other]) => other === key) === i);
        onChange(entries.length === 0 && value === undefined ? undefined : Object.fromEntries(entries));
    };
    return (
        <div className="space-y-2" id={id} role="group">
            {rows.map(([key, text], i) => {
                const number = i + 1;
                const isTwice = key !== '' && rows.findIndex(([other]) => other === key) < i;
                return (
                    <div key={i} data-at={key} className="flex items-center gap-1">
                        <Input
                            aria-label={t`Name ${number}`}
                            aria-invalid={isTwice}
                            translate="no"
                            value={key}
                            readOnly={isReadOnly}
                            onChange={({ target }) =>
                                change(rows.map((row, at) => (at === i ? [target.value, row[1]] : row)))
                            }
                        />
                        <Input
                            aria-label={t`Value ${number}`}
                            translate="no"
                            value={text}
                            readOnly={isReadOnly}
                            onChange={({ target }) =>
                                change(rows.map((row, at) => (at === i ? [row[0], target.value] : row)))
                            }
                        />
                        {!isReadOnly && (
                            <IconButton
                                label={t`Remove row ${number}`}
                                onPress={() => change(rows.filter((_, at) => at !== i))}
                            >
                                <XIcon />
                            </IconButton>
                        )}
                    </div>
                );
            })}
            {!isReadOnly && (
                <Button type="button" variant="outline" size="sm" onClick={() => setRows([...rows, ['', '']])}>
                    <PlusIcon />
                    <Trans>Add a row</Trans>
                </Button>
            )}
        </div>
    );
}
