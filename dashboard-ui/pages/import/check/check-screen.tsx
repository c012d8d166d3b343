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
    usePermissions,
} from '@vendure/dashboard';
import { RotateCwIcon, TriangleAlertIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { VariablesOf } from '../../../gql/graphql';
import { hasEnded } from '../../../ground/run-state';
import { FaultNotice } from '../../../parts/fault-notice';
import { useLetRun } from '../../../parts/secret-hosts';
import { WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { ImportTarget } from '../import-plan';
import { useWarningText } from '../import-words';
import { useWizard } from '../wizard-context';
import { CauseList } from './cause-list';
import { ChangeList } from './change-list';
import { createImportPipelineDocument, type ImportCheck } from './check.graphql';
import { type ChangedElsewhere, elsewhereOf, useImportCheck } from './use-import-check';

type CreateInput = VariablesOf<typeof createImportPipelineDocument>['input'];
type Shown = 'CREATE' | 'UPDATE' | 'DELETE' | undefined;

/** A dry run of the whole file: what would be written, and what is wrong with the other rows. */
export function CheckScreen(): ReactNode {
    const { finish, saving, state } = useWizard();
    const { check, isRunning, elsewhere: changed, error, restart, decide, isDeciding, refetch } = useImportCheck();
    const [shown, setShown] = useState<Shown>();
    const mayPublish = usePermissions().hasPermissions(['PublishFlowPipeline']);
    const [notCreated, setNotCreated] = useState<unknown>();
    const create = useLetRun({
        letRun: async allowSecretHosts => {
            setNotCreated(undefined);
            const { id: draftId, version } = await saving.saveNow();
            const outcome = mayPublish ? 'STARTED' : 'SUBMITTED';
            const input: CreateInput = { draftId, version, outcome, allowSecretHosts };
            const { pipeline, run } = (await api.mutate(createImportPipelineDocument, { input }))
                .createFlowImportPipeline;
            finish({ pipelineId: pipeline.id, ...(run && { runId: run.id }) });
        },
        onDone: () => undefined,
        onFault: error => {
            setNotCreated(error);
            // An attempt takes a version of the draft, and gives it back if it fails.
            void refetch();
        },
        allow: <Trans>Allow and import</Trans>,
    });
    const elsewhere = create.isPending ? undefined : (changed ?? elsewhereOf(notCreated, false));
    const writes = check ? check.created + check.updated + check.deleted : 0;
    const target = state.plan?.target ?? 'PRODUCTS';
    const isFailed = check !== undefined && hasEnded(check.run) && check.run.status !== 'COMPLETED';
    const isNothing = check !== undefined && !isRunning && !isFailed && writes === 0;
    return (
        <WizardScreen
            primary={
                elsewhere === undefined
                    ? {
                          label: isRunning ? (
                              <Trans>Checking…</Trans>
                          ) : mayPublish ? (
                              <ImportLabel count={writes} target={target} />
                          ) : (
                              <Trans>Submit for approval</Trans>
                          ),
                          onPress: create.press,
                          isDisabled: isRunning || isFailed || error !== undefined || writes === 0 || create.isPending,
                          reason: isNothing ? <Trans>Nothing to import.</Trans> : undefined,
                      }
                    : undefined
            }
        >
            {error !== undefined && <FaultNotice error={error} onRetry={restart} />}
            {elsewhere !== undefined && <Elsewhere what={elsewhere} />}
            {notCreated !== undefined && elsewhere === undefined && (
                <FaultNotice error={notCreated} onRetry={create.press} />
            )}
            {elsewhere === undefined && <Progressing check={check} isRunning={isRunning} onRestart={restart} />}
            {isFailed && <Stopped check={check} onRestart={restart} />}
            {check && <Counters check={check} shown={shown} onShow={setShown} />}
            {check && <Unusual check={check} />}
            {check && !isRunning && (
                <CauseList check={check} isBusy={isDeciding || elsewhere !== undefined} onDecide={decide} />
            )}
            {check && isNothing && check.rejected === 0 && (
                <p>
                    <Trans>Nothing changes. The shop already has the data of the file.</Trans>
                </p>
            )}
            {create.dialog}
            {check && (
                <ChangeList key={`${check.runId} ${shown}`} runId={check.runId} isRunning={isRunning} action={shown} />
            )}
        </WizardScreen>
    );
}

/** Another window has the newer state of the import: this one shows an old one. */
function Elsewhere({ what }: { readonly what: ChangedElsewhere }): ReactNode {
    const { startOver } = useWizard();
    return (
        <Alert>
            <TriangleAlertIcon aria-hidden className="text-warning" />
            <AlertTitle>
                {what === 'CHANGED' ? (
                    <Trans>This import was changed in another window.</Trans>
                ) : (
                    <Trans>This import was started or discarded in another window.</Trans>
                )}
            </AlertTitle>
            <AlertDescription>
                {what === 'CHANGED' ? (
                    <Button variant="outline" size="sm" className="max-md:h-11" onClick={() => location.reload()}>
                        <Trans>Load its latest version</Trans>
                    </Button>
                ) : (
                    <Button variant="outline" size="sm" className="max-md:h-11" onClick={startOver}>
                        <Trans>Import another file</Trans>
                    </Button>
                )}
            </AlertDescription>
        </Alert>
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
