import { Trans, useLingui } from '@lingui/react/macro';
import {
    Checkbox,
    cn,
    Input,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    usePermissions,
} from '@vendure/dashboard';
import type { Dispatch, ReactNode } from 'react';
import { useErrorText } from '../../i18n/use-server-texts';
import { cellText, fieldsOf, shownPath, typedLike, valueAt, withValueAt } from '../../parts/record-fields';
import { usePlaceText } from '../../parts/use-place-text';
import { WideTable } from '../../parts/wide-table';
import type { Cause, RefusedRecord } from './record-errors.graphql';
import { RecordStateBadge } from './record-state';
import { suspectsOf } from './suspects';
import { asCorrected, asReplayed, type Work, type WorkStep } from './work';

const OTHER_FIELDS = 2;

interface RecordGridProps {
    readonly cause: Cause;
    readonly records: readonly RefusedRecord[];
    readonly work: Work;
    readonly dispatch: Dispatch<WorkStep>;
    readonly onOpen: (id: string) => void;
}

/** The records with the fields that identify them, and the invalid field for correction in place. */
export function RecordGrid({ cause, records, work, dispatch, onOpen }: RecordGridProps): ReactNode {
    const { t } = useLingui();
    const canWork = useCanWork();
    const others = knownBy(records);
    const ids = records.filter(({ state }) => state === 'OPEN' || state === 'IGNORED').map(({ id }) => id);
    const isAllChosen = ids.length > 0 && (work.isWhole || ids.every(id => work.chosen.has(id)));
    return (
        <WideTable name={t`Records`}>
            <TableHeader>
                <TableRow>
                    {canWork && (
                        <TableHead className="w-8">
                            <Checkbox
                                aria-label={t`All on this page`}
                                checked={isAllChosen}
                                disabled={ids.length === 0}
                                onCheckedChange={isChosen => dispatch({ type: 'choose', ids, isChosen })}
                            />
                        </TableHead>
                    )}
                    <TableHead>
                        <Trans context="flow">Location</Trans>
                    </TableHead>
                    {others.map(path => (
                        <TableHead key={path} translate="no">
                            {shownPath(path)}
                        </TableHead>
                    ))}
                    {cause.path !== null && (
                        <TableHead
                            translate="no"
                            className="text-foreground underline decoration-warning decoration-2 underline-offset-4"
                        >
                            {shownPath(cause.path)}
                        </TableHead>
                    )}
                    <TableHead>
                        <Trans context="flow">Reason</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Status</Trans>
                    </TableHead>
                </TableRow>
            </TableHeader>
            <TableBody>
                {records.map(record => (
                    <RecordRow
                        key={record.id}
                        record={record}
                        records={records}
                        others={others}
                        work={work}
                        dispatch={dispatch}
                        onOpen={onOpen}
                        hasField={cause.path !== null}
                    />
                ))}
            </TableBody>
        </WideTable>
    );
}

/** Short fields that most of the records have, such as a number or a name; the first ones in record order. */
function knownBy(records: readonly RefusedRecord[]): readonly string[] {
    const seen = new Map<string, number>();
    const faulty = new Set(records.flatMap(record => suspectsOf(record, records)));
    for (const { payload } of records) {
        for (const { path, value } of fieldsOf(payload)) {
            const isShort =
                (typeof value === 'string' && value.length > 0 && value.length <= 60) || typeof value === 'number';
            if (isShort && !faulty.has(path)) seen.set(path, (seen.get(path) ?? 0) + 1);
        }
    }
    return [...seen]
        .filter(([, count]) => count * 2 >= records.length)
        .slice(0, OTHER_FIELDS)
        .map(([path]) => path);
}

interface RecordRowProps {
    readonly record: RefusedRecord;
    readonly records: readonly RefusedRecord[];
    readonly others: readonly string[];
    readonly work: Work;
    readonly dispatch: Dispatch<WorkStep>;
    readonly onOpen: (id: string) => void;
    readonly hasField: boolean;
}

