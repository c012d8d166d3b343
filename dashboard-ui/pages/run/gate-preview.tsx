import { Trans } from '@lingui/react/macro';
import { Alert, AlertDescription, AlertTitle } from '@vendure/dashboard';
import { CircleAlertIcon, TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ResultOf } from '../../gql/graphql';
import { useErrorText } from '../../i18n/use-server-texts';
import { BeforeAfter } from '../../parts/before-after';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { Pager } from '../../parts/pager';
import { cellText, fieldsOf } from '../../parts/record-fields';
import { useShopValue } from '../../parts/use-shop-value';
import { usePlaceText } from '../../parts/use-place-text';
import { useRefreshed } from '../../parts/use-refreshed';
import { ActionBadge, EntityName } from './differences-tab';
import { gatePreviewDocument } from './run.graphql';

const TAKE = 10;
/** The number of fields shown per record. */
const FIELDS = 4;

type Held = ResultOf<typeof gatePreviewDocument>['flowGatePreview']['items'][number];

interface GatePreviewProps {
    readonly runId: string;
    readonly stepKey: string;
}

/** The records that a gate holds, each with the changes that the following steps would make. */
export function GatePreview({ runId, stepKey }: GatePreviewProps): ReactNode {
    const textOf = useErrorText();
    const [skip, setSkip] = useState(0);
    const { data, error, refetch } = useRefreshed({
        document: gatePreviewDocument,
        variables: { runId, stepKey, skip, take: TAKE },
        isRefreshed: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const preview = data?.flowGatePreview;
    if (!preview) return <Loading className="h-48" />;
    return (
        <div className="space-y-3">
            {preview.error && (
                <Alert variant="destructive">
                    <CircleAlertIcon aria-hidden />
                    <AlertTitle>
                        <Trans>After the gate, the run would fail</Trans>
                    </AlertTitle>
                    <AlertDescription>
                        {textOf(preview.error)} <code translate="no">({preview.error.code})</code>
                    </AlertDescription>
                </Alert>
            )}
            <ul className="space-y-3">
                {preview.items.map(held => (
                    <HeldRecord key={`${held.sourceKey} ${held.seq}`} held={held} />
                ))}
            </ul>
            <Pager skip={skip} take={TAKE} total={preview.totalItems} onSkip={setSkip} />
        </div>
    );
}

function HeldRecord({ held }: { readonly held: Held }): ReactNode {
    const placeOf = usePlaceText();
    const textOf = useShopValue();
    const errorOf = useErrorText();
    return (
        <li className="space-y-2 rounded-md border p-3">
            <p className="flex flex-wrap gap-x-3 text-sm text-muted-foreground" translate="no">
                <span>{placeOf(held.place) ?? `${held.sourceKey} #${held.seq + 1}`}</span>
                {/* A changed record is identified by its key; other records need more fields. */}
                {held.changes.length === 0 &&
                    fieldsOf(held.record)
                        .slice(0, FIELDS)
                        .map(({ path, value }) => (
                            <span key={path} className="max-w-64 truncate">
                                {path} <span className="text-foreground">{cellText(value)}</span>
                            </span>
                        ))}
            </p>
            {held.changes.map(({ stepKey, action, key, before, after }) => (
                <div key={`${stepKey} ${key}`}>
                    <p className="flex flex-wrap items-center gap-2">
                        <ActionBadge action={action} />
                        <EntityName change={{ key, before, after }} record={held.record} />
                        <span className="text-sm text-muted-foreground" translate="no">
                            {stepKey}
                        </span>
                    </p>
                    <BeforeAfter before={before} after={after} textOf={textOf} />
                </div>
            ))}
            {held.rejected.map(({ stepKey, ...error }) => (
                <p key={`${stepKey} ${error.code}`} className="flex gap-2 text-sm">
                    <TriangleAlertIcon aria-hidden className="size-4 shrink-0 text-warning" />
                    <span>
                        <Trans>It would be rejected:</Trans> {errorOf(error)} <code translate="no">({error.code})</code>
                    </span>
                </p>
            ))}
            {held.changes.length + held.rejected.length === 0 && (
                <p className="text-sm">
                    <Trans>It would change nothing.</Trans>
                </p>
            )}
        </li>
    );
}
