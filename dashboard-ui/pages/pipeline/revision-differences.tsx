import { Trans, useLingui } from '@lingui/react/macro';
import { NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { useRefreshed } from '../../parts/use-refreshed';
import { Comparison } from './comparison';
import { type Pipeline, type Revision, revisionDifferencesDocument } from './pipeline.graphql';

const WORKING_COPY = 'copy';

interface RevisionDifferencesProps {
    readonly pipeline: Pipeline;
    readonly revisions: readonly Revision[];
}

/** What differs between two revisions, or a revision and the working copy, in meaning: order of keys and spelled-out defaults do not. */
export function RevisionDifferences({ pipeline, revisions }: RevisionDifferencesProps): ReactNode {
    const { t } = useLingui();
    const runs = pipeline.revision?.id ?? revisions[0]!.id;
    const [from, setFrom] = useState(revisions.find(({ id }) => id !== runs)?.id ?? runs);
    const [to, setTo] = useState(pipeline.workingCopy && pipeline.hasChanges ? WORKING_COPY : runs);
    const isWorkingCopy = to === WORKING_COPY;
    const { data, error, refetch } = useRefreshed({
        document: revisionDifferencesDocument,
        variables: {
            pipelineId: pipeline.id,
            from,
            to: isWorkingCopy ? null : to,
            shown: isWorkingCopy ? from : to,
            isWorkingCopy,
        },
        isRefreshed: false,
    });
    const choices = revisions.map(({ id, number }) => (
        <NativeSelectOption key={id} value={id}>
            {t`revision ${number}`}
        </NativeSelectOption>
    ));
    return (
        <section className="space-y-3">
            <div className="flex flex-wrap items-center gap-2">
                <h2 className="font-medium">
                    <Trans>Differences</Trans>
                </h2>
                <NativeSelect aria-label={t`From`} value={from} onChange={event => setFrom(event.target.value)}>
                    {choices}
                </NativeSelect>
                <span aria-hidden>→</span>
                <NativeSelect aria-label={t`To`} value={to} onChange={event => setTo(event.target.value)}>
                    {choices}
                    {pipeline.workingCopy && <NativeSelectOption value={WORKING_COPY}>{t`draft`}</NativeSelectOption>}
                </NativeSelect>
            </div>
            {error && <FaultNotice error={error} onRetry={refetch} />}
            {data ? (
                <Comparison
                    before={data.from?.definition}
                    after={isWorkingCopy ? data.flowPipeline?.workingCopy?.definition : data.to?.definition}
                    differences={data.flowPipelineDifferences}
                />
            ) : (
                !error && <Loading className="h-24" />
            )}
        </section>
    );
}
