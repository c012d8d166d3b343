import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Moment } from '../../parts/moment';
import { Pager } from '../../parts/pager';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSkip } from '../../parts/use-search';
import { historyDocument, type Pipeline } from './pipeline.graphql';

const TAKE = 10;

/** Who did what to the pipeline, the newest first. */
export function PipelineHistory({ pipeline }: { readonly pipeline: Pipeline }): ReactNode {
    const { t } = useLingui();
    const [skip, setSkip] = useSkip('history');
    const { data, error, refetch } = useRefreshed({
        document: historyDocument,
        variables: { pipelineId: pipeline.id, options: { skip, take: TAKE } },
    });
    const words: Readonly<Record<string, string>> = {
        CREATED: t({ message: 'Created', context: 'flow pipeline' }),
        EDITED: t({ message: 'edited', context: 'flow pipeline' }),
        SUBMITTED: t({ message: 'submitted for review', context: 'flow pipeline' }),
        REJECTED: t({ message: 'sent back', context: 'flow pipeline' }),
        PUBLISHED: t({ message: 'published', context: 'flow pipeline' }),
        REVISION_SELECTED: t({ message: 'revision selected', context: 'flow pipeline' }),
        ENABLED: t({ message: 'enabled', context: 'flow pipeline' }),
        DISABLED: t({ message: 'disabled', context: 'flow pipeline' }),
        ARCHIVED: t({ message: 'archived', context: 'flow pipeline' }),
        RESTORED: t({ message: 'restored', context: 'flow pipeline' }),
        POSITION_RESET: t({ message: 'position removed', context: 'flow pipeline' }),
        POSITION_SET: t({ message: 'position set', context: 'flow pipeline' }),
        SECRET_HOSTS_ALLOWED: t({ message: 'secret hosts allowed', context: 'flow pipeline' }),
    };
    const history = data?.flowPipelineHistory;
    return (
        <section className="space-y-2">
            <h2 className="font-medium">
                <Trans>Audit log</Trans>
            </h2>
            {error && <FaultNotice error={error} onRetry={refetch} />}
            <ul className="space-y-1 text-sm">
                {history?.items.map(({ id, createdAt, action, actor, revision, comment }) => (
                    <li key={id} className="flex flex-wrap gap-x-2">
                        <span className="text-muted-foreground">
                            <Moment value={createdAt} />
                        </span>
                        {actor ? (
                            <span translate="no">{actor.identifier}</span>
                        ) : (
                            <span>{pipeline.codeFirst ? <Trans>Code</Trans> : '–'}</span>
                        )}
                        <span>{words[action] ?? action}</span>
                        {revision && <RevisionNumber number={revision.number} />}
                        {comment && <span className="text-muted-foreground">{comment}</span>}
                    </li>
                ))}
            </ul>
            <Pager skip={skip} take={TAKE} total={history?.totalItems ?? 0} onSkip={setSkip} />
        </section>
    );
}

function RevisionNumber({ number }: { readonly number: number }): ReactNode {
    return (
        <span>
            <Trans>revision {number}</Trans>
        </span>
    );
}
