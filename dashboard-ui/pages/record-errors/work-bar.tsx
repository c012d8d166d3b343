import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { api, Badge, Button, PermissionGuard, useMutation, useQueryClient } from '@vendure/dashboard';
import {
    CheckCheckIcon,
    FlaskConicalIcon,
    PlayIcon,
    ReplaceIcon,
    TextCursorInputIcon,
    UndoIcon,
    XIcon,
} from 'lucide-react';
import { type Dispatch, type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { cellText, fieldsOf } from '../../parts/record-fields';
import { EditDialog } from './edit-dialog';
import { IgnoreDialog } from './ignore-dialog';
import {
    type Cause,
    type RefusedRecord,
    reopenDocument,
    type Retry,
    retryDocument,
    type Selection,
} from './record-errors.graphql';
import { suspectsOf } from './suspects';
import { Trial } from './trial';
import type { Edit, Work, WorkStep } from './work';

interface WorkBarProps {
    readonly cause: Cause;
    readonly selection: Selection;
    readonly shown: readonly RefusedRecord[];
    readonly work: Work;
    readonly dispatch: Dispatch<WorkStep>;
    readonly onRetried: (retry: Retry) => void;
}

/** What can be done about the chosen records; it always says how many it is done to. */
export function WorkBar(props: WorkBarProps): ReactNode {
    const { cause, selection, work } = props;
    const [isTried, setTried] = useState(false);
    // The result of a trial is shown until the records have left this list.
    const dispatch = (step: WorkStep): void => {
        if (step.type === 'clear') setTried(false);
        props.dispatch(step);
    };
    const withDispatch = { ...props, dispatch };
    const count = work.isWhole ? cause.records : work.chosen.size;
    const isOpen = selection.states?.[0] === 'OPEN';
    return (
        <PermissionGuard requires={['RetryFlowRecord']}>
            <div className="space-y-3">
                <div className="flex flex-wrap items-center gap-2">
                    {(isOpen || selection.states?.[0] === 'IGNORED') && (
                        <Button
                            size="sm"
                            variant={work.isWhole ? 'secondary' : 'outline'}
                            aria-pressed={work.isWhole}
                            onClick={() => dispatch({ type: 'chooseWhole', isWhole: !work.isWhole })}
                        >
                            <CheckCheckIcon aria-hidden />
                            <Plural
                                value={cause.records}
                                one="The # record with this cause"
                                other="All # records with this cause"
                            />
                        </Button>
                    )}
                    {isOpen && !cause.isReplayable && <Ignore {...withDispatch} count={count} />}
                    {isOpen && cause.isReplayable && (
                        <>
                            <PermissionGuard requires={['ReadFlowRecord']}>
                                <EditButtons
                                    path={
                                        suspectsOf(
                                            props.shown[0] ?? { payload: null, path: cause.path, message: '' },
                                        )[0] ?? null
                                    }
                                    fields={fieldsOf(props.shown[0]?.payload).map(({ path }) => path)}
                                    onEdit={edit => dispatch({ type: 'edit', edit })}
                                />
                                <PermissionGuard requires={['UpdateFlowPipeline']}>
                                    <Button
                                        size="sm"
                                        variant="outline"
                                        disabled={count === 0}
                                        onClick={() => setTried(true)}
                                    >
                                        <FlaskConicalIcon aria-hidden />
                                        <Trans context="flow">Try</Trans>
                                    </Button>
                                </PermissionGuard>
                            </PermissionGuard>
                            <Replay {...withDispatch} count={count} />
                            <Ignore {...withDispatch} count={count} />
                        </>
                    )}
                    {selection.states?.[0] === 'IGNORED' && <Reopen {...props} count={count} />}
                </div>
                <Edits edits={work.edits} dispatch={dispatch} />
                {isTried && (
                    <Trial
                        key={JSON.stringify([[...work.chosen], work.edits, [...work.corrections]])}
                        {...props}
                        onClose={() => setTried(false)}
                    />
                )}
            </div>
        </PermissionGuard>
    );
}

function EditButtons({
    path,
    fields,
    onEdit,
}: {
    readonly path: string | null;
    readonly fields: readonly string[];
    readonly onEdit: (edit: Edit) => void;
}): ReactNode {
    return (
        <>
            <EditDialog operation="SET" path={path} fields={fields} onEdit={onEdit}>
                <Button size="sm" variant="outline">
                    <TextCursorInputIcon aria-hidden />
                    <Trans>Set field…</Trans>
                </Button>
            </EditDialog>
            <EditDialog operation="REPLACE" path={path} fields={fields} onEdit={onEdit}>
                <Button size="sm" variant="outline">
                    <ReplaceIcon aria-hidden />
                    <Trans>Replace…</Trans>
                </Button>
            </EditDialog>
        </>
    );
}

interface CountedProps extends WorkBarProps {
    readonly count: number;
}

function Replay({ selection, work, dispatch, onRetried, count }: CountedProps): ReactNode {
    const client = useQueryClient();
    const replay = useMutation({
        mutationFn: () =>
            api.mutate(retryDocument, {
                selection: chosenOf(selection, work),
                corrections: [...work.corrections]
                    .filter(([id]) => work.isWhole || work.chosen.has(id))
                    .map(([id, payload]) => ({ id, payload })),
                edits: [...work.edits],
            }),
        onSuccess: async ({ retryFlowRecordErrors: retry }) => {
            dispatch({ type: 'clear' });
            onRetried(retry);
            await client.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    const press = useOnce(replay.mutateAsync);
    return (
        <>
            <Button size="sm" disabled={count === 0 || replay.isPending} onClick={() => press()}>
                <PlayIcon aria-hidden />
                {count === 0 ? (
                    <Trans>Replay</Trans>
                ) : (
                    <Plural value={count} one="Replay # record" other="Replay # records" />
                )}
            </Button>
            {replay.error && (
                <div className="w-full">
                    <FaultNotice error={replay.error} />
                </div>
            )}
        </>
    );
}

function Ignore({ selection, work, dispatch, count }: CountedProps): ReactNode {
    return (
        <IgnoreDialog
            selection={chosenOf(selection, work)}
            count={count}
            onIgnored={() => dispatch({ type: 'clear' })}
        />
    );
}

function Reopen({ selection, work, dispatch, count }: CountedProps): ReactNode {
    const client = useQueryClient();
    const reopen = useMutation({
        mutationFn: () =>
            api.mutate(reopenDocument, { selection: { ...chosenOf(selection, work), states: ['IGNORED'] } }),
        onSuccess: async () => {
            dispatch({ type: 'clear' });
            await client.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    return (
        <>
            <Button size="sm" disabled={count === 0 || reopen.isPending} onClick={() => reopen.mutate()}>
                <UndoIcon aria-hidden />
                {count === 0 ? (
                    <Trans>Reopen</Trans>
                ) : (
                    <Plural value={count} one="Reopen # record" other="Reopen # records" />
                )}
            </Button>
            {reopen.error && <FaultNotice error={reopen.error} />}
        </>
    );
}

function Edits({
    edits,
    dispatch,
}: {
    readonly edits: readonly Edit[];
    readonly dispatch: Dispatch<WorkStep>;
}): ReactNode {
    const { t } = useLingui();
    if (edits.length === 0) return null;
    return (
        <ul className="flex flex-wrap gap-2" aria-label={t`Changes to all selected records`}>
            {edits.map((edit, index) => (
                <li key={`${index} ${JSON.stringify(edit)}`}>
                    <Badge variant="secondary" className="h-8 gap-1">
                        <span translate="no">{told(edit)}</span>
                        <Button
                            variant="ghost"
                            size="icon-xs"
                            aria-label={t`Undo this change`}
                            onClick={() => dispatch({ type: 'dropEdit', index })}
                        >
                            <XIcon aria-hidden />
                        </Button>
                    </Badge>
                </li>
            ))}
        </ul>
    );
}

function told({ operation, path, value, find, with: replacement }: Edit): string {
    if (operation === 'SET') return `${path} = ${cellText(value)}`;
    if (operation === 'REMOVE') return `− ${path}`;
    return `${path}: “${find}” → “${replacement ?? ''}”`;
}

/** Those chosen one by one, or all of the cause by the filter that shows them. */
function chosenOf(selection: Selection, { isWhole, chosen }: Work): Selection {
    return isWhole ? selection : { ...selection, ids: [...chosen] };
}
