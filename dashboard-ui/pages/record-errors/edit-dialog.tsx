import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Input,
    Label,
} from '@vendure/dashboard';
import { type FormEvent, type ReactElement, type ReactNode, useId, useState } from 'react';
import { jsonOrText } from '../../parts/record-fields';
import type { Edit } from './work';

interface EditDialogProps {
    readonly operation: 'SET' | 'REPLACE';
    /** The field that failed. */
    readonly path: string | null;
    /** The fields of a selected record, which are offered as well. */
    readonly fields: readonly string[];
    readonly onEdit: (edit: Edit) => void;
    /** What opens it. */
    readonly children: ReactElement;
}

/** A dialog for one change that is applied to all selected records. */
export function EditDialog({ operation, path, fields, onEdit, children }: EditDialogProps): ReactNode {
    const { t } = useLingui();
    const [isOpen, setOpen] = useState(false);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string): string => String(form.get(name) ?? '');
        onEdit(
            operation === 'SET'
                ? { operation, path: text('path'), value: jsonOrText(text('value')) }
                : { operation, path: text('path'), find: text('find'), with: text('with') },
        );
        setOpen(false);
    };
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger render={children} />
            <DialogContent>
                <form onSubmit={submit} className="space-y-4">
                    <DialogHeader>
                        <DialogTitle>{operation === 'SET' ? t`Set a field` : t`Replace in a field`}</DialogTitle>
                        <DialogDescription>
                            <Trans>
                                The change is applied to all selected records when they are replayed. The rejected
                                records themselves are kept unchanged.
                            </Trans>
                        </DialogDescription>
                    </DialogHeader>
                    <Field name="path" label={t`Field`} value={path ?? ''} offered={fields} isRequired />
                    {operation === 'SET' ? (
                        <Field name="value" label={t`Value: a text, or JSON such as 19.9, true or null`} />
                    ) : (
                        <>
                            <Field name="find" label={t`Text to find`} isRequired />
                            <Field name="with" label={t`Replacement`} />
                        </>
                    )}
                    <DialogFooter>
                        <Button type="submit">
                            <Trans>Use this change</Trans>
                        </Button>
                    </DialogFooter>
                </form>
            </DialogContent>
        </Dialog>
    );
}

interface FieldProps {
    readonly name: string;
    readonly label: string;
    readonly value?: string;
    readonly offered?: readonly string[];
    readonly isRequired?: boolean;
}

function Field({ name, label, value, offered, isRequired = false }: FieldProps): ReactNode {
    const id = useId();
    return (
        <div className="space-y-1">
            <Label htmlFor={id}>{label}</Label>
            <Input
                id={id}
                name={name}
                list={offered && `${id}-offered`}
                defaultValue={value}
                required={isRequired}
                translate="no"
                autoComplete="off"
            />
            {offered && (
                <datalist id={`${id}-offered`}>
                    {offered.map(one => (
                        <option key={one} value={one} />
                    ))}
                </datalist>
            )}
        </div>
    );
}
