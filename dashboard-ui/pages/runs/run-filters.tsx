import { useLingui } from '@lingui/react/macro';
import { api, NativeSelect, NativeSelectOption, useQuery } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { useStateWords } from '../../ground/status';
import { useStartWords } from '../../parts/trigger-words';
import type { Search } from '../../parts/use-search';
import { pipelineChoicesDocument } from '../logs/logs.graphql';

interface RunFiltersProps {
    readonly search: Search;
    readonly onChange: (change: Search) => void;
}

/** Which runs are listed: by pipeline, state, trigger and time. */
export function RunFilters({ search, onChange }: RunFiltersProps): ReactNode {
    const { t } = useLingui();
    const states = useStateWords();
    const starts = useStartWords();
    const { data } = useQuery({
        queryKey: ['flow', 'pipeline-choices'],
        queryFn: () => api.query(pipelineChoicesDocument, {}),
    });
    const pipelines = data?.flowPipelines.items ?? [];
    const chosen = search['pipeline'];
    return (
        <div className="flex flex-wrap gap-2">
            <NativeSelect
                aria-label={t({ message: 'Pipeline', context: 'flow' })}
                value={chosen ?? ''}
                onChange={({ target }) => onChange({ pipeline: target.value || undefined })}
            >
                <NativeSelectOption value="">{t`All pipelines`}</NativeSelectOption>
                {chosen !== undefined && pipelines.every(({ id }) => id !== chosen) && (
                    <NativeSelectOption value={chosen}>…</NativeSelectOption>
                )}
                {pipelines.map(({ id, name }) => (
                    <NativeSelectOption key={id} value={id}>
                        {name}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <NativeSelect
                aria-label={t({ message: 'Status', context: 'flow' })}
                value={search['status'] ?? ''}
                onChange={({ target }) => onChange({ status: target.value || undefined })}
            >
                <NativeSelectOption value="">{t`All states`}</NativeSelectOption>
                <NativeSelectOption value="FAILED">{states.FAILED}</NativeSelectOption>
                <NativeSelectOption value="PAUSED">{states.PAUSED}</NativeSelectOption>
                <NativeSelectOption value="RUNNING">{states.RUNNING}</NativeSelectOption>
                <NativeSelectOption value="PENDING">{states.PENDING}</NativeSelectOption>
                <NativeSelectOption value="COMPLETED">{t`completed, any outcome`}</NativeSelectOption>
                <NativeSelectOption value="SUCCESS">{states.SUCCESS}</NativeSelectOption>
                <NativeSelectOption value="PARTIAL">{states.PARTIAL}</NativeSelectOption>
                <NativeSelectOption value="EMPTY">{states.EMPTY}</NativeSelectOption>
                <NativeSelectOption value="CANCELLED">{states.CANCELLED}</NativeSelectOption>
            </NativeSelect>
            <NativeSelect
                aria-label={t`Started by`}
                value={search['trigger'] ?? ''}
                onChange={({ target }) => onChange({ trigger: target.value || undefined })}
            >
                <NativeSelectOption value="">{t`All triggers`}</NativeSelectOption>
                {Object.entries(starts).map(([type, word]) => (
                    <NativeSelectOption key={type} value={type}>
                        {word}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <NativeSelect
                aria-label={t`Time`}
                value={search['range'] ?? ''}
                onChange={({ target }) => onChange({ range: target.value || undefined })}
            >
                <NativeSelectOption value="">{t`Any time`}</NativeSelectOption>
                <NativeSelectOption value="day">{t`Last 24 hours`}</NativeSelectOption>
                <NativeSelectOption value="week">{t`Last 7 days`}</NativeSelectOption>
                <NativeSelectOption value="month">{t`Last 30 days`}</NativeSelectOption>
                <NativeSelectOption value="quarter">{t`Last 90 days`}</NativeSelectOption>
            </NativeSelect>
        </div>
    );
}
