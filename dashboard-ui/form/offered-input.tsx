import { Input } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { type EditorProps, useSchemaForm } from './form-context';
import { textValue } from './values';

interface OfferedInputProps extends Omit<EditorProps, 'onChange'> {
    readonly onChange: (value: string | undefined) => void;
    readonly choices: ReadonlyArray<{ readonly value: string; readonly about: string }>;
    readonly placeholder?: string;
}

/** One of some values that the server has, or any other one, which is typed. */
export function OfferedInput({ choices, placeholder, ...props }: OfferedInputProps): ReactNode {
    const { id, schema, isRequired, value, onChange, isInvalid, describedBy } = props;
    const list = useId();
    return (
        <>
            <Input
                id={id}
                list={list}
                translate="no"
                autoComplete="off"
                aria-invalid={isInvalid}
                aria-describedby={describedBy}
                readOnly={useSchemaForm().isReadOnly}
                placeholder={placeholder}
                value={typeof value === 'string' ? value : ''}
                onChange={({ target }) => onChange(textValue(target.value, schema, isRequired))}
            />
            <datalist id={list}>
                {choices.map(choice => (
                    <option key={choice.value} value={choice.value}>
                        {choice.about}
                    </option>
                ))}
            </datalist>
        </>
    );
}
