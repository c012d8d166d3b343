import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle, Label, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { useFieldWords } from '../field-words';
import type { FileProfile, ImportSuggestion } from '../import.graphql';
import type { ImportPlan } from '../import-plan';
import { usedColumns } from './plan-changes';

interface UnusedColumnsProps {
    readonly profile: FileProfile;
    readonly plan: ImportPlan;
    readonly suggestion: ImportSuggestion;
    readonly onUse: (field: string, column: string) => void;
}

/** Columns that no field uses. Each can be ignored, or become a facet, an option or a custom field. */
export function UnusedColumns({ profile, plan, suggestion, onUse }: UnusedColumnsProps): ReactNode {
    const used = usedColumns(plan);
    const columns = profile.columns.filter(({ name, type }) => !used.has(name) && type !== 'EMPTY');
    if (columns.length === 0) return null;
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans>Columns that are not used</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="flex flex-wrap gap-x-6 gap-y-3">
                {columns.map(({ name }) => (
                    <Unused
                        key={name}
                        column={name}
                        uses={usesOf(name, plan, suggestion)}
                        onUse={field => onUse(field, name)}
                    />
                ))}
            </CardContent>
        </Card>
    );
}

/** The suggested uses first. Only products have facets and options. */
function usesOf(column: string, plan: ImportPlan, { unused, shop }: ImportSuggestion): readonly string[] {
    const suggested = unused.find(one => one.column === column)?.uses ?? [];
    const general =
        plan.target === 'PRODUCTS'
            ? [`facet:${column}`, ...(plan.variants ? [`option:${column}`] : []), 'collections']
            : [];
    const taken = new Set(plan.fields.map(({ field }) => field));
    return [...new Set([...suggested, ...general, ...shop.customFields.map(({ field }) => field)])].filter(
        field => !taken.has(field),
    );
}

interface UnusedProps {
    readonly column: string;
    readonly uses: readonly string[];
    readonly onUse: (field: string) => void;
}

function Unused({ column, uses, onUse }: UnusedProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const wordOf = useFieldWords();
    return (
        <div className="space-y-1">
            <Label htmlFor={id} translate="no">
                {column}
            </Label>
            <NativeSelect
                id={id}
                className="max-md:h-11"
                value=""
                onChange={({ target }) => target.value !== '' && onUse(target.value)}
            >
                <NativeSelectOption value="">{t({ message: 'Ignored', context: 'flow column' })}</NativeSelectOption>
                {uses.map(field => (
                    <NativeSelectOption key={field} value={field}>
                        {wordOf(field)}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
        </div>
    );
}
