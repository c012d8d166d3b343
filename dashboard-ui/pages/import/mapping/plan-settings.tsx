import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, Label, NativeSelect, NativeSelectOption, useLocalFormat } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { useFieldWords } from '../field-words';
import type { FileProfile } from '../import.graphql';
import type { ImportPlan } from '../import-plan';
import { useMissingWords } from './mapping-words';
import { MATCH_FIELDS, MISSING_ACTIONS, withGrouping } from './plan-changes';
import { useMatches } from './use-samples';

interface PlanSettingsProps {
    readonly profile: FileProfile;
    readonly plan: ImportPlan;
    readonly onChange: (plan: ImportPlan) => void;
}

/** By which field entities of the shop are found, and how many rows match. */
export function MatchBy({ profile, plan, onChange }: PlanSettingsProps): ReactNode {
    const wordOf = useFieldWords();
    const matches = useMatches(profile, plan);
    const { formatNumber } = useLocalFormat();
    const fields = [...new Set([plan.matchBy, ...MATCH_FIELDS[plan.target]])];
    const [existing, missing, empty] = [matches?.existing, matches?.missing, matches?.empty].map(count =>
        formatNumber(count ?? 0),
    );
    return (
        <Card>
            <CardContent className="flex flex-wrap items-end gap-x-6 gap-y-3">
                <Choice
                    label={<Trans>Match by</Trans>}
                    value={plan.matchBy}
                    choices={fields.map(field => [field, wordOf(field)])}
                    onChange={matchBy => onChange({ ...plan, matchBy })}
                />
                {matches && (
                    <p className="min-w-0 text-sm" role="status">
                        {matches.isSample ? (
                            <Trans>
                                Of the first rows, {existing} match something in the shop, {missing} are new, and{' '}
                                {empty} have no value.
                            </Trans>
                        ) : (
                            <Trans>
                                {existing} rows match something in the shop, {missing} are new, and {empty} have no
                                value.
                            </Trans>
                        )}
                    </p>
                )}
            </CardContent>
        </Card>
    );
}

/** Which rows are the variants of one product. */
export function Variants({ profile, plan, onChange }: PlanSettingsProps): ReactNode {
    const { t } = useLingui();
    const { variants } = plan;
    if (plan.target !== 'PRODUCTS') return null;
    const grouping = variants?.grouping;
    const column = grouping?.column ?? '';
    const choose = (chosen: string): void => onChange(withGrouping(plan, profile, chosen === '' ? undefined : chosen));
    const options = plan.fields.filter(({ field }) => field.startsWith('option:')).map(({ field }) => field.slice(7));
    return (
        <Card>
            <CardContent className="flex flex-wrap items-end gap-x-6 gap-y-3">
                <Choice
                    label={<Trans>Variants: one product for rows with the same</Trans>}
                    value={column}
                    choices={[
                        ['', t`No variants: each row is a product`],
                        ...profile.columns.map(({ name }) => [name, name] as const),
                    ]}
                    onChange={choose}
                />
                {variants && (
                    <Choice
                        label={<Trans>Variants without a SKU</Trans>}
                        value={variants.skuFallback ?? ''}
                        choices={[
                            ['', t`Reject the row`],
                            ['${key}-${n}', t`Use the product and a number`],
                        ]}
                        onChange={chosen => {
                            const { skuFallback: _, ...rest } = variants;
                            onChange({ ...plan, variants: chosen === '' ? rest : { ...rest, skuFallback: chosen } });
                        }}
                    />
                )}
                {variants && options.length > 0 && (
                    <p className="text-sm">
                        <Plural value={options.length} one="Option:" other="Options:" />{' '}
                        <span translate="no">{options.join(', ')}</span>
                    </p>
                )}
            </CardContent>
        </Card>
    );
}

/** What an empty price means, and what happens to entities that are not in the file. */
export function Policies({ plan, onChange }: Omit<PlanSettingsProps, 'profile'>): ReactNode {
    const { t } = useLingui();
    const missingWords = useMissingWords();
    const actions = MISSING_ACTIONS[plan.target];
    const { missing, prices } = plan;
    if (!actions && plan.target !== 'PRODUCTS') return null;
    return (
        <Card>
            <CardContent className="flex flex-wrap items-end gap-x-6 gap-y-3">
                {plan.target === 'PRODUCTS' && (
                    <Choice
                        label={<Trans>New product without a price</Trans>}
                        value={prices.missing}
                        choices={[
                            ['REJECT', t`Reject the row`],
                            ['DISABLE', t`Create it hidden`],
                        ]}
                        onChange={chosen =>
                            onChange({
                                ...plan,
                                prices: { ...prices, missing: chosen === 'DISABLE' ? 'DISABLE' : 'REJECT' },
                            })
                        }
                    />
                )}
                {actions && (
                    <Choice
                        label={<Trans>Missing from the file</Trans>}
                        value={missing.action}
                        choices={actions.map(action => [action, missingWords[action]])}
                        onChange={chosen =>
                            onChange({
                                ...plan,
                                missing: { ...missing, action: actions.find(one => one === chosen) ?? 'NONE' },
                            })
                        }
                    />
                )}
                {actions && missing.action !== 'NONE' && (
                    <Choice
                        label={<Trans>At most</Trans>}
                        value={String(missing.maxShare)}
                        choices={[...new Set([0.05, 0.1, 0.25, 0.5, 1, missing.maxShare])]
                            .sort((one, other) => one - other)
                            .map(share => [String(share), `${Math.round(share * 100)} %`])}
                        onChange={chosen => onChange({ ...plan, missing: { ...missing, maxShare: Number(chosen) } })}
                    />
                )}
            </CardContent>
        </Card>
    );
}

interface ChoiceProps {
    readonly label: ReactNode;
    readonly value: string;
    readonly choices: ReadonlyArray<readonly [value: string, text: string]>;
    readonly onChange: (value: string) => void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps): ReactNode {
    const id = useId();
    return (
        <div className="space-y-1">
            <Label htmlFor={id}>{label}</Label>
            <NativeSelect
                id={id}
                className="max-md:h-11"
                value={value}
                onChange={({ target }) => onChange(target.value)}
            >
                {choices.map(([choice, text]) => (
                    <NativeSelectOption key={choice} value={choice}>
                        {text}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
        </div>
    );
}
