import { Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    Button,
    cn,
    Input,
    Label,
    Link,
    Sheet,
    SheetContent,
    SheetDescription,
    SheetHeader,
    SheetTitle,
    Tabs,
    TabsContent,
    TabsList,
    TabsTrigger,
    Textarea,
    usePermissions,
} from '@vendure/dashboard';
import { TriangleAlertIcon, UndoIcon } from 'lucide-react';
import { type Dispatch, type ReactNode, useId, useState } from 'react';
import { useErrorText } from '../../i18n/use-server-texts';
import { BeforeAfter } from '../../parts/before-after';
import { Moment } from '../../parts/moment';
import { cellText, fieldsOf, shownPath, typedLike, valueAt, withValueAt } from '../../parts/record-fields';
import { usePlaceText } from '../../parts/use-place-text';
import type { RefusedRecord } from './record-errors.graphql';
import { RecordStateBadge } from './record-state';
import { suspectsOf } from './suspects';
import { asCorrected, asReplayed, type Work, type WorkStep } from './work';

interface RecordSheetProps {
    readonly record: RefusedRecord;
    /** False: it is a file that was not read. */
    readonly isReplayable: boolean;
    readonly records: readonly RefusedRecord[];
    readonly work: Work;
    readonly dispatch: Dispatch<WorkStep>;
    readonly onClose: () => void;
}

/** One record with all of its fields, what is wrong with it, and what has become of it. */
export function RecordSheet({ record, isReplayable, records, work, dispatch, onClose }: RecordSheetProps): ReactNode {
    const textOf = useErrorText();
    const placeOf = usePlaceText();
    const { hasPermissions } = usePermissions();
    const canEdit =
        isReplayable && record.state === 'OPEN' && record.payload !== null && hasPermissions(['RetryFlowRecord']);
    return (
        <Sheet open onOpenChange={isOpen => !isOpen && onClose()}>
            <SheetContent className="overflow-y-auto data-[side=right]:w-full data-[side=right]:sm:max-w-xl">
                <SheetHeader>
                    <SheetTitle>{placeOf(record.place) ?? `${record.sourceKey} #${record.seq + 1}`}</SheetTitle>
                    <SheetDescription>
                        <Trans>
                            Rejected by step <span translate="no">{record.stepKey}</span>{' '}
                            <Moment value={record.createdAt} /> in{' '}
                            <Link to={`/flow/runs/${record.runId}`} className="underline underline-offset-4">
                                run {record.runId}
                            </Link>
                        </Trans>
                    </SheetDescription>
                </SheetHeader>
                <div className="space-y-4 px-4 pb-6">
                    <Alert>
                        <TriangleAlertIcon aria-hidden />
                        <AlertDescription>
                            {textOf(record)} <code translate="no">({record.code})</code>
                        </AlertDescription>
                    </Alert>
                    <Became record={record} />
                    {record.payload === null ? (
                        <p className="text-sm text-muted-foreground">
                            <Trans>
                                You need the permission <code translate="no">ReadFlowRecord</code> to see the record.
                            </Trans>
                        </p>
                    ) : (
                        <RecordTabs
                            record={record}
                            records={records}
                            work={work}
                            dispatch={dispatch}
                            canEdit={canEdit}
                        />
                    )}
                </div>
            </SheetContent>
        </Sheet>
    );
}

function Became({ record }: { readonly record: RefusedRecord }): ReactNode {
    const textOf = useErrorText();
    if (record.state === null) return null;
    return (
        <div className="space-y-1 text-sm">
            <p className="flex flex-wrap items-center gap-2">
                <RecordStateBadge state={record.state} />
                {record.decidedBy && <span translate="no">{record.decidedBy.identifier}</span>}
                {record.decidedAt && <Moment value={record.decidedAt} />}
                {record.replayRunId !== null && (
                    <Link to={`/flow/runs/${record.replayRunId}`} className="underline underline-offset-4">
                        <Trans>replayed by run {record.replayRunId}</Trans>
                    </Link>
                )}
            </p>
            {record.note && <p className="whitespace-pre-wrap">{record.note}</p>}
            {record.refusedAgainAs && (
                <p>
                    <Trans>Rejected again: {textOf(record.refusedAgainAs)}</Trans>
                </p>
            )}
        </div>
    );
}

