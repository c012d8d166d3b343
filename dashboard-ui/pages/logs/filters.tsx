import { Trans, useLingui } from '@lingui/react/macro';
import { api, Input, NativeSelect, NativeSelectOption, useQuery } from '@vendure/dashboard';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { Search } from '../../parts/use-search';
import { pipelineChoicesDocument } from './logs.graphql';

interface FiltersProps {
    readonly search: Search;
    readonly onChange: (change: Search) => void;
}

interface TimeFiltersProps extends FiltersProps {
    /** Whether what people came for is there: of a thousand pipelines the names alone take the server a while. */
    readonly mayAsk: boolean;
}

/** The pipeline and the period that the page shows. */
export function TimeFilters({ search, onChange, mayAsk }: TimeFiltersProps): ReactNode {
    const { t } = useLingui();
    const { data } = useQuery({
        queryKey: ['flow', 'pipeline-choices'],
        queryFn: () => api.query(pipelineChoicesDocument, {}),
        enabled: mayAsk,
    });
    const choices = data?.flowPipelines.items ?? [];
    const chosen = search['pipeline'];
    const range = search['range'] ?? 'day';
    return (
        <div className="flex flex-wrap items-end gap-3">
            <Labelled label={t({ message: 'Pipeline', context: 'flow' })}>
                {id => (
                    <NativeSelect
                        id={id}
                        value={chosen ?? ''}
                        onChange={({ target }) =>
                            onChange({ pipeline: target.value || undefined, run: undefined, skip: undefined })
                        }
                    >
                        <NativeSelectOption value="">{t`All pipelines`}</NativeSelectOption>
                        {chosen !== undefined && choices.every(({ id: one }) => one !== chosen) && (
                            <NativeSelectOption value={chosen}>…</NativeSelectOption>
                        )}
                        {choices.map(({ id: value, name }) => (
                            <NativeSelectOption key={value} value={value}>
                                {name}
                            </NativeSelectOption>
                        ))}
                    </NativeSelect>
                )}
            </Labelled>
            <Labelled label={t`Time`}>
                {id => (
                    <NativeSelect
                        id={id}
                        value={range}
                        onChange={({ target }) =>
                            onChange({ range: target.value, from: undefined, to: undefined, skip: undefined })
                        }
                    >
                        <NativeSelectOption value="day">{t`Last 24 hours`}</NativeSelectOption>
                        <NativeSelectOption value="week">{t`Last 7 days`}</NativeSelectOption>
                        <NativeSelectOption value="month">{t`Last 30 days`}</NativeSelectOption>
                        <NativeSelectOption value="quarter">{t`Last 90 days`}</NativeSelectOption>
                        <NativeSelectOption value="own">{t`From … to …`}</NativeSelectOption>
                    </NativeSelect>
                )}
            </Labelled>
            {range === 'own' && (
                <>
                    <MomentInput
                        label={t`From`}
                        value={search['from']}
                        onChange={from => onChange({ from, skip: undefined })}
                    />
                    <MomentInput
                        label={t`To`}
                        value={search['to']}
                        onChange={to => onChange({ to, skip: undefined })}
                    />
                </>
            )}
        </div>
    );
}

/** Which lines of the log are shown. */
export function LineFilters({ search, onChange }: FiltersProps): ReactNode {
    const { t } = useLingui();
    return (
        <div className="flex flex-wrap items-end gap-3">
            <Labelled label={t({ message: 'Level', context: 'log' })}>
                {id => (
                    <NativeSelect
                        id={id}
                        value={search['level'] ?? ''}
                        onChange={({ target }) => onChange({ level: target.value || undefined, skip: undefined })}
                    >
                        <NativeSelectOption value="">{t({ message: 'all', context: 'log' })}</NativeSelectOption>
                        <NativeSelectOption value="ERROR">
                            {t({ message: 'errors', context: 'log' })}
                        </NativeSelectOption>
                        <NativeSelectOption value="WARN">
                            {t({ message: 'warnings', context: 'log' })}
                        </NativeSelectOption>
                        <NativeSelectOption value="INFO">{t({ message: 'notes', context: 'log' })}</NativeSelectOption>
                        <NativeSelectOption value="DEBUG">
                            {t({ message: 'details', context: 'log' })}
                        </NativeSelectOption>
                    </NativeSelect>
                )}
            </Labelled>
            <SlowText
                label={t({ message: 'Run', context: 'flow' })}
                value={search['run']}
                onChange={run => onChange({ run, skip: undefined })}
            />
            <SlowText
                label={t({ message: 'Step', context: 'flow' })}
                value={search['step']}
                onChange={step => onChange({ step, skip: undefined })}
            />
            <SlowText
                label={t({ message: 'Text', context: 'log' })}
                value={search['text']}
                onChange={text => onChange({ text, skip: undefined })}
            />
            {['level', 'run', 'step', 'text'].some(name => search[name] !== undefined) && (
                <button
                    type="button"
                    className="h-9 text-sm underline underline-offset-4"
                    onClick={() =>
                        onChange({
                            level: undefined,
                            run: undefined,
                            step: undefined,
                            text: undefined,
                            skip: undefined,
                        })
                    }
                >
                    <Trans>Show all lines</Trans>
                </button>
            )}
        </div>
    );
}

interface LabelledProps {
    readonly label: string;
    readonly children: (id: string) => ReactNode;
}

function Labelled({ label, children }: LabelledProps): ReactNode {
    const id = useId();
    return (
        <div className="space-y-1">
            <label htmlFor={id} className="block text-sm font-medium">
                {label}
            </label>
            {children(id)}
        </div>
    );
}

interface ValueProps {
    readonly label: string;
    readonly value: string | undefined;
    readonly onChange: (value: string | undefined) => void;
}

/** Queries the server once the user pauses typing. */
const REST_MS = 400;

function SlowText({ label, value, onChange }: ValueProps): ReactNode {
    const [typed, setTyped] = useState(value ?? '');
    useEffect(() => setTyped(value ?? ''), [value]);
    useEffect(() => {
        if (typed === (value ?? '')) return undefined;
        const timer = setTimeout(() => onChange(typed.trim() || undefined), REST_MS);
        return () => clearTimeout(timer);
    }, [typed, value, onChange]);
    return (
        <Labelled label={label}>
            {id => <Input id={id} className="w-40" value={typed} onChange={({ target }) => setTyped(target.value)} />}
        </Labelled>
    );
}

/** A date and time in the user's time zone. */
function MomentInput({ label, value, onChange }: ValueProps): ReactNode {
    return (
        <Labelled label={label}>
            {id => (
                <Input
                    id={id}
                    type="datetime-local"
                    value={value === undefined ? '' : localText(value)}
                    onChange={({ target }) =>
                        onChange(target.value === '' ? undefined : new Date(target.value).toISOString())
                    }
                />
            )}
        </Labelled>
    );
}

function localText(moment: string): string {
    const date = new Date(moment);
    return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
