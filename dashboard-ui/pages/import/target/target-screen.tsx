import { Plural, Trans, useLingui } from '@lingui/react/macro';
import {
    Badge,
    Card,
    CardContent,
    cn,
    Label,
    NativeSelect,
    NativeSelectOption,
    RadioGroup,
    RadioGroupItem,
    useChannel,
    useDisplayLocale,
} from '@vendure/dashboard';
import { type ReactNode, useId, useState } from 'react';
import { FaultNotice } from '../../../parts/fault-notice';
import { WizardScreen } from '../../../parts/wizard/wizard-screen';
import type { TargetScore } from '../import.graphql';
import { useTargetHelp, useTargetWords } from '../import-words';
import { KnownExport } from '../known-export';
import type { ImportTarget } from '../import-plan';
import { useWizard } from '../wizard-context';
import { isReachable } from '../wizard-state';

/** What does the file contain, and in which language? */
export function TargetScreen(): ReactNode {
    const { state, open, reading } = useWizard();
    const { suggestion, plan } = state;
    const [chosen, setChosen] = useState<ImportTarget>();
    if (!suggestion || !plan) return null;
    const isPending = reading.pending === 'SUGGESTION';
    const target = isPending && chosen ? chosen : plan.target;
    const choose = (next: ImportTarget): void => {
        setChosen(next);
        if (next !== plan.target || isPending) void reading.suggest(next);
    };
    return (
        <WizardScreen
            title={<Trans>What does the file contain?</Trans>}
            primary={{
                label: <Trans>Continue</Trans>,
                onPress: () => open('MAPPING'),
                isDisabled: isPending || reading.failed !== undefined || !isReachable(state, 'MAPPING'),
                reason: isPending ? <Trans>Matching the columns…</Trans> : undefined,
            }}
        >
            <KnownExport />
            <TargetCards targets={suggestion.targets} chosen={target} onChoose={choose} />
            {reading.failed?.what === 'SUGGESTION' && (
                <FaultNotice error={reading.failed.error} onRetry={() => reading.suggest(target)} />
            )}
            <Card>
                <CardContent className="flex flex-wrap items-end gap-x-6 gap-y-3">
                    <LanguageSelect />
                    <ChannelName />
                </CardContent>
            </Card>
        </WizardScreen>
    );
}

interface TargetCardsProps {
    /** The best first. */
    readonly targets: readonly TargetScore[];
    readonly chosen: ImportTarget;
    readonly onChoose: (target: ImportTarget) => void;
}

function TargetCards({ targets, chosen, onChoose }: TargetCardsProps): ReactNode {
    const { t } = useLingui();
    const best = targets.find(({ missingPermissions }) => missingPermissions.length === 0)?.target;
    return (
        <RadioGroup
            aria-label={t`What the file contains`}
            className="grid gap-3 md:grid-cols-2"
            value={chosen}
            onValueChange={value => onChoose(value as ImportTarget)}
        >
            {targets.map(score => (
                <TargetCard
                    key={score.target}
                    score={score}
                    isChosen={score.target === chosen}
                    isRecommended={score.target === best && score.columns.length > 0}
                />
            ))}
        </RadioGroup>
    );
}

interface TargetCardProps {
    readonly score: TargetScore;
    readonly isChosen: boolean;
    readonly isRecommended: boolean;
}

function TargetCard({ score, isChosen, isRecommended }: TargetCardProps): ReactNode {
    const id = useId();
    const words = useTargetWords();
    const help = useTargetHelp();
    const { target, missingPermissions } = score;
    const isForbidden = missingPermissions.length > 0;
    return (
        <Label
            htmlFor={id}
            className={cn(
                'flex items-start gap-3 rounded-md border bg-card p-4 font-normal',
                isChosen && 'border-primary bg-accent',
                isForbidden ? 'text-muted-foreground' : 'cursor-pointer',
            )}
        >
            <RadioGroupItem
                id={id}
                value={target}
                disabled={isForbidden}
                className="mt-0.5"
                aria-labelledby={`${id}-name`}
                aria-describedby={`${id}-recommended ${id}-why`}
            />
            <span className="min-w-0 space-y-1">
                <span className="flex flex-wrap items-center gap-2 font-medium">
                    <span id={`${id}-name`}>{words[target]}</span>
                    {isRecommended && (
                        <Badge variant="secondary" id={`${id}-recommended`}>
                            <Trans>Recommended</Trans>
                        </Badge>
                    )}
                </span>
                <span id={`${id}-why`} className={cn('block space-y-1 text-sm', !isChosen && 'text-muted-foreground')}>
                    <span className="block">{help[target]}</span>
                    <TargetReason score={score} />
                </span>
            </span>
        </Label>
    );
}

/** Permissions, columns or existing entities: why a target fits or not. */
function TargetReason({ score }: { readonly score: TargetScore }): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    const { target, columns, missingPermissions, existing } = score;
    if (missingPermissions.length > 0) {
        const list = new Intl.ListFormat(bcp47Tag).format(missingPermissions);
        return (
            <span className="block">
                <Trans>
                    Your role has no permission <span translate="no">{list}</span>.
                </Trans>
            </span>
        );
    }
    if (existing === 0 && (target === 'PRICES' || target === 'STOCK'))
        return (
            <span className="block">
                <Trans>The shop has no products yet.</Trans>
            </span>
        );
    if (columns.length === 0)
        return (
            <span className="block">
                <Trans>No column fits.</Trans>
            </span>
        );
    const names = new Intl.ListFormat(bcp47Tag).format(columns);
    return (
        <span className="block">
            <Plural value={columns.length} one="Column that fits:" other="Columns that fit:" />{' '}
            <span translate="no">{names}</span>
        </span>
    );
}

/** The language of texts whose column does not name one. */
function LanguageSelect(): ReactNode {
    const id = useId();
    const { bcp47Tag } = useDisplayLocale();
    const { state, dispatch } = useWizard();
    const { suggestion, plan } = state;
    if (!suggestion || !plan) return null;
    const { languages, defaultLanguage } = suggestion.shop;
    const names = new Intl.DisplayNames(bcp47Tag, { type: 'language' });
    const value = plan.language ?? defaultLanguage;
    const choices = languages.includes(value) ? languages : [value, ...languages];
    return (
        <div className="space-y-1">
            <Label htmlFor={id}>
                <Trans>Language of the texts</Trans>
            </Label>
            <NativeSelect
                id={id}
                className="max-md:[&_select]:h-11"
                value={value}
                onChange={({ target }) => dispatch({ type: 'PLAN_CHANGED', plan: { ...plan, language: target.value } })}
            >
                {choices.map(code => (
                    <NativeSelectOption key={code} value={code}>
                        {`${names.of(code.replaceAll('_', '-')) ?? code} (${code})`}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
        </div>
    );
}

function ChannelName(): ReactNode {
    const { activeChannel } = useChannel();
    if (!activeChannel) return null;
    const isDefault = activeChannel.code === '__default_channel__';
    return (
        <dl className="space-y-1 text-sm">
            <dt className="font-medium">
                <Trans>Channel</Trans>
            </dt>
            <dd className="flex min-h-9 items-center">
                {isDefault ? <Trans>Default channel</Trans> : <span translate="no">{activeChannel.code}</span>}
            </dd>
        </dl>
    );
}
