import { Trans, useLingui } from '@lingui/react/macro';
import { FieldError, Input, NativeSelect, NativeSelectOption, Switch, Textarea } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { type EditorProps, useSchemaForm } from './form-context';
import { labelOf } from './json-schema';
import { textValue } from './values';

/** What every control is given of the field around it. */
function controlOf({ id, isInvalid, describedBy }: Pick<EditorProps, 'id' | 'isInvalid' | 'describedBy'>): {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string | undefined;
} {
    return { id, 'aria-invalid': isInvalid, 'aria-describedby': describedBy };
}

/** One line of text. */
export function TextInput(props: EditorProps<string>): ReactNode {
    const { schema, isRequired, value, onChange } = props;
    return (
        <Input
            {...controlOf(props)}
            value={value ?? ''}
            readOnly={useSchemaForm().isReadOnly}
            placeholder={placeholderOf(schema.default)}
            onChange={({ target }) => onChange(textValue(target.value, schema, isRequired))}
        />
    );
}

/** A text of many lines. */
export function LongTextInput(props: EditorProps<string>): ReactNode {
    const { schema, isRequired, value, onChange } = props;
    return (
        <Textarea
            {...controlOf(props)}
            value={value ?? ''}
            readOnly={useSchemaForm().isReadOnly}
            rows={6}
            className="font-mono text-sm"
            placeholder={placeholderOf(schema.default)}
            onChange={({ target }) => onChange(textValue(target.value, schema, isRequired))}
        />
    );
}

/** A number. What has been typed stays as it is until it is one. */
export function NumberInput(props: EditorProps<number>): ReactNode {
    const { schema, value, onChange } = props;
    return (
        <Input
            {...controlOf(props)}
            type="number"
            inputMode="decimal"
            step={schema.type === 'integer' ? 1 : 'any'}
            min={schema.minimum}
            max={schema.maximum}
            value={value ?? ''}
            readOnly={useSchemaForm().isReadOnly}
            placeholder={placeholderOf(schema.default)}
            onChange={({ target }) => onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
        />
    );
}

/** Yes or no. */
export function BooleanInput(props: EditorProps<boolean>): ReactNode {
    const { schema, value, onChange } = props;
    return (
        <Switch
            {...controlOf(props)}
            checked={value ?? schema.default === true}
            disabled={useSchemaForm().isReadOnly}
            onCheckedChange={onChange}
        />
    );
}

/** One of some values. */
export function SelectInput(props: EditorProps<string>): ReactNode {
    const { t } = useLingui();
    const { schema, value, onChange } = props;
    const choices = (schema.enum ?? []).map(String);
    const preset = schema.default === undefined ? undefined : String(schema.default);
    return (
        <NativeSelect
            {...controlOf(props)}
            className="w-full"
            translate="no"
            value={value ?? preset ?? ''}
            disabled={useSchemaForm().isReadOnly}
            onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        >
            {preset === undefined && <NativeSelectOption value="">{t`Choose …`}</NativeSelectOption>}
            {value !== undefined && !choices.includes(value) && (
                <NativeSelectOption value={value}>{value}</NativeSelectOption>
            )}
            {choices.map(choice => (
                <NativeSelectOption key={choice} value={choice}>
                    {labelOf(schema, choice)}
                </NativeSelectOption>
            ))}
        </NativeSelect>
    );
}

/** Any value, as JSON. Text that is not JSON is kept and changes nothing until it is. */
export function JsonInput(props: EditorProps): ReactNode {
    const { value, onChange, id } = props;
    const [typed, setTyped] = useState<string>();
    const shown = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
    const isBroken = typed !== undefined && typed.trim() !== '' && parsed(typed) === undefined;
    return (
        <>
            <Textarea
                {...controlOf(props)}
                aria-invalid={isBroken || props.isInvalid}
                translate="no"
                className="font-mono text-sm"
                rows={Math.min(Math.max(shown.split('\n').length, 3), 16)}
                value={shown}
                readOnly={useSchemaForm().isReadOnly}
                spellCheck={false}
                onChange={({ target }) => {
                    setTyped(target.value);
                    if (target.value.trim() === '') onChange(undefined);
                    const result = parsed(target.value);
                    if (result) onChange(result.value);
                }}
                onBlur={() => !isBroken && setTyped(undefined)}
            />
            {isBroken && (
                <FieldError id={`${id}-json`}>
                    <Trans>Not valid JSON yet. The previous value is kept.</Trans>
                </FieldError>
            )}
        </>
    );
}

function parsed(text: string): { readonly value: unknown } | undefined {
    try {
        return { value: JSON.parse(text) };
    } catch {
        return undefined; // Still being typed.
    }
}

function placeholderOf(preset: unknown): string | undefined {
    return typeof preset === 'string' || typeof preset === 'number' ? String(preset) : undefined;
}
