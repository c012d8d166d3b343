import { Trans } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle, Checkbox, Label } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { useExport } from './export-context';
import { type FieldGroup, fieldsOf, type OfferedField, offeredFields } from './export-fields';
import { useGroupWords, useOfferedWords } from './export-words';

/** The fields of an entity and of what is related to it, each a column of the file. */
export function FieldTree(): ReactNode {
    const { plan, shop, change } = useExport();
    const groups = offeredFields(plan.entity, shop, plan.language);
    const columns = new Set(plan.fields.map(({ column }) => column));
    const select = (fields: readonly OfferedField[], isSelected: boolean): void => {
        const changed = new Set(fields.map(({ column }) => column));
        change({
            fields: fieldsOf(groups, ({ column }) => (changed.has(column) ? isSelected : columns.has(column))),
        });
    };
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans context="flow export">Fields</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="grid gap-6 md:grid-cols-2 lg:grid-cols-3">
                {[...groups].map(([group, fields]) => (
                    <Group key={group} group={group} fields={fields} columns={columns} onSelect={select} />
                ))}
            </CardContent>
        </Card>
    );
}

interface GroupProps {
    readonly group: FieldGroup;
    readonly fields: readonly OfferedField[];
    /** The selected ones. */
    readonly columns: ReadonlySet<string>;
    readonly onSelect: (fields: readonly OfferedField[], isSelected: boolean) => void;
}

function Group({ group, fields, columns, onSelect }: GroupProps): ReactNode {
    const id = useId();
    const words = useGroupWords();
    const wordOf = useOfferedWords();
    const count = fields.filter(({ column }) => columns.has(column)).length;
    const isAll = count === fields.length;
    return (
        <div role="group" aria-labelledby={id}>
            <div className="flex min-h-8 items-center gap-2 max-md:min-h-11">
                <Checkbox
                    id={`${id}-all`}
                    checked={isAll}
                    indeterminate={count > 0 && !isAll}
                    aria-labelledby={id}
                    onCheckedChange={checked => onSelect(fields, checked === true)}
                />
                <Label id={id} htmlFor={`${id}-all`} className="font-medium">
                    {words[group]}
                </Label>
                <span className="text-sm text-muted-foreground tabular-nums">
                    {count}/{fields.length}
                </span>
            </div>
            <ul className="ml-2 border-l pl-4">
                {fields.map(field => (
                    <li key={field.id} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
                        <Checkbox
                            id={`${id}-${field.column}`}
                            checked={columns.has(field.column)}
                            onCheckedChange={checked => onSelect([field], checked === true)}
                        />
                        <Label htmlFor={`${id}-${field.column}`} className="min-w-0 flex-wrap font-normal">
                            <span className="break-words">{wordOf(field)}</span>
                            <code className="text-xs break-all text-muted-foreground" translate="no">
                                {field.column}
                            </code>
                        </Label>
                    </li>
                ))}
            </ul>
        </div>
    );
}
