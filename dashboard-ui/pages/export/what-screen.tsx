import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle, Checkbox, Label, useDisplayLocale } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { TextField } from '../../parts/text-field';
import { WizardScreen } from '../../parts/wizard/wizard-screen';
import { ChoiceCards } from './choice-cards';
import { ChoiceField } from './choice-field';
import { useExport } from './export-context';
import { defaultFields, fieldsInLanguage } from './export-fields';
import { EXPORT_ENTITIES, type ExportEntity, type ExportFilters, isChosen, isFeedFormat } from './export-plan';
import { useEntityWords } from './export-words';
import { FieldTree } from './field-tree';
import { Preview } from './preview';
import { useFacetValues } from './use-export-shop';

/** What is exported: which entities, which of them, and which fields. */
export function WhatScreen(): ReactNode {
    const { t } = useLingui();
    const { plan, shop, change, open } = useExport();
    const words = useEntityWords();
    const choose = (entity: ExportEntity): void =>
        change({
            entity,
            filters: {},
            fields: defaultFields(entity, shop, plan.language),
            // A feed contains products.
            ...(entity !== 'VARIANTS' && isFeedFormat(plan.format) && { format: 'CSV' }),
        });
    return (
        <WizardScreen
            title={<Trans>What do you want to export?</Trans>}
            primary={{
                label: <Trans>Continue</Trans>,
                onPress: () => open('FORMAT'),
                isDisabled: !isChosen(plan),
                reason: <Trans>Choose fields and a facet value.</Trans>,
            }}
        >
            <ChoiceCards
                label={t`What is exported`}
                choices={EXPORT_ENTITIES}
                words={words}
                value={plan.entity}
                onChange={choose}
            />
            <Filters />
            <FieldTree />
            <Preview />
        </WizardScreen>
    );
}

/** Which entities, and in which language their texts are. */
function Filters(): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const { bcp47Tag } = useDisplayLocale();
    const { plan, shop, change } = useExport();
    const { filters, entity, language } = plan;
    const filter = (changes: Partial<ExportFilters>): void => change({ filters: { ...filters, ...changes } });
    const names = new Intl.DisplayNames(bcp47Tag, { type: 'language' });
    const isCatalogue = entity === 'VARIANTS' || entity === 'PRODUCTS';
    const since =
        filters.updatedSince === undefined ? 'ALL' : filters.updatedSince === 'LAST_RUN' ? 'LAST_RUN' : 'DATE';
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans context="flow export">Filters</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="space-y-4">
                <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
                    <ChoiceField
                        label={<Trans>Language of the texts</Trans>}
                        value={language}
                        choices={shop.languages.map(code => [
                            code,
                            `${names.of(code.replaceAll('_', '-')) ?? code} (${code})`,
                        ])}
                        onChange={next => change({ language: next, fields: fieldsInLanguage(plan, shop, next) })}
                    />
                    <ChoiceField
                        label={<Trans>Changed</Trans>}
                        value={since}
                        choices={[
                            ['ALL', t`At any time`],
                            ['DATE', t`Since a date`],
                            ['LAST_RUN', t`Since the last export`],
                        ]}
                        onChange={choice => filter({ updatedSince: sinceOf(choice) })}
                    />
                    {since === 'DATE' && (
                        <TextField
                            label={<Trans>Changed since</Trans>}
                            type="date"
                            value={filters.updatedSince ?? ''}
                            onChange={date => date !== '' && filter({ updatedSince: date })}
                        />
                    )}
                    {isCatalogue && <FacetFilter onChange={filter} />}
                </div>
                {(isCatalogue || entity === 'COLLECTIONS') && (
                    <div className="flex items-center gap-2">
                        <Checkbox
                            id={id}
                            checked={filters.isEnabled === true}
                            onCheckedChange={checked => filter({ isEnabled: checked === true ? true : undefined })}
                        />
                        <Label htmlFor={id} className="font-normal">
                            {entity === 'COLLECTIONS' ? (
                                <Trans>Only collections that are not private</Trans>
                            ) : (
                                <Trans>Only what is enabled</Trans>
                            )}
                        </Label>
                    </div>
                )}
            </CardContent>
        </Card>
    );
}

function sinceOf(choice: string): string | undefined {
    if (choice === 'ALL') return undefined;
    return choice === 'LAST_RUN' ? choice : new Date().toISOString().slice(0, 10);
}

/** Products with a facet value. */
function FacetFilter({ onChange }: { readonly onChange: (changes: Partial<ExportFilters>) => void }): ReactNode {
    const { t } = useLingui();
    const { plan, shop } = useExport();
    const { facetValue } = plan.filters;
    const values = useFacetValues(facetValue?.facet);
    if (shop.facets.length === 0) return null;
    return (
        <>
            <ChoiceField
                label={<Trans>Facet</Trans>}
                value={facetValue?.facet ?? ''}
                choices={[['', t`All products`], ...shop.facets.map(({ code, name }) => [code, name] as const)]}
                onChange={facet => onChange({ facetValue: facet === '' ? undefined : { facet, value: '' } })}
            />
            {facetValue && (
                <ChoiceField
                    label={<Trans>Facet value</Trans>}
                    value={facetValue.value}
                    choices={[['', t`Choose a value`], ...values.map(({ code, name }) => [code, name] as const)]}
                    onChange={value => onChange({ facetValue: { ...facetValue, value } })}
                />
            )}
        </>
    );
}
