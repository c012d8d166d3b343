import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle, api, Button, useQuery } from '@vendure/dashboard';
import { CircleCheckIcon, FlaskConicalIcon, TriangleAlertIcon, XIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText } from '../../i18n/use-server-texts';
import { BeforeAfter } from '../../parts/before-after';
import { FaultNotice } from '../../parts/fault-notice';
import type { ResultOf, VariablesOf } from '../../gql/graphql';
import { Loading } from '../../parts/loading';
import { usePlaceText } from '../../parts/use-place-text';
import { type Cause, definitionDocument, type RefusedRecord, tryDocument } from './record-errors.graphql';
import { asReplayed, type Work } from './work';

type Tried = ResultOf<typeof tryDocument>['testFlowStep'];

interface TrialProps {
    readonly cause: Cause;
    readonly shown: readonly RefusedRecord[];
    readonly work: Work;
    readonly onClose: () => void;
}

/** What the refusing step would say to the chosen records of this page as they are now. Nothing is written. */
export function Trial({ cause, shown, work, onClose }: TrialProps): ReactNode {
    const { t } = useLingui();
    const chosen = shown.filter(({ id, payload }) => payload !== null && (work.isWhole || work.chosen.has(id)));
    const pipelineId = chosen[0]?.pipelineId;
    const records = chosen.filter(record => record.pipelineId === pipelineId);
    const { data, error } = useQuery<Tried, Error>({
        queryKey: [
            'flow-trial',
            cause.id,
            JSON.stringify([...work.chosen]),
            JSON.stringify([...work.corrections]),
            JSON.stringify(work.edits),
        ],
        queryFn: async () => {
            const { flowPipeline } = await api.query(definitionDocument, { id: pipelineId! });
            const input = {
                definition: flowPipeline?.revision?.definition,
                stepKey: cause.stepKey,
                records: records.map(record => asReplayed(work, record)),
                pipelineId: pipelineId!,
            };
            const variables: VariablesOf<typeof tryDocument> = { input };
            const answer = await api.mutate(tryDocument, variables);
            return answer.testFlowStep;
        },
        enabled: pipelineId !== undefined,
        retry: false,
        staleTime: Infinity,
    });
    return (
        <section aria-label={t`Result of the test`} className="space-y-3 rounded-md border p-3">
            <div className="flex items-center justify-between gap-2">
                <h3 className="flex items-center gap-2 font-medium">
                    <FlaskConicalIcon aria-hidden className="size-4" />
                    <Plural
                        value={records.length}
                        one="# record of this page tested on the step. Nothing is written."
                        other="# records of this page tested on the step. Nothing is written."
                    />
                </h3>
                <Button variant="ghost" size="icon-sm" aria-label={t`Close`} onClick={onClose}>
                    <XIcon aria-hidden />
                </Button>
            </div>
            {error && <FaultNotice error={error} />}
            {data ? <Outcome tried={data} records={records} /> : !error && <Loading className="h-16" />}
        </section>
    );
}

function Outcome({ tried, records }: { readonly tried: Tried; readonly records: readonly RefusedRecord[] }): ReactNode {
    const placeOf = usePlaceText();
    const textOf = useErrorText();
    const rejected = tried.rejected.length;
    const taken = Math.max(0, records.length - rejected);
    return (
        <div className="space-y-3">
            {tried.error && (
                <Alert variant="destructive">
                    <AlertTitle>
                        <Trans>The step test failed</Trans>
                    </AlertTitle>
                    <AlertDescription>{textOf(tried.error)}</AlertDescription>
                </Alert>
            )}
            {!tried.error && (
                <p className="flex items-center gap-2 text-sm">
                    {rejected === 0 ? (
                        <CircleCheckIcon aria-hidden className="size-4 text-success" />
                    ) : (
                        <TriangleAlertIcon aria-hidden className="size-4 text-warning" />
                    )}
                    <Trans>
                        {taken} would succeed, {rejected} would be rejected again.
                    </Trans>
                </p>
            )}
            <ul className="space-y-1 text-sm">
                {tried.rejected.map(({ seq, ...error }) => (
                    <li key={`${seq} ${error.code} ${error.message}`}>
                        <span>{placeOf(records[seq]?.place) ?? `#${(records[seq]?.seq ?? seq) + 1}`}</span>:{' '}
                        {textOf(error)}
                    </li>
                ))}
            </ul>
            {tried.changes.slice(0, 3).map(({ seq, key, before, after }) => (
                <div key={`${seq} ${key}`}>
                    <p className="text-sm font-medium" translate="no">
                        {key}
                    </p>
                    <BeforeAfter before={before} after={after} />
                </div>
            ))}
        </div>
    );
}
