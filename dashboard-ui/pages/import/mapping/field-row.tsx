import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    DropdownMenu,
    DropdownMenuContent,
    DropdownMenuItem,
    DropdownMenuTrigger,
    Input,
    Label,
    NativeSelect,
    NativeSelectOption,
    useLocalFormat,
} from '@vendure/dashboard';
import { CircleCheckIcon, CircleHelpIcon, CircleXIcon, PlusIcon, XIcon } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useFieldWords } from '../field-words';
import type { FieldSuggestion, FileProfile, ImportSuggestion } from '../import.graphql';
import type { Conversion, ImportPlan, PlannedField } from '../import-plan';
import { useAddedConversions, useConversionText, useReasonText } from './mapping-words';
import type { FieldSample, FieldSamples } from './mapping.graphql';
import { plannedField } from './plan-changes';

/** The choice “the same value for all rows”. It is not the name of a column: those have no control characters. */
const SAME_VALUE = '\u0000value';

export interface FieldRowProps {
    readonly suggestion: FieldSuggestion;
    readonly plan: ImportPlan;
    readonly profile: FileProfile;
    readonly shop: ImportSuggestion['shop'];
    readonly samples: FieldSamples | undefined;
    /** The user has looked at it, or nothing is unclear. */
    readonly isSure: boolean;
    readonly onColumn: (column: string) => void;
    readonly onValue: (value: string) => void;
    readonly onRemove: () => void;
    readonly onConversions: (conversions: readonly Conversion[]) => void;
    readonly onConfirm: () => void;
}

/** One field: its column, three values before and after, and the conversions. */
export function FieldRow(props: FieldRowProps): ReactNode {
    const { suggestion, plan, profile, samples, isSure, onConversions, onConfirm } = props;
    const wordOf = useFieldWords();
    const reasonOf = useReasonText();
    const { field, isRequired, reasonCode } = suggestion;
    const planned = plannedField(plan, field);
    const word = wordOf(field);
    const isMissing = isRequired && planned === undefined;
    return (
        <li
            className="grid gap-3 border-b py-4 last:border-b-0 lg:grid-cols-[11rem_14rem_minmax(0,1fr)_minmax(0,16rem)]"
            data-testid={`flow-import-field-${field}`}
        >
            <div className="space-y-1">
                <p className="flex items-center gap-2 font-medium">
                    {planned &&
                        (isSure ? (
                            <CircleCheckIcon aria-hidden className="size-4 shrink-0 text-success" />
                        ) : (
                            <CircleHelpIcon aria-hidden className="size-4 shrink-0 text-warning" />
                        ))}
                    <span className="min-w-0 break-words">
                        {word}
                        {isRequired && (
                            <span className="text-muted-foreground">
                                {' '}
                                <Trans>(required)</Trans>
                            </span>
                        )}
                    </span>
                </p>
                {planned && reasonCode !== 'NONE' && (
                    <p className="text-xs text-muted-foreground">{reasonOf(suggestion)}</p>
                )}
                {planned && !isSure && (
                    <Button variant="outline" size="sm" className="max-md:h-11" onClick={onConfirm}>
                        <Trans>Looks right</Trans>
                    </Button>
                )}
                {isMissing && (
                    <p className="text-sm font-medium">
                        <Trans>Choose a column.</Trans> <ForeignAmounts {...props} />
                    </p>
                )}
            </div>
            <ColumnChoice {...props} word={word} />
            <Samples field={field} samples={samples?.samples ?? []} plan={plan} shop={props.shop} profile={profile} />
            {planned?.columns && <Chips word={word} conversions={planned.conversions} onChange={onConversions} />}
        </li>
    );
}

/** Amounts in a currency that the channel lacks are loaded only if the user says so. */
function ForeignAmounts({ suggestion, profile, shop }: FieldRowProps): ReactNode {
    if (!isMoney(suggestion.field)) return null;
    const foreign = profile.columns.find(({ currency }) => currency !== null && !shop.currencies.includes(currency));
    if (!foreign) return null;
    const { name, currency } = foreign;
    const own = shop.defaultCurrency;
    return (
        <Trans>
            “{name}” is in {currency}, which this channel does not have. If you choose it, its amounts are imported as{' '}
            {own}.
        </Trans>
    );
}