function RecordRow({ record, records, others, work, dispatch, onOpen, hasField }: RecordRowProps): ReactNode {
    const textOf = useErrorText();
    const { t } = useLingui();
    const placeOf = usePlaceText();
    const place = placeOf(record.place) ?? `#${record.seq + 1}`;
    const now = asReplayed(work, record);
    const canWork = useCanWork();
    const canChoose = record.state === 'OPEN' || record.state === 'IGNORED';
    return (
        <TableRow data-testid="flow-refused-record">
            {canWork && (
                <TableCell className="align-top">
                    <Checkbox
                        aria-label={t`Choose ${place}`}
                        checked={canChoose && (work.isWhole || work.chosen.has(record.id))}
                        disabled={!canChoose}
                        onCheckedChange={isChosen => dispatch({ type: 'choose', ids: [record.id], isChosen })}
                    />
                </TableCell>
            )}
            <TableCell className="align-top whitespace-nowrap" translate="no">
                <button
                    type="button"
                    aria-label={t`Open ${place}`}
                    className="min-h-6 underline underline-offset-4"
                    onClick={() => onOpen(record.id)}
                >
                    {place}
                </button>
            </TableCell>
            {others.map(path => (
                <TableCell key={path} className="max-w-40 truncate align-top" translate="no">
                    {cellText(valueAt(now, path))}
                </TableCell>
            ))}
            {hasField && (
                <TableCell className="align-top">
                    <FaultyFields record={record} records={records} work={work} dispatch={dispatch} place={place} />
                </TableCell>
            )}
            <TableCell className="min-w-48 align-top text-sm break-words whitespace-pre-wrap text-muted-foreground">
                {textOf(record)}
            </TableCell>
            <TableCell className="align-top">
                {record.state && <RecordStateBadge state={record.state} />}
                {record.note && <span className="block text-xs text-muted-foreground">{record.note}</span>}
            </TableCell>
        </TableRow>
    );
}

interface FaultyFieldProps {
    readonly record: RefusedRecord;
    readonly work: Work;
    readonly place: string;
    readonly dispatch: Dispatch<WorkStep>;
    /** All that are shown. */
    readonly records: readonly RefusedRecord[];
}

function FaultyFields(props: FaultyFieldProps): ReactNode {
    return (
        <div className="space-y-1">
            {suspectsOf(props.record, props.records).map(path => (
                <FaultyField key={path} path={path} {...props} />
            ))}
        </div>
    );
}

function FaultyField({ record, work, place, dispatch, path }: FaultyFieldProps & { readonly path: string }): ReactNode {
    const { t } = useLingui();
    const canWork = useCanWork();
    const value = cellText(valueAt(asReplayed(work, record), path));
    const was = valueAt(record.payload, path);
    const name = shownPath(path);
    const label = path !== record.path && (
        <span className="block font-mono text-xs text-muted-foreground" translate="no">
            {name}
        </span>
    );
    if (!canWork || record.state !== 'OPEN' || record.payload === null)
        return (
            <div translate="no">
                {label}
                {record.payload === null ? '•••' : value}
            </div>
        );
    return (
        <div>
            {label}
            <Input
                aria-label={t`${name} of ${place}`}
                aria-invalid={value === cellText(was)}
                className={cn('h-8 min-w-28', value !== cellText(was) && 'border-success')}
                // An edit comes after what is typed here, and would win.
                readOnly={work.edits.some(edit => edit.path === path)}
                value={value}
                onChange={event =>
                    dispatch({
                        type: 'correct',
                        id: record.id,
                        payload: withValueAt(asCorrected(work, record), path, typedLike(was, event.target.value)),
                    })
                }
            />
        </div>
    );
}

function useCanWork(): boolean {
    return usePermissions().hasPermissions(['RetryFlowRecord']);
}
