import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Alert,
    AlertDescription,
    AlertTitle,
    api,
    Button,
    Card,
    CardContent,
    cn,
    Link,
    Progress,
    useLocalFormat,
    useMutation,
    usePermissions,
} from '@vendure/dashboard';
import { RotateCwIcon, TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { VariablesOf } from '../../../gql/graphql';
import { hasEnded } from '../../../ground/run-state';
import { useOnce } from '../../../ground/use-once';
import { FaultNotice } from '../../../parts/fault-notice';
import { WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { ImportTarget } from '../import-plan';
import { useWarningText } from '../import-words';
import { useWizard } from '../wizard-context';
import { CauseList } from './cause-list';
import { ChangeList } from './change-list';
import { createImportPipelineDocument, type ImportCheck } from './check.graphql';
import { useImportCheck } from './use-import-check';

type CreateInput = VariablesOf<typeof createImportPipelineDocument>['input'];
type Shown = 'CREATE' | 'UPDATE' | 'DELETE' | undefined;

/** A dry run of the whole file: what would be written, and what is wrong with the other rows. */
export function CheckScreen(): ReactNode {
    const { dispatch, open, saving, state } = useWizard();
    const { check, isRunning, isReplaced, error, restart, decide, isDeciding } = useImportCheck();
    const [shown, setShown] = useState<Shown>();
    const mayPublish = usePermissions().hasPermissions(['PublishFlowPipeline']);
    const create = useMutation({
        mutationFn: async () => {
            const { id: draftId, version } = await saving.saveNow();
            const input: CreateInput = { draftId, version, outcome: mayPublish ? 'STARTED' : 'SUBMITTED' };
            return (await api.mutate(createImportPipelineDocument, { input })).createFlowImportPipeline;
        },
        onSuccess: ({ pipeline, run }) => {
            dispatch({ type: 'IMPORTED', result: { pipelineId: pipeline.id, ...(run && { runId: run.id }) } });
            open('IMPORT');
        },
    });
    const press = useOnce(create.mutateAsync);
    const writes = check ? check.created + check.updated + check.deleted : 0;
    const target = state.plan?.target ?? 'PRODUCTS';
    const isFailed = check !== undefined && hasEnded(check.run) && check.run.status !== 'COMPLETED';
    const isNothing = check !== undefined && !isRunning && !isFailed && writes === 0;
    return (
        <WizardScreen
            primary={{
                label: isRunning ? (
                    <Trans>Checking…</Trans>
                ) : mayPublish ? (
                    <ImportLabel count={writes} target={target} />
                ) : (
                    <Trans>Submit for approval</Trans>
                ),
                onPress: press,
                isDisabled: isRunning || isFailed || error !== undefined || writes === 0 || create.isPending,
                reason: isNothing ? <Trans>Nothing to import.</Trans> : undefined,
            }}
        >
            {error !== undefined && <FaultNotice error={error} onRetry={restart} />}
            {isReplaced && (
                <Alert>
                    <TriangleAlertIcon aria-hidden className="text-warning" />
                    <AlertTitle>
                        <Trans>This import was checked in another window. Check it again here.</Trans>
                    </AlertTitle>
                </Alert>
            )}
            {create.error && <FaultNotice error={create.error} onRetry={press} />}
            <Progressing check={check} isRunning={isRunning} onRestart={restart} />
            {isFailed && <Stopped check={check} onRestart={restart} />}
            {check && <Counters check={check} shown={shown} onShow={setShown} />}
            {check && <Unusual check={check} />}
            {check && !isRunning && <CauseList check={check} isBusy={isDeciding} onDecide={decide} />}
            {check && isNothing && check.rejected === 0 && (
                <p>
                    <Trans>Nothing changes. The shop already has the data of the file.</Trans>
                </p>
            )}
            {check && (
                <ChangeList key={`${check.runId} ${shown}`} runId={check.runId} isRunning={isRunning} action={shown} />
            )}
        </WizardScreen>
    );
}

interface ImportLabelProps {
    readonly count: number;
    readonly target: ImportTarget;
}

function ImportLabel({ count, target }: ImportLabelProps): ReactNode {
    if (target === 'PRODUCTS') return <Plural value={count} one="Import # product" other="Import # products" />;
    if (target === 'CUSTOMERS') return <Plural value={count} one="Import # customer" other="Import # customers" />;
    if (target === 'ORDERS') return <Plural value={count} one="Import # order" other="Import # orders" />;
    return <Plural value={count} one="Import # entry" other="Import # entries" />;
}

interface ProgressingProps {
    readonly check: ImportCheck | undefined;
    readonly isRunning: boolean;
    readonly onRestart: () => void;
}

/** How much of the file was checked. */
function Progressing({ check, isRunning, onRestart }: ProgressingProps): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    const share = check && check.totalRows > 0 ? Math.min(1, check.rows / check.totalRows) : 0;
    const [rows, total] = [formatNumber(check?.rows ?? 0), formatNumber(check?.totalRows ?? 0)];
    return (
        <Card>
            <CardContent className="space-y-2">
                <div className="flex flex-wrap items-center gap-3">
                    <p role="status" className="min-w-0 grow">
                        {check === undefined ? (
                            <Trans>The check begins.</Trans>
                        ) : (
                            <Trans>
                                Checked {rows} of {total} rows. Nothing is written yet.
                            </Trans>
                        )}
                    </p>
                    {!isRunning && (
                        <Button variant="outline" size="sm" className="max-md:h-11" onClick={onRestart}>
                            <RotateCwIcon aria-hidden />
                            <Trans>Check again</Trans>
                        </Button>
                    )}
                </div>
                {isRunning && (
                    <Progress
                        value={share * 100}
                        aria-label={t`Progress of the check`}
                        aria-valuetext={`${Math.floor(share * 10) * 10} %`}
                    />
                )}
            </CardContent>
        </Card>
    );
}

function Stopped({ check, onRestart }: { readonly check: ImportCheck; readonly onRestart: () => void }): ReactNode {
    const reason = check.run.error?.message;
    return (
        <Alert className="border-destructive">
            <TriangleAlertIcon aria-hidden className="text-destructive" />
            <AlertTitle>
                <Trans>The check stopped</Trans>
            </AlertTitle>
            <AlertDescription className="space-y-2">
                {reason && <p>{reason}</p>}
                <p className="flex flex-wrap gap-3">
                    <Button variant="outline" size="sm" onClick={onRestart}>
                        <Trans>Try again</Trans>
                    </Button>
                    <Link to={`/flow/runs/${check.runId}`} className="underline underline-offset-4">
                        <Trans>Show its log</Trans>
                    </Link>
                </p>
            </AlertDescription>
        </Alert>
    );
}

interface CountersProps {
    readonly check: ImportCheck;
    readonly shown: Shown;
    readonly onShow: (shown: Shown) => void;
}

/** The sums. Those of changes filter the list. */
function Counters({ check, shown, onShow }: CountersProps): ReactNode {
    const { t } = useLingui();
    const { created, updated, deleted, unchanged, rejected, warnings } = check;
    const changes: ReadonlyArray<readonly [NonNullable<Shown>, number, string]> = [
        ['CREATE', created, t({ message: 'created', context: 'flow import' })],
        ['UPDATE', updated, t({ message: 'updated', context: 'flow import' })],
        ['DELETE', deleted, t({ message: 'deleted', context: 'flow import' })],
    ];
    return (
        <div className="flex flex-wrap items-center gap-2" data-testid="flow-import-counts">
            {changes
                .filter(([action, count]) => count > 0 || action !== 'DELETE')
                .map(([action, count, word]) => (
                    <Button
                        key={action}
                        variant="outline"
                        aria-pressed={shown === action}
                        className={cn('max-md:h-11', shown === action && 'border-primary bg-accent')}
                        onClick={() => onShow(shown === action ? undefined : action)}
                    >
                        <Counted count={count} word={word} />
                    </Button>
                ))}
            <span className="rounded-md border px-3 py-1.5 text-sm">
                <Counted count={unchanged} word={t({ message: 'unchanged', context: 'flow import' })} />
            </span>
            <span className={cn('rounded-md border px-3 py-1.5 text-sm', rejected > 0 && 'border-destructive')}>
                <Counted count={rejected} word={t({ message: 'rejected', context: 'flow import' })} />
            </span>
            {warnings > 0 && (
                <Link
                    to={`/flow/runs/${check.runId}`}
                    search={{ tab: 'log' } as never}
                    className="rounded-md border px-3 py-1.5 text-sm underline-offset-4 hover:underline"
                >
                    <Plural value={warnings} one="# warning" other="# warnings" />
                </Link>
            )}
        </div>
    );
}

function Counted({ count, word }: { readonly count: number; readonly word: string }): ReactNode {
    const { formatNumber } = useLocalFormat();
    return (
        <span>
            <strong className="tabular-nums">{formatNumber(count)}</strong> {word}
        </span>
    );
}

/** Changes that are larger than usual. They do not stop the import. */
function Unusual({ check }: { readonly check: ImportCheck }): ReactNode {
    const textOf = useWarningText();
    if (check.unusual.length === 0) return null;
    return (
        <Alert>
            <TriangleAlertIcon aria-hidden className="text-warning" />
            <AlertTitle>
                <Trans>Unusual changes</Trans>
            </AlertTitle>
            <AlertDescription>
                <ul className="list-disc space-y-1 ps-5">
                    {check.unusual.map(warning => (
                        <li key={`${warning.code} ${warning.column}`}>{textOf(warning)}</li>
                    ))}
                </ul>
            </AlertDescription>
        </Alert>
    );
}
