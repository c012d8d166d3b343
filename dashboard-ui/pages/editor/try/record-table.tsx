import { Trans } from '@lingui/react/macro';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { cellText, fieldsOf, namesOf, shownText, valueAt } from '../../../parts/record-fields';

const MAX_RECORDS = 10;
const MAX_COLUMNS = 20;

/** The first records, a column a field. */
export function RecordTable({ records }: { readonly records: readonly unknown[] }): ReactNode {
    if (records.length === 0)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>No records.</Trans>
            </p>
        );
    const shown = records.slice(0, MAX_RECORDS);
    const paths = [...new Set(shown.flatMap(record => fieldsOf(record).map(({ path }) => path)))].slice(0, MAX_COLUMNS);
    return (
        <>
            <div className="overflow-x-auto rounded-md border" tabIndex={0} role="group">
                <Table translate="no" className="text-xs">
                    <TableHeader>
                        <TableRow>
                            {paths.map(path => (
                                <TableHead key={path} className="h-8">
                                    {namesOf(path).join('.')}
                                </TableHead>
                            ))}
                        </TableRow>
                    </TableHeader>
                    <TableBody>
                        {shown.map((record, i) => (
                            <TableRow key={i}>
                                {paths.map(path => (
                                    <TableCell
                                        key={path}
                                        className="max-w-40 truncate py-1"
                                        title={cellText(valueAt(record, path))}
                                    >
                                        {shownText(valueAt(record, path))}
                                    </TableCell>
                                ))}
                            </TableRow>
                        ))}
                    </TableBody>
                </Table>
            </div>
            <MoreOf count={records.length} shown={MAX_RECORDS} />
        </>
    );
}

interface MoreOfProps {
    readonly count: number;
    /** The maximum number of records shown. */
    readonly shown: number;
}

/** The number of records that are not shown. */
export function MoreOf({ count, shown }: MoreOfProps): ReactNode {
    const rest = count - shown;
    if (rest <= 0) return null;
    return (
        <p className="text-sm text-muted-foreground">
            <Trans>and {rest} more</Trans>
        </p>
    );
}
