import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Card, CardContent, cn, toast, useLocalFormat } from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { faultOf } from '../../../ground/fault';
import { FaultNotice } from '../../../parts/fault-notice';
import { useFieldWords } from '../field-words';
import { WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { FieldSuggestion, FileProfile, ImportSuggestion } from '../import.graphql';
import { KnownExport } from '../known-export';
import type { Conversion, ImportPlan } from '../import-plan';
import { useWizard } from '../wizard-context';
import { fieldsWithoutColumn } from '../wizard-state';
import { FieldRow } from './field-row';
import { importConversionsDocument } from './mapping.graphql';
import { plannedField, usedColumns, withColumn, withConversions, withoutField, withValue } from './plan-changes';
import { MatchBy, Policies, Variants } from './plan-settings';
import { UnusedColumns } from './unused-columns';
import { useSamples } from './use-samples';

/** Which column fills which field, and how its values are converted. */
export function MappingScreen(): ReactNode {
    const { profile, suggestion, plan } = useWizard().state;
    if (!profile || !suggestion || !plan) return null;
    return <Mapping profile={profile} suggestion={suggestion} plan={plan} />;
}

interface MappingProps {
    readonly profile: FileProfile;
    readonly suggestion: ImportSuggestion;
    readonly plan: ImportPlan;
}

function Mapping({ profile, suggestion, plan }: MappingProps): ReactNode {
    const { state, dispatch, open, reading } = useWizard();
    const { formatNumber } = useLocalFormat();
    const wordOf = useFieldWords();
    const { samples, error } = useSamples(profile, plan);
    const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
    const [isFiltered, setFiltered] = useState(false);
    const missing = fieldsWithoutColumn(state);
    const change = (next: ImportPlan): void => dispatch({ type: 'PLAN_CHANGED', plan: next });
    const confirm = (field: string): void => setConfirmed(new Set([...confirmed, field]));
    const use = async (field: string, column: string): Promise<void> => {
        try {
            const { flowImportConversions } = await api.query(importConversionsDocument, {
                profileId: profile.id,
                target: plan.target,
                field,
                column,
            });
            confirm(field);
            change(withColumn(plan, field, column, flowImportConversions as readonly Conversion[]));
        } catch (reason) {
            toast.error(faultOf(reason).message);
        }
    };
    const rows = rowsOf(suggestion, plan);
    const isUnclear = ({ field, confidence }: FieldSuggestion): boolean =>
        plannedField(plan, field) !== undefined && confidence === 'NEEDS_A_LOOK' && !confirmed.has(field);
    const unclear = rows.filter(isUnclear);
    const first = rows.filter(row => row.isRequired || plannedField(plan, row.field));
    const others = rows.filter(row => !first.includes(row));
    const shown = isFiltered ? unclear : first;
    const row = (one: FieldSuggestion): ReactNode => (
        <FieldRow
            key={one.field}
            suggestion={one}
            plan={plan}
            profile={profile}
            shop={suggestion.shop}
            samples={samples.get(one.field)}
            isSure={!isUnclear(one)}
            onColumn={column => void use(one.field, column)}
            onValue={value => change(withValue(plan, one.field, value))}
            onRemove={() => change(withoutField(plan, one.field))}
            onConversions={conversions => change(withConversions(plan, one.field, conversions))}
            onConfirm={() => confirm(one.field)}
        />
    );
    const [lacking] = missing;
    const name = lacking === undefined ? '' : wordOf(lacking);
    return (
        <WizardScreen
            primary={{
                label: <Plural value={profile.rows} one="Check # row" other="Check # rows" />,
                onPress: () => open('CHECK'),
                isDisabled: missing.length > 0 || reading.pending !== undefined,
                reason: lacking !== undefined && <Trans>{name}: choose a column.</Trans>,
            }}
        >
            <KnownExport />
            <Summary
                rows={formatNumber(profile.rows)}
                used={usedColumns(plan).size}
                columns={profile.columns.length}
                unclear={unclear.length}
                isFiltered={isFiltered}
                onFilter={setFiltered}
            />
            {reading.failed?.what === 'SUGGESTION' && (
                <FaultNotice error={reading.failed.error} onRetry={() => reading.suggest()} />
            )}
            {error && <FaultNotice error={error} />}
            <MatchBy profile={profile} plan={plan} onChange={change} />
            <Variants profile={profile} plan={plan} onChange={change} />
            <Card>
                <CardContent>
                    <ul>{shown.map(row)}</ul>
                    {!isFiltered && others.length > 0 && (
                        <details className="pt-3">
                            <summary className="cursor-pointer text-sm max-md:min-h-11">
                                <Plural
                                    value={others.length}
                                    one="# field without a column"
                                    other="# fields without a column"
                                />
                            </summary>
                            <ul>{others.map(row)}</ul>
                        </details>
                    )}
                </CardContent>
            </Card>
            <UnusedColumns
                profile={profile}
                plan={plan}
                suggestion={suggestion}
                onUse={(field, column) => void use(field, column)}
            />
            <Policies plan={plan} onChange={change} />
        </WizardScreen>
    );
}

/** The suggested fields, and those that the user has added. */
function rowsOf({ fields }: ImportSuggestion, plan: ImportPlan): readonly FieldSuggestion[] {
    const known = new Set(fields.map(({ field }) => field));
    const added = plan.fields
        .filter(({ field }) => !known.has(field))
        .map(({ field, columns = [], conversions }): FieldSuggestion => ({
            field,
            label: null,
            isRequired: false,
            columns: [...columns],
            score: 1,
            confidence: 'HIGH',
            reasonCode: 'NONE',
            reasonArgs: {},
            alternatives: [],
            conversions: [...conversions],
        }));
    return [...fields, ...added];
}

interface SummaryProps {
    readonly rows: string;
    readonly used: number;
    readonly columns: number;
    readonly unclear: number;
    readonly isFiltered: boolean;
    readonly onFilter: (isFiltered: boolean) => void;
}

function Summary({ rows, used, columns, unclear, isFiltered, onFilter }: SummaryProps): ReactNode {
    const { t } = useLingui();
    return (
        <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-0 grow text-sm">
                <Trans>
                    {rows} rows · {used} of {columns} columns used
                </Trans>
                {unclear > 0 && (
                    <>
                        {' · '}
                        <Plural value={unclear} one="# needs a look" other="# need a look" />
                    </>
                )}
            </p>
            {(unclear > 0 || isFiltered) && (
                <div role="group" aria-label={t`Fields that are shown`} className="flex gap-2">
                    {[false, true].map(value => (
                        <Button
                            key={String(value)}
                            variant="outline"
                            size="sm"
                            aria-pressed={isFiltered === value}
                            className={cn('max-md:h-11', isFiltered === value && 'border-primary bg-accent')}
                            onClick={() => onFilter(value)}
                        >
                            {value ? <Trans>Needs a look</Trans> : <Trans context="flow fields">All</Trans>}
                        </Button>
                    ))}
                </div>
            )}
        </div>
    );
}
