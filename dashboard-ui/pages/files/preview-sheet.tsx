import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import {
    Sheet,
    SheetContent,
    SheetDescription,
    SheetHeader,
    SheetTitle,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    useQuery,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { askRest } from '../../parts/rest';
import { WideTable } from '../../parts/wide-table';
import type { FileRow } from './file-row';

const ROWS = 20;

/** What the server makes of the beginning of a file. */
interface Preview {
    readonly fields: ReadonlyArray<{ readonly name: string; readonly type: string }>;
    readonly records: ReadonlyArray<Readonly<Record<string, unknown>>>;
    readonly totalRows: number;
}

/** The first records of a file, as pipelines would read them. */
export function PreviewSheet({
    file,
    onClose,
}: {
    readonly file: FileRow | undefined;
    readonly onClose: () => void;
}): ReactNode {
    return (
        <Sheet open={file !== undefined} onOpenChange={isOpen => !isOpen && onClose()}>
            <SheetContent className="w-full overflow-y-auto data-[side=right]:sm:max-w-4xl">
                {file && <PreviewOf file={file} />}
            </SheetContent>
        </Sheet>
    );
}

function PreviewOf({ file }: { readonly file: FileRow }): ReactNode {
    const { t } = useLingui();
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'preview', file.id],
        queryFn: async () => (await (await askRest(`${file.path}/preview?rows=${ROWS}`)).json()) as Preview,
        retry: false,
    });
    return (
        <>
            <SheetHeader>
                <SheetTitle translate="no">{file.filename}</SheetTitle>
                <SheetDescription>
                    {data
                        ? t`${plural(data.totalRows, { one: '# row', other: '# rows' })}. The first rows are shown`
                        : t`The first rows as pipelines read them`}
                </SheetDescription>
            </SheetHeader>
            <div className="px-4 pb-4">
                {error && <FaultNotice error={error} onRetry={refetch} />}
                {!data && !error && <Loading className="h-40" />}
                {data && <Records preview={data} />}
            </div>
        </>
    );
}

function Records({ preview: { fields, records } }: { readonly preview: Preview }): ReactNode {
    const { t } = useLingui();
    return (
        <WideTable name={t`Records`}>
            <TableHeader>
                <TableRow>
                    {fields.map(({ name, type }) => (
                        <TableHead key={name} translate="no">
                            {name}
                            <span className="block text-xs font-normal text-muted-foreground">{type}</span>
                        </TableHead>
                    ))}
                </TableRow>
            </TableHeader>
            <TableBody translate="no">
                {records.map((record, i) => (
                    <TableRow key={i}>
                        {fields.map(({ name }) => (
                            <TableCell key={name} className="max-w-60 truncate">
                                {shown(record[name])}
                            </TableCell>
                        ))}
                    </TableRow>
                ))}
            </TableBody>
        </WideTable>
    );
}

function shown(value: unknown): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
