import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Link, useLocalFormat } from '@vendure/dashboard';
import { type ReactNode, useReducer, useState } from 'react';
import { useServerText } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { Moment } from '../../parts/moment';
import { Pager } from '../../parts/pager';
import { useRefreshed } from '../../parts/use-refreshed';
import {
    type Cause,
    causeRecordsDocument,
    type RefusedRecord,
    type Retry,
    type Selection,
} from './record-errors.graphql';
import { RecordGrid } from './record-grid';
import { RecordSheet } from './record-sheet';
import { NO_WORK, worked } from './work';
import { WorkBar } from './work-bar';

const TAKE = 25;

interface CauseWorkProps {
    readonly cause: Cause;
    readonly selection: Selection;
    readonly onRetried: (retry: Retry) => void;
}

/** The records of one cause, and what can be done about them. */
export function CauseWork({ cause, selection, onRetried }: CauseWorkProps): ReactNode {
    const [work, dispatch] = useReducer(worked, NO_WORK);
    const [skip, setSkip] = useState(0);
    const [openId, setOpenId] = useState<string>();
    const ofCause: Selection = { ...selection, groupIds: [cause.id] };
    const { data, error, refetch } = useRefreshed({
        document: causeRecordsDocument,
        variables: { selection: ofCause, options: { skip, take: TAKE, sort: { id: 'ASC' as const } } },
        // What is being corrected must not move away below the hands.
        isRefreshed: work === NO_WORK,
    });
    const list = data?.flowRecordErrors;
    const open = list?.items.find(({ id }) => id === openId);
    return (
        <div className="space-y-4">
            <About cause={cause} />
            <WorkBar
                cause={cause}
                selection={ofCause}
                shown={list?.items ?? []}
                work={work}
                dispatch={dispatch}
                onRetried={onRetried}
            />
            {error && <FaultNotice error={error} onRetry={refetch} />}
            {list ? (
                <RecordGrid cause={cause} records={list.items} work={work} dispatch={dispatch} onOpen={setOpenId} />
            ) : (
                !error && <Loading className="h-48" />
            )}
            <div className="flex flex-wrap items-center justify-between gap-2">
                <KeptUntil records={list?.items ?? []} />
                <Pager skip={skip} take={TAKE} total={list?.totalItems ?? 0} onSkip={setSkip} />
            </div>
            {open && (
                <RecordSheet
                    record={open}
                    isReplayable={cause.isReplayable}
                    records={list?.items ?? []}
                    work={work}
                    dispatch={dispatch}
                    onClose={() => setOpenId(undefined)}
                />
            )}
        </div>
    );
}

function About({ cause }: { readonly cause: Cause }): ReactNode {
    const { t } = useLingui();
    const textOf = useServerText();
    return (
        <div className="space-y-1">
            <h2 className="text-base font-semibold" translate="no">
                {[cause.stepKey, cause.path, cause.code].filter(Boolean).join(' · ')}
            </h2>
            <p className="text-sm">
                <strong className="font-medium">{t`What to do:`}</strong> {textOf(cause.remedy)}
            </p>
            <p className="flex flex-wrap gap-x-3 text-sm text-muted-foreground">
                <span>
                    <Trans>
                        first seen <Moment value={cause.firstSeenAt} />, last seen <Moment value={cause.lastSeenAt} />
                    </Trans>
                </span>
                {cause.pipelines.map(({ pipelineId, pipeline, records }) => (
                    <Link
                        key={pipelineId}
                        to={`/flow/pipelines/${pipelineId}`}
                        className="underline underline-offset-4"
                    >
                        <span translate="no">{pipeline?.name ?? pipelineId}</span> (
                        <Plural value={records} one="# record" other="# records" />)
                    </Link>
                ))}
            </p>
        </div>
    );
}

function KeptUntil({ records }: { readonly records: readonly RefusedRecord[] }): ReactNode {
    const { formatDate } = useLocalFormat();
    const first = records.flatMap(({ keptUntil }) => keptUntil ?? []).sort()[0];
    if (first === undefined) return <span />;
    const day = formatDate(first, { dateStyle: 'medium' });
    return (
        <span className="text-sm text-muted-foreground">
            <Trans>Deleted after {day}.</Trans>
        </span>
    );
}
