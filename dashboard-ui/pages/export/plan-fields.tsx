import { Field, FieldDescription, FieldLabel, Input, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface TextFieldProps extends Pick<ComponentProps<typeof Input>, 'placeholder' | 'type' | 'maxLength'> {
    readonly label: ReactNode;
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly help?: ReactNode;
    readonly className?: string;
}

/** A text of the plan. */
export function TextField({ label, value, onChange, help, className, ...input }: TextFieldProps): ReactNode {
    const id = useId();
    return (
        <Field className={className}>
            <FieldLabel htmlFor={id}>{label}</FieldLabel>
            <Input
                id={id}
                autoComplete="off"
                className="max-md:h-11"
                value={value}
                onChange={({ target }) => onChange(target.value)}
                aria-describedby={help === undefined ? undefined : `${id}-help`}
                {...input}
            />
            {help !== undefined && <FieldDescription id={`${id}-help`}>{help}</FieldDescription>}
        </Field>
    );
}

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
