import { useLingui } from '@lingui/react/macro';
import { Badge, Button, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { XIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefreshed } from '../../parts/use-refreshed';
import type { Search } from '../../parts/use-search';
import { pipelineNamesDocument, type RecordErrorState } from './record-errors.graphql';
import { useRecordStateWords } from './record-state';

interface FiltersProps {
    readonly search: Search;
    readonly onChange: (change: Search) => void;
}

/** Of which pipeline, run and step the records are, and what is done about them. */
export function Filters({ search, onChange }: FiltersProps): ReactNode {
    const { t } = useLingui();
    const words = useRecordStateWords();
    const { data } = useRefreshed({ document: pipelineNamesDocument, variables: {}, isRefreshed: false });
    return (
        <div className="flex flex-wrap items-center gap-2">
            <NativeSelect
                aria-label={t`Pipeline`}
                value={search['pipelineId'] ?? ''}
                onChange={event =>
                    onChange({ pipelineId: event.target.value || undefined, runId: undefined, stepKey: undefined })
                }
            >
                <NativeSelectOption value="">{t`All pipelines`}</NativeSelectOption>
                {data?.flowPipelines.items.map(({ id, name }) => (
                    <NativeSelectOption key={id} value={id}>
                        {name}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <NativeSelect
                aria-label={t`Status`}
                value={search['state'] ?? 'OPEN'}
                onChange={event => onChange({ state: event.target.value })}
            >
                {(Object.keys(words) as RecordErrorState[]).map(state => (
                    <NativeSelectOption key={state} value={state}>
                        {words[state]}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <Narrowed label={t`Run`} value={search['runId']} onClear={() => onChange({ runId: undefined })} />
            <Narrowed label={t`Step`} value={search['stepKey']} onClear={() => onChange({ stepKey: undefined })} />
        </div>
    );
}

interface NarrowedProps {
    readonly label: string;
    readonly value: string | undefined;
    readonly onClear: () => void;
}

function Narrowed({ label, value, onClear }: NarrowedProps): ReactNode {
    const { t } = useLingui();
    if (!value) return null;
    return (
        <Badge variant="secondary" className="h-8 gap-1">
            {label} <span translate="no">{value}</span>
            <Button variant="ghost" size="icon-xs" aria-label={t`Remove: ${label} ${value}`} onClick={onClear}>
                <XIcon aria-hidden />
            </Button>
        </Badge>
    );
}
