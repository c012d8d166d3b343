import { Trans } from '@lingui/react/macro';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { cellText, fieldsOf, namesOf, valueAt } from './record-fields';

interface BeforeAfterProps {
    readonly before: unknown;
    readonly after: unknown;
    /** Formats a value; default: as it is. */
    readonly textOf?: (path: string, value: unknown) => string;
}

/** Two states next to each other, field by field. */
export function BeforeAfter({ before, after, textOf = (_, value) => cellText(value) }: BeforeAfterProps): ReactNode {
    const paths = [...new Set([...fieldsOf(before), ...fieldsOf(after)].map(({ path }) => path))];
    return (
        <Table className="table-fixed">
            <TableHeader>
                <TableRow>
                    <TableHead>
                        <Trans context="flow">Field</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Before</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">After</Trans>
                    </TableHead>
                </TableRow>
            </TableHeader>
            <TableBody translate="no">
                {paths.map(path => (
                    <TableRow key={path}>
                        <TableCell className="align-top font-mono text-xs break-all whitespace-normal">
                            {namesOf(path).join('.')}
                        </TableCell>
                        <TableCell className="align-top break-words whitespace-pre-wrap text-muted-foreground">
                            {textOf(path, valueAt(before, path)) || '–'}
                        </TableCell>
                        <TableCell className="align-top break-words whitespace-pre-wrap">
                            {textOf(path, valueAt(after, path)) || '–'}
                        </TableCell>
                    </TableRow>
                ))}
            </TableBody>
        </Table>
    );
}
