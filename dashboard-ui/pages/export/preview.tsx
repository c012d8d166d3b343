import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    usePermissions,
} from '@vendure/dashboard';
import { TriangleAlertIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { WideTable } from '../../parts/wide-table';
import { columnNames, compileExport } from './compile-export';
import { useExport } from './export-context';
import { type ExportShop, isChosen, isFeedFormat } from './export-plan';
import { usePreview } from './use-preview';

/** Rows that are shown; an order has several. */
const SHOWN = 10;

/** The first rows of the file, as they are in the shop now. */
export function Preview(): ReactNode {
    const { plan, shop } = useExport();
    const { hasPermissions } = usePermissions();
    const isAllowed = hasPermissions(['ReadFlowRecord']);
    const isComplete = isChosen(plan);
    const { data, error, refetch } = usePreview(compileExport(plan, shop), isAllowed && isComplete);
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans context="flow export">Preview</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent>
                {!isAllowed ? (
                    <p className="text-sm">
                        <Trans>
                            Your role has no permission <span translate="no">ReadFlowRecord</span>, so values are not
                            shown.
                        </Trans>
                    </p>
                ) : !isComplete ? (
                    <p className="text-sm">
                        <Trans>Choose fields and a facet value to see the first rows.</Trans>
                    </p>
                ) : error ? (
                    <FaultNotice error={error} onRetry={refetch} />
                ) : !data ? (
                    <Loading className="h-40" />
                ) : data.error ? (
                    <FaultNotice error={new Error(data.error.message)} onRetry={refetch} />
                ) : (
                    <Rows records={data.out as readonly Row[]} />
                )}
            </CardContent>
        </Card>
    );
}

function Rows({ records }: { readonly records: readonly Row[] }): ReactNode {
    const { t } = useLingui();
    const { plan, shop } = useExport();
    const isFeed = isFeedFormat(plan.format);
    const first = records.slice(0, SHOWN);
    const shown = isFeed ? first.map(record => feedRow(record, shop)) : first;
    const columns = isFeed ? [...new Set(shown.flatMap(record => Object.keys(record)))] : columnNames(plan, shop);
    const incomplete = isFeed ? shown.filter(record => NEEDED.some(name => textOf(record[name]) === '')).length : 0;
    if (shown.length === 0)
        return (
            <p role="status" className="text-sm">
                <Trans>No entry matches the filters.</Trans>
            </p>
        );
    return (
        <>
            {incomplete > 0 && (
                <p role="status" className="pb-3 text-sm">
                    <TriangleAlertIcon aria-hidden className="mr-1 inline size-4 text-warning" />
                    <Plural
                        value={incomplete}
                        one="# of these rows has no description or no picture and will be rejected."
                        other="# of these rows have no description or no picture and will be rejected."
                    />
                </p>
            )}
            <div className="rounded-md border [&_[data-slot=table-container]]:max-h-96 [&_[data-slot=table-container]]:overflow-auto">
                <WideTable name={t`First rows`} className="text-sm" translate="no">
                    <TableHeader>
                        <TableRow>
                            {columns.map(column => (
                                <TableHead key={column} className="sticky top-0 bg-background">
                                    {column}
                                </TableHead>
                            ))}
                        </TableRow>
                    </TableHeader>
                    <TableBody>
                        {shown.map((record, index) => (
                            <TableRow key={index}>
                                {columns.map(column => {
                                    const text = textOf(record[column]);
                                    return (
                                        <TableCell key={column} className="max-w-56 truncate" title={text}>
                                            {text}
                                        </TableCell>
                                    );
                                })}
                            </TableRow>
                        ))}
                    </TableBody>
                </WideTable>
            </div>
        </>
    );
}

type Row = Readonly<Record<string, unknown>>;

/** Attributes that a product may lack, and no feed accepts. */
const NEEDED = ['description', 'image_link'];

/** A record as the feed writes it: an amount with its currency, and stock in words. */
function feedRow({ currencyCode, ...record }: Row, { moneyDecimals }: ExportShop): Row {
    const { price, availability } = record;
    return {
        ...record,
        ...(typeof price === 'number' && {
            price: `${(price / 10 ** moneyDecimals).toFixed(moneyDecimals)} ${textOf(currencyCode)}`,
        }),
        ...(typeof availability === 'number' && { availability: availability > 0 ? 'in stock' : 'out of stock' }),
    };
}

function textOf(value: unknown): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