function ColumnChoice({
    suggestion,
    plan,
    profile,
    word,
    onColumn,
    onValue,
    onRemove,
}: FieldRowProps & { readonly word: string }): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const { field, alternatives } = suggestion;
    const planned = plannedField(plan, field);
    const [column = ''] = planned?.columns ?? [];
    const hasValue = planned !== undefined && planned.columns === undefined;
    const best = alternatives.map(one => one.column);
    const names = [...new Set([...best, ...profile.columns.map(one => one.name)])];
    const examples = new Map(profile.columns.map(one => [one.name, one.examples[0] ?? '']));
    const several = (planned?.columns?.length ?? 0) > 1;
    const choose = (value: string): void => {
        if (value === '') onRemove();
        else if (value === SAME_VALUE) onValue('');
        else onColumn(value);
    };
    return (
        <div className="space-y-2">
            <Label htmlFor={id} className="sr-only">
                {t`Column of ${word}`}
            </Label>
            <NativeSelect
                id={id}
                className="w-full max-md:h-11"
                value={hasValue ? SAME_VALUE : column}
                onChange={({ target }) => choose(target.value)}
            >
                <NativeSelectOption value="">{t`No column`}</NativeSelectOption>
                <NativeSelectOption value={SAME_VALUE}>{t`Same value for all rows…`}</NativeSelectOption>
                {names.map(name => {
                    const example = (examples.get(name) ?? '').slice(0, 30);
                    return (
                        <NativeSelectOption key={name} value={name}>
                            {example === '' ? name : `${name} (${example})`}
                        </NativeSelectOption>
                    );
                })}
            </NativeSelect>
            {several && (
                <p className="text-xs text-muted-foreground" translate="no">
                    {planned?.columns?.join(', ')}
                </p>
            )}
            {hasValue && (
                <Input
                    aria-label={t`Value of ${word} for all rows`}
                    className="max-md:h-11"
                    maxLength={1000}
                    value={typeof planned.value === 'string' ? planned.value : JSON.stringify(planned.value)}
                    onChange={({ target }) => onValue(target.value)}
                />
            )}
        </div>
    );
}

interface SamplesProps {
    readonly field: string;
    readonly samples: readonly FieldSample[];
    readonly plan: ImportPlan;
    readonly shop: ImportSuggestion['shop'];
    readonly profile: FileProfile;
}

/** Values as they are in the file and as they will be in the shop. */
function Samples({ field, samples, plan, shop }: SamplesProps): ReactNode {
    const { t } = useLingui();
    const { formatCurrency, formatNumber } = useLocalFormat();
    const currency = currencyOf(field, plan, shop);
    // Paths become collections in a later step.
    const levels = field === 'collections' ? separatorsOf(plannedField(plan, field)) : undefined;
    const textOf = (value: unknown): string => {
        if (typeof value === 'number') return currency ? formatCurrency(value, currency) : formatNumber(value);
        if (Array.isArray(value)) return value.map(textOf).join(' · ');
        if (typeof value === 'boolean') return value ? t`yes` : t`no`;
        return typeof value === 'string' ? value : JSON.stringify(value);
    };
    return (
        <ul className="min-w-0 space-y-1 text-sm" aria-label={t`Values before and after`}>
            {samples.map(({ row, kind, before, after }) => (
                <li key={`${kind} ${row}`} className="flex flex-wrap gap-x-2 break-all">
                    <span className="text-muted-foreground" translate="no">
                        {before
                            .filter(text => text !== '')
                            .join(' · ')
                            .slice(0, 120) || '–'}
                    </span>
                    <span aria-hidden>→</span>
                    {kind === 'REJECTED' ? (
                        <span className="inline-flex items-center gap-1 font-medium">
                            <CircleXIcon aria-hidden className="size-4 shrink-0 text-destructive" />
                            <Trans>rejected (row {row})</Trans>
                        </span>
                    ) : (
                        <span translate="no">
                            {(levels ? pathText(before, levels) : after === null ? '–' : textOf(after)).slice(0, 120)}
                        </span>
                    )}
                </li>
            ))}
        </ul>
    );
}

