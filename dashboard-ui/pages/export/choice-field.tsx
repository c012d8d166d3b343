import { Field, FieldLabel, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';

interface ChoiceFieldProps {
    readonly label: ReactNode;
    readonly value: string;
    readonly choices: ReadonlyArray<readonly [value: string, name: string]>;
    readonly onChange: (value: string) => void;
    readonly className?: string;
}

/** A choice of the plan. */
export function ChoiceField({ label, value, choices, onChange, className }: ChoiceFieldProps): ReactNode {
    const id = useId();
    return (
        <Field className={className}>
            <FieldLabel htmlFor={id}>{label}</FieldLabel>
            <NativeSelect
                id={id}
                className="max-md:[&_select]:h-11"
                value={value}
                onChange={({ target }) => onChange(target.value)}
            >
                {choices.map(([choice, name]) => (
                    <NativeSelectOption key={choice} value={choice}>
                        {name}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
        </Field>
    );
}
