import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { fieldsOf, type JsonSchema, kindOf, labelOf } from '../../form/json-schema';
import type { ResultOf } from '../../gql/graphql';
import { AdapterIcon } from '../../parts/adapter-icon';
import { WideTable } from '../../parts/wide-table';
import { WithCode } from '../../parts/with-code';
import { Examples } from './examples';
import type { adaptersDocument } from './adapters.graphql';

/** An adapter as the reference shows it. */
export type AdapterRow = ResultOf<typeof adaptersDocument>['flowAdapters'][number];

/** What an adapter does, what a run with it needs, and what can be set. */
export function AdapterDetail({ adapter, kind }: { readonly adapter: AdapterRow; readonly kind: string }): ReactNode {
    const { code, aliases, title, summary, category, icon, sinkType, notes, requires, examples } = adapter;
    const schema = adapter.schema as JsonSchema;
    return (
        <article className="space-y-5">
            <header className="space-y-2">
                <div className="flex flex-wrap items-center gap-2">
                    <AdapterIcon name={icon} className="size-5" />
                    <h2 className="text-lg font-semibold">{title}</h2>
                    <Badge variant="secondary">{kind}</Badge>
                    {category !== null && <Badge variant="outline">{category}</Badge>}
                    {sinkType !== null && (
                        <Badge variant="outline" translate="no">
                            {sinkType}
                        </Badge>
                    )}
                </div>
                <p className="text-sm text-muted-foreground" translate="no">
                    <code>{[code, ...aliases].join(', ')}</code>
                </p>
                <p>
                    <WithCode text={summary} />
                </p>
            </header>
            {notes.length > 0 && (
                <ul className="list-disc space-y-1 pl-5 text-sm">
                    {notes.map(note => (
                        <li key={note}>
                            <WithCode text={note} />
                        </li>
                    ))}
                </ul>
            )}
            {requires.length > 0 && (
                <p className="text-sm">
                    <Trans>Permissions needed to run it:</Trans>{' '}
                    {requires.map(permission => (
                        <code key={permission} translate="no" className="mr-2">
                            {permission}
                        </code>
                    ))}
                </p>
            )}
            <section className="space-y-2">
                <h3 className="font-medium">
                    <Trans>Settings</Trans>
                </h3>
                <Settings schema={schema} root={schema} />
            </section>
            {examples.length > 0 && <Examples examples={examples} />}
        </article>
    );
}

function Settings({ schema, root }: { readonly schema: JsonSchema; readonly root: JsonSchema }): ReactNode {
    const { t } = useLingui();
    const rows = rowsOf(schema, root, '');
    if (rows.length === 0)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>No settings.</Trans>
            </p>
        );
    return (
        <WideTable name={t`Settings`}>
            <TableHeader>
                <TableRow>
                    <TableHead>
                        <Trans>Setting</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="setting">Accepts</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="setting">Purpose</Trans>
                    </TableHead>
                </TableRow>
            </TableHeader>
            <TableBody>
                {rows.map(({ path, field, isRequired, takes }) => (
                    <TableRow key={path}>
                        <TableCell className="align-top">
                            <code translate="no">{path}</code>
                            {isRequired && (
                                <div className="text-xs text-muted-foreground">
                                    <Trans>required</Trans>
                                </div>
                            )}
                        </TableCell>
                        <TableCell className="max-w-48 align-top text-sm whitespace-normal" translate="no">
                            {takes}
                        </TableCell>
                        <TableCell className="min-w-60 align-top text-sm whitespace-normal">
                            <WithCode text={field.description ?? field.title ?? ''} />
                            {field.default !== undefined && (
                                <div className="text-xs text-muted-foreground">
                                    <Trans>Default:</Trans> <code translate="no">{JSON.stringify(field.default)}</code>
                                </div>
                            )}
                        </TableCell>
                    </TableRow>
                ))}
            </TableBody>
        </WideTable>
    );
}

interface SettingRow {
    readonly path: string;
    readonly field: JsonSchema;
    readonly isRequired: boolean;
    readonly takes: string;
}

/** Each setting with its path. Settings of an object follow it. */
function rowsOf(schema: JsonSchema, root: JsonSchema, within: string): readonly SettingRow[] {
    return fieldsOf(schema, root).flatMap(({ key, schema: field, isRequired }) => {
        const path = `${within}${key}`;
        const row = { path, field, isRequired, takes: takenBy(field, root) };
        return kindOf(field, root) === 'object' ? [row, ...rowsOf(field, root, `${path}.`)] : [row];
    });
}

/** A value, and what the form shows for it where that is something else. */
function withLabel(field: JsonSchema, value: string): string {
    const label = labelOf(field, value);
    return label === value ? value : `${value} (${label})`;
}

function takenBy(field: JsonSchema, root: JsonSchema): string {
    if (field.enum) return field.enum.map(value => withLabel(field, String(value))).join(' | ');
    const { minimum, maximum } = field;
    const range = minimum !== undefined && maximum !== undefined ? ` ${minimum}–${maximum}` : '';
    if (field.widget) return field.widget + range;
    const kind = kindOf(field, root);
    return kind === 'choice'
        ? (field.anyOf ?? []).map(({ type }) => type ?? 'any').join(' | ')
        : (field.type ?? kind) + range;
}