/** The texts between two paths of categories, and between two levels of one. */
function separatorsOf(field: PlannedField | undefined): readonly string[] {
    return (field?.conversions ?? []).flatMap(one => (one.type === 'SPLIT' ? [one.separator] : []));
}

function pathText(texts: readonly string[], separators: readonly string[]): string {
    const level = separators.at(-1);
    const [between] = separators.slice(0, -1);
    const paths = texts.flatMap(text => (between === undefined ? [text] : text.split(between)));
    const levelsOf = (path: string): readonly string[] => (level === undefined ? [path] : path.split(level));
    return paths
        .map(path =>
            levelsOf(path)
                .map(name => name.trim())
                .filter(Boolean)
                .join(' › '),
        )
        .filter(Boolean)
        .join(' · ');
}

function isMoney(field: string): boolean {
    return /(^|\.)(price|totalWithTax|shippingWithTax)$/.test(field);
}

/** The currency of a field of money. */
function currencyOf(field: string, { prices }: ImportPlan, shop: ImportSuggestion['shop']): string | undefined {
    const [, currency] = /^price\.([A-Z]{3})$/.exec(field) ?? [];
    if (currency !== undefined) return currency;
    return isMoney(field) ? (prices.currency ?? shop.defaultCurrency) : undefined;
}

interface ChipsProps {
    readonly word: string;
    readonly conversions: readonly Conversion[];
    readonly onChange: (conversions: readonly Conversion[]) => void;
}

/** The conversions of a field, in their order. */
function Chips({ word, conversions, onChange }: ChipsProps): ReactNode {
    const { t } = useLingui();
    const textOf = useConversionText();
    const added = useAddedConversions();
    const without = (index: number): readonly Conversion[] => conversions.filter((_, at) => at !== index);
    return (
        <ul className="flex flex-wrap content-start gap-1.5" aria-label={t`Conversions of ${word}`}>
            {conversions.map((conversion, index) => {
                const text = textOf(conversion);
                return (
                    <li key={JSON.stringify(conversion)}>
                        <Button
                            variant="secondary"
                            size="sm"
                            className="h-7 max-md:h-11"
                            aria-label={t`Remove the conversion: ${text}`}
                            onClick={() => onChange(without(index))}
                            onKeyDown={event => {
                                if (event.key === 'Delete') onChange(without(index));
                            }}
                        >
                            {text}
                            <XIcon aria-hidden />
                        </Button>
                    </li>
                );
            })}
            <li>
                <DropdownMenu>
                    <DropdownMenuTrigger
                        render={
                            <Button
                                variant="ghost"
                                size="sm"
                                className="h-7 max-md:h-11"
                                aria-label={t`Add a conversion of ${word}`}
                            />
                        }
                    >
                        <PlusIcon aria-hidden />
                        <Trans>Add</Trans>
                    </DropdownMenuTrigger>
                    <DropdownMenuContent>
                        {added.map(({ text, conversion }) => (
                            <DropdownMenuItem key={text} onClick={() => onChange(withAdded(conversions, conversion))}>
                                {text}
                            </DropdownMenuItem>
                        ))}
                    </DropdownMenuContent>
                </DropdownMenu>
            </li>
        </ul>
    );
}

/** A conversion replaces one of the same type; an amount of money stays the last one. */
function withAdded(conversions: readonly Conversion[], added: Conversion): readonly Conversion[] {
    const others = conversions.filter(({ type }) => type !== added.type);
    const money = others.filter(({ type }) => type === 'TO_CENTS');
    return [...others.filter(({ type }) => type !== 'TO_CENTS'), added, ...money];
}
