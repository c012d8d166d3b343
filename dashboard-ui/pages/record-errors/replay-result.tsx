import { Plural, Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, Link, useQueryClient } from '@vendure/dashboard';
import { PlayIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { hasEnded } from '../../ground/run-state';
import { RunStatusBadge } from '../../ground/status';
import { useWatched } from '../../ground/use-watched';
import { useErrorText, useServerText } from '../../i18n/use-server-texts';
import { replayRunDocument, type Retry } from './record-errors.graphql';

/** What has come of a replay: how many are on their way, which runs bring them, and what could not be replayed. */
export function ReplayResult({ retry }: { readonly retry: Retry }): ReactNode {
    return (
        <Alert>
            <PlayIcon aria-hidden />
            <AlertTitle>
                <Plural
                    value={retry.records}
                    _0="No record is replayed"
                    one="# record is replayed"
                    other="# records are replayed"
                />
            </AlertTitle>
            <AlertDescription className="space-y-1">
                {retry.runs.map(({ id }) => (
                    <ReplayRun key={id} id={id} />
                ))}
                {retry.notOpen > 0 && (
                    <p>
                        <Plural value={retry.notOpen} one="# was no longer open." other="# were no longer open." />
                    </p>
                )}
                {retry.remaining > 0 && (
                    <p>
                        <Plural
                            value={retry.remaining}
                            one="# more is open. Replay again."
                            other="# more are open. Replay again."
                        />
                    </p>
                )}
                {retry.refused.map(({ pipelineCode, stepKey, records, reason }) => (
                    <p key={`${pipelineCode} ${stepKey}`}>
                        <Trans>
                            {records} of <span translate="no">{`${pipelineCode}, ${stepKey}`}</span> cannot be replayed:{' '}
                            {reason}
                        </Trans>
                    </p>
                ))}
            </AlertDescription>
        </Alert>
    );
}

function ReplayRun({ id }: { readonly id: string }): ReactNode {
    const client = useQueryClient();
    const textOf = useServerText();
    const messageOf = useErrorText();
    const { data } = useWatched({
        document: replayRunDocument,
        variables: { id },
        hasEnded: ({ flowPipelineRun: run }) => run === null || hasEnded(run),
    });
    const run = data?.flowPipelineRun;
    const isOver = run !== undefined && run !== null && hasEnded(run);
    // The records have left the list of open ones by then, or have come back to it.
    useEffect(() => {
        if (isOver) void client.invalidateQueries({ queryKey: ['flow'] });
    }, [isOver, client]);
    return (
        <p className="flex flex-wrap items-center gap-2">
            <Link to={`/flow/runs/${id}`} className="underline underline-offset-4">
                <Trans>Replay {id}</Trans>
            </Link>
            {run && <RunStatusBadge run={run} />}
            {run && isOver && run.status === 'COMPLETED' && (
                <span>
                    <Plural value={run.recordsProcessed - run.recordsRejected} one="# loaded" other="# loaded" />
                    {run.recordsRejected > 0 && (
                        <>
                            ,{' '}
                            <Plural
                                value={run.recordsRejected}
                                one="# was rejected again"
                                other="# were rejected again"
                            />
                        </>
                    )}
                </span>
            )}
            {run?.error && <span>{[messageOf(run.error), textOf(run.error.remedy)].filter(Boolean).join(' ')}</span>}
        </p>
    );
}
