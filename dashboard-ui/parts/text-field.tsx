import { Field, FieldDescription, FieldLabel, Input } from '@vendure/dashboard';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { FieldFault } from './field-fault';

interface TextFieldProps extends Pick<
    ComponentProps<typeof Input>,
    'placeholder' | 'type' | 'inputMode' | 'maxLength'
> {
    readonly label: ReactNode;
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly help?: ReactNode;
    /** What the server says about the value. */
    readonly fault?: unknown;
    readonly className?: string;
}

/** A field with its help and its error. */
export function TextField({ label, value, onChange, help, fault, className, ...input }: TextFieldProps): ReactNode {
    const id = useId();
    const isInvalid = fault != null;
    const described = [...(isInvalid ? [`${id}-fault`] : []), ...(help === undefined ? [] : [`${id}-help`])].join(' ');
    return (
        <Field className={className}>
            <FieldLabel htmlFor={id}>{label}</FieldLabel>
            <Input
                id={id}
                autoComplete="off"
                className="max-md:h-11"
                value={value}
                onChange={({ target }) => onChange(target.value)}
                aria-invalid={isInvalid}
                aria-describedby={described === '' ? undefined : described}
                {...input}
            />
            {isInvalid && <FieldFault id={`${id}-fault`} fault={fault} />}
            {help !== undefined && <FieldDescription id={`${id}-help`}>{help}</FieldDescription>}
        </Field>
    );
}
