import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    cn,
    DropdownMenu,
    DropdownMenuContent,
    DropdownMenuItem,
    DropdownMenuTrigger,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
} from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Count } from '../../../parts/figure';
import { WideTable } from '../../../parts/wide-table';
import type { FileColumn, FileProfile } from '../import.graphql';
import { useColumnWords } from '../import-words';
import { type FactChange, type HeadRow, headRows, isTable } from './file-facts';

interface FileGridProps {
    readonly profile: FileProfile;
    readonly onChange: (change: FactChange) => void;
}

/** The first rows of a file below the names and types of its columns. */
export function FileGrid({ profile, onChange }: FileGridProps): ReactNode {
    const { t } = useLingui();
    const { columns, warnings } = profile;
    const rows = headRows(profile);
    const shown = rows.filter(({ kind }) => kind === 'RECORD').length;
    const unusual = new Set(warnings.map(({ column }) => column));
    return (
        <div className="space-y-2">
            <div className="rounded-md border [&_[data-slot=table-container]]:max-h-[28rem] [&_[data-slot=table-container]]:overflow-auto">
                <WideTable name={t`First rows`} className="text-sm">
                    <TableHeader>
                        <TableRow>
                            <TableHead className="sticky top-0 left-0 z-20 w-12 bg-background">
                                <span className="sr-only">
                                    <Trans>Row</Trans>
                                </span>
                            </TableHead>
                            {columns.map(column => (
                                <ColumnHead key={column.index} column={column} isUnusual={unusual.has(column.name)} />
                            ))}
                        </TableRow>
                    </TableHeader>
                    <TableBody>
                        {rows.map(row => (
                            <GridRow
                                key={row.number}
                                row={row}
                                columns={columns}
                                onChange={isTable(profile.facts.format) ? onChange : undefined}
                            />
                        ))}
                    </TableBody>
                </WideTable>
            </div>
            <p className="text-sm text-muted-foreground">
                <Trans>
                    First <Count value={shown} /> of <Count value={profile.rows} /> rows
                </Trans>
            </p>
        </div>
    );
}

/** On a phone, two columns are in sight. */
const CELL_WIDTH = 'max-w-56 min-w-32 max-md:max-w-32';

function ColumnHead({ column, isUnusual }: { readonly column: FileColumn; readonly isUnusual: boolean }): ReactNode {
    const { t } = useLingui();
    const wordsOf = useColumnWords();
    return (
        <TableHead className={cn('sticky top-0 z-10 bg-background py-2 align-top whitespace-normal', CELL_WIDTH)}>
            <span className="block font-medium break-words" translate="no">
                {column.name}
            </span>
            <span className="flex items-center gap-1 text-xs font-normal text-muted-foreground">
                {wordsOf(column)}
                {isUnusual && (
                    <TriangleAlertIcon className="size-3.5 shrink-0 text-warning" aria-label={t`has a warning`} />
                )}
            </span>
        </TableHead>
    );
}

interface GridRowProps {
    readonly row: HeadRow;
    readonly columns: readonly FileColumn[];
    /** Absent if the file has no rows that could be names of columns. */
    readonly onChange: ((change: FactChange) => void) | undefined;
}

function GridRow({ row, columns, onChange }: GridRowProps): ReactNode {
    const { kind, cells, number } = row;
    const isImported = kind === 'RECORD';
    const isTitle = kind === 'BEFORE' && cells.slice(1).every(cell => cell.trim() === '');
    return (
        <TableRow className={cn(!isImported && 'bg-muted/50 text-muted-foreground italic')}>
            <TableCell className="sticky left-0 z-10 bg-background p-1 text-right tabular-nums not-italic">
                {onChange ? <RowMenu row={row} onChange={onChange} /> : number}
            </TableCell>
            {isTitle ? (
                <TableCell colSpan={columns.length} className="max-w-56 truncate" title={cells[0]} translate="no">
                    {cells[0]}
                </TableCell>
            ) : (
                columns.map(({ index }) => (
                    <TableCell key={index} className={cn('truncate', CELL_WIDTH)} title={cells[index]} translate="no">
                        {cells[index]}
                    </TableCell>
                ))
            )}
        </TableRow>
    );
}

/** What a row can be: the names of columns, a row that is skipped, or the first record. */
function RowMenu({
    row,
    onChange,
}: {
    readonly row: HeadRow;
    readonly onChange: (change: FactChange) => void;
}): ReactNode {
    const { t } = useLingui();
    const { number, kind, skip } = row;
    return (
        <DropdownMenu>
            <DropdownMenuTrigger
                render={
                    <Button
                        variant="ghost"
                        size="sm"
                        className="min-w-9 px-1 tabular-nums max-md:h-11"
                        aria-label={t`Row ${number}`}
                    >
                        {number}
                    </Button>
                }
            />
            <DropdownMenuContent align="start">
                <DropdownMenuItem disabled={kind === 'HEADER'} onClick={() => onChange({ headerRow: number })}>
                    <Trans>Column names are here</Trans>
                </DropdownMenuItem>
                {kind === 'RECORD' && skip !== undefined && (
                    <DropdownMenuItem onClick={() => onChange({ skipAfterHeader: skip })}>
                        {skip === 1 ? <Trans>Skip this row</Trans> : <Trans>Skip the rows up to this one</Trans>}
                    </DropdownMenuItem>
                )}
                {kind === 'SKIPPED' && skip !== undefined && (
                    <DropdownMenuItem onClick={() => onChange({ skipAfterHeader: Math.max(0, skip - 1) })}>
                        <Trans>The first record is here</Trans>
                    </DropdownMenuItem>
                )}
            </DropdownMenuContent>
        </DropdownMenu>
    );
}
