import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import {
    Input,
    keepPreviousData,
    Label,
    NativeSelect,
    NativeSelectOption,
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
import { type ReactNode, useState } from 'react';
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
    readonly encoding?: string;
}

/** The encodings that the server reads. */
const ENCODINGS = [
    'utf-8',
    'utf-16le',
    'utf-16be',
    'windows-1252',
    'windows-1250',
    'iso-8859-15',
    'iso-8859-2',
    'macintosh',
    'ibm850',
];

function hasEncoding({ format }: FileRow): boolean {
    return format !== 'xlsx' && format !== 'xls';
}

function hasHeader({ format }: FileRow): boolean {
    return format === 'csv' || format === 'txt' || format === 'xlsx';
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
    const [encoding, setEncoding] = useState('');
    const [headerRow, setHeaderRow] = useState(1);
    const asked = new URLSearchParams({
        rows: String(ROWS),
        ...(encoding !== '' && { encoding }),
        ...(headerRow !== 1 && { headerRow: String(headerRow) }),
    });
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'preview', file.id, encoding, headerRow],
        queryFn: async () => (await (await askRest(`${file.path}/preview?${asked}`)).json()) as Preview,
        placeholderData: keepPreviousData,
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
            <div className="space-y-4 px-4 pb-4">
                <div className="flex flex-wrap items-end gap-4">
                    {hasEncoding(file) && (
                        <div className="space-y-1">
                            <Label htmlFor="flow-preview-encoding">
                                <Trans>Encoding</Trans>
                            </Label>
                            <NativeSelect
                                id="flow-preview-encoding"
                                value={encoding}
                                onChange={({ target }) => setEncoding(target.value)}
                            >
                                <NativeSelectOption value="">
                                    {data?.encoding ? t`Detected (${data.encoding})` : t`Detected`}
                                </NativeSelectOption>
                                {ENCODINGS.map(one => (
                                    <NativeSelectOption key={one} value={one}>
                                        {one}
                                    </NativeSelectOption>
                                ))}
                            </NativeSelect>
                        </div>
                    )}
                    {hasHeader(file) && (
                        <div className="space-y-1">
                            <Label htmlFor="flow-preview-header">
                                <Trans>Header row</Trans>
                            </Label>
                            <Input
                                id="flow-preview-header"
                                type="number"
                                min={1}
                                max={100}
                                className="w-24"
                                value={headerRow}
                                onChange={({ target }) =>
                                    setHeaderRow(Math.min(Math.max(Math.trunc(target.valueAsNumber) || 1, 1), 100))
                                }
                            />
                        </div>
                    )}
                </div>
                {error && <FaultNotice error={error} onRetry={refetch} />}
                {!data && !error && <Loading className="h-40" />}
                {data && <Records preview={data} />}
            </div>
        </>
    );
}

function Records({ preview: { fields, records } }: { readonly preview: Preview }): ReactNode {
    const { t } = useLingui();
    const words = useTypeWords();
    return (
        <WideTable name={t`Records`}>
            <TableHeader>
                <TableRow>
                    {fields.map(({ name, type }) => (
                        <TableHead key={name}>
                            <span translate="no">{name}</span>
                            <span className="block text-xs font-normal text-muted-foreground">
                                {words[type] ?? type}
                            </span>
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

/** The types that the server detects in the first records. */
function useTypeWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return {
        string: t({ message: 'text', context: 'flow value' }),
        number: t({ message: 'number', context: 'flow value' }),
        boolean: t({ message: 'true or false', context: 'flow value' }),
        date: t({ message: 'date', context: 'flow value' }),
        object: t({ message: 'object', context: 'flow value' }),
        array: t({ message: 'list', context: 'flow value' }),
        null: t({ message: 'empty', context: 'flow value' }),
        mixed: t({ message: 'different types', context: 'flow value' }),
    };
}

function shown(value: unknown): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