interface RecordTabsProps {
    readonly record: RefusedRecord;
    readonly records: readonly RefusedRecord[];
    readonly work: Work;
    readonly dispatch: Dispatch<WorkStep>;
    readonly canEdit: boolean;
}

function RecordTabs({ record, records, work, dispatch, canEdit }: RecordTabsProps): ReactNode {
    const now = record.correction ?? asCorrected(work, record);
    return (
        <Tabs defaultValue="fields">
            <TabsList>
                <TabsTrigger value="fields">
                    <Trans context="flow">Fields</Trans>
                </TabsTrigger>
                <TabsTrigger value="json">JSON</TabsTrigger>
                <TabsTrigger value="changes">
                    <Trans context="flow">Before and after</Trans>
                </TabsTrigger>
            </TabsList>
            <TabsContent value="fields">
                <Fields record={record} records={records} now={now} dispatch={dispatch} canEdit={canEdit} />
            </TabsContent>
            <TabsContent value="json">
                <Json
                    key={JSON.stringify(now)}
                    record={record}
                    records={records}
                    now={now}
                    dispatch={dispatch}
                    canEdit={canEdit}
                />
            </TabsContent>
            <TabsContent value="changes">
                <BeforeAfter before={record.payload} after={record.correction ?? asReplayed(work, record)} />
            </TabsContent>
            {work.corrections.has(record.id) && (
                <Button
                    variant="outline"
                    size="sm"
                    className="w-fit"
                    onClick={() => dispatch({ type: 'takeBack', id: record.id })}
                >
                    <UndoIcon aria-hidden />
                    <Trans>Undo the correction</Trans>
                </Button>
            )}
        </Tabs>
    );
}

interface EditorProps {
    readonly record: RefusedRecord;
    readonly records: readonly RefusedRecord[];
    readonly now: unknown;
    readonly dispatch: Dispatch<WorkStep>;
    readonly canEdit: boolean;
}

function Fields({ record, records, now, dispatch, canEdit }: EditorProps): ReactNode {
    const id = useId();
    const faulty = new Set([...suspectsOf(record, records), ...(record.faults ?? []).map(({ path }) => path)]);
    const missing = [...faulty].filter(path => path !== '' && valueAt(now, path) === undefined);
    const fields = [...missing.map(path => ({ path, value: undefined })), ...fieldsOf(now)];
    return (
        <div className="space-y-3">
            {fields.map(({ path, value }) => (
                <div key={path} className="space-y-1">
                    <Label
                        htmlFor={`${id}-${path}`}
                        translate="no"
                        className={cn('font-mono text-xs', faulty.has(path) && 'font-semibold')}
                    >
                        {faulty.has(path) && <TriangleAlertIcon aria-hidden className="size-4 text-warning" />}
                        {shownPath(path)}
                    </Label>
                    <Input
                        id={`${id}-${path}`}
                        readOnly={!canEdit}
                        aria-invalid={faulty.has(path) && cellText(value) === cellText(valueAt(record.payload, path))}
                        value={cellText(value)}
                        onChange={event =>
                            dispatch({
                                type: 'correct',
                                id: record.id,
                                payload: withValueAt(
                                    now,
                                    path,
                                    typedLike(valueAt(record.payload, path), event.target.value),
                                ),
                            })
                        }
                    />
                </div>
            ))}
        </div>
    );
}

function Json({ record, now, dispatch, canEdit }: EditorProps): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState(() => JSON.stringify(now, null, 4));
    const [problem, setProblem] = useState<string>();
    const take = (): void => {
        try {
            dispatch({ type: 'correct', id: record.id, payload: JSON.parse(text) as unknown });
            setProblem(undefined);
        } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            setProblem(error.message);
        }
    };
    return (
        <div className="space-y-2">
            <Textarea
                aria-label={t`The record as JSON`}
                aria-invalid={problem !== undefined}
                readOnly={!canEdit}
                spellCheck={false}
                translate="no"
                className="min-h-64 font-mono text-xs"
                value={text}
                onChange={event => setText(event.target.value)}
            />
            {problem && (
                <p role="alert" className="text-sm text-destructive">
                    {problem}
                </p>
            )}
            {canEdit && (
                <Button variant="outline" size="sm" onClick={take}>
                    <Trans>Apply</Trans>
                </Button>
            )}
        </div>
    );
}
