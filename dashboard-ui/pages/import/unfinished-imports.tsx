import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Link,
    useMutation,
    useQuery,
    useQueryClient,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Moment } from '../../parts/moment';
import { useStepWords } from './step-words';
import { discardImportDraftDocument, type DraftSummary, importDraftsDocument } from './import.graphql';
import { STEPS } from './wizard-state';

const KEY = ['flow', 'import-drafts'];
/** Drafts that are listed; older ones expire. */
const SHOWN = 5;

interface UnfinishedImportsProps {
    /** The draft that is open. */
    readonly exceptId?: string;
    /** Called when another one is about to be opened. */
    readonly onContinue?: () => void;
}

/** Imports that the user left, to continue or discard. Renders nothing if there are none. */
export function UnfinishedImports({ exceptId, onContinue }: UnfinishedImportsProps): ReactNode {
    const { data, error, refetch } = useQuery({
        queryKey: KEY,
        queryFn: () => api.query(importDraftsDocument, {}),
        retry: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const drafts = (data?.flowImportDrafts ?? []).filter(({ id }) => id !== exceptId).slice(0, SHOWN);
    if (drafts.length === 0) return null;
    return (
        <Card>
            <CardHeader>
                <CardTitle role="heading" aria-level={2}>
                    <Trans>Unfinished imports</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent>
                <ul className="divide-y">
                    {drafts.map(draft => (
                        <DraftLine key={draft.id} draft={draft} onContinue={onContinue} />
                    ))}
                </ul>
            </CardContent>
        </Card>
    );
}

interface DraftLineProps {
    readonly draft: DraftSummary;
    readonly onContinue: (() => void) | undefined;
}

function DraftLine({ draft, onContinue }: DraftLineProps): ReactNode {
    const { t } = useLingui();
    const words = useStepWords();
    const queries = useQueryClient();
    const discarding = useMutation({
        mutationFn: () => api.mutate(discardImportDraftDocument, { id: draft.id }),
        onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
    });
    const { id, filename, step, updatedAt } = draft;
    const number = STEPS.indexOf(step) + 1;
    const name = words[step];
    return (
        <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2 first:pt-0 last:pb-0">
            <span className="min-w-0 grow max-md:basis-full">
                <span className="block truncate font-medium" translate="no">
                    {filename}
                </span>
                <span className="flex flex-wrap gap-x-2 text-sm text-muted-foreground">
                    <span>{t`Step ${number}: ${name}`}</span>
                    <Moment value={updatedAt} />
                </span>
            </span>
            {discarding.error && <FaultNotice error={discarding.error} />}
            <Button
                variant="outline"
                className="max-md:h-11"
                onClick={onContinue}
                render={<Link to="/flow/import" search={{ draft: id, step } as never} />}
                aria-label={t`Continue with ${filename}`}
            >
                <Trans>Continue</Trans>
            </Button>
            <Button
                variant="ghost"
                className="max-md:h-11"
                disabled={discarding.isPending}
                onClick={() => discarding.mutate()}
                aria-label={t`Discard ${filename}`}
            >
                <Trans>Discard</Trans>
            </Button>
        </li>
    );
}
