import { Plural, Trans } from '@lingui/react/macro';
import { ActionBarItem, Card, CardContent, Link, Page, PageActionBar, PageTitle } from '@vendure/dashboard';
import { CircleCheckIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { useRefreshed } from '../../parts/use-refreshed';
import { type Search, useSearch } from '../../parts/use-search';
import { CauseList } from './cause-list';
import { CauseWork } from './cause-work';
import { CsvWays } from './csv-ways';
import { Filters } from './filters';
import { causesDocument, type RecordErrorState, type Retry, type Selection } from './record-errors.graphql';
import { ReplayResult } from './replay-result';

const STATES: readonly string[] = [
    'OPEN',
    'REPLAYED',
    'LOADED',
    'REJECTED',
    'IGNORED',
] satisfies readonly RecordErrorState[];

/** Which mistakes, how many, how do I get rid of them? */
export default function RecordErrorsPage(): ReactNode {
    const [search, setSearch] = useSearch();
    const [retries, setRetries] = useState<readonly Retry[]>([]);
    const selection = selectionOf(search);
    const { data, error, refetch } = useRefreshed({ document: causesDocument, variables: { selection, take: 100 } });
    const groups = data?.flowRecordErrorGroups;
    const cause = groups?.items.find(({ id }) => id === search['cause']) ?? groups?.items[0];
    const onRetried = (retry: Retry): void => setRetries([retry, ...retries]);
    return (
        <Page pageId="flow-record-errors">
            <PageTitle>
                <Trans context="flow">Record errors</Trans>
            </PageTitle>
            <PageActionBar>
                <ActionBarItem itemId="flow-csv">
                    <CsvWays search={search} onRetried={onRetried} />
                </ActionBarItem>
            </PageActionBar>
            <div className="space-y-4">
                <Filters search={search} onChange={change => setSearch({ ...change, cause: undefined })} />
                {retries.map(retry => (
                    <ReplayResult key={retry.runs.map(({ id }) => id).join() || 'none'} retry={retry} />
                ))}
                {error && <FaultNotice error={error} onRetry={refetch} />}
                {!groups && !error && <Loading />}
                {groups && (
                    <p className="text-sm text-muted-foreground" aria-live="polite" data-testid="flow-record-total">
                        <Plural value={groups.totalRecords} one="# record" other="# records" />,{' '}
                        <Plural value={groups.totalItems} one="# cause" other="# causes" />
                    </p>
                )}
                {groups && !cause && <NoErrors />}
                {groups && cause && (
                    <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
                        <CauseList causes={groups.items} chosen={cause.id} onChoose={id => setSearch({ cause: id })} />
                        <Card>
                            <CardContent>
                                <CauseWork
                                    key={`${cause.id} ${JSON.stringify(selection)}`}
                                    cause={cause}
                                    selection={selection}
                                    onRetried={onRetried}
                                />
                            </CardContent>
                        </Card>
                    </div>
                )}
            </div>
        </Page>
    );
}

function NoErrors(): ReactNode {
    return (
        <Card>
            <CardContent>
                <NothingHere
                    icon={CircleCheckIcon}
                    title={<Trans>No such record</Trans>}
                    purpose={
                        <Trans>
                            Rejected records are kept here, grouped by cause. Correct them and replay them from the step
                            that rejected them.
                        </Trans>
                    }
                >
                    <Link to="/flow/pipelines" className="underline underline-offset-4">
                        <Trans>See all pipelines</Trans>
                    </Link>
                </NothingHere>
            </CardContent>
        </Card>
    );
}

function selectionOf({ pipelineId, runId, stepKey, state = 'OPEN' }: Search): Selection {
    return {
        ...(pipelineId && { pipelineId }),
        ...(runId && { runId }),
        ...(stepKey && { stepKey }),
        states: [STATES.includes(state) ? (state as RecordErrorState) : 'OPEN'],
    };
}
